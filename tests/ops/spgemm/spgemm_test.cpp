// SpGEMM and SpGEMMreuse against the oracle: shapes, formats, operations, types, scalars, and the phases.
#include "spgemm_problem.hpp"

#include <cstring>
#include <set>

using namespace heron::test;

namespace {

constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto T = CUSPARSE_OPERATION_TRANSPOSE;
constexpr auto H = CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;

const layout csr{"CSR", CUSPARSE_FORMAT_CSR}, csr_shuffled{"CSR shuffled", CUSPARSE_FORMAT_CSR, true},
    csc{"CSC", CUSPARSE_FORMAT_CSC}, csc_shuffled{"CSC shuffled", CUSPARSE_FORMAT_CSC, true};

bool is_host() { return backend_name() == "host"; }

// Building a program costs PoCL more than running it.
std::vector<cudaDataType> main_types() {
    if (is_host()) return spgemm_types();
    return {CUDA_R_32F, device_has(CUDA_C_64F) ? CUDA_C_64F : CUDA_C_32F};
}
cudaDataType main_type() { return device_has(CUDA_R_64F) ? CUDA_R_64F : CUDA_R_32F; }

spgemm_call general_call(cudaDataType type) {
    spgemm_call call;
    call.compute = sum_type(type);
    call.alpha = representable(call.compute, {0.75, -0.5});
    call.beta = representable(call.compute, {-1.25, 0.25});
    return call;
}

spgemm_call plain_call(cudaDataType type) {
    spgemm_call call;
    call.compute = sum_type(type);
    return call;
}

entries transposed_if(entries m, bool wanted) {
    if (!wanted) return m;
    std::swap(m.rows, m.cols);
    for (entry& e : m.list) std::swap(e.row, e.col);
    return m;
}

struct pair_of_arrays {
    sparse_arrays a, b;
};

// Arrays of A and B whose op(A) and op(B) have the patterns given.
pair_of_arrays arrange_pair(const entries& op_a_pattern, cusparseOperation_t op_a,
                            const entries& op_b_pattern, cusparseOperation_t op_b, const layout& la,
                            const layout& lb, const index_choice& index, cudaDataType type) {
    random_source random(5);
    const entries a = with_values(transposed_if(op_a_pattern, op_a != N), type, random);
    const entries b = with_values(transposed_if(op_b_pattern, op_b != N), type, random);
    return {arrange(a, la, index, type, random), arrange(b, lb, index, type, random)};
}

// A right factor for a left one: thin, with empty rows and one long row.
entries partner_of(const entries& left, std::int64_t cols) {
    random_source random(9);
    entries right = random_pattern(left.cols, cols, 6, random);
    std::erase_if(right.list, [](const entry& e) { return e.row % 5 == 3; });
    if (left.cols > 4)
        for (std::int64_t j = 0; j < cols; ++j)
            if (j % 3 == 0) right.list.push_back({3, j, 1.0});
    return right;
}

}  // namespace

TEST_CASE("SpGEMM of every shape and type") {
    for (const cudaDataType type : main_types())
        for (const named_pattern& left : small_patterns()) {
            INFO(left.name << ", " << facts(type).name);
            const entries right = partner_of(left.matrix, 43);
            const pair_of_arrays m = arrange_pair(left.matrix, N, right, N, csr, csr_shuffled, {}, type);
            spgemm_problem problem(m.a, N, m.b, N);
            problem.run(plain_call(type));
            problem.run(general_call(type));
            problem.run_reuse(general_call(type));
        }
}

TEST_CASE("SpGEMM of every format and operation") {
    const entries left = irregular_pattern();
    const entries right = partner_of(left, 29);
    for (const cudaDataType type : {CUDA_R_32F, CUDA_C_32F})
        for (const layout& la : {csr, csr_shuffled, csc, csc_shuffled})
            for (const layout& lb : {csr, csc_shuffled})
                for (const cusparseOperation_t op_a : {N, T, H})
                    for (const cusparseOperation_t op_b : {N, T, H}) {
                        INFO(la.name << " x " << lb.name << ", operations " << op_a << " " << op_b);
                        const pair_of_arrays m = arrange_pair(left, op_a, right, op_b, la, lb, {}, type);
                        spgemm_problem problem(m.a, op_a, m.b, op_b);
                        problem.run(general_call(type));
                        problem.run_reuse(plain_call(type));
                    }
}

