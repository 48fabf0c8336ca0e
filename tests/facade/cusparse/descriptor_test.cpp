// What descriptors give back of what they were given.
#include "facade.hpp"

using namespace heron::test;

namespace {

alignas(16) char values[1024], other_values[1024];
alignas(16) int64_t offsets[32], rows[32], columns[32], other_offsets[32];

constexpr cudaDataType value_types[] = {CUDA_R_8I,  CUDA_R_32I, CUDA_R_16F,  CUDA_R_16BF, CUDA_R_32F,
                                        CUDA_R_64F, CUDA_C_16F, CUDA_C_16BF, CUDA_C_32F,  CUDA_C_64F};
constexpr cusparseIndexType_t index_types[] = {CUSPARSE_INDEX_32I, CUSPARSE_INDEX_64I};
constexpr cusparseIndexBase_t bases[] = {CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE};
constexpr auto i32 = CUSPARSE_INDEX_32I;
constexpr auto i64 = CUSPARSE_INDEX_64I;
constexpr auto zero_based = CUSPARSE_INDEX_BASE_ZERO;
constexpr auto f64 = CUDA_R_64F;

// Where the getters write.
struct seen {
    int64_t rows = -1, cols = -1, nnz = -1, size = -1, ld = -1;
    void *a = nullptr, *b = nullptr, *c = nullptr;
    const void *const_a = nullptr, *const_b = nullptr, *const_c = nullptr;
    cusparseIndexType_t index_type{}, other_index_type{};
    cusparseIndexBase_t base{};
    cudaDataType type{};
    cusparseOrder_t order{};
    cusparseFormat_t format{};
};

void check_size(cusparseConstSpMatDescr_t m, int64_t rows_expected, int64_t cols, int64_t nnz) {
    seen s;
    REQUIRE(cusparseSpMatGetSize(m, &s.rows, &s.cols, &s.nnz) == ok);
    CHECK(s.rows == rows_expected);
    CHECK(s.cols == cols);
    CHECK(s.nnz == nnz);
}

void check_format(cusparseConstSpMatDescr_t m, cusparseFormat_t format, cusparseIndexBase_t base) {
    seen s;
    REQUIRE(cusparseSpMatGetFormat(m, &s.format) == ok);
    CHECK(s.format == format);
    REQUIRE(cusparseSpMatGetIndexBase(m, &s.base) == ok);
    CHECK(s.base == base);
}

const void* values_of(cusparseConstSpMatDescr_t m) {
    const void* found = nullptr;
    REQUIRE(cusparseConstSpMatGetValues(m, &found) == ok);
    return found;
}

}  // namespace

TEST_CASE("dense vectors give back what they were given") {
    for (const cudaDataType type : value_types) {
        CAPTURE(type);
        const dense_vector v(cusparseCreateDnVec, 5, values, type);
        const const_dense_vector cv(cusparseCreateConstDnVec, 5, values, type);
        seen s, t;
        REQUIRE(cusparseDnVecGet(v, &s.size, &s.a, &s.type) == ok);
        REQUIRE(cusparseConstDnVecGet(cv, &t.size, &t.const_a, &t.type) == ok);
        CHECK(s.size == 5);
        CHECK(s.a == values);
        CHECK(s.type == type);
        CHECK(t.size == 5);
        CHECK(t.const_a == values);
        CHECK(t.type == type);
    }
    const dense_vector v(cusparseCreateDnVec, 5, values, f64);
    REQUIRE(cusparseDnVecSetValues(v, other_values) == ok);
    seen s;
    REQUIRE(cusparseDnVecGetValues(v, &s.a) == ok);
    CHECK(s.a == other_values);
    REQUIRE(cusparseConstDnVecGetValues(v, &s.const_a) == ok);
    CHECK(s.const_a == other_values);
    // A refused call changes nothing.
    CHECK(cusparseDnVecSetValues(v, values + 1) == invalid);
    REQUIRE(cusparseDnVecGetValues(v, &s.a) == ok);
    CHECK(s.a == other_values);
}

