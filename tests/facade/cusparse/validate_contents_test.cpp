// HERON_VALIDATE=1 names the first bad row of a matrix, whatever its format.
#include "facade.hpp"
#include <cstdlib>

using namespace heron::test;

namespace {

// Both are read once, at the library's first use.
const bool environment_set = setenv("HERON_VALIDATE", "1", 1) == 0 && setenv("HERON_BACKEND", "host", 1) == 0;

constexpr auto i32 = CUSPARSE_INDEX_32I;
constexpr auto i64 = CUSPARSE_INDEX_64I;
constexpr auto zero_based = CUSPARSE_INDEX_BASE_ZERO;
constexpr auto one_based = CUSPARSE_INDEX_BASE_ONE;
constexpr auto f64 = CUDA_R_64F;

double values[64], x_values[16], y_values[16], dense_values[64], workspace[64];

using int32s = std::vector<int32_t>;
using int64s = std::vector<int64_t>;

// Runs a sparse to dense conversion, which takes every format, and returns what validation says, or "".
std::string complaint(cusparseConstSpMatDescr_t a) {
    REQUIRE(environment_set);
    int64_t rows = 0, cols = 0, nnz = 0;
    REQUIRE(cusparseSpMatGetSize(a, &rows, &cols, &nnz) == ok);
    const handle h(cusparseCreate);
    const dense_matrix b(cusparseCreateDnMat, rows, cols, rows, dense_values, f64, CUSPARSE_ORDER_COL);
    log_capture log;
    const cusparseStatus_t status =
        cusparseSparseToDense(h, a, b, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, workspace);
    const auto lines = log.take();
    if (status == ok) {
        CHECK(lines.empty());
        return "";
    }
    CHECK(status == invalid);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].function == "cusparseSparseToDense");
    return lines[0].message;
}

// 4 x 3 with one or two elements per row.
std::string csr(int32s offsets, int32s columns, cusparseIndexBase_t base = zero_based) {
    return complaint(sparse_matrix(cusparseCreateCsr, 4, 3, static_cast<int64_t>(columns.size()),
                                   offsets.data(), columns.data(), values, i32, i32, base, f64));
}

std::string csc(int64s offsets, int64s rows) {
    return complaint(sparse_matrix(cusparseCreateCsc, 3, 4, static_cast<int64_t>(rows.size()), offsets.data(),
                                   rows.data(), values, i64, i64, zero_based, f64));
}

std::string coo(int32s rows, int32s columns, cusparseIndexBase_t base = zero_based) {
    return complaint(sparse_matrix(cusparseCreateCoo, 4, 3, static_cast<int64_t>(rows.size()), rows.data(),
                                   columns.data(), values, i32, base, f64));
}

// 4 x 6 in blocks of 2 x 2.
std::string bsr(int32s offsets, int32s columns) {
    return complaint(sparse_matrix(cusparseCreateBsr, 2, 3, static_cast<int64_t>(columns.size()), 2, 2,
                                   offsets.data(), columns.data(), values, i32, i32, zero_based, f64,
                                   CUSPARSE_ORDER_ROW));
}

// 5 x 3 in slices of 2 rows.
std::string sell(int32s offsets, int32s columns, int64_t nnz) {
    return complaint(sparse_matrix(cusparseCreateSlicedEll, 5, 3, nnz, static_cast<int64_t>(columns.size()),
                                   2, offsets.data(), columns.data(), values, i32, i32, zero_based, f64));
}

// 4 x 6 in blocks of 2 x 2, two per row.
std::string blocked_ell(int32s columns) {
    return complaint(
        sparse_matrix(cusparseCreateBlockedEll, 4, 6, 2, 4, columns.data(), values, i32, zero_based, f64));
}

}  // namespace

TEST_CASE("validation of CSR") {
    CHECK(csr({0, 1, 2, 4, 5}, {0, 1, 0, 2, 2}) == "");
    CHECK(csr({1, 2, 3, 5, 6}, {1, 2, 1, 3, 3}, one_based) == "");
    CHECK(csr({1, 1, 2, 4, 5}, {0, 1, 0, 2, 2}) == "matA: row 0: the first offset is 1, not the base 0");
    CHECK(csr({0, 3, 2, 4, 5}, {0, 1, 0, 2, 2}) == "matA: row 1: offsets descend from 3 to 2");
    CHECK(csr({0, 1, 2, 4, 4}, {0, 1, 0, 2, 2}) ==
          "matA: row 3: the last offset is 4, but 5 elements are stored");
    CHECK(csr({0, 1, 2, 4, 5}, {0, 1, 0, 3, 2}) == "matA: row 2: index 3 is not in [0, 3)");
    CHECK(csr({0, 1, 2, 4, 5}, {0, -1, 0, 2, 2}) == "matA: row 1: index -1 is not in [0, 3)");
    CHECK(csr({1, 2, 3, 5, 6}, {1, 2, 1, 3, 0}, one_based) == "matA: row 3: index 0 is not in [1, 4)");
    CHECK(csr({0, 1, 2, 4, 5}, {0, 1, 2, 2, 2}) == "matA: row 2: index 2 occurs twice");
}