TEST_CASE("SpGEMM writes a C by columns too") {
    const entries left = irregular_pattern();
    const entries right = partner_of(left, 29);
    for (const cusparseOperation_t op_a : {N, T, H})
        for (const cusparseOperation_t op_b : {N, T, H}) {
            INFO("operations " << op_a << " " << op_b);
            const pair_of_arrays m = arrange_pair(left, op_a, right, op_b, csc, csr, {}, CUDA_C_32F);
            spgemm_options options;
            options.c_format = CUSPARSE_FORMAT_CSC;
            spgemm_problem problem(m.a, op_a, m.b, op_b, options);
            problem.run(general_call(CUDA_C_32F));
            problem.run_reuse(general_call(CUDA_C_32F));
        }
}

TEST_CASE("SpGEMM with every index type and base") {
    const entries left = irregular_pattern();
    const entries right = partner_of(left, 29);
    for (const index_choice& index : index_choices())
        for (const cusparseIndexType_t c_offsets : {CUSPARSE_INDEX_32I, CUSPARSE_INDEX_64I})
            for (const int c_base : {0, 1}) {
                if (c_offsets == CUSPARSE_INDEX_32I && index.indices == CUSPARSE_INDEX_64I) continue;
                INFO("offsets " << index.offsets << ", indices " << index.indices << ", base " << index.base);
                const pair_of_arrays m =
                    arrange_pair(left, T, right, N, csr_shuffled, csr, index, CUDA_R_32F);
                spgemm_options options;
                options.c_index = {c_offsets, index.indices, c_base};
                options.early_offsets = c_base == 0;
                options.misalignment = 1;
                spgemm_problem problem(m.a, T, m.b, N, options);
                problem.run(general_call(CUDA_R_32F));
                problem.run_reuse(general_call(CUDA_R_32F));
            }
}

TEST_CASE("SpGEMM takes NULL arrays where nothing is stored") {
    for (const entries& pattern : {entries{7, 7, {}}, entries{0, 0, {}}}) {
        const pair_of_arrays m = arrange_pair(pattern, N, pattern, N, csr, csr, {}, CUDA_R_32F);
        for (const cusparseOperation_t op : {N, T}) {
            spgemm_options options;
            options.absent_arrays = true;
            spgemm_problem problem(m.a, op, m.b, op, options);
            problem.run(general_call(CUDA_R_32F));
            problem.run_reuse(general_call(CUDA_R_32F));
        }
    }
}

TEST_CASE("SpGEMM with scalars of every kind") {
    const entries left = irregular_pattern();
    const entries right = partner_of(left, 29);
    for (const cudaDataType type : {CUDA_R_32F, CUDA_C_32F}) {
        const pair_of_arrays m = arrange_pair(left, N, right, N, csr, csr, {}, type);
        spgemm_problem problem(m.a, N, m.b, N);
        for (const number alpha : {number{0.0}, number{1.0}, number{-0.5}})
            for (const number beta : {number{0.0}, number{1.0}, number{2.5}})
                for (const auto mode : {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE}) {
                    INFO("alpha " << alpha.real() << ", beta " << beta.real() << ", pointer mode " << mode);
                    spgemm_call call = plain_call(type);
                    call.alpha = alpha;
                    call.beta = beta;
                    call.mode = mode;
                    problem.run(call);
                    problem.run_reuse(call);
                }
    }
}

TEST_CASE("alpha = 0 reads no values of the factors") {
    const entries left = irregular_pattern();
    pair_of_arrays m = arrange_pair(left, T, partner_of(left, 29), N, csr, csr, {}, CUDA_R_32F);
    std::fill(m.a.values.begin(), m.a.values.end(), poison(CUDA_R_32F));
    std::fill(m.b.values.begin(), m.b.values.end(), poison(CUDA_R_32F));
    spgemm_problem problem(m.a, T, m.b, N);
    spgemm_call call = general_call(CUDA_R_32F);
    call.alpha = 0.0;
    problem.run(call);
    call.beta = 0.0;
    problem.run(call);
}

