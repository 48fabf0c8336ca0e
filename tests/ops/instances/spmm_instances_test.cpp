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
    check({"two columns of long rows", rows_alike(4, 1200, 600), csr, 2});
}

TEST_CASE("SpMM of a B by columns, copied and not, of every type and index type") {
    const entries matrix = band(2600, 9);
    check({"copied", matrix, csr, 35, N, CUSPARSE_ORDER_COL});
    check({"as it is", matrix, csr, 35, N, CUSPARSE_ORDER_COL, true});
    check({"two columns as they are", matrix, csr, 2, N, CUSPARSE_ORDER_COL, true, 18});
}

namespace {

// Items of one column, which have the same A, of twos, and the same B, of threes.
void check_items_alike(const entries& pattern, const index_choice& index, int items, double expected) {
    for (const spmm_types& types : spmm_rows()) {
        INFO(types.name());
        random_source random(57);
        const device_matrix a(arrange(pattern, csr, index, types.ab, random));
        const typed_array b(types.ab, std::vector<number>(static_cast<std::size_t>(pattern.cols), 3.0));
        const std::vector<unsigned char> element = encode(types.c, {expected});
        const device_memory c(static_cast<std::size_t>(pattern.rows * items) * element.size());
        const auto describe = [&](std::int64_t rows, void* values, cudaDataType type) {
            cusparseDnMatDescr_t m = nullptr;
            expect(cusparseCreateDnMat(&m, rows, 1, rows, values, type, CUSPARSE_ORDER_COL));
            return dense_matrix(m);
        };
        const dense_matrix b_descriptor = describe(pattern.cols, b.data(), types.ab),
                           c_descriptor = describe(pattern.rows, c.data(), types.c);
        expect(cusparseDnMatSetStridedBatch(b_descriptor.get(), items, 0));
        expect(cusparseDnMatSetStridedBatch(c_descriptor.get(), items, pattern.rows));
        const std::vector<unsigned char> one = encode(types.compute, {1.0}),
                                         zero = encode(types.compute, {0.0});
        std::size_t size = 0;
        expect(cusparseSpMM_bufferSize(cusparse(), N, N, one.data(), a.get(), b_descriptor.get(), zero.data(),
                                       c_descriptor.get(), types.compute, CUSPARSE_SPMM_ALG_DEFAULT, &size));
        const workspace buffer(size);
        expect(cusparseSpMM(cusparse(), N, N, one.data(), a.get(), b_descriptor.get(), zero.data(),
                            c_descriptor.get(), types.compute, CUSPARSE_SPMM_ALG_DEFAULT, buffer.data()));
        const std::vector<unsigned char> all = c.bytes();
        bool same = true;
        for (std::size_t at = 0; at < all.size(); at += element.size())
            same = same &&
                   std::equal(element.begin(), element.end(), all.begin() + static_cast<std::ptrdiff_t>(at));
        CHECK(same);
    }
}

entries of_twos(entries pattern) {
    for (entry& e : pattern.list) e.value = 2.0;
    return pattern;
}

}  // namespace

TEST_CASE("SpMM of more items of every type than there is workspace for") {
    check_items_alike({1, 1, {{0, 0, 2.0}}}, {}, backend_name() == "cuda" ? 2'500'000 : 1000, 6.0);
}

// A copy of it by rows would take more than 64 MiB.
TEST_CASE("SpMM of few elements and a long B by columns of every type") {
    const std::int64_t cols = backend_name() == "cuda" ? 4'400'000 : 1000;
    check_items_alike(of_twos(rows_alike(4, cols, 8)), {CUSPARSE_INDEX_64I, CUSPARSE_INDEX_32I, 1}, 25'000,
                      48.0);
}

TEST_CASE("transposed SpMM of every type and index type") {
    check({"few additions", irregular_pattern(), csr, 5, T});
    check({"few additions to columns", irregular_pattern(), csr, 5, T, CUSPARSE_ORDER_COL});
    check({"by columns", band(2600, 9), csr, 48, T});
    check({"by columns that are known", band(2600, 9), csr, 48, T, CUSPARSE_ORDER_ROW, true});
    check({"by few columns", rows_alike(2100, 3, 3), csr, 5, T});
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
    check({"two columns of long rows", rows_alike(4, 1200, 600), coo, 2});
    check({"transposed", irregular_pattern(), coo, 5, T});
    check({"transposed to columns", irregular_pattern(), coo, 5, T, CUSPARSE_ORDER_COL});
    check({"transposed, by few columns", rows_alike(2100, 3, 3), coo, 200, T});
    check({"transposed, the same bits", irregular_pattern(), coo, 5, T, CUSPARSE_ORDER_ROW, false, 1,
           CUSPARSE_SPMM_COO_ALG2});
}

namespace {

// Of single precision: the kernels that differ know no values.
void check_patterns(const way& w) {
    for (const index_choice& index : index_pairs()) {
        INFO(w.name);
        random_source random(60);
        const spmm_types types = uniform_spmm(CUDA_R_32F);
        const entries matrix = with_values(w.pattern, types.ab, random);
        spmm_problem problem(arrange(matrix, w.stored, index, types.ab, random), types,
                             {.op_a = w.op, .n = w.columns, .order_b = w.order, .order_c = w.order});
        problem.run(general_call(types), w.analysed);
    }
}

}  // namespace

TEST_CASE("SpMM of matrices of every index type by their columns") {
    check_patterns({"COO of many elements", band(2600, 9), coo, 48, T, CUSPARSE_ORDER_ROW, true});
    check_patterns({"two columns", rows_alike(1100, 2, 2), csr, 2, T, CUSPARSE_ORDER_COL, true});
}

TEST_CASE("SpMM of blocks of every type and index type") {
    for (const cusparseOperation_t op : {N, T})
        for (const layout& stored : {bsr(2, 3), bsr(4, 4), ell(3), ell(8)})
            check({"blocks", irregular_pattern(), stored, 5, op});
    check({"blocks and batches", irregular_pattern(), bsr(2, 3), 5, N, CUSPARSE_ORDER_ROW, false, 3});
}

// Of one without elements, C is scaled alone.
TEST_CASE("SpMM of COO matrices of every type and index type that store nothing") {
    check({"nothing", {5, 7, {}}, coo});
}

// Square blocks that have kernels of their own, by a B of few, some and many columns.
namespace {

void check_square_blocks(std::int64_t size) {
    for (const spmm_types& types : spmm_rows()) {
        if (is_complex(types.ab) || types.ab == CUDA_R_8I) continue;
        for (const std::int64_t columns : {40, 104, 200})
            for (const cusparseOrder_t order : {CUSPARSE_ORDER_ROW, CUSPARSE_ORDER_COL})
                for (const layout& stored : {bsr(size, size), ell(size)}) {
                    INFO(stored.name << ", " << columns << " columns");
                    random_source random(59);
                    const entries matrix = with_values(dense_pattern(2 * size, 2 * size), types.ab, random);
                    spmm_problem problem(arrange(matrix, stored, {}, types.ab, random), types,
                                         {.n = columns, .order_b = order, .order_c = order, .padding = 8});
                    problem.run(general_call(types));
                }
    }
}

}  // namespace

TEST_CASE("SpMM of blocks of 8 rows of every type") { check_square_blocks(8); }
TEST_CASE("SpMM of blocks of 16 rows of every type") { check_square_blocks(16); }
TEST_CASE("SpMM of blocks of 32 rows of every type") { check_square_blocks(32); }
TEST_CASE("SpMM of blocks of 64 rows of every type") { check_square_blocks(64); }