TEST_CASE("validation of CSC") {
    CHECK(csc({0, 1, 2, 4, 5}, {0, 1, 0, 2, 2}) == "");
    CHECK(csc({0, 1, 2, 4, 5}, {0, 1, 0, 3, 2}) == "matA: column 2: index 3 is not in [0, 3)");
    CHECK(csc({0, 1, 5, 4, 5}, {0, 1, 0, 2, 2}) == "matA: column 2: offsets descend from 5 to 4");
}

TEST_CASE("validation of COO") {
    CHECK(coo({0, 1, 2, 2, 3}, {0, 1, 0, 2, 2}) == "");
    CHECK(coo({1, 2, 3, 3, 4}, {1, 2, 1, 3, 3}, one_based) == "");
    CHECK(coo({0, 1, 2, 4, 3}, {0, 1, 0, 2, 2}) == "matA: element 3: row 4 is not in [0, 4)");
    CHECK(coo({0, 2, 1, 2, 3}, {0, 1, 0, 2, 2}) == "");
    CHECK(coo({0, 2, 1, 2, 3}, {0, 1, 0, 1, 2}) == "matA: row 2: index 1 occurs twice");
    CHECK(coo({0, 1, 2, 2, 3}, {0, 3, 0, 2, 2}) == "matA: row 1: index 3 is not in [0, 3)");
    CHECK(coo({0, 1, 2, 2, 3}, {0, 1, 2, 2, 2}) == "matA: row 2: index 2 occurs twice");
}

TEST_CASE("validation of BSR") {
    CHECK(bsr({0, 1, 3}, {2, 0, 1}) == "");
    CHECK(bsr({0, 1, 3}, {2, 0, 3}) == "matA: block row 1: index 3 is not in [0, 3)");
    CHECK(bsr({0, 1, 3}, {2, 1, 1}) == "matA: block row 1: index 1 occurs twice");
    CHECK(bsr({0, 4, 3}, {2, 0, 1}) == "matA: block row 1: offsets descend from 4 to 3");
}

TEST_CASE("validation of Sliced-ELL") {
    CHECK(sell({0, 4, 6, 8}, {0, 1, 2, -1, 1, 2, 0, -1}, 6) == "");
    CHECK(sell({0, 4, 6, 8}, {0, 1, 2, 3, 1, 2, 0, -1}, 6) == "matA: row 1: index 3 is not in [0, 3)");
    CHECK(sell({0, 4, 6, 8}, {0, 1, 0, -1, 1, 2, 0, -1}, 6) == "matA: row 0: index 0 occurs twice");
    CHECK(sell({0, 6, 4, 8}, {0, 1, 2, -1, 1, 2, 0, -1}, 6) ==
          "matA: slice with row 2: offsets descend from 6 to 4");
    CHECK(sell({0, 4, 6, 7}, {0, 1, 2, -1, 1, 2, 0, -1}, 6) ==
          "matA: slice with row 4: the last offset is 7, but 8 elements are stored");
}

TEST_CASE("validation of Blocked-ELL") {
    CHECK(blocked_ell({0, 2, 1, -1}) == "");
    CHECK(blocked_ell({0, 2, 3, -1}) == "matA: block row 1: index 3 is not in [0, 3)");
    CHECK(blocked_ell({0, 0, 1, -1}) == "matA: block row 0: index 0 occurs twice");
}

TEST_CASE("validation comes before SpMV and before vector operations") {
    const handle h(cusparseCreate);
    const double one = 1;
    int32s offsets = {0, 1, 2, 3, 4}, columns = {0, 1, 7, 0};
    const sparse_matrix a(cusparseCreateCsr, 4, 3, 4, offsets.data(), columns.data(), values, i32, i32,
                          zero_based, f64);
    const dense_vector x(cusparseCreateDnVec, 3, x_values, f64);
    const dense_vector y(cusparseCreateDnVec, 4, y_values, f64);
    log_capture log;
    CHECK(cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x, &one, y, f64,
                       CUSPARSE_SPMV_ALG_DEFAULT, nullptr) == invalid);
    auto lines = log.take();
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].message == "matA: row 2: index 7 is not in [0, 3)");

    const auto gather = [&](int32s indices) {
        const sparse_vector v(cusparseCreateSpVec, 4, 3, indices.data(), values, i32, zero_based, f64);
        const bool accepted = cusparseGather(h, y, v) == ok;
        lines = log.take();
        CHECK(lines.size() == (accepted ? 0 : 1));
        return accepted ? std::string() : lines[0].message;
    };
    CHECK(gather({3, 0, 1}) == "");
    CHECK(gather({3, 4, 1}) == "vecX: element 1: index 4 is not in [0, 4)");
    CHECK(gather({3, 1, 3}) == "vecX: index 3 occurs twice");
}

