// SDDMM's arguments made invalid in turn.
#include "families.hpp"
#include "subject.hpp"
#include "wrong_enumerators.hpp"

namespace heron::test {
namespace {

constexpr auto i32 = CUSPARSE_INDEX_32I;
constexpr auto zero_based = CUSPARSE_INDEX_BASE_ZERO;
constexpr auto f64 = CUDA_R_64F;
constexpr auto by_columns = CUSPARSE_ORDER_COL;
constexpr auto no_transpose = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto transpose = CUSPARSE_OPERATION_TRANSPOSE;

// C is 4 x 3 with one element per row, A is 4 x 2 and B is 2 x 3.
alignas(16) double a_values[16], b_values[16], c_values[8];
alignas(16) int32_t offsets[8] = {0, 1, 2, 3, 4}, columns[8] = {0, 1, 2, 0};
alignas(16) char buffer[65536];
const double one = 1, zero = 0;

struct operands {
    const dense_matrix a{cusparseCreateDnMat, 4, 2, 4, a_values, f64, by_columns};
    const dense_matrix b{cusparseCreateDnMat, 2, 3, 2, b_values, f64, by_columns};
    const dense_matrix long_a{cusparseCreateDnMat, 5, 2, 5, a_values, f64, by_columns};
    const dense_matrix wide_b{cusparseCreateDnMat, 2, 4, 2, b_values, f64, by_columns};
    const dense_matrix tall_b{cusparseCreateDnMat, 3, 3, 3, b_values, f64, by_columns};
    const dense_matrix float_a{cusparseCreateDnMat, 4, 2, 4, a_values, CUDA_R_32F, by_columns};
    const dense_matrix float_b{cusparseCreateDnMat, 2, 3, 2, b_values, CUDA_R_32F, by_columns};
    const dense_matrix batch_a{cusparseCreateDnMat, 4, 2, 4, a_values, f64, by_columns};
    const dense_matrix batch_b{cusparseCreateDnMat, 2, 3, 2, b_values, f64, by_columns};
    const dense_matrix a_without_values{cusparseCreateDnMat, 4, 2, 4, nullptr, f64, by_columns};
    const dense_matrix b_without_values{cusparseCreateDnMat, 2, 3, 2, nullptr, f64, by_columns};
    const sparse_matrix c{cusparseCreateCsr, 4, 3, 4, offsets, columns, c_values, i32, i32, zero_based, f64};
    const sparse_matrix wide_c{cusparseCreateCsr, 4,   4,   4,          offsets, columns,
                               c_values,          i32, i32, zero_based, f64};
    const sparse_matrix float_c{cusparseCreateCsr, 4,   3,   4,          offsets,   columns,
                                c_values,          i32, i32, zero_based, CUDA_R_32F};
    const sparse_matrix ell{cusparseCreateBlockedEll, 4, 3, 1, 1, columns, c_values, i32, zero_based, f64};
    const sparse_matrix sell{
        cusparseCreateSlicedEll, 4, 3, 4, 4, 2, offsets, columns, c_values, i32, i32, zero_based, f64};
    const sparse_matrix shared_batch{cusparseCreateCsr, 4,   3,   4,          offsets, columns,
                                     c_values,          i32, i32, zero_based, f64};
    const sparse_matrix without_offsets{cusparseCreateCsr, 4,   3,   4,          nullptr, columns,
                                        c_values,          i32, i32, zero_based, f64};
    const sparse_matrix without_indices{cusparseCreateCsr, 4,   3,   4,          offsets, nullptr,
                                        c_values,          i32, i32, zero_based, f64};
    const sparse_matrix without_values{cusparseCreateCsr, 4,   3,   4,          offsets, columns,
                                       nullptr,           i32, i32, zero_based, f64};
    const const_sparse_matrix const_c{
        cusparseCreateConstCsr, 4, 3, 4, offsets, columns, c_values, i32, i32, zero_based, f64};

    operands() {
        REQUIRE(cusparseDnMatSetStridedBatch(batch_a, 2, 8) == ok);
        REQUIRE(cusparseDnMatSetStridedBatch(batch_b, 2, 6) == ok);
        REQUIRE(cusparseCsrSetStridedBatch(shared_batch, 2, 0, 0) == ok);
    }
};

// What all three functions refuse.
template <class Subject>
void try_arguments(Subject& s, const operands& o) {
    s.template bad<0>("handle", nullptr);
    s.template bad<1>("opA", no_operation).template bad<1>("matB", transpose);
    s.template bad<2>("opB", no_operation).template bad<2>("matB", transpose);
    s.template bad<3>("alpha", nullptr).template bad<6>("beta", nullptr);
    s.template bad<4>("matA", nullptr).template bad<4>("matC", o.long_a);
    s.template bad<4>("computeType", o.float_a, not_supported).template bad<4>("matA", o.batch_a);
    s.template bad<5>("matB", nullptr).template bad<5>("matB", o.tall_b);
    s.template bad<5>("matC", o.wide_b).template bad<5>("matB", o.batch_b);
    s.template bad<5>("computeType", o.float_b, not_supported);
    s.template bad<7>("matC", nullptr).template bad<7>("matC", o.wide_c);
    s.template bad<7>("matC", o.ell, not_supported).template bad<7>("matC", o.sell, not_supported);
    s.template bad<7>("computeType", o.float_c, not_supported).template bad<7>("matC", o.shared_batch);
    s.template bad<7>("matC",
                      const_cast<cusparseSpMatDescr_t>(static_cast<cusparseConstSpMatDescr_t>(o.const_c)));
    s.template bad<8>("computeType", static_cast<cudaDataType>(99));
    s.template bad<8>("computeType", CUDA_R_8U, not_supported);
    s.template bad<8>("computeType", CUDA_R_32F, not_supported);
    s.template bad<9>("alg", static_cast<cusparseSDDMMAlg_t>(1));
    s.template bad<9>("alg", static_cast<cusparseSDDMMAlg_t>(-1));
}

// And what they refuse where the arrays are used.
template <class Subject>
void try_arrays(Subject& s, const operands& o) {
    s.template bad<4>("matA", o.a_without_values).template bad<5>("matB", o.b_without_values);
    s.template bad<7>("matC", o.without_offsets).template bad<7>("matC", o.without_indices);
    s.template bad<7>("matC", o.without_values);
}

}  // namespace

void try_sddmm() {
    const handle h(cusparseCreate);
    const operands o;
    constexpr auto alg = CUSPARSE_SDDMM_ALG_DEFAULT;
    constexpr auto n = no_transpose;
    size_t bytes = 0;
    SUBJECT(size, cusparseSDDMM_bufferSize, h, n, n, &one, o.a, o.b, &zero, o.c, f64, alg, &bytes);
    size.works().watch(&bytes, sizeof bytes).watch(c_values, sizeof c_values).bad<10>("bufferSize", nullptr);
    try_arguments(size, o);
    SUBJECT(preprocess, cusparseSDDMM_preprocess, h, n, n, &one, o.a, o.b, &zero, o.c, f64, alg, buffer);
    preprocess.works().watch(c_values, sizeof c_values).any<10>();
    try_arguments(preprocess, o);
    try_arrays(preprocess, o);
    SUBJECT(run, cusparseSDDMM, h, n, n, &one, o.a, o.b, &zero, o.c, f64, alg, buffer);
    run.works().watch(c_values, sizeof c_values).any<10>();
    try_arguments(run, o);
    try_arrays(run, o);
}

}  // namespace heron::test
