// SpSV and SpSM of large matrices: generated ones with many levels and few, and real ones from
// $HERON_TEST_DATA.
#include "ops/real_matrices.hpp"
#include "trisolve_problem.hpp"

#include <vector>

using namespace heron::test;

namespace {

constexpr cusparseOperation_t N = CUSPARSE_OPERATION_NON_TRANSPOSE, T = CUSPARSE_OPERATION_TRANSPOSE;
const layout csr{"CSR", CUSPARSE_FORMAT_CSR};

// The matrix's pattern and its whole diagonal.
entries pattern_of(const heron::tools::csr_matrix& m) {
    entries result{m.rows, m.cols, {}};
    for (std::int64_t row = 0; row < m.rows; ++row) {
        result.list.push_back({row, row, 1.0});
        for (std::int64_t k = m.offsets[static_cast<std::size_t>(row)];
             k < m.offsets[static_cast<std::size_t>(row + 1)]; ++k)
            if (m.columns[static_cast<std::size_t>(k)] != row)
                result.list.push_back({row, m.columns[static_cast<std::size_t>(k)], 1.0});
    }
    return result;
}

struct grid_steps {
    std::int64_t x, y, z;
};

// The points of a grid, numbered line by line, with all their neighbours that are so many steps away.
entries stencil_pattern(const grid_steps& size, const std::vector<grid_steps>& neighbours) {
    const std::int64_t n = size.x * size.y * size.z;
    entries result{n, n, {}};
    for (std::int64_t row = 0; row < n; ++row) {
        result.list.push_back({row, row, 1.0});
        const grid_steps at{row % size.x, row / size.x % size.y, row / (size.x * size.y)};
        for (const std::int64_t sign : {-1, 1})
            for (const grid_steps& step : neighbours) {
                const grid_steps to{at.x + sign * step.x, at.y + sign * step.y, at.z + sign * step.z};
                if (to.x < 0 || to.x >= size.x || to.y < 0 || to.y >= size.y || to.z < 0 || to.z >= size.z)
                    continue;
                result.list.push_back({row, (to.z * size.y + to.y) * size.x + to.x, 1.0});
            }
    }
    return result;
}

const std::vector<grid_steps> next_neighbours{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const std::vector<grid_steps> all_neighbours{{1, 0, 0},  {-1, 1, 0}, {0, 1, 0},  {1, 1, 0}, {-1, -1, 1},
                                             {0, -1, 1}, {1, -1, 1}, {-1, 0, 1}, {0, 0, 1}, {1, 0, 1},
                                             {-1, 1, 1}, {0, 1, 1},  {1, 1, 1}};

void check_repeatable(trisolve_problem& problem, const solve_call& call) {
    problem.solve(call);
    const std::vector<unsigned char> first = problem.solution();
    problem.solve(call);
    CHECK((problem.solution() == first));
}

void check_solves(const entries& pattern, const std::string& name, const layout& l, cudaDataType type,
                  const index_choice& index = {}) {
    for (const cusparseOperation_t op : {N, T})
        for (const cusparseFillMode_t fill : {CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER}) {
            INFO(name << " as " << l.name);
            const triangle t{op, fill};
            trisolve_problem problem(make_system(pattern, l, index, t, type), t);
            problem.analyse({1, false});
            check_repeatable(problem, {1, false});
            problem.analyse({3, true});
            check_repeatable(problem, {3, true});
            problem.solve({21, true, N, {CUSPARSE_ORDER_ROW, 0}, {CUSPARSE_ORDER_ROW, 0}});
        }
}

}  // namespace

TEST_CASE("triangular solves of generated matrices") {
    const cudaDataType type = device_has(CUDA_R_64F) ? CUDA_R_64F : CUDA_R_32F;
    for (const char* spec :
         {"poisson2d:150", "poisson3d:24", "poisson3d27:14", "uniform:20000,6", "banded:20000,2",
          "arrow:20000", "diag:50000", "longrows:10000,3", "rmat:13,8", "longrows:900,2"})
        check_solves(pattern_of(heron::tools::load_matrix(spec, seed())), spec, csr, type);
}

TEST_CASE("triangular solves of grids with sides of different lengths") {
    const cudaDataType type = device_has(CUDA_R_64F) ? CUDA_R_64F : CUDA_R_32F;
    check_solves(stencil_pattern({40, 30, 12}, next_neighbours), "40 x 30 x 12", csr, type);
    check_solves(
        stencil_pattern({24, 20, 18}, {{1, 0, 0}, {-1, 1, 0}, {0, 1, 0}, {1, 1, 0}, {-1, -1, 1}, {1, 1, 1}}),
        "24 x 20 x 18 with diagonals", csr, type);
    check_solves(stencil_pattern({20, 20, 40}, {{1, 0, 0}, {0, 1, 0}, {2, -1, 1}, {0, 0, 1}}),
                 "20 x 20 x 40 with far neighbours", csr, type);
}

TEST_CASE("triangular solves of grids of every index type, sorted or not") {
    const cudaDataType type = device_has(CUDA_R_64F) ? CUDA_R_64F : CUDA_R_32F;
    const layout shuffled{"CSR in any order", CUSPARSE_FORMAT_CSR, true};
    for (const index_choice& index : index_choices()) {
        INFO("base " << index.base);
        check_solves(stencil_pattern({70, 60, 1}, next_neighbours), "5-point", csr, type, index);
        check_solves(stencil_pattern({20, 18, 14}, all_neighbours), "27-point", shuffled, type, index);
    }
}

TEST_CASE("triangular solves of what is almost a grid") {
    const cudaDataType type = device_has(CUDA_R_64F) ? CUDA_R_64F : CUDA_R_32F;
    entries pattern = stencil_pattern({40, 30, 12}, next_neighbours);
    const std::int64_t row = (7 * 30 + 15) * 40 + 2;
    pattern.list.push_back({row, row - 20, 1.0});
    pattern.list.push_back({row - 20, row, 1.0});
    check_solves(pattern, "one element more", csr, type);

    pattern = stencil_pattern({40, 30, 12}, next_neighbours);
    std::erase_if(pattern.list, [](const entry& e) { return e.row + e.col == 20 + 21; });
    check_solves(pattern, "a break in the first line", csr, type);

    pattern = stencil_pattern({40, 30, 12}, next_neighbours);
    std::erase_if(pattern.list, [row](const entry& e) { return e.row + e.col == row + row - 1; });
    check_solves(pattern, "one element less", csr, type);

    pattern = stencil_pattern({40, 30, 12}, next_neighbours);
    pattern.list.push_back({pattern.rows - 1, 39, 1.0});
    pattern.list.push_back({pattern.rows - 1, pattern.rows - 42, 1.0});
    pattern.list.push_back({0, 41, 1.0});
    check_solves(pattern, "more elements in the first and the last row", csr, type);

    pattern = stencil_pattern({40, 30, 12}, next_neighbours);
    for (std::int64_t column = 0; column < row; column += 10) {
        pattern.list.push_back({row, column, 1.0});
        pattern.list.push_back({column, row, 1.0});
    }
    check_solves(pattern, "one long row", csr, type);
}

TEST_CASE("triangular solves of a generated matrix in other formats") {
    const entries pattern = pattern_of(heron::tools::load_matrix("poisson3d:24", seed()));
    for (const layout& l :
         {layout{"COO", CUSPARSE_FORMAT_COO, true}, layout{"CSC", CUSPARSE_FORMAT_CSC},
          layout{"SELL", CUSPARSE_FORMAT_SLICED_ELLPACK, false, 1, 1, CUSPARSE_ORDER_ROW, 32}})
        check_solves(pattern, "poisson3d:24", l, CUDA_C_32F);
}

TEST_CASE("triangular solves of real matrices") {
    const cudaDataType type = device_has(CUDA_R_64F) ? CUDA_R_64F : CUDA_R_32F;
    for_each_real_matrix("triangular solves",
                         [&](const std::string& name, const heron::tools::csr_matrix& m) {
                             constexpr std::int64_t largest = 2000000;
                             if (m.rows != m.cols || m.nnz() > largest) return false;
                             check_solves(pattern_of(m), name, csr, type);
                             return true;
                         });
}
