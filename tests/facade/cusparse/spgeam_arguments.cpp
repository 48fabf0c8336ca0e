// The arguments of SpGEAM made invalid in turn, for bad_arguments_test.
#include "families.hpp"
#include "subject.hpp"
#include "wrong_enumerators.hpp"

namespace heron::test {
namespace {

constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto T = CUSPARSE_OPERATION_TRANSPOSE;
constexpr auto i32 = CUSPARSE_INDEX_32I;
constexpr auto i64 = CUSPARSE_INDEX_64I;
constexpr auto zero_based = CUSPARSE_INDEX_BASE_ZERO;

alignas(16) double values[4] = {1, 2, 3, 4}, sum_values[8];
alignas(16) int32_t offsets[5] = {0, 1, 2, 3, 4}, columns[4] = {0, 1, 2, 0}, sum_offsets[8], sum_columns[8];
alignas(16) int64_t long_offsets[5] = {0, 1, 2, 3, 4}, long_columns[4] = {0, 1, 2, 0};
alignas(16) char buffer[65536];
const double one = 1;

sparse_matrix matrix(int64_t rows, void* o, void* c, void* v, cusparseIndexType_t index = i32,
                     cudaDataType type = CUDA_R_64F) {
    return sparse_matrix(cusparseCreateCsr, rows, 3, v == sum_values ? 0 : rows, o, c, v, index, index,
                         zero_based, type);
}

// 4 x 3 with an element in each row, and some that do not fit.
struct matrices {
    sparse_matrix a = matrix(4, offsets, columns, values);
    sparse_matrix sum = matrix(4, sum_offsets, sum_columns, sum_values);
    sparse_matrix other_sum = matrix(4, sum_columns, sum_columns, sum_values);
    sparse_matrix short_one = matrix(3, offsets, columns, values);
    sparse_matrix single = matrix(4, offsets, columns, values, i32, CUDA_R_32F);
    sparse_matrix long_one = matrix(4, long_offsets, long_columns, values, i64);
    sparse_matrix coo =
        sparse_matrix(cusparseCreateCoo, 4, 3, 4, columns, columns, values, i32, zero_based, CUDA_R_64F);
    const_sparse_matrix constant = const_sparse_matrix(cusparseCreateConstCsr, 4, 3, 0, sum_offsets, nullptr,
                                                       nullptr, i32, i32, zero_based, CUDA_R_64F);
    cusparseSpMatDescr_t read_only() const {
        return const_cast<cusparseSpMatDescr_t>(static_cast<cusparseConstSpMatDescr_t>(constant));
    }
};

// What all phases have but for their last argument.
template <class Subject>
void try_operands(Subject& s, const matrices& m) {
    s.template bad<0>("handle", nullptr);
    s.template bad<1>("opA", no_operation).template bad<1>("opA", T, not_supported);
    s.template bad<2>("opB", no_operation).template bad<2>("opB", T, not_supported);
    s.template bad<3>("alpha", nullptr).template bad<5>("beta", nullptr);
    s.template bad<4>("matA", nullptr).template bad<4>("matA", m.coo, not_supported);
    s.template bad<4>("matA", m.short_one).template bad<4>("matA", m.single, not_supported);
    s.template bad<4>("matA", m.long_one, not_supported);
    s.template bad<6>("matB", nullptr).template bad<6>("matB", m.coo, not_supported);
    s.template bad<6>("matB", m.short_one).template bad<6>("matB", m.single, not_supported);
    s.template bad<7>("matC", nullptr).template bad<7>("matC", m.coo, not_supported);
    s.template bad<7>("matC", m.read_only());
    s.template bad<8>("computeType", static_cast<cudaDataType>(99));
    s.template bad<8>("computeType", CUDA_R_32F, not_supported);
    s.template bad<9>("alg", static_cast<cusparseSpGEAMAlg_t>(2));
    s.template bad<10>("spgeamDescr", nullptr);
}

}  // namespace

void try_spgeam() {
    const handle h(cusparseCreate);
    const matrices m;
    constexpr auto alg = CUSPARSE_SPGEAM_ALG_DEFAULT;
    cusparseSpGEAMDescr_t made = nullptr;
    SUBJECT(create, cusparseSpGEAM_createDescr, &made);
    create.bad<0>("descr", nullptr);
    SUBJECT(destroy, cusparseSpGEAM_destroyDescr, nullptr);
    destroy.works().any<0>();
    using spgeam_descr = owned<cusparseSpGEAMDescr_t, &cusparseSpGEAM_destroyDescr>;
    const spgeam_descr d(cusparseSpGEAM_createDescr), fresh(cusparseSpGEAM_createDescr);

    size_t bytes = 0;
    SUBJECT(size, cusparseSpGEAM_bufferSize, h, N, N, &one, m.a, &one, m.a, m.sum, CUDA_R_64F, alg, d,
            &bytes);
    size.works().watch(&bytes, sizeof bytes).bad<11>("bufferSize", nullptr);
    try_operands(size, m);
    {
        SUBJECT(nnz, cusparseSpGEAM_nnz, h, N, N, &one, m.a, &one, m.a, m.sum, CUDA_R_64F, alg, d, buffer);
        SUBJECT(run, cusparseSpGEAM, h, N, N, &one, m.a, &one, m.a, m.sum, CUDA_R_64F, alg, d, buffer);
        run.bad<10>("matC", fresh);
        nnz.works();
        int64_t rows = 0, cols = 0, count = 0;
        REQUIRE(cusparseSpMatGetSize(m.sum, &rows, &cols, &count) == ok);
        CHECK(count == 4);
        run.works();
        CHECK(sum_values[3] == 8);
        run.watch(sum_values, sizeof sum_values).watch(sum_columns, sizeof sum_columns);
        try_operands(run, m);
        run.bad<7>("matC", m.other_sum).any<11>();
        nnz.watch(sum_offsets, sizeof sum_offsets).any<11>();
        try_operands(nnz, m);
    }
}

}  // namespace heron::test
