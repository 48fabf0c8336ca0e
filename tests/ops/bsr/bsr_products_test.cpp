// bsrmv, bsrxmv and bsrmm in four types against the oracle.
#include "bsr_matrix.hpp"
#include "ops/spmv/spmv_problem.hpp"

using namespace heron::test;

namespace {

struct scalars {
    number alpha, beta;
    cusparsePointerMode_t mode;
};
std::vector<scalars> scalar_cases(cudaDataType type) {
    const number alpha = representable(type, {0.75, -0.5}), beta = representable(type, {-1.25, 1});
    return {{1.0, 0.0, CUSPARSE_POINTER_MODE_HOST},
            {alpha, beta, CUSPARSE_POINTER_MODE_HOST},
            {alpha, beta, CUSPARSE_POINTER_MODE_DEVICE},
            {0.0, beta, CUSPARSE_POINTER_MODE_DEVICE}};
}

// A result before a product: beta = 0 does not read it.
std::vector<number> result_before(cudaDataType type, const std::vector<number>& start, number beta) {
    return beta == 0.0 ? std::vector<number>(start.size(), poison(type)) : start;
}

void compare(const std::vector<number>& found, const expectation& expected) {
    const std::string wrong = difference(found, expected);
    if (!wrong.empty()) FAIL_CHECK(wrong);
}

struct block_case {
    named_pattern blocks;
    std::int64_t size;
};

std::vector<block_case> block_cases(random_source& random) {
    const entries empty{}, no_rows{0, 3, {}}, no_columns{3, 0, {}}, nothing{4, 5, {}},
        one{1, 1, {{0, 0, 1.0}}};
    const entries wide = random_pattern(5, 9, 2, random), tall = random_pattern(11, 3, 2, random);
    const entries full = random_pattern(6, 6, 1, random), row = random_pattern(1, 7, 1, random);
    entries sparse = random_pattern(40, 60, 12, random);
    std::erase_if(sparse.list, [](const entry& e) { return e.row % 5 == 3; });
    std::vector<block_case> cases = {
        {{"empty", empty}, 2},     {{"no rows", no_rows}, 3}, {{"no columns", no_columns}, 2},
        {{"nothing", nothing}, 4}, {{"one", one}, 1},         {{"one", one}, 33},
        {{"row", row}, 5},         {{"wide", wide}, 33},      {{"tall", tall}, 16}};
    for (const std::int64_t size : {1, 2, 3, 4, 5, 6, 8, 16}) cases.push_back({{"sparse", sparse}, size});
    for (const std::int64_t size : {2, 7}) {
        cases.push_back({{"wide", wide}, size});
        cases.push_back({{"full", full}, size});
    }
    return cases;
}

template <class F>
void try_bsrmv(const sparse_arrays& arrays, cusparseOperation_t op, const scalars& s, random_source& random) {
    using T = typename F::scalar;
    const entries matrix = expand(arrays);
    const bsr_operand<T> a(arrays, arrays.nnz == 0);
    const auto x_start = random_values(F::type, static_cast<std::size_t>(cols_of(matrix, op)), random);
    const auto y_start = random_values(F::type, static_cast<std::size_t>(rows_of(matrix, op)), random);
    const typed_array x(F::type, x_start, 1), y(F::type, result_before(F::type, y_start, s.beta), 1);
    const pointer_mode_scope scope(s.mode);
    const scalar_operand alpha(F::type, s.alpha, s.mode), beta(F::type, s.beta, s.mode);
    expect(F::bsrmv(cusparse(), a.direction, op, a.block_rows, a.block_cols, a.nnz, typed<T>(alpha.data()),
                    a.descr.get(), a.values(), a.offsets(), a.columns(), a.block, typed<T>(x.data()),
                    typed<T>(beta.data()), static_cast<T*>(y.data())));
    compare(y.numbers(), spmv(matrix, op, s.alpha, x_start, s.beta, y_start, F::type, F::type));
}

// B as it is or turned; C with `padding` elements between its columns, which stay.
struct dense_case {
    cusparseOperation_t op_b;
    std::int64_t columns, padding;
};

template <class F>
void try_bsrmm(const sparse_arrays& arrays, cusparseOperation_t op, const scalars& s, const dense_case& d,
               random_source& random) {
    using T = typename F::scalar;
    const entries matrix = expand(arrays);
    const bsr_operand<T> a(arrays, arrays.nnz == 0);
    const std::int64_t rows = rows_of(matrix, op), inner = cols_of(matrix, op), n = d.columns;
    const bool turned = d.op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
    const bool conjugated = d.op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    const std::int64_t ldb = (turned ? n : inner) + d.padding, ldc = rows + d.padding;
    const auto b_used = random_values(F::type, static_cast<std::size_t>(inner * n), random);
    const auto c_start = random_values(F::type, static_cast<std::size_t>(rows * n), random);
    std::vector<number> b_all(static_cast<std::size_t>(ldb * (turned ? inner : n)), poison(F::type));
    std::vector<number> c_all(static_cast<std::size_t>(ldc * n), poison(F::type));
    for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < inner; ++i) {
            const number v = b_used[static_cast<std::size_t>(j * inner + i)];
            b_all[static_cast<std::size_t>(turned ? i * ldb + j : j * ldb + i)] =
                conjugated ? std::conj(v) : v;
        }
        for (std::int64_t i = 0; i < rows && s.beta != 0.0; ++i)
            c_all[static_cast<std::size_t>(j * ldc + i)] = c_start[static_cast<std::size_t>(j * rows + i)];
    }
    const typed_array b(F::type, b_all, 1), c(F::type, c_all, 1);
    const pointer_mode_scope scope(s.mode);
    const scalar_operand alpha(F::type, s.alpha, s.mode), beta(F::type, s.beta, s.mode);
    expect(F::bsrmm(cusparse(), a.direction, op, d.op_b,
                    op == CUSPARSE_OPERATION_NON_TRANSPOSE ? a.block_rows : a.block_rows, static_cast<int>(n),
                    a.block_cols, a.nnz, typed<T>(alpha.data()), a.descr.get(), a.values(), a.offsets(),
                    a.columns(), a.block, typed<T>(b.data()), static_cast<int>(ldb), typed<T>(beta.data()),
                    static_cast<T*>(c.data()), static_cast<int>(ldc)));
    const std::vector<number> found = c.numbers();
    std::vector<number> columns;
    bool padding_stays = true;
    for (std::int64_t k = 0; k < ldc * n; ++k) {
        const number v = found[static_cast<std::size_t>(k)];
        if (k % ldc < rows)
            columns.push_back(v);
        else
            padding_stays = padding_stays && std::isnan(v.real());
    }
    CHECK(padding_stays);
    compare(columns, spmm(matrix, op, s.alpha, b_used, s.beta, c_start, n, F::type, F::type));
}

}  // namespace

