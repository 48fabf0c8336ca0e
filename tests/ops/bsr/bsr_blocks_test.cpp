// SpMV and SpMM of BSR matrices: every size of blocks that has kernels of its own and others, operands that
// lie where wide loads can take them and such that do not, few and many blocks in a row, few and many
// columns.
#include "ops/spmm/spmm_problem.hpp"
#include "ops/spmv/spmv_problem.hpp"

using namespace heron::test;

namespace {

constexpr cudaDataType types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
constexpr cusparseOrder_t orders[] = {CUSPARSE_ORDER_ROW, CUSPARSE_ORDER_COL};

struct block_size {
    std::int64_t rows, cols;
};
constexpr block_size sizes[] = {{1, 1}, {2, 2}, {3, 3}, {4, 4},   {8, 8},
                                {2, 3}, {6, 4}, {5, 5}, {16, 16}, {33, 20}};

layout blocks_of(block_size size, cusparseOrder_t order) {
    layout l{fmt::format("blocks of {} x {}", size.rows, size.cols),
             CUSPARSE_FORMAT_BSR,
             true,
             size.rows,
             size.cols,
             order};
    return l;
}

// Blocks in the places of a pattern's elements; the rows 3, 8, ... are empty and the last one is full.
entries scattered_blocks(std::int64_t rows, std::int64_t cols, std::int64_t sparsity, block_size size,
                         random_source& random) {
    const entries pattern = random_pattern(rows, cols, sparsity, random);
    entries result{rows * size.rows, cols * size.cols, {}};
    const auto add = [&](std::int64_t row, std::int64_t col) {
        for (std::int64_t r = 0; r < size.rows; ++r)
            for (std::int64_t c = 0; c < size.cols; ++c)
                result.list.push_back({row * size.rows + r, col * size.cols + c, 1.0});
    };
    for (const entry& e : pattern.list)
        if (e.row % 5 != 3 && e.row != rows - 1) add(e.row, e.col);
    for (std::int64_t col = 0; col < cols; ++col) add(rows - 1, col);
    return result;
}

// The types between which the kernels differ most get all sizes: a device compiles a program for each.
bool is_tried(cudaDataType type, block_size size) {
    if (has_all_types() || type == CUDA_R_32F) return true;
    return size.rows == size.cols && (size.rows == 8 || (type == CUDA_C_64F && size.rows < 6));
}

template <class F>
void for_each_matrix(F&& f) {
    random_source random(61);
    for (const cudaDataType type : types)
        for (const block_size size : sizes) {
            if (!device_has(type) || !is_tried(type, size)) continue;
            for (const cusparseOrder_t order : orders)
                for (const std::int64_t sparsity : {3, 40}) {
                    const entries pattern = scattered_blocks(23, 41, sparsity, size, random);
                    const layout l = blocks_of(size, order);
                    f(type, arrange(with_values(pattern, type, random), l, index_choice{}, type, random),
                      random);
                }
        }
}

}  // namespace

TEST_CASE("SpMV of BSR matrices of all sizes of blocks, aligned to loads and to elements") {
    for_each_matrix([](cudaDataType type, const sparse_arrays& a, random_source&) {
        const product_types all = uniform(type);
        for (const std::size_t misalignment : {0, 1})
            for (const cusparseOperation_t op :
                 {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE}) {
                spmv_problem problem(a, all, op, {.misalignment = misalignment});
                problem.run({some_alpha(all), some_beta(all)});
                problem.run({some_alpha(all), 0.0, CUSPARSE_POINTER_MODE_DEVICE});
            }
        spmv_problem poisoned(a, all, CUSPARSE_OPERATION_NON_TRANSPOSE, {.poisoned_inputs = true});
        poisoned.run({0.0, some_beta(all)});
    });
}

TEST_CASE("SpMM of BSR matrices of all sizes of blocks and few or many columns") {
    for_each_matrix([](cudaDataType type, const sparse_arrays& a, random_source& random) {
        const spmm_types all = uniform_spmm(type);
        const spmm_call general = general_call(all);
        for (const cusparseOrder_t order_b : orders)
            for (const cusparseOrder_t order_c : orders) {
                constexpr std::int64_t columns[] = {1, 2, 3, 4, 8, 9, 20, 32, 68};
                spmm_options o{.n = columns[random.below(std::size(columns))]};
                o.order_b = order_b;
                o.order_c = order_c;
                o.padding = random.below(3) * 4;
                o.misalignment = static_cast<std::size_t>(random.below(4) == 0);
                spmm_problem problem(a, all, o);
                problem.run(general);
                problem.run({general.alpha, 0.0, CUSPARSE_POINTER_MODE_DEVICE});
            }
        spmm_options o{.n = 8};
        o.poisoned_inputs = true;
        spmm_problem poisoned(a, all, o);
        poisoned.run({0.0, general.beta});
    });
}

// B by rows, at loads and not, and by columns, of which an item has two, four or more.
TEST_CASE("SpMM of BSR matrices of small blocks in every way that columns are shared") {
    struct way {
        cusparseOrder_t order;
        std::int64_t columns, padding;
    };
    constexpr way ways[] = {{CUSPARSE_ORDER_ROW, 8, 8},
                            {CUSPARSE_ORDER_ROW, 5, 2},
                            {CUSPARSE_ORDER_COL, 2, 8},
                            {CUSPARSE_ORDER_COL, 4, 8},
                            {CUSPARSE_ORDER_COL, 8, 8}};
    random_source random(62);
    for (const cudaDataType type : types)
        for (const std::int64_t size : {2, 3, 4, 5, 8}) {
            if (!device_has(type) || !is_tried(type, {size, size})) continue;
            const entries pattern = scattered_blocks(9, 8, 3, {size, size}, random);
            const sparse_arrays a =
                arrange(with_values(pattern, type, random), blocks_of({size, size}, CUSPARSE_ORDER_ROW),
                        index_choice{}, type, random);
            for (const way& w : ways) {
                INFO(facts(type).name << ", blocks of " << size << ", " << w.columns << " columns");
                spmm_options o{.n = w.columns, .order_b = w.order, .order_c = w.order, .padding = w.padding};
                spmm_problem(a, uniform_spmm(type), o).run(general_call(uniform_spmm(type)));
            }
        }
}
