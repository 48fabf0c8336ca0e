// The arguments of SpGEMM and SpGEMMreuse made invalid in turn, for bad_arguments_test.
#include "subject.hpp"
#include "wrong_enumerators.hpp"

namespace heron::test {
namespace {

constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto insufficient = CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;

// A is 4 x 3, B 3 x 4, so that the product is 4 x 4 and has 4 elements.
alignas(16) double a_values[4] = {1, 2, 3, 4}, b_values[3] = {1, 2, 3}, c_values[16];
alignas(16) int32_t a_offsets[5] = {0, 1, 2, 3, 4}, a_columns[4] = {0, 1, 2, 0}, b_offsets[4] = {0, 1, 2, 3},
                    b_columns[3] = {0, 1, 3}, c_offsets[5], c_columns[16];
alignas(16) char buffer1[65536], buffer2[65536], buffer4[65536];
const double one = 1, zero = 0;

sparse_matrix make_matrix(int64_t rows, int64_t cols, int64_t nnz, void* offsets, void* columns, void* values,
                          cudaDataType type = CUDA_R_64F, cusparseIndexType_t index = CUSPARSE_INDEX_32I) {
    return sparse_matrix(cusparseCreateCsr, rows, cols, nnz, offsets, columns, values, index, index,
                         CUSPARSE_INDEX_BASE_ZERO, type);
}

using spgemm_descr = owned<cusparseSpGEMMDescr_t, &cusparseSpGEMM_destroyDescr>;

// The matrices that the subjects are called with, and some that do not fit.
struct matrices {
    sparse_matrix a = make_matrix(4, 3, 4, a_offsets, a_columns, a_values);
    sparse_matrix b = make_matrix(3, 4, 3, b_offsets, b_columns, b_values);
    sparse_matrix c = make_matrix(4, 4, 0, c_offsets, nullptr, nullptr);
    sparse_matrix square = make_matrix(4, 4, 4, a_offsets, a_columns, a_values);
    sparse_matrix single = make_matrix(3, 4, 3, b_offsets, b_columns, b_values, CUDA_R_32F);
    sparse_matrix wide = make_matrix(4, 3, 0, c_offsets, nullptr, nullptr);
    sparse_matrix coo = sparse_matrix(cusparseCreateCoo, 4, 3, 4, a_columns, a_columns, a_values,
                                      CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    const_sparse_matrix constant =
        const_sparse_matrix(cusparseCreateConstCsr, 4, 4, 0, c_offsets, nullptr, nullptr, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    cusparseSpMatDescr_t read_only() const {
        return const_cast<cusparseSpMatDescr_t>(static_cast<cusparseConstSpMatDescr_t>(constant));
    }
};

// What all phases have in front: handle, operations, matrices and the algorithm, at these positions.
template <size_t a, size_t b, size_t c, size_t alg, class Subject>
void try_operands(Subject& s, const matrices& m) {
    s.template bad<0>("handle", nullptr);
    s.template bad<1>("opA", no_operation).template bad<1>("matB", CUSPARSE_OPERATION_TRANSPOSE);
    s.template bad<2>("opB", no_operation).template bad<2>("matB", CUSPARSE_OPERATION_TRANSPOSE);
    s.template bad<a>("matA", nullptr).template bad<a>("matA", m.coo, not_supported);
    s.template bad<b>("matB", nullptr).template bad<b>("matB", m.square);
    s.template bad<b>("matB", m.single, not_supported);
    s.template bad<c>("matC", nullptr).template bad<c>("matC", m.wide);
    s.template bad<c>("matC", m.read_only());
    s.template bad<alg>("alg", no_spgemm_algorithm)
        .template bad<alg>("alg", static_cast<cusparseSpGEMMAlg_t>(-1));
}

template <class Subject>
void try_scalars(Subject& s) {
    s.template bad<3>("alpha", nullptr).template bad<6>("beta", nullptr);
    s.template bad<8>("computeType", no_type).template bad<8>("computeType", CUDA_R_32F, not_supported);
}

}  // namespace

void try_spgemm() {
    const handle h(cusparseCreate);
    const matrices m;
    const auto alg = CUSPARSE_SPGEMM_DEFAULT;
    cusparseSpGEMMDescr_t made = nullptr;
    SUBJECT(create, cusparseSpGEMM_createDescr, &made);
    create.bad<0>("descr", nullptr);
    SUBJECT(destroy, cusparseSpGEMM_destroyDescr, nullptr);
    destroy.works().any<0>();

    const spgemm_descr d(cusparseSpGEMM_createDescr), fresh(cusparseSpGEMM_createDescr);
    size_t size1 = sizeof buffer1, size2 = sizeof buffer2, size3 = 0, compute_size = 0, small = 1;
    SUBJECT(estimate, cusparseSpGEMM_workEstimation, h, N, N, &one, m.a, m.b, &zero, m.c, CUDA_R_64F, alg, d,
            &size1, buffer1);
    try_operands<4, 5, 7, 9>(estimate, m);
    try_scalars(estimate);
    estimate.bad<10>("spgemmDescr", nullptr).bad<11>("bufferSize1", nullptr);
    estimate.bad<11>("bufferSize1", &small, insufficient).any<12>().works();

    int64_t products = 0;
    SUBJECT(count, cusparseSpGEMM_getNumProducts, d, &products);
    count.works().bad<0>("spgemmDescr", nullptr).bad<0>("spgemmDescr", fresh);
    count.bad<1>("num_prods", nullptr);
    CHECK(products == 4);

    SUBJECT(memory, cusparseSpGEMM_estimateMemory, h, N, N, &one, m.a, m.b, &zero, m.c, CUDA_R_64F, alg, d,
            1.0f, &size3, buffer2, &compute_size);
    try_operands<4, 5, 7, 9>(memory, m);
    try_scalars(memory);
    memory.works().bad<10>("spgemmDescr", nullptr).bad<10>("spgemmDescr", fresh);
    memory.bad<11>("chunk_fraction", 0.0f).bad<11>("chunk_fraction", 1.5f).bad<11>("chunk_fraction", -1.0f);
    memory.bad<12>("bufferSize3", nullptr).any<13>().bad<14>("bufferSize2", nullptr);

    SUBJECT(compute, cusparseSpGEMM_compute, h, N, N, &one, m.a, m.b, &zero, m.c, CUDA_R_64F, alg, d, &size2,
            buffer2);
    try_operands<4, 5, 7, 9>(compute, m);
    try_scalars(compute);
    compute.bad<10>("spgemmDescr", nullptr).bad<10>("spgemmDescr", fresh);
    compute.bad<11>("bufferSize2", nullptr).bad<11>("bufferSize2", &small, insufficient).any<12>().works();

    SUBJECT(copy, cusparseSpGEMM_copy, h, N, N, &one, m.a, m.b, &zero, m.c, CUDA_R_64F, alg, d);
    try_operands<4, 5, 7, 9>(copy, m);
    try_scalars(copy);
    copy.bad<10>("spgemmDescr", nullptr).bad<10>("spgemmDescr", fresh);
    REQUIRE(cusparseCsrSetPointers(m.c, c_offsets, c_columns, c_values) == ok);
    copy.works();
    CHECK(c_offsets[4] == 4);
}

void try_spgemm_reuse() {
    const handle h(cusparseCreate);
    const matrices m;
    const auto alg = CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC;
    const spgemm_descr d(cusparseSpGEMM_createDescr), fresh(cusparseSpGEMM_createDescr);
    size_t size1 = sizeof buffer1, size2 = sizeof buffer2, size3 = 0, size4 = sizeof buffer4,
           size5 = sizeof buffer2;
    size_t small = 1;
    SUBJECT(estimate, cusparseSpGEMMreuse_workEstimation, h, N, N, m.a, m.b, m.c, alg, d, &size1, buffer1);
    try_operands<3, 4, 5, 6>(estimate, m);
    estimate.bad<7>("spgemmDescr", nullptr).bad<8>("bufferSize1", nullptr);
    estimate.bad<8>("bufferSize1", &small, insufficient).any<9>().works();

    SUBJECT(count, cusparseSpGEMMreuse_nnz, h, N, N, m.a, m.b, m.c, alg, d, &size2, buffer2, &size3, nullptr,
            &size4, buffer4);
    try_operands<3, 4, 5, 6>(count, m);
    count.bad<7>("spgemmDescr", nullptr).bad<7>("spgemmDescr", fresh);
    count.bad<8>("bufferSize2", nullptr)
        .bad<8>("bufferSize2", &small, insufficient)
        .bad<9>("bufferSize2", nullptr);
    count.bad<10>("bufferSize3", nullptr).any<11>();
    count.bad<12>("bufferSize4", nullptr).bad<12>("bufferSize4", &small, insufficient).any<13>().works();

    SUBJECT(copy, cusparseSpGEMMreuse_copy, h, N, N, m.a, m.b, m.c, alg, d, &size5, buffer2);
    try_operands<3, 4, 5, 6>(copy, m);
    copy.bad<7>("spgemmDescr", nullptr).bad<7>("spgemmDescr", fresh);
    copy.bad<8>("bufferSize5", nullptr).bad<8>("bufferSize5", &small, insufficient).any<9>();
    REQUIRE(cusparseCsrSetPointers(m.c, c_offsets, c_columns, c_values) == ok);
    copy.works();

    SUBJECT(compute, cusparseSpGEMMreuse_compute, h, N, N, &one, m.a, m.b, &zero, m.c, CUDA_R_64F, alg, d);
    compute.watch(c_values, sizeof c_values);
    try_operands<4, 5, 7, 9>(compute, m);
    try_scalars(compute);
    compute.bad<10>("spgemmDescr", nullptr).bad<10>("spgemmDescr", fresh);
    compute.works();
    CHECK(c_values[3] == 4);
}

}  // namespace heron::test
