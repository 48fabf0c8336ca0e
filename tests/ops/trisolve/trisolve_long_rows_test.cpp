// SpSV and SpSM with rows of some thousands of elements, which several groups of a GPU may share.
#include "trisolve_problem.hpp"

using namespace heron::test;

namespace {

constexpr cusparseOrder_t by_columns = CUSPARSE_ORDER_COL, by_rows = CUSPARSE_ORDER_ROW;
constexpr cusparseOperation_t N = CUSPARSE_OPERATION_NON_TRANSPOSE, T = CUSPARSE_OPERATION_TRANSPOSE;
const layout csr{"CSR", CUSPARSE_FORMAT_CSR};

// A row whose elements on either side of the diagonal are those next to it.
struct wide_row {
    std::int64_t row, before, behind;
};

// Rows of a pattern in place of which there are wide ones.
entries with_wide_rows(entries pattern, const std::vector<wide_row>& rows) {
    for (const wide_row& wide : rows) {
        std::erase_if(pattern.list, [&](const entry& e) { return e.row == wide.row; });
        const std::int64_t first = std::max<std::int64_t>(0, wide.row - wide.before);
        const std::int64_t last = std::min(pattern.cols - 1, wide.row + wide.behind);
        for (std::int64_t j = first; j <= last; ++j) pattern.list.push_back({wide.row, j, 1.0});
    }
    std::sort(pattern.list.begin(), pattern.list.end(),
              [](const entry& a, const entry& b) { return a.row != b.row ? a.row < b.row : a.col < b.col; });
    return pattern;
}

wide_row full_row(std::int64_t row) { return {row, row, 1 << 20}; }

std::vector<named_pattern> patterns() {
    random_source random(8);
    const std::int64_t n = 4300;
    const entries few = diagonal_pattern(n);
    return {
        {"a full first and last row", with_wide_rows(few, {full_row(0), full_row(n - 1)})},
        {"a full row in the middle", with_wide_rows(few, {full_row(n / 2)})},
        {"full rows that need each other and their neighbours",
         with_wide_rows(chain_pattern(n), {full_row(0), full_row(1), full_row(1000), full_row(2000),
                                           full_row(2300), full_row(2301), full_row(3300), full_row(n - 1)})},
        // 2048 elements with the diagonal are not many; then as many pieces as can be, and one element more.
        {"rows about the limits", with_wide_rows(scattered_pattern(n, 3, random), {{2100, 2047, 0},
                                                                                   {2200, 2048, 0},
                                                                                   {2500, 2049, 0},
                                                                                   {3200, 3071, 0},
                                                                                   {3210, 3072, 0},
                                                                                   {2101, 0, 2047},
                                                                                   {2102, 0, 2048},
                                                                                   {1100, 0, 3071},
                                                                                   {1101, 0, 3072}})},
        {"rows among others of many elements",
         with_wide_rows(scattered_pattern(n, 28, random), {full_row(60), full_row(n - 60)})},
    };
}

std::vector<cudaDataType> all_types() {
    std::vector<cudaDataType> types{CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
    std::erase_if(types, [](cudaDataType type) { return !device_has(type); });
    return types;
}

solve_call vector_call() { return {1, false}; }
solve_call matrix_call(std::int64_t columns) { return {columns, true}; }

}  // namespace

TEST_CASE("triangular systems with rows of thousands of elements") {
    std::size_t turn = 0;
    for (const named_pattern& pattern : patterns())
        for (const cudaDataType type : all_types())
            for (const triangle& t : all_triangles(type)) {
                INFO(pattern.name);
                // Each of them is a program, on OpenCL.
                const index_choice& index =
                    index_choices()[type == CUDA_R_32F ? turn++ % index_choices().size() : 0];
                trisolve_problem problem(make_system(pattern.matrix, csr, index, t, type), t, turn % 4);
                solve_call call = vector_call();
                call.alpha = representable(type, {0.75, -0.5});
                call.mode = turn % 2 ? CUSPARSE_POINTER_MODE_HOST : CUSPARSE_POINTER_MODE_DEVICE;
                problem.run(call);
            }
}

TEST_CASE("right-hand sides, one or many, of systems with rows of thousands of elements") {
    std::size_t turn = 0;
    for (const named_pattern& pattern : patterns())
        for (const cudaDataType type : all_types())
            for (const triangle& t : all_triangles(type)) {
                if (turn++ % 3) continue;
                INFO(pattern.name);
                trisolve_problem problem(make_system(pattern.matrix, csr, {}, t, type), t);
                const std::int64_t analysed = turn % 2 ? 40 : 3;
                problem.analyse(matrix_call(analysed));
                for (const std::int64_t columns : {std::int64_t{1}, analysed, analysed + 30}) {
                    const cusparseOrder_t order = turn % 4 ? by_rows : by_columns;
                    problem.solve({columns, true, N, {order, 1}, {order, 2}});
                }
            }
}

TEST_CASE("long rows whose elements come in any order, in other formats") {
    const entries pattern = patterns()[2].matrix;
    for (const layout& l : {layout{"COO", CUSPARSE_FORMAT_COO, true}, layout{"CSC", CUSPARSE_FORMAT_CSC},
                            layout{"CSR", CUSPARSE_FORMAT_CSR, true}})
        for (const triangle& t : all_triangles(CUDA_R_32F)) {
            INFO(l.name);
            trisolve_problem problem(make_system(pattern, l, {}, t, CUDA_R_32F), t);
            problem.run(vector_call());
            problem.run(matrix_call(5));
        }
}

TEST_CASE("what is asked of systems with long rows beside a solution") {
    const entries pattern = patterns()[0].matrix;
    for (const triangle& t : {triangle{N, CUSPARSE_FILL_MODE_LOWER}, triangle{N, CUSPARSE_FILL_MODE_UPPER},
                              triangle{T, CUSPARSE_FILL_MODE_LOWER}}) {
        trisolve_problem problem(make_system(pattern, csr, {}, t, CUDA_C_32F), t);
        problem.analyse(matrix_call(3), 8);
        CHECK(problem.buffer().canaries_are_whole());
        for (const number alpha : {number{0.0}, number{-1.0}}) {
            solve_call call = matrix_call(3);
            call.alpha = alpha;
            problem.solve(call);
            call.columns = 1;
            problem.solve(call);
        }
        problem.update_diagonal(std::vector<number>(static_cast<std::size_t>(pattern.rows), {1.25, -0.25}),
                                true);
        problem.solve(matrix_call(3));
        problem.solve(matrix_call(1));
        CHECK(problem.buffer().canaries_are_whole());
    }
}

TEST_CASE("systems with long rows give the same bits every time") {
    const entries pattern = patterns()[2].matrix;
    for (const cudaDataType type : {CUDA_R_32F, CUDA_C_32F})
        for (const cusparseFillMode_t fill : {CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER}) {
            const triangle t{N, fill};
            trisolve_problem problem(make_system(pattern, csr, {}, t, type), t);
            for (const solve_call& call : {vector_call(), matrix_call(9)}) {
                problem.run(call);
                const std::vector<unsigned char> first = problem.solution();
                problem.solve(call);
                CHECK((problem.solution() == first));
                problem.run(call);
                CHECK((problem.solution() == first));
            }
        }
}
