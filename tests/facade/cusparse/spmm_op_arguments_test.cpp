// SpMMOp's arguments made invalid in turn. The host takes no LTO-IR, so that a plan can only be refused here.
#include "families.hpp"
#include "subject.hpp"

namespace heron::test {
namespace {

constexpr auto i32 = CUSPARSE_INDEX_32I;
constexpr auto zero_based = CUSPARSE_INDEX_BASE_ZERO;
constexpr auto f64 = CUDA_R_64F;
constexpr auto by_rows = CUSPARSE_ORDER_ROW;
constexpr auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto t = CUSPARSE_OPERATION_TRANSPOSE;

// A is 4 x 3 with one element per row, B is 3 x 2 and C is 4 x 2.
alignas(16) double a_values[8], b_values[8], c_values[16];
alignas(16) int32_t offsets[8] = {0, 1, 2, 3, 4}, columns[8] = {0, 1, 2, 0};
const char code[] = "no code";

struct operands {
    const sparse_matrix a{cusparseCreateCsr, 4, 3, 4, offsets, columns, a_values, i32, i32, zero_based, f64};
    const sparse_matrix coo{cusparseCreateCoo, 4, 3, 4, offsets, columns, a_values, i32, zero_based, f64};
    const sparse_matrix long_a{cusparseCreateCsr, 5,   3,   4,          offsets, columns,
                               a_values,          i32, i32, zero_based, f64};
    const sparse_matrix batch_a{cusparseCreateCsr, 4,   3,   4,          offsets, columns,
                                a_values,          i32, i32, zero_based, f64};
    const sparse_matrix float_a{cusparseCreateCsr, 4,   3,   4,          offsets,   columns,
                                a_values,          i32, i32, zero_based, CUDA_R_32F};
    const dense_matrix b{cusparseCreateDnMat, 3, 2, 2, b_values, f64, by_rows};
    const dense_matrix long_b{cusparseCreateDnMat, 4, 2, 2, b_values, f64, by_rows};
    const dense_matrix c{cusparseCreateDnMat, 4, 2, 2, c_values, f64, by_rows};
    const dense_matrix wide_c{cusparseCreateDnMat, 4, 3, 3, c_values, f64, by_rows};
    const const_dense_matrix const_c{cusparseCreateConstDnMat, 4, 2, 2, c_values, f64, by_rows};

    operands() { REQUIRE(cusparseCsrSetStridedBatch(batch_a, 2, 0, 4) == ok); }
};

}  // namespace

void try_spmm_op() {
    const handle h(cusparseCreate);
    const operands o;
    constexpr auto alg = CUSPARSE_SPMM_OP_ALG_DEFAULT;
    size_t bytes = 0;
    cusparseSpMMOpPlan_t plan = nullptr;
    SUBJECT(create, cusparseSpMMOp_createPlan, h, &plan, n, n, o.a, o.b, o.c, f64, alg, code, sizeof code,
            code, sizeof code, code, sizeof code, &bytes);
    create.watch(&plan, sizeof plan).watch(&bytes, sizeof bytes).watch(c_values, sizeof c_values);
    create.bad<0>("handle", nullptr).bad<1>("plan", nullptr);
    create.bad<2>("opA", static_cast<cusparseOperation_t>(3)).bad<2>("opA", t, not_supported);
    create.bad<3>("opB", static_cast<cusparseOperation_t>(3)).bad<3>("matB", t);
    create.bad<4>("matA", nullptr).bad<4>("matA", o.coo, not_supported);
    create.bad<4>("matC", o.long_a).bad<4>("matA", o.batch_a, not_supported);
    create.bad<4>("computeType", o.float_a, not_supported);
    create.bad<5>("matB", nullptr).bad<5>("matB", o.long_b);
    create.bad<6>("matC", nullptr).bad<6>("matC", o.wide_c);
    create.bad<6>("matC",
                  const_cast<cusparseDnMatDescr_t>(static_cast<cusparseConstDnMatDescr_t>(o.const_c)));
    create.bad<7>("computeType", static_cast<cudaDataType>(99))
        .bad<7>("computeType", CUDA_R_32F, not_supported);
    create.bad<8>("alg", static_cast<cusparseSpMMOpAlg_t>(1));
    create.bad<9>("addOperationNvvmBuffer", nullptr).bad<10>("addOperationBufferSize", 0);
    create.bad<11>("mulOperationNvvmBuffer", nullptr).bad<12>("mulOperationBufferSize", 0);
    create.bad<13>("epilogueNvvmBuffer", nullptr).bad<14>("epilogueBufferSize", 0);
    create.bad<15>("SpMMWorkspaceSize", nullptr);

    log_capture log;
    plan = nullptr;
    CHECK(cusparseSpMMOp_createPlan(h, &plan, n, n, o.a, o.b, o.c, f64, alg, code, sizeof code, code,
                                    sizeof code, code, sizeof code, &bytes) == not_supported);
    CHECK(plan == nullptr);
    const auto lines = log.take();
    CHECK(std::any_of(lines.begin(), lines.end(), [](const log_line& line) {
        return line.message.find("heron_spmm_op") != std::string::npos;
    }));

    cusparseSpMMOpPlan_t none = nullptr;
    CHECK(cusparseSpMMOp_destroyPlan(none) == ok);
    CHECK(cusparseSpMMOp(none, nullptr) == CUSPARSE_STATUS_INVALID_VALUE);
    tried().insert({"cusparseSpMMOp", "cusparseSpMMOp_destroyPlan"});
}

}  // namespace heron::test