TEST_CASE("sparse vectors give back what they were given") {
    for (const cudaDataType type : value_types)
        for (const cusparseIndexType_t index_type : index_types)
            for (const cusparseIndexBase_t base : bases) {
                CAPTURE(type, index_type, base);
                const sparse_vector v(cusparseCreateSpVec, 9, 3, columns, values, index_type, base, type);
                const const_sparse_vector cv(cusparseCreateConstSpVec, 9, 3, columns, values, index_type,
                                             base, type);
                seen s, t;
                REQUIRE(cusparseSpVecGet(v, &s.size, &s.nnz, &s.a, &s.b, &s.index_type, &s.base, &s.type) ==
                        ok);
                REQUIRE(cusparseConstSpVecGet(cv, &t.size, &t.nnz, &t.const_a, &t.const_b, &t.index_type,
                                              &t.base, &t.type) == ok);
                CHECK(s.size == 9);
                CHECK(s.nnz == 3);
                CHECK(s.a == columns);
                CHECK(s.b == values);
                CHECK(s.index_type == index_type);
                CHECK(s.base == base);
                CHECK(s.type == type);
                CHECK(t.size == 9);
                CHECK(t.nnz == 3);
                CHECK(t.const_a == columns);
                CHECK(t.const_b == values);
                CHECK(t.index_type == index_type);
                CHECK(t.base == base);
                CHECK(t.type == type);
                REQUIRE(cusparseSpVecGetIndexBase(v, &s.base) == ok);
                CHECK(s.base == base);
            }
    const sparse_vector v(cusparseCreateSpVec, 9, 3, columns, values, i32, zero_based, f64);
    REQUIRE(cusparseSpVecSetValues(v, other_values) == ok);
    seen s;
    REQUIRE(cusparseSpVecGetValues(v, &s.a) == ok);
    CHECK(s.a == other_values);
    REQUIRE(cusparseConstSpVecGetValues(v, &s.const_a) == ok);
    CHECK(s.const_a == other_values);
}

TEST_CASE("dense matrices give back what they were given") {
    for (const cudaDataType type : value_types)
        for (const cusparseOrder_t order : {CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW}) {
            CAPTURE(type, order);
            const dense_matrix m(cusparseCreateDnMat, 3, 5, 7, values, type, order);
            const const_dense_matrix cm(cusparseCreateConstDnMat, 3, 5, 7, values, type, order);
            seen s, t;
            REQUIRE(cusparseDnMatGet(m, &s.rows, &s.cols, &s.ld, &s.a, &s.type, &s.order) == ok);
            REQUIRE(cusparseConstDnMatGet(cm, &t.rows, &t.cols, &t.ld, &t.const_a, &t.type, &t.order) == ok);
            CHECK(s.rows == 3);
            CHECK(s.cols == 5);
            CHECK(s.ld == 7);
            CHECK(s.a == values);
            CHECK(s.type == type);
            CHECK(s.order == order);
            CHECK(t.rows == 3);
            CHECK(t.cols == 5);
            CHECK(t.ld == 7);
            CHECK(t.const_a == values);
            CHECK(t.type == type);
            CHECK(t.order == order);
        }
    const dense_matrix m(cusparseCreateDnMat, 3, 5, 7, values, f64, CUSPARSE_ORDER_COL);
    seen s;
    REQUIRE(cusparseDnMatSetValues(m, other_values) == ok);
    REQUIRE(cusparseDnMatGetValues(m, &s.a) == ok);
    CHECK(s.a == other_values);
    REQUIRE(cusparseConstDnMatGetValues(m, &s.const_a) == ok);
    CHECK(s.const_a == other_values);
    int count = 0;
    int64_t stride = -1;
    REQUIRE(cusparseDnMatGetStridedBatch(m, &count, &stride) == ok);
    CHECK(count == 1);
    CHECK(stride == 0);
    for (const int64_t good : {int64_t{35}, int64_t{100}, int64_t{0}}) {
        REQUIRE(cusparseDnMatSetStridedBatch(m, 4, good) == ok);
        REQUIRE(cusparseDnMatGetStridedBatch(m, &count, &stride) == ok);
        CHECK(count == 4);
        CHECK(stride == good);
    }
}

