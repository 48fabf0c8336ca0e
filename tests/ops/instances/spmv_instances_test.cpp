// SpMV of every type and index type in every way that a format has.
#include "ops/spmv/spmv_problem.hpp"
#include "patterns.hpp"

using namespace heron::test;

namespace {

constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE, T = CUSPARSE_OPERATION_TRANSPOSE;

const layout csr{"CSR", CUSPARSE_FORMAT_CSR}, coo{"COO", CUSPARSE_FORMAT_COO};
layout bsr(std::int64_t rows, std::int64_t cols) {
    return {fmt::format("BSR {} x {}", rows, cols), CUSPARSE_FORMAT_BSR, false, rows, cols};
}

// A matrix and a product with it.
struct way {
    std::string name;
    entries pattern;
    layout stored;
    cusparseOperation_t op = N;
    bool analysed = false;
    cusparseSpMVAlg_t algorithm = CUSPARSE_SPMV_ALG_DEFAULT;
};

void check(const way& w) {
    for (const product_types& types : product_rows())
        for (const index_choice& index : index_pairs()) {
            INFO(w.name);
            random_source random(51);
            const entries matrix = with_values(w.pattern, types.a, random);
            spmv_problem problem(arrange(matrix, w.stored, index, types.a, random), types, w.op);
            problem.run({some_alpha(types), some_beta(types), CUSPARSE_POINTER_MODE_HOST, w.algorithm},
                        w.analysed);
        }
}

}  // namespace

TEST_CASE("SpMV by rows of every type and index type") {
    check({"a tile", irregular_pattern(), csr});
    check({"tiles", rows_alike(7000, 3000, 10), csr});
    check({"short rows", rows_alike(600, 400, 5), csr, N, true});
    check({"long rows", rows_alike(300, 400, 32), csr, N, true});
    check({"few long rows", rows_alike(5, 600, 150), csr, N, true});
}

TEST_CASE("transposed SpMV of every type and index type") {
    check({"one block", irregular_pattern(), csr, T});
    check({"few elements", rows_alike(600, 400, 5), csr, T});
    check({"few elements, known", rows_alike(600, 400, 5), csr, T, true});
    check({"many elements", rows_alike(7000, 3000, 10), csr, T});
}

TEST_CASE("SpMV of COO matrices of every type and index type") {
    for (const cusparseOperation_t op : {N, T}) {
        check({"one block", irregular_pattern(), coo, op});
        check({"many elements", rows_alike(600, 400, 5), coo, op});
    }
    check({"the same bits", irregular_pattern(), coo, N, false, CUSPARSE_SPMV_COO_ALG2});
}

TEST_CASE("SpMV of slices and blocks of every type and index type") {
    const layout sell{"SELL 7", CUSPARSE_FORMAT_SLICED_ELLPACK, false, 1, 1, CUSPARSE_ORDER_ROW, 7};
    for (const cusparseOperation_t op : {N, T}) {
        check({"slices", irregular_pattern(), sell, op});
        check({"small blocks", irregular_pattern(), bsr(2, 3), op});
        check({"large blocks", irregular_pattern(), bsr(6, 7), op});
    }
}

// More than 2^20 elements, from which on CUDA reads fewer bytes than the matrix has after an analysis. Rows
// have their columns at the same distances from the diagonal, but for some with one far away, or at the same
// places.
namespace {

entries rows_of_one_shape(std::int64_t rows, std::int64_t length) {
    constexpr std::int64_t far = 70'000, period = 40;
    entries m{rows, rows + 3 * length + far, {}};
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t k = 0; k < length; ++k) m.list.push_back({i, i + 3 * k, 1.0});
        if (i % period == 7) m.list.push_back({i, m.cols - 1, 1.0});
    }
    return m;
}

entries rows_in_one_place(std::int64_t rows, std::int64_t length) {
    entries m{rows, 1000 + 3 * length, {}};
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t k = 0; k < length; ++k) m.list.push_back({i, 500 + 3 * k, 1.0});
    return m;
}

std::int64_t many_elements() { return backend_name() == "cuda" ? (1 << 20) + 5000 : 3000; }

void check_analysed(const entries& pattern, cudaDataType type, const index_choice& index) {
    random_source random(60);
    const product_types types = uniform(type);
    spmv_problem problem(arrange(with_values(pattern, type, random), csr, index, type, random), types, N);
    problem.run({some_alpha(types), some_beta(types)}, true);
}

// Of the lengths that a type has kernels for.
void check_narrow(cudaDataType type, cusparseIndexType_t offsets) {
    if (!device_has(type)) return;
    const std::int64_t elements = many_elements();
    const auto check_rows = [&](const entries& pattern) {
        check_analysed(pattern, type, {offsets, CUSPARSE_INDEX_32I, 1});
    };
    for (const std::int64_t length : {5, 20, 100}) {
        CAPTURE(length);
        const bool is_short_row = length == 5;
        if (is_short_row ? type == CUDA_R_64F : type == CUDA_C_64F) continue;
        const std::int64_t rows = elements / length + 1;
        check_rows(rows_in_one_place(rows, length));
        if (!is_short_row || is_complex(type)) check_rows(rows_of_one_shape(rows, length));
    }
}

}  // namespace

TEST_CASE("SpMV of a million elements in rows alike, f32") { check_narrow(CUDA_R_32F, CUSPARSE_INDEX_32I); }
TEST_CASE("SpMV of a million elements in rows alike, f64") { check_narrow(CUDA_R_64F, CUSPARSE_INDEX_32I); }
TEST_CASE("SpMV of a million elements in rows alike, c32") { check_narrow(CUDA_C_32F, CUSPARSE_INDEX_32I); }
TEST_CASE("SpMV of a million elements in rows alike, c64") { check_narrow(CUDA_C_64F, CUSPARSE_INDEX_32I); }
TEST_CASE("SpMV of a million elements in rows alike, f32, 64-bit offsets") {
    check_narrow(CUDA_R_32F, CUSPARSE_INDEX_64I);
}
TEST_CASE("SpMV of a million elements in rows alike, f64, 64-bit offsets") {
    check_narrow(CUDA_R_64F, CUSPARSE_INDEX_64I);
}
TEST_CASE("SpMV of a million elements in rows alike, c32, 64-bit offsets") {
    check_narrow(CUDA_C_32F, CUSPARSE_INDEX_64I);
}
TEST_CASE("SpMV of a million elements in rows alike, c64, 64-bit offsets") {
    check_narrow(CUDA_C_64F, CUSPARSE_INDEX_64I);
}
TEST_CASE("SpMV of a million elements in rows alike, 64-bit indices") {
    check_analysed(rows_in_one_place(many_elements() / 5 + 1, 5), CUDA_R_32F,
                   {CUSPARSE_INDEX_64I, CUSPARSE_INDEX_64I, 0});
}