TEST_CASE("SpGEMM with the documented 16-bit compute types") {
    for (const cudaDataType type : {CUDA_R_16F, CUDA_R_16BF, CUDA_C_16F, CUDA_C_16BF}) {
        if (!is_host() && type != CUDA_R_16F) continue;
        INFO(facts(type).name);
        const entries left = irregular_pattern();
        const pair_of_arrays m = arrange_pair(left, N, partner_of(left, 29), N, csr, csr, {}, type);
        spgemm_problem problem(m.a, N, m.b, N);
        spgemm_call call = general_call(type);
        call.compute = type;
        for (const cusparsePointerMode_t mode : {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE}) {
            call.mode = mode;
            problem.run(call);
            problem.run_reuse(call);
        }
    }
}

TEST_CASE("columns that occur twice in a row of a factor add up") {
    entries left{3, 3, {{0, 1, 1.0}, {0, 1, 2.0}, {0, 2, 1.0}, {2, 0, 4.0}}};
    entries right{3, 4, {{1, 3, 1.0}, {1, 3, 5.0}, {1, 0, 2.0}, {2, 3, 1.0}, {0, 2, 1.0}, {0, 2, 1.0}}};
    random_source random;
    for (const cusparseOperation_t op : {N, T}) {
        const sparse_arrays a = arrange(transposed_if(left, op == T), csr, {}, CUDA_R_32F, random);
        const sparse_arrays b = arrange(transposed_if(right, op == T), csr, {}, CUDA_R_32F, random);
        spgemm_problem problem(a, op, b, op);
        problem.run(general_call(CUDA_R_32F));
        problem.run_reuse(general_call(CUDA_R_32F));
        CHECK(problem.c_nnz() == 3);
    }
}

TEST_CASE("every algorithm gives the same bits, every time") {
    random_source random(3);
    const entries left = random_pattern(300, 400, 15, random);
    const cudaDataType type = main_type();
    const pair_of_arrays m =
        arrange_pair(left, N, random_pattern(400, 350, 15, random), N, csr, csr, {}, type);
    std::vector<unsigned char> first;
    for (int algorithm = 0; algorithm <= 5; ++algorithm)
        for (int repeat = 0; repeat < 2; ++repeat) {
            spgemm_problem problem(m.a, N, m.b, N);
            spgemm_call call = plain_call(type);
            call.algorithm = static_cast<cusparseSpGEMMAlg_t>(algorithm);
            call.estimate_memory = algorithm >= CUSPARSE_SPGEMM_ALG2;
            problem.run(call);
            if (first.empty()) first = problem.value_bytes();
            CHECK((problem.value_bytes() == first));
        }
}

// Four elements in each row, but all in that in the middle; its column has some too.
entries one_full_row(std::int64_t n) {
    entries m{n, n, {}};
    for (std::int64_t i = 0; i < n; ++i) {
        std::set<std::int64_t> cols{i, (7 * i + 3) % n, (31 * i + n / 3) % n,
                                    i % 4000 == 1 ? n / 2 : n - 1 - i};
        if (i == n / 2)
            for (std::int64_t j = 0; j < n; ++j) cols.insert(cols.end(), j);
        for (const std::int64_t col : cols) m.list.push_back({i, col, 1.0});
    }
    return m;
}

