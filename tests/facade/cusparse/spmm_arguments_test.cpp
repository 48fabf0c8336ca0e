// Every argument of the SpMM functions made invalid in turn; bad_arguments_test.cpp calls this.
#include "subject.hpp"
#include "wrong_enumerators.hpp"

namespace heron::test {
namespace {

constexpr auto i32 = CUSPARSE_INDEX_32I;
constexpr auto zero_based = CUSPARSE_INDEX_BASE_ZERO;
constexpr auto f64 = CUDA_R_64F;
constexpr auto by_columns = CUSPARSE_ORDER_COL;
constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;

// A is 4 x 3 with one element per row, B 3 x 2, C 4 x 2.
alignas(16) double values[8] = {1, 2, 3, 4}, b_values[32], c_values[32];
alignas(16) int32_t offsets[8] = {0, 1, 2, 3, 4}, columns[8] = {0, 1, 2, 0};
alignas(16) char buffer[4096];
const double one = 1, zero = 0;

struct spmm_operands {
    const sparse_matrix a{cusparseCreateCsr, 4, 3, 4, offsets, columns, values, i32, i32, zero_based, f64};
    const sparse_matrix wide_a{cusparseCreateCsr, 4,  4, 4, offsets, columns, values, i32, i32,
                               zero_based,        f64};
    const sparse_matrix float_a{cusparseCreateCsr, 4,         3, 4, offsets, columns, values, i32, i32,
                                zero_based,        CUDA_R_32F};
    const sparse_matrix sell{
        cusparseCreateSlicedEll, 4, 3, 4, 4, 1, offsets, columns, values, i32, i32, zero_based, f64};
    const sparse_matrix pair{cusparseCreateCsr, 4, 3, 4, offsets, columns, values, i32, i32, zero_based, f64};
    const sparse_matrix without_offsets{cusparseCreateCsr, 4,  3, 4, nullptr, columns, values, i32, i32,
                                        zero_based,        f64};
    const sparse_matrix without_indices{cusparseCreateCsr, 4,  3, 4, offsets, nullptr, values, i32, i32,
                                        zero_based,        f64};
    const sparse_matrix without_rows{cusparseCreateCoo, 4,      3,   4,          nullptr,
                                     columns,           values, i32, zero_based, f64};
    const dense_matrix b{cusparseCreateDnMat, 3, 2, 3, b_values, f64, by_columns};
    const dense_matrix long_b{cusparseCreateDnMat, 4, 2, 4, b_values, f64, by_columns};
    const dense_matrix wide_b{cusparseCreateDnMat, 3, 3, 3, b_values, f64, by_columns};
    const dense_matrix float_b{cusparseCreateDnMat, 3, 2, 3, b_values, CUDA_R_32F, by_columns};
    const dense_matrix pair_b{cusparseCreateDnMat, 3, 2, 3, b_values, f64, by_columns};
    const dense_matrix triple_b{cusparseCreateDnMat, 3, 2, 3, b_values, f64, by_columns};
    const dense_matrix b_without_values{cusparseCreateDnMat, 3, 2, 3, nullptr, f64, by_columns};
    const dense_matrix c{cusparseCreateDnMat, 4, 2, 4, c_values, f64, by_columns};
    const dense_matrix long_c{cusparseCreateDnMat, 5, 2, 5, c_values, f64, by_columns};
    const dense_matrix wide_c{cusparseCreateDnMat, 4, 3, 4, c_values, f64, by_columns};
    const dense_matrix float_c{cusparseCreateDnMat, 4, 2, 4, c_values, CUDA_R_32F, by_columns};
    const dense_matrix triple_c{cusparseCreateDnMat, 4, 2, 4, c_values, f64, by_columns};
    const dense_matrix overlapping_c{cusparseCreateDnMat, 4, 2, 4, c_values, f64, by_columns};
    const dense_matrix c_without_values{cusparseCreateDnMat, 4, 2, 4, nullptr, f64, by_columns};
    const const_dense_matrix const_c{cusparseCreateConstDnMat, 4, 2, 4, c_values, f64, by_columns};