TEST_CASE("COO matrices give back what they were given") {
    for (const cusparseIndexType_t index_type : index_types)
        for (const cusparseIndexBase_t base : bases) {
            CAPTURE(index_type, base);
            const sparse_matrix m(cusparseCreateCoo, 5, 7, 4, rows, columns, values, index_type, base, f64);
            const const_sparse_matrix cm(cusparseCreateConstCoo, 5, 7, 4, rows, columns, values, index_type,
                                         base, f64);
            seen s, t;
            REQUIRE(cusparseCooGet(m, &s.rows, &s.cols, &s.nnz, &s.a, &s.b, &s.c, &s.index_type, &s.base,
                                   &s.type) == ok);
            REQUIRE(cusparseConstCooGet(cm, &t.rows, &t.cols, &t.nnz, &t.const_a, &t.const_b, &t.const_c,
                                        &t.index_type, &t.base, &t.type) == ok);
            CHECK(s.rows == 5);
            CHECK(s.cols == 7);
            CHECK(s.nnz == 4);
            CHECK(s.a == rows);
            CHECK(s.b == columns);
            CHECK(s.c == values);
            CHECK(s.index_type == index_type);
            CHECK(s.base == base);
            CHECK(s.type == f64);
            CHECK(t.const_a == rows);
            CHECK(t.const_b == columns);
            CHECK(t.const_c == values);
            CHECK(t.nnz == 4);
            check_format(m, CUSPARSE_FORMAT_COO, base);
            check_size(cm, 5, 7, 4);
        }
    const sparse_matrix m(cusparseCreateCoo, 5, 7, 4, rows, columns, values, i64, zero_based, f64);
    REQUIRE(cusparseCooSetPointers(m, columns, rows, other_values) == ok);
    seen s;
    REQUIRE(cusparseCooGet(m, &s.rows, &s.cols, &s.nnz, &s.a, &s.b, &s.c, &s.index_type, &s.base, &s.type) ==
            ok);
    CHECK(s.a == columns);
    CHECK(s.b == rows);
    CHECK(s.c == other_values);
}

namespace {

using create_compressed = decltype(&cusparseCreateCsr);
using create_const_compressed = decltype(&cusparseCreateConstCsr);
using get_compressed = decltype(&cusparseCsrGet);
using get_const_compressed = decltype(&cusparseConstCsrGet);
using set_compressed = decltype(&cusparseCsrSetPointers);

struct compressed_functions {
    create_compressed create;
    create_const_compressed create_const;
    get_compressed get;
    get_const_compressed get_const;
    set_compressed set;
    cusparseFormat_t format;
};

constexpr compressed_functions compressed[] = {
    {cusparseCreateCsr, cusparseCreateConstCsr, cusparseCsrGet, cusparseConstCsrGet, cusparseCsrSetPointers,
     CUSPARSE_FORMAT_CSR},
    {cusparseCreateCsc, cusparseCreateConstCsc, cusparseCscGet, cusparseConstCscGet, cusparseCscSetPointers,
     CUSPARSE_FORMAT_CSC},
};

void check_compressed(const compressed_functions& f, cusparseIndexType_t offset_type,
                      cusparseIndexType_t index_type, cusparseIndexBase_t base) {
    CAPTURE(f.format, offset_type, index_type, base);
    const sparse_matrix m(f.create, 5, 7, 4, offsets, columns, values, offset_type, index_type, base, f64);
    const const_sparse_matrix cm(f.create_const, 5, 7, 4, offsets, columns, values, offset_type, index_type,
                                 base, f64);
    seen s, t;
    REQUIRE(f.get(m, &s.rows, &s.cols, &s.nnz, &s.a, &s.b, &s.c, &s.index_type, &s.other_index_type, &s.base,
                  &s.type) == ok);
    REQUIRE(f.get_const(cm, &t.rows, &t.cols, &t.nnz, &t.const_a, &t.const_b, &t.const_c, &t.index_type,
                        &t.other_index_type, &t.base, &t.type) == ok);
    CHECK(s.rows == 5);
    CHECK(s.cols == 7);
    CHECK(s.nnz == 4);
    CHECK(s.a == offsets);
    CHECK(s.b == columns);
    CHECK(s.c == values);
    CHECK(s.index_type == offset_type);
    CHECK(s.other_index_type == index_type);
    CHECK(s.base == base);
    CHECK(s.type == f64);
    CHECK(t.const_a == offsets);
    CHECK(t.const_b == columns);
    CHECK(t.const_c == values);
    CHECK(t.other_index_type == index_type);
    check_format(cm, f.format, base);
    check_size(m, 5, 7, 4);

    REQUIRE(f.set(m, other_offsets, rows, other_values) == ok);
    REQUIRE(f.get(m, &s.rows, &s.cols, &s.nnz, &s.a, &s.b, &s.c, &s.index_type, &s.other_index_type, &s.base,
                  &s.type) == ok);
    CHECK(s.a == other_offsets);
    CHECK(s.b == rows);
    CHECK(s.c == other_values);
}

}  // namespace