TEST_CASE("every item of a batch is validated") {
    // Two 4 x 3 matrices; the second one starts 6 offsets and 5 elements behind the first.
    const auto batch = [](int32s offsets, int32s columns) {
        offsets.resize(12);
        columns.resize(10);
        const sparse_matrix a(cusparseCreateCsr, 4, 3, 4, offsets.data(), columns.data(), values, i32, i32,
                              zero_based, f64);
        const dense_matrix b(cusparseCreateDnMat, 4, 3, 4, dense_values, f64, CUSPARSE_ORDER_COL);
        REQUIRE(cusparseCsrSetStridedBatch(a, 2, 6, 5) == ok);
        REQUIRE(cusparseDnMatSetStridedBatch(b, 2, 12) == ok);
        const handle h(cusparseCreate);
        log_capture log;
        const bool accepted =
            cusparseSparseToDense(h, a, b, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, workspace) == ok;
        const auto lines = log.take();
        CHECK(lines.size() == (accepted ? 0 : 1));
        return accepted ? std::string() : lines[0].message;
    };
    CHECK(batch({0, 1, 2, 3, 4, -1, 0, 2, 3, 4, 4}, {0, 1, 2, 0, -1, 0, 1, 2, 0}) == "");
    CHECK(batch({0, 1, 2, 3, 4, -1, 0, 2, 3, 4, 4}, {0, 1, 2, 0, -1, 0, 1, 3, 0}) ==
          "matA, item 1: row 1: index 3 is not in [0, 3)");
    CHECK(batch({0, 1, 2, 3, 4, -1, 0, 2, 1, 4, 4}, {0, 1, 2, 0, -1, 0, 1, 2, 0}) ==
          "matA, item 1: row 1: offsets descend from 2 to 1");
}

TEST_CASE("an empty matrix with NULL arrays is valid") {
    CHECK(complaint(sparse_matrix(cusparseCreateCsr, 4, 3, 0, nullptr, nullptr, nullptr, i32, i32, zero_based,
                                  f64)) == "");
    CHECK(complaint(sparse_matrix(cusparseCreateCoo, 4, 3, 0, nullptr, nullptr, nullptr, i32, zero_based,
                                  f64)) == "");
}

TEST_CASE("factorisations want columns that ascend") {
    const handle h(cusparseCreate);
    const owned<cusparseMatDescr_t, &cusparseDestroyMatDescr> descr(cusparseCreateMatDescr);
    const owned<csrilu02Info_t, &cusparseDestroyCsrilu02Info> info(cusparseCreateCsrilu02Info);
    const owned<bsric02Info_t, &cusparseDestroyBsric02Info> blocks(cusparseCreateBsric02Info);
    alignas(128) char buffer[128];
    double a[16] = {};
    const int row_offsets[] = {0, 1, 3, 4}, row_columns[] = {0, 1, 0, 2};
    log_capture log;
    CHECK(cusparseDcsrilu02_analysis(h, 3, 4, descr, a, row_offsets, row_columns, info,
                                     CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer) == invalid);
    CHECK(cusparseDbsric02_analysis(h, CUSPARSE_DIRECTION_ROW, 3, 4, descr, a, row_offsets, row_columns, 2,
                                    blocks, CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer) == invalid);
    const auto lines = log.take();
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].message == "csrSortedColIndA: row 1: the columns do not ascend");
    CHECK(lines[1].message == "bsrSortedColInd: block row 1: the columns do not ascend");
}

TEST_CASE("conversions into blocks want ascending columns") {
    const handle h(cusparseCreate);
    const owned<cusparseMatDescr_t, &cusparseDestroyMatDescr> descr(cusparseCreateMatDescr);
    const int32s offsets = {0, 2, 2, 3};
    int32s block_offsets(3);
    int nnz = 0;
    log_capture log;
    const auto count = [&](const int32s& columns) {
        const bool accepted = cusparseXcsr2bsrNnz(h, CUSPARSE_DIRECTION_ROW, 3, 4, descr, offsets.data(),
                                                  columns.data(), 2, descr, block_offsets.data(), &nnz) == ok;
        const auto lines = log.take();
        CHECK(lines.size() == (accepted ? 0 : 1));
        return accepted ? std::string() : lines[0].message;
    };
    CHECK(count({0, 3, 1}) == "");
    CHECK(nnz == 3);
    CHECK(count({3, 0, 1}) == "csrSortedColIndA: row 0: the columns do not ascend");
    CHECK(count({0, 3, 4}) == "csrSortedColIndA: row 2: index 4 is not in [0, 4)");
}