    spmm_operands() {
        REQUIRE(cusparseCsrSetStridedBatch(pair, 2, 0, 4) == ok);
        REQUIRE(cusparseDnMatSetStridedBatch(pair_b, 2, 6) == ok);
        REQUIRE(cusparseDnMatSetStridedBatch(triple_b, 3, 6) == ok);
        REQUIRE(cusparseDnMatSetStridedBatch(triple_c, 3, 8) == ok);
        REQUIRE(cusparseDnMatSetStridedBatch(overlapping_c, 3, 0) == ok);
    }
    cusparseDnMatDescr_t const_c_as_output() const {
        return const_cast<cusparseDnMatDescr_t>(static_cast<cusparseConstDnMatDescr_t>(const_c));
    }
};

// What all three SpMM functions refuse.
template <class Subject>
void try_arguments(Subject& s, const spmm_operands& o) {
    s.template bad<0>("handle", nullptr);
    s.template bad<1>("opA", no_operation).template bad<1>("matB", CUSPARSE_OPERATION_TRANSPOSE);
    s.template bad<2>("opB", no_operation).template bad<2>("matB", CUSPARSE_OPERATION_TRANSPOSE);
    s.template bad<3>("alpha", nullptr);
    s.template bad<4>("matA", nullptr).template bad<4>("matA", o.sell, not_supported);
    s.template bad<4>("matA", o.pair).template bad<4>("matB", o.wide_a);
    s.template bad<4>("computeType", o.float_a, not_supported);
    s.template bad<5>("matB", nullptr).template bad<5>("matB", o.long_b);
    s.template bad<5>("matC", o.wide_b).template bad<5>("matB", o.pair_b);
    s.template bad<5>("computeType", o.float_b, not_supported);
    s.template bad<6>("beta", nullptr);
    s.template bad<7>("matC", nullptr).template bad<7>("matC", o.long_c);
    s.template bad<7>("matC", o.wide_c).template bad<7>("matC", o.overlapping_c);
    s.template bad<7>("computeType", o.float_c, not_supported).template bad<7>("matC", o.const_c_as_output());
    s.template bad<8>("computeType", static_cast<cudaDataType>(99));
    s.template bad<8>("computeType", CUDA_R_8U, not_supported);
    s.template bad<8>("computeType", CUDA_R_32F, not_supported);
    for (const int alg : {-1, 7, 11, 15}) s.template bad<9>("alg", static_cast<cusparseSpMMAlg_t>(alg));
    s.template bad<9>("alg", CUSPARSE_SPMM_COO_ALG2, not_supported);
    s.template bad<9>("alg", CUSPARSE_SPMM_BLOCKED_ELL_ALG1, not_supported);
    s.template bad<9>("alg", CUSPARSE_SPMM_BSR_ALG1, not_supported);
}

// And what they refuse where the arrays are used.
template <class Subject>
void try_arrays(Subject& s, const spmm_operands& o) {
    s.template bad<4>("matA", o.without_offsets).template bad<4>("matA", o.without_indices);
    s.template bad<4>("matA", o.without_rows).template bad<5>("matB", o.b_without_values);
    s.template bad<7>("matC", o.c_without_values);
}

}  // namespace

void try_spmm() {
    const handle h(cusparseCreate);
    const spmm_operands o;
    constexpr auto alg = CUSPARSE_SPMM_ALG_DEFAULT;
    size_t bytes = 0;
    SUBJECT(size, cusparseSpMM_bufferSize, h, none, none, &one, o.a, o.b, &zero, o.c, f64, alg, &bytes);
    size.works().watch(&bytes, sizeof bytes).watch(c_values, sizeof c_values).bad<10>("bufferSize", nullptr);
    try_arguments(size, o);
    SUBJECT(preprocess, cusparseSpMM_preprocess, h, none, none, &one, o.a, o.b, &zero, o.c, f64, alg, buffer);
    preprocess.works().watch(c_values, sizeof c_values).any<10>();
    try_arguments(preprocess, o);
    try_arrays(preprocess, o);
    SUBJECT(run, cusparseSpMM, h, none, none, &one, o.a, o.b, &zero, o.c, f64, alg, buffer);
    run.works().watch(c_values, sizeof c_values).any<10>();
    try_arguments(run, o);
    try_arrays(run, o);
    // A batch of A and of B must have as many items as C.
    SUBJECT(pairs, cusparseSpMM, h, none, none, &one, o.a, o.triple_b, &zero, o.triple_c, f64, alg, buffer);
    pairs.works().watch(c_values, sizeof c_values).bad<4>("matA", o.pair).bad<5>("matB", o.pair_b);
    // One product, of which C would get several copies: a caller who sized C for one is not overwritten.
    pairs.bad<5>("matC", o.b);
    pairs.any<0>().any<1>().any<2>().any<3>().any<6>().any<7>().any<8>().any<9>().any<10>();
}

}  // namespace heron::test
