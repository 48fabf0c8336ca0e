// The arguments of SpMVOp made invalid in turn, for bad_arguments_test. The host takes no LTO-IR.
#include "families.hpp"
#include "subject.hpp"
#include <heron/semiring.h>

namespace heron::test {
namespace {

constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto i32 = CUSPARSE_INDEX_32I;
constexpr auto zero_based = CUSPARSE_INDEX_BASE_ZERO;

// A is 4 x 3.
alignas(16) double a_values[4] = {1, 2, 3, 4}, x_values[4] = {1, 1, 1, 1}, y_values[4], z_values[4];
alignas(16) int32_t offsets[5] = {0, 1, 2, 3, 4}, columns[4] = {0, 1, 2, 0};
alignas(16) char buffer[65536];
const double one = 1;

struct operands {
    const sparse_matrix a{cusparseCreateCsr, 4,   3,   4,          offsets,   columns,
                          a_values,          i32, i32, zero_based, CUDA_R_64F};
    const dense_vector x{cusparseCreateDnVec, 3, x_values, CUDA_R_64F};
    const dense_vector y{cusparseCreateDnVec, 4, y_values, CUDA_R_64F};
    const dense_vector z{cusparseCreateDnVec, 4, z_values, CUDA_R_64F};
    const dense_vector wrong{cusparseCreateDnVec, 2, x_values, CUDA_R_64F};
    const dense_vector single{cusparseCreateDnVec, 4, x_values, CUDA_R_32F};
    const dense_vector empty{cusparseCreateDnVec, 4, nullptr, CUDA_R_64F};
    const const_dense_vector constant{cusparseCreateConstDnVec, 4, y_values, CUDA_R_64F};
    cusparseDnVecDescr_t read_only() const {
        return const_cast<cusparseDnVecDescr_t>(static_cast<cusparseConstDnVecDescr_t>(constant));
    }
};

// The operands and what follows them, from the operation at position k on.
template <size_t k, class Subject>
void try_operands(Subject& s, const operands& o) {
    s.template bad<k>("opA", static_cast<cusparseOperation_t>(3));
    s.template bad<k + 1>("matA", nullptr);
    s.template bad<k + 2>("vecX", nullptr).template bad<k + 2>("vecX", o.wrong);
    s.template bad<k + 3>("vecY", nullptr).template bad<k + 3>("vecZ", o.wrong);
    s.template bad<k + 3>("vecY", o.read_only());
    s.template bad<k + 4>("vecZ", nullptr).template bad<k + 4>("vecZ", o.wrong);
    s.template bad<k + 4>("vecZ", o.single, not_supported).template bad<k + 4>("vecZ", o.read_only());
    s.template bad<k + 5>("computeType", static_cast<cudaDataType>(99));
    s.template bad<k + 5>("computeType", CUDA_R_32F, not_supported);
    s.template bad<k + 6>("alg", static_cast<cusparseSpMVOpAlg_t>(3));
}

void try_operators(cusparseHandle_t h, cusparseSpMVOpDescr_t descr) {
    cusparseSpMVOpPlan_t plan = nullptr;
    SUBJECT(create, cusparseSpMVOp_createPlan, h, descr, &plan, nullptr, 0);
    create.watch(&plan, sizeof plan)
        .bad<0>("handle", nullptr)
        .bad<1>("descr", nullptr)
        .bad<2>("plan", nullptr);
    create.bad<3>("codeSize", "no code").bad<4>("code", 8);

    heron_operators operators{};
    SUBJECT(with_operators, cusparseSpMVOp_createPlan, h, descr, &plan, &operators, sizeof operators);
    with_operators.any<0>().any<1>().any<2>().any<3>().any<4>();
    const auto try_again = [&](const char* field, cusparseStatus_t expected = invalid) {
        with_operators.bad<3>(field, &operators, expected);
        operators = {};
    };
    operators.form = static_cast<heron_operator_form>(9);
    try_again("code: form");
    operators.semiring = static_cast<heron_semiring>(9);
    try_again("code: semiring");
    operators.epilogue_kind = HERON_EPILOGUE_CUSTOM;
    try_again("code: epilogue_kind");
    operators.form = HERON_OPERATORS_SOURCE;
    try_again("code: epilogue_kind");
    operators.form = HERON_OPERATORS_CALLBACK;
    try_again("code: epilogue_kind");
    operators.form = HERON_OPERATORS_CALLBACK;
    operators.epilogue_kind = HERON_EPILOGUE_CUSTOM;
    try_again("code: epilogue");
    operators.form = HERON_OPERATORS_SOURCE;
    operators.epilogue_kind = HERON_EPILOGUE_CUSTOM;
    try_again("code: epilogue_source");
}

}  // namespace

void try_spmv_op() {
    const handle h(cusparseCreate);
    const operands o;
    constexpr auto alg = CUSPARSE_SPMVOP_ALG_DEFAULT;
    size_t bytes = 0;
    SUBJECT(size, cusparseSpMVOp_bufferSize, h, N, o.a, o.x, o.y, o.z, CUDA_R_64F, alg, &bytes);
    size.works().watch(&bytes, sizeof bytes).bad<0>("handle", nullptr).bad<8>("bufferSize", nullptr);
    try_operands<1>(size, o);

    cusparseSpMVOpDescr_t made = nullptr;
    {
        SUBJECT(create, cusparseSpMVOp_createDescr, h, &made, N, o.a, o.x, o.y, o.z, CUDA_R_64F, alg, buffer);
        create.watch(&made, sizeof made).bad<0>("handle", nullptr).bad<1>("descr", nullptr);
        create.bad<9>("buffer", nullptr);
        try_operands<2>(create, o);
    }
    REQUIRE(cusparseSpMVOp_createDescr(h, &made, N, o.a, o.x, o.y, o.z, CUDA_R_64F, alg, buffer) == ok);
    cusparseSpMVOpPlan_t plan = nullptr;
    REQUIRE(cusparseSpMVOp_createPlan(h, made, &plan, nullptr, 0) == ok);
    {
        double data = 1;
        SUBJECT(set, cusparseSpMVOp_setGlobalUserData, h, plan, "name", &data, sizeof data);
        set.bad<0>("handle", nullptr).bad<1>("plan", nullptr).bad<1>("plan", plan);
        set.bad<2>("global_data_name", nullptr).bad<3>("input_data", nullptr).bad<4>("data_size", 0);
    }
    try_operators(h, made);
    SUBJECT(destroy_descr, cusparseSpMVOp_destroyDescr, nullptr);
    destroy_descr.works().any<0>();
    // The plan needs the descriptor no more.
    REQUIRE(cusparseSpMVOp_destroyDescr(made) == ok);
    {
        SUBJECT(run, cusparseSpMVOp, h, plan, &one, &one, o.x, o.y, o.z);
        run.works();
        CHECK(z_values[3] == 4);
        run.watch(z_values, sizeof z_values).bad<0>("handle", nullptr).bad<1>("plan", nullptr);
        run.bad<2>("alpha", nullptr).bad<3>("beta", nullptr);
        run.bad<4>("vecX", nullptr).bad<4>("vecX", o.wrong).bad<5>("vecY", nullptr).bad<5>("vecY", o.wrong);
        run.bad<4>("vecX", o.single).bad<5>("vecY: values", o.empty);
        run.bad<6>("vecZ", nullptr).bad<6>("vecZ", o.wrong).bad<6>("vecZ", o.single, not_supported);
        run.bad<6>("vecZ", o.read_only()).bad<6>("vecZ: values", o.empty);
    }
    SUBJECT(destroy_plan, cusparseSpMVOp_destroyPlan, nullptr);
    destroy_plan.works().any<0>();
    REQUIRE(cusparseSpMVOp_destroyPlan(plan) == ok);
}

}  // namespace heron::test