TEST_CASE("CSR and CSC matrices give back what they were given") {
    for (const compressed_functions& f : compressed)
        for (const cusparseIndexBase_t base : bases) {
            check_compressed(f, i32, i32, base);
            check_compressed(f, i64, i64, base);
            check_compressed(f, i64, i32, base);
        }
}

TEST_CASE("Blocked-ELL matrices give back what they were given") {
    const sparse_matrix m(cusparseCreateBlockedEll, 4, 8, 2, 6, columns, values, i64, CUSPARSE_INDEX_BASE_ONE,
                          f64);
    const const_sparse_matrix cm(cusparseCreateConstBlockedEll, 4, 8, 2, 6, columns, values, i64,
                                 CUSPARSE_INDEX_BASE_ONE, f64);
    seen s, t;
    REQUIRE(cusparseBlockedEllGet(m, &s.rows, &s.cols, &s.size, &s.nnz, &s.a, &s.b, &s.index_type, &s.base,
                                  &s.type) == ok);
    REQUIRE(cusparseConstBlockedEllGet(cm, &t.rows, &t.cols, &t.size, &t.nnz, &t.const_a, &t.const_b,
                                       &t.index_type, &t.base, &t.type) == ok);
    CHECK(s.rows == 4);
    CHECK(s.cols == 8);
    CHECK(s.size == 2);
    CHECK(s.nnz == 6);
    CHECK(s.a == columns);
    CHECK(s.b == values);
    CHECK(s.index_type == i64);
    CHECK(s.base == CUSPARSE_INDEX_BASE_ONE);
    CHECK(s.type == f64);
    CHECK(t.size == 2);
    CHECK(t.nnz == 6);
    CHECK(t.const_a == columns);
    CHECK(t.const_b == values);
    check_format(m, CUSPARSE_FORMAT_BLOCKED_ELL, CUSPARSE_INDEX_BASE_ONE);
    check_size(m, 4, 8, 24);
}

TEST_CASE("BSR and Sliced-ELL matrices give back size, format and values") {
    const sparse_matrix bsr(cusparseCreateBsr, 2, 3, 4, 2, 5, offsets, columns, values, i64, i32, zero_based,
                            f64, CUSPARSE_ORDER_COL);
    const const_sparse_matrix const_bsr(cusparseCreateConstBsr, 2, 3, 4, 2, 5, offsets, columns, values, i64,
                                        i32, zero_based, f64, CUSPARSE_ORDER_ROW);
    const sparse_matrix sell(cusparseCreateSlicedEll, 5, 7, 4, 6, 2, offsets, columns, values, i32, i32,
                             CUSPARSE_INDEX_BASE_ONE, f64);
    const const_sparse_matrix const_sell(cusparseCreateConstSlicedEll, 5, 7, 4, 6, 2, offsets, columns,
                                         values, i32, i32, CUSPARSE_INDEX_BASE_ONE, f64);
    // Elements, not blocks.
    check_size(bsr, 4, 15, 40);
    check_size(const_bsr, 4, 15, 40);
    check_format(bsr, CUSPARSE_FORMAT_BSR, zero_based);
    check_size(sell, 5, 7, 4);
    check_size(const_sell, 5, 7, 4);
    check_format(sell, CUSPARSE_FORMAT_SLICED_ELLPACK, CUSPARSE_INDEX_BASE_ONE);
    CHECK(values_of(const_bsr) == values);
    CHECK(values_of(const_sell) == values);
    REQUIRE(cusparseSpMatSetValues(bsr, other_values) == ok);
    CHECK(values_of(bsr) == other_values);
}