// Rows of A with far more products than the others: in all rows, in a few of many, and with results that are
// wider than what one group sums. A full row has several segments for each of its parts, and is a row of B
// that many blocks share.
std::vector<std::pair<std::string, std::pair<entries, entries>>> heavy_pairs() {
    random_source random(12);
    const entries wide = random_pattern(40, 2000, 3, random);
    entries few = random_pattern(300, 1500, 700, random);
    for (const std::int64_t row : {0, 7, 299})
        for (std::int64_t col = row % 2; col < 1500; col += row == 7 ? 4 : 1)
            few.list.push_back({row, col, 1.0});
    std::sort(few.list.begin(), few.list.end(), [](const entry& a, const entry& b) {
        return std::pair(a.row, a.col) < std::pair(b.row, b.col);
    });
    few.list.erase(
        std::unique(few.list.begin(), few.list.end(),
                    [](const entry& a, const entry& b) { return a.row == b.row && a.col == b.col; }),
        few.list.end());
    const entries wider = random_pattern(12, 9000, 3, random);
    return {{"A A^T of a wide A", {wide, transposed_if(wide, true)}},
            {"A A^T of a wider A", {wider, transposed_if(wider, true)}},
            {"few heavy rows", {few, random_pattern(1500, 2700, 150, random)}},
            {"one full row", {one_full_row(12000), one_full_row(12000)}}};
}

// The same bits each time, sums with C, and again.
void check_again_and_again(const pair_of_arrays& m, cudaDataType type) {
    spgemm_problem problem(m.a, N, m.b, N);
    problem.run(plain_call(type));
    const std::vector<unsigned char> first = problem.value_bytes();
    problem.run(plain_call(type));
    CHECK((problem.value_bytes() == first));
    problem.run(general_call(type));
    problem.run_reuse(general_call(type));
}

TEST_CASE("SpGEMM of rows with very many products") {
    const cudaDataType type = main_type();
    for (const auto& [name, factors] : heavy_pairs()) {
        INFO(name);
        for (const layout& lb : {csr, csr_shuffled}) {
            const pair_of_arrays m = arrange_pair(factors.first, N, factors.second, N, csr, lb, {}, type);
            check_again_and_again(m, type);
        }
    }
}

// Several rows of B at a time, which have columns in common; some have a column twice.
TEST_CASE("SpGEMM of long rows of A and short rows of B") {
    random_source random(14);
    entries left = random_pattern(70, 300, 20, random);
    for (std::int64_t row = 0; row < left.rows; row += 3)
        for (std::int64_t col = row % 2; col < left.cols; col += 1 + row % 4)
            left.list.push_back({row, col, 1.0});
    const cudaDataType type = main_type();
    for (const std::int64_t cols : {40, 230, 1900}) {
        entries right{left.cols, cols, {}};
        for (std::int64_t i = 0; i < right.rows; ++i)
            for (std::int64_t n = i % 7 == 2 ? 4 : 0; n < 5; ++n)
                right.list.push_back({i, n == 1 && i % 11 == 5 ? i % cols : (i + n * n * 17) % cols, 1.0});
        for (const layout& lb : {csr, csr_shuffled}) {
            const pair_of_arrays m = arrange_pair(left, N, right, N, csr, lb, {}, type);
            check_again_and_again(m, type);
        }
    }
}

// Rows of A of so many elements each, in a matrix that may have others of a few.
entries with_row_lengths(const std::vector<std::int64_t>& lengths, std::int64_t others, std::int64_t cols) {
    random_source random(14);
    const auto wide = static_cast<std::int64_t>(lengths.size());
    entries m = random_pattern(wide + others, cols, 500, random);
    std::erase_if(m.list, [&](const entry& e) { return e.row < wide; });
    std::vector<entry> list;
    for (std::int64_t i = 0; i < wide; ++i)
        for (std::int64_t k = 0; k < lengths[static_cast<std::size_t>(i)]; ++k)
            list.push_back({i, (k + 17 * i) % cols, 1.0});
    list.insert(list.end(), m.list.begin(), m.list.end());
    m.list = list;
    std::sort(m.list.begin(), m.list.end(), [](const entry& a, const entry& b) {
        return std::pair(a.row, a.col) < std::pair(b.row, b.col);
    });
    return m;
}

// About 2048 elements in rows of A, and results that are narrow, empty at their ends, and wider than what is
// summed at a time.
TEST_CASE("SpGEMM of rows of A with thousands of elements") {
    const cudaDataType type = main_type();
    random_source random(15);
    const std::vector<std::int64_t> lengths{2047, 2048, 2049, 0, 1, 2304, 5000, 4097};
    for (const std::int64_t others : {0, 60})
        for (const entries& right :
             {random_pattern(5000, 10, 3, random), random_pattern(5000, 2100, 400, random)})
            for (const layout& lb : {csr, csr_shuffled}) {
                INFO(others << " others, " << right.cols << " columns, " << lb.name);
                const entries left = with_row_lengths(lengths, others, 5000);
                const index_choice index{CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, others ? 1 : 0};
                const pair_of_arrays m = arrange_pair(left, N, right, N, csr, lb, index, type);
                check_again_and_again(m, type);
            }
}