TEST_CASE("bsrmv in four types, both bases and directions, all operations and pointer modes") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(51);
        for (const block_case& c : block_cases(random))
            for (const int base : {0, 1})
                for (const cusparseDirection_t direction : both_directions) {
                    const sparse_arrays arrays =
                        arrange(with_values(with_blocks(c.blocks.matrix, c.size), F::type, random),
                                square_blocks(c.size, direction), indices_of_base(base), F::type, random);
                    for (const cusparseOperation_t op : all_operations)
                        for (const scalars& s : scalar_cases(F::type)) {
                            INFO(facts(F::type).name << ", " << c.blocks.name << ", block " << c.size
                                                     << ", base " << base << ", direction " << direction
                                                     << ", op " << op << ", mode " << s.mode);
                            try_bsrmv<F>(arrays, op, s, random);
                        }
                }
    });
}

TEST_CASE("bsrmm in four types, with B as it is and turned") {
    constexpr dense_case shapes[] = {
        {CUSPARSE_OPERATION_NON_TRANSPOSE, 1, 0}, {CUSPARSE_OPERATION_NON_TRANSPOSE, 5, 3},
        {CUSPARSE_OPERATION_TRANSPOSE, 5, 2},     {CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, 3, 1},
        {CUSPARSE_OPERATION_NON_TRANSPOSE, 0, 1}, {CUSPARSE_OPERATION_TRANSPOSE, 40, 0}};
    for_each_type([&]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(52);
        const std::vector<scalars> cases = scalar_cases(F::type);
        std::size_t turn = 0;
        for (const block_case& c : block_cases(random))
            for (const int base : {0, 1})
                for (const cusparseDirection_t direction : both_directions) {
                    const sparse_arrays arrays =
                        arrange(with_values(with_blocks(c.blocks.matrix, c.size), F::type, random),
                                square_blocks(c.size, direction), indices_of_base(base), F::type, random);
                    for (const cusparseOperation_t op : all_operations)
                        for (const dense_case& d : shapes) {
                            const scalars& s = cases[turn++ % cases.size()];
                            INFO(facts(F::type).name << ", " << c.blocks.name << ", block " << c.size
                                                     << ", base " << base << ", direction " << direction
                                                     << ", op " << op << ", op(B) " << d.op_b << ", columns "
                                                     << d.columns << ", mode " << s.mode);
                            try_bsrmm<F>(arrays, op, s, d, random);
                        }
                }
    });
}