TEST_CASE("a BSR matrix without blocks, whose blocks would be larger than any memory") {
    const auto create = [](int64_t block_rows, int64_t block_cols) {
        cusparseSpMatDescr_t made = nullptr;
        const cusparseStatus_t status =
            cusparseCreateBsr(&made, 0, 0, 0, block_rows, block_cols, nullptr, nullptr, nullptr, i32, i32,
                              zero_based, f64, CUSPARSE_ORDER_ROW);
        cusparseDestroySpMat(made);
        return status;
    };
    CHECK(create(int64_t{1} << 40, int64_t{1} << 16) == ok);
    CHECK(create(int64_t{1} << 41, int64_t{1} << 16) == CUSPARSE_STATUS_INVALID_VALUE);
    CHECK(create(INT64_MAX, 2) == CUSPARSE_STATUS_INVALID_VALUE);
    CHECK(create(2, INT64_MAX) == CUSPARSE_STATUS_INVALID_VALUE);
}

TEST_CASE("attributes start at lower and non-unit and keep what they are set to") {
    const sparse_matrix m(cusparseCreateCsr, 5, 5, 4, offsets, columns, values, i32, i32, zero_based, f64);
    const auto fill = [&] {
        cusparseFillMode_t mode;
        REQUIRE(cusparseSpMatGetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &mode, sizeof mode) == ok);
        return mode;
    };
    const auto diag = [&] {
        cusparseDiagType_t type;
        REQUIRE(cusparseSpMatGetAttribute(m, CUSPARSE_SPMAT_DIAG_TYPE, &type, sizeof type) == ok);
        return type;
    };
    CHECK(fill() == CUSPARSE_FILL_MODE_LOWER);
    CHECK(diag() == CUSPARSE_DIAG_TYPE_NON_UNIT);
    cusparseFillMode_t upper = CUSPARSE_FILL_MODE_UPPER;
    cusparseDiagType_t unit = CUSPARSE_DIAG_TYPE_UNIT;
    REQUIRE(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &upper, sizeof upper) == ok);
    CHECK(fill() == CUSPARSE_FILL_MODE_UPPER);
    CHECK(diag() == CUSPARSE_DIAG_TYPE_NON_UNIT);
    REQUIRE(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_DIAG_TYPE, &unit, sizeof unit) == ok);
    CHECK(fill() == CUSPARSE_FILL_MODE_UPPER);
    CHECK(diag() == CUSPARSE_DIAG_TYPE_UNIT);
}

TEST_CASE("strided batches of sparse matrices") {
    const auto batch_of = [](cusparseConstSpMatDescr_t m) {
        int count = 0;
        REQUIRE(cusparseSpMatGetStridedBatch(m, &count) == ok);
        return count;
    };
    const sparse_matrix coo(cusparseCreateCoo, 5, 7, 4, rows, columns, values, i32, zero_based, f64);
    const sparse_matrix csr(cusparseCreateCsr, 5, 7, 4, offsets, columns, values, i32, i32, zero_based, f64);
    const sparse_matrix bsr(cusparseCreateBsr, 2, 3, 4, 2, 5, offsets, columns, values, i32, i32, zero_based,
                            f64, CUSPARSE_ORDER_COL);
    CHECK(batch_of(coo) == 1);
    REQUIRE(cusparseCooSetStridedBatch(coo, 3, 4) == ok);
    CHECK(batch_of(coo) == 3);
    REQUIRE(cusparseCsrSetStridedBatch(csr, 4, 6, 4) == ok);
    CHECK(batch_of(csr) == 4);
    // One pattern for all.
    REQUIRE(cusparseCsrSetStridedBatch(csr, 5, 0, 4) == ok);
    CHECK(batch_of(csr) == 5);
    REQUIRE(cusparseBsrSetStridedBatch(bsr, 2, 3, 4, 40) == ok);
    CHECK(batch_of(bsr) == 2);
    CHECK(cusparseBsrSetStridedBatch(bsr, 3, 3, 4, 39) == invalid);
    CHECK(batch_of(bsr) == 2);
}