TEST_CASE("SpGEMM of complex rows of A with thousands of elements, by columns and conjugated too") {
    const entries left = with_row_lengths({3000, 2100, 40}, 5, 3000);
    random_source random(16);
    const entries right = random_pattern(3000, 40, 4, random);
    for (const cusparseOperation_t op : {N, H}) {
        const index_choice& wide = index_choices()[1];
        const pair_of_arrays m =
            arrange_pair(left, op, right, op, op == N ? csr : csc, csr, wide, CUDA_C_32F);
        spgemm_options options;
        options.c_index = wide;
        spgemm_problem problem(m.a, op, m.b, op, options);
        problem.run(general_call(CUDA_C_32F));
        spgemm_call zero = general_call(CUDA_C_32F);
        zero.alpha = 0.0;
        problem.run(zero);
    }
}

// Every element of C has `inner` products.
TEST_CASE("SpGEMM again and again with any number of products for an element") {
    const cudaDataType type = main_type();
    const auto full = [](std::int64_t rows, std::int64_t cols) {
        entries m{rows, cols, {}};
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < cols; ++j) m.list.push_back({i, j, 1.0});
        return m;
    };
    for (const std::int64_t inner : {1, 3, 8, 9, 2047, 2048, 2049, 4096, 9000})
        for (const std::int64_t size : {1, 3}) {
            INFO(size << " x " << inner << " x " << size);
            const pair_of_arrays m =
                arrange_pair(full(size, inner), N, full(inner, size), N, csr, csr, {}, type);
            spgemm_problem problem(m.a, N, m.b, N);
            problem.run_reuse(plain_call(type));
            problem.run_reuse(general_call(type));
        }
}

TEST_CASE("alpha = 0 reads no values of the factors again and again either") {
    const entries left = irregular_pattern();
    pair_of_arrays m = arrange_pair(left, N, partner_of(left, 29), N, csr, csr, {}, CUDA_R_32F);
    std::fill(m.a.values.begin(), m.a.values.end(), poison(CUDA_R_32F));
    std::fill(m.b.values.begin(), m.b.values.end(), poison(CUDA_R_32F));
    spgemm_problem problem(m.a, N, m.b, N);
    spgemm_call call = plain_call(CUDA_R_32F);
    call.alpha = 0.0;
    problem.run_reuse(call);
}

TEST_CASE("the number of products is exact") {
    const entries left = irregular_pattern();
    const entries right = partner_of(left, 29);
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(right.rows));
    for (const entry& e : right.list) ++lengths[static_cast<std::size_t>(e.row)];
    std::int64_t expected = 0;
    for (const entry& e : left.list) expected += lengths[static_cast<std::size_t>(e.col)];
    for (const cusparseOperation_t op : {N, T}) {
        const pair_of_arrays m = arrange_pair(left, op, right, op, csr, csr, {}, CUDA_R_32F);
        spgemm_problem problem(m.a, op, m.b, op);
        problem.run(plain_call(CUDA_R_32F));
        CHECK(problem.products() == expected);
    }
}

TEST_CASE("workspaces of exactly the sizes queried, at any address") {
    random_source random(4);
    const entries left = random_pattern(700, 300, 30, random);
    for (const cusparseOperation_t op_a : {N, T}) {
        const pair_of_arrays m =
            arrange_pair(left, op_a, random_pattern(300, 500, 40, random), N, csr, csr, {}, CUDA_R_32F);
        for (const std::size_t misalignment : {1, 8, 255}) {
            spgemm_problem problem(m.a, op_a, m.b, N);
            spgemm_call call = general_call(CUDA_R_32F);
            call.misalignment = misalignment;
            problem.run(call);
            problem.run_reuse(call);
        }
    }
}