TEST_CASE("bsrxmv updates the block rows of the mask alone") {
    for_each_type([]<class F>(F) {
        using T = typename F::scalar;
        if (!device_has(F::type)) return;
        random_source random(53);
        for (const std::int64_t size : {1, 2, 3, 8, 33})
            for (const int base : {0, 1})
                for (const cusparseDirection_t direction : both_directions)
                    for (const scalars& s : scalar_cases(F::type)) {
                        INFO(facts(F::type).name << ", block " << size << ", base " << base << ", direction "
                                                 << direction << ", mode " << s.mode);
                        const entries blocks = random_pattern(9, 7, 2, random);
                        sparse_arrays arrays =
                            arrange(with_values(with_blocks(blocks, size), F::type, random),
                                    square_blocks(size, direction), indices_of_base(base), F::type, random);
                        // Some rows begin later and end sooner, and what is not in the mask is nonsense.
                        std::vector<std::int64_t> begins(arrays.offsets.begin(), arrays.offsets.end() - 1);
                        std::vector<std::int64_t> ends(arrays.offsets.begin() + 1, arrays.offsets.end());
                        const std::vector<std::int64_t> mask = {6, 1, 8, 3};
                        entries kept = expand(arrays);
                        for (std::size_t i = 0; i < begins.size(); ++i) {
                            const bool named =
                                std::count(mask.begin(), mask.end(), static_cast<std::int64_t>(i)) > 0;
                            if (!named) {
                                begins[i] = ends[i] = -1000000;
                            } else if (ends[i] - begins[i] >= 2) {
                                i == 6 ? ++begins[i] : --ends[i];
                            }
                        }
                        const auto is_used = [&](const entry& e) {
                            const auto i = static_cast<std::size_t>(e.row / size);
                            for (std::int64_t k = begins[i]; k < ends[i]; ++k)
                                if (arrays.indices[static_cast<std::size_t>(k - base)] - base == e.col / size)
                                    return true;
                            return false;
                        };
                        std::erase_if(kept.list, [&](const entry& e) { return !is_used(e); });
                        std::vector<std::int64_t> mask_in_base = mask;
                        for (std::int64_t& row : mask_in_base) row += base;

                        const bsr_operand<T> a(arrays);
                        const index_array mask_array(CUSPARSE_INDEX_32I, mask_in_base, 1),
                            begin_array(CUSPARSE_INDEX_32I, begins, 1),
                            end_array(CUSPARSE_INDEX_32I, ends, 1);
                        const auto x_start =
                            random_values(F::type, static_cast<std::size_t>(kept.cols), random);
                        const auto y_start =
                            random_values(F::type, static_cast<std::size_t>(kept.rows), random);
                        auto y_before = y_start;
                        for (std::size_t i = 0; i < y_before.size(); ++i)
                            if (s.beta == 0.0 &&
                                std::count(mask.begin(), mask.end(), static_cast<std::int64_t>(i) / size) > 0)
                                y_before[i] = poison(F::type);
                        const typed_array x(F::type, x_start, 1), y(F::type, y_before, 1);
                        const pointer_mode_scope scope(s.mode);
                        const scalar_operand alpha(F::type, s.alpha, s.mode), beta(F::type, s.beta, s.mode);
                        const auto ints = [](const index_array& i) {
                            return static_cast<const int*>(i.data());
                        };
                        expect(F::bsrxmv(cusparse(), a.direction, CUSPARSE_OPERATION_NON_TRANSPOSE, 4,
                                         a.block_rows, a.block_cols, a.nnz, typed<T>(alpha.data()),
                                         a.descr.get(), a.values(), ints(mask_array), ints(begin_array),
                                         ints(end_array), a.columns(), a.block, typed<T>(x.data()),
                                         typed<T>(beta.data()), static_cast<T*>(y.data())));
                        expectation expected = spmv(kept, CUSPARSE_OPERATION_NON_TRANSPOSE, s.alpha, x_start,
                                                    s.beta, y_start, F::type, F::type);
                        for (std::size_t i = 0; i < y_start.size(); ++i)
                            if (std::count(mask.begin(), mask.end(), static_cast<std::int64_t>(i) / size) ==
                                0) {
                                expected.value[i] = y_start[i];
                                expected.bound[i] = 0;
                            }
                        compare(y.numbers(), expected);
                    }
    });
}