TEST_CASE("empty operands take NULL arrays") {
    const dense_vector v(cusparseCreateDnVec, 0, nullptr, f64);
    const sparse_vector x(cusparseCreateSpVec, 7, 0, nullptr, nullptr, i32, zero_based, f64);
    const sparse_vector nothing(cusparseCreateSpVec, 0, 0, nullptr, nullptr, i32, zero_based, f64);
    const dense_matrix no_rows(cusparseCreateDnMat, 0, 5, 0, nullptr, f64, CUSPARSE_ORDER_COL);
    const dense_matrix no_cols(cusparseCreateDnMat, 5, 0, 0, nullptr, f64, CUSPARSE_ORDER_ROW);
    for (const auto& [r, c] : {std::pair{0, 0}, std::pair{5, 0}, std::pair{0, 7}, std::pair{5, 7}}) {
        CAPTURE(r, c);
        const sparse_matrix csr(cusparseCreateCsr, r, c, 0, nullptr, nullptr, nullptr, i32, i32, zero_based,
                                f64);
        const sparse_matrix csc(cusparseCreateCsc, r, c, 0, nullptr, nullptr, nullptr, i32, i32, zero_based,
                                f64);
        const sparse_matrix coo(cusparseCreateCoo, r, c, 0, nullptr, nullptr, nullptr, i32, zero_based, f64);
        const sparse_matrix sell(cusparseCreateSlicedEll, r, c, 0, 0, 2, nullptr, nullptr, nullptr, i32, i32,
                                 zero_based, f64);
        const sparse_matrix bsr(cusparseCreateBsr, r, c, 0, 1, 1, nullptr, nullptr, nullptr, i32, i32,
                                zero_based, f64, CUSPARSE_ORDER_ROW);
        const sparse_matrix ell(cusparseCreateBlockedEll, r, c, 1, 0, nullptr, nullptr, i32, zero_based, f64);
        for (const sparse_matrix* m : {&csr, &csc, &coo, &sell, &bsr, &ell}) check_size(*m, r, c, 0);
    }
}

TEST_CASE("arrays may follow later") {
    const sparse_matrix m(cusparseCreateCsr, 5, 7, 4, nullptr, nullptr, nullptr, i32, i32, zero_based, f64);
    CHECK(values_of(m) == nullptr);
    REQUIRE(cusparseCsrSetPointers(m, offsets, columns, values) == ok);
    CHECK(values_of(m) == values);
    const dense_vector v(cusparseCreateDnVec, 5, nullptr, f64);
    REQUIRE(cusparseDnVecSetValues(v, values) == ok);
    const dense_matrix d(cusparseCreateDnMat, 5, 7, 5, nullptr, f64, CUSPARSE_ORDER_COL);
    REQUIRE(cusparseDnMatSetValues(d, values) == ok);
}

TEST_CASE("the typed functions' matrix descriptor starts general, lower, non-unit, zero based") {
    cusparseMatDescr_t m = nullptr;
    REQUIRE(cusparseCreateMatDescr(&m) == ok);
    CHECK(cusparseGetMatType(m) == CUSPARSE_MATRIX_TYPE_GENERAL);
    CHECK(cusparseGetMatFillMode(m) == CUSPARSE_FILL_MODE_LOWER);
    CHECK(cusparseGetMatDiagType(m) == CUSPARSE_DIAG_TYPE_NON_UNIT);
    CHECK(cusparseGetMatIndexBase(m) == CUSPARSE_INDEX_BASE_ZERO);
    for (const cusparseMatrixType_t type : {CUSPARSE_MATRIX_TYPE_SYMMETRIC, CUSPARSE_MATRIX_TYPE_HERMITIAN,
                                            CUSPARSE_MATRIX_TYPE_TRIANGULAR, CUSPARSE_MATRIX_TYPE_GENERAL}) {
        REQUIRE(cusparseSetMatType(m, type) == ok);
        CHECK(cusparseGetMatType(m) == type);
    }
    REQUIRE(cusparseSetMatFillMode(m, CUSPARSE_FILL_MODE_UPPER) == ok);
    REQUIRE(cusparseSetMatDiagType(m, CUSPARSE_DIAG_TYPE_UNIT) == ok);
    REQUIRE(cusparseSetMatIndexBase(m, CUSPARSE_INDEX_BASE_ONE) == ok);
    CHECK(cusparseGetMatFillMode(m) == CUSPARSE_FILL_MODE_UPPER);
    CHECK(cusparseGetMatDiagType(m) == CUSPARSE_DIAG_TYPE_UNIT);
    CHECK(cusparseGetMatIndexBase(m) == CUSPARSE_INDEX_BASE_ONE);
    CHECK(cusparseDestroyMatDescr(m) == ok);
}
