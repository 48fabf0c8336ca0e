// SpMM of every type and index type in every way that a format has.
#include "ops/spmm/spmm_problem.hpp"
#include "patterns.hpp"

using namespace heron::test;

namespace {

constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE, T = CUSPARSE_OPERATION_TRANSPOSE;

const layout csr{"CSR", CUSPARSE_FORMAT_CSR}, coo{"COO", CUSPARSE_FORMAT_COO},
    coo_unsorted{"COO unsorted", CUSPARSE_FORMAT_COO, true};
layout bsr(std::int64_t rows, std::int64_t cols) {
    return {fmt::format("BSR {} x {}", rows, cols), CUSPARSE_FORMAT_BSR, false, rows, cols};
}
layout ell(std::int64_t block) {
    return {fmt::format("Blocked-ELL {}", block), CUSPARSE_FORMAT_BLOCKED_ELL, false, block, block};
}

// A matrix, or several of them, and a product with it.
struct way {
    std::string name;
    entries pattern;
    layout stored;
    std::int64_t columns = 5;
    cusparseOperation_t op = N;
    cusparseOrder_t order = CUSPARSE_ORDER_ROW;
    bool analysed = false;
    int items = 1;
    cusparseSpMMAlg_t algorithm = CUSPARSE_SPMM_ALG_DEFAULT;
};

void check(const way& w) {
    for (const spmm_types& types : spmm_rows())
        for (const index_choice& index : index_pairs()) {
            INFO(w.name);
            random_source random(52);
            const entries matrix = with_values(w.pattern, types.ab, random);
            spmm_options o{
                .op_a = w.op, .n = w.columns, .order_b = w.order, .order_c = w.order, .items = w.items};
            spmm_problem problem(arrange(matrix, w.stored, index, types.ab, random), types, o);
            spmm_call call = general_call(types);
            call.algorithm = w.algorithm;
            problem.run(call, w.analysed);
        }
}

}  // namespace

TEST_CASE("SpMM by rows of every type and index type") {
    check({"few columns", irregular_pattern(), csr});
    check({"many shares", rows_alike(8, 8, 2), csr, 3, N, CUSPARSE_ORDER_ROW, false, 1200});
}

TEST_CASE("SpMM of a B by columns, copied and not, of every type and index type") {
    const entries matrix = band(2600, 9);
    check({"copied", matrix, csr, 35, N, CUSPARSE_ORDER_COL});
    check({"as it is", matrix, csr, 35, N, CUSPARSE_ORDER_COL, true});
}

TEST_CASE("transposed SpMM of every type and index type") {
    check({"few additions", irregular_pattern(), csr, 5, T});
    check({"by columns", band(2600, 9), csr, 48, T});
    check({"by columns that are known", band(2600, 9), csr, 48, T, CUSPARSE_ORDER_ROW, true});
    check({"the same bits", irregular_pattern(), csr, 5, T, CUSPARSE_ORDER_ROW, false, 1,
           CUSPARSE_SPMM_CSR_ALG3});
}

TEST_CASE("SpMM of COO matrices of every type and index type") {
    for (const layout& stored : {coo, coo_unsorted}) {
        check({"few additions", irregular_pattern(), stored});
        check({"rows", irregular_pattern(), stored, 5, N, CUSPARSE_ORDER_ROW, false, 1,
               CUSPARSE_SPMM_COO_ALG2});
        check({"batches", irregular_pattern(), stored, 5, N, CUSPARSE_ORDER_ROW, false, 3,
               CUSPARSE_SPMM_COO_ALG2});
    }
    check({"transposed", irregular_pattern(), coo, 5, T});
    check({"transposed, the same bits", irregular_pattern(), coo, 5, T, CUSPARSE_ORDER_ROW, false, 1,
           CUSPARSE_SPMM_COO_ALG2});
}

TEST_CASE("SpMM of blocks of every type and index type") {
    for (const cusparseOperation_t op : {N, T})
        for (const layout& stored : {bsr(2, 3), bsr(4, 4), ell(3), ell(8)})
            check({"blocks", irregular_pattern(), stored, 5, op});
}
