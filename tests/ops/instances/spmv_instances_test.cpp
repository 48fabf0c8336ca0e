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
