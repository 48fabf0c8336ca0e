#include "csr_problem.hpp"

namespace heron::test {

std::vector<number> with_zero_diagonal(const sparse_arrays& arrays,
                                       std::initializer_list<std::int64_t> rows) {
    std::vector<number> values = arrays.values;
    for (const std::int64_t row : rows)
        for (std::int64_t k = arrays.offsets[static_cast<std::size_t>(row)] - arrays.base;
             k < arrays.offsets[static_cast<std::size_t>(row) + 1] - arrays.base; ++k)
            if (arrays.indices[static_cast<std::size_t>(k)] - arrays.base == row)
                values[static_cast<std::size_t>(k)] = 0.0;
    return values;
}

std::vector<int> from_device(const int* data, std::size_t count) {
    std::vector<int> result(count);
    expect(heron_copy(native(), result.data(), data, count * sizeof result[0]));
    expect(heron_synchronize(native()));
    return result;
}

entries elements_of(const sparse_arrays& arrays, const triangle& t) {
    entries result = expand(arrays);
    std::erase_if(result.list, [&](const entry& e) {
        const bool inside = t.fill == CUSPARSE_FILL_MODE_LOWER ? e.col <= e.row : e.col >= e.row;
        return !inside || (t.diag == CUSPARSE_DIAG_TYPE_UNIT && e.row == e.col);
    });
    return result;
}

namespace {

template <class Descr, class Create>
Descr make_dense(Create create, cudaDataType type, std::int64_t rows, std::int64_t columns,
                 const typed_array& values) {
    Descr made = nullptr;
    expect(create(&made, rows, columns, rows, values.data(), type, CUSPARSE_ORDER_COL));
    return made;
}

}  // namespace

std::vector<unsigned char> solve_generically(const sparse_arrays& arrays, triangle t, bool as_matrix,
                                             number alpha, const std::vector<number>& right_sides,
                                             std::int64_t columns) {
    const std::int64_t n = arrays.rows;
    const cudaDataType type = arrays.type;
    std::vector<number> by_columns(right_sides.size());
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < columns; ++j)
            by_columns[static_cast<std::size_t>(i + j * n)] =
                right_sides[static_cast<std::size_t>(i * columns + j)];
    const device_matrix a(arrays);
    expect(cusparseSpMatSetAttribute(a.get(), CUSPARSE_SPMAT_FILL_MODE, &t.fill, sizeof t.fill));
    expect(cusparseSpMatSetAttribute(a.get(), CUSPARSE_SPMAT_DIAG_TYPE, &t.diag, sizeof t.diag));
    const typed_array b(type, by_columns), x(type, std::vector<number>(by_columns.size(), poison(type)));
    const scalar_operand scale(type, alpha, CUSPARSE_POINTER_MODE_HOST);
    std::size_t bytes = 0;
    if (as_matrix) {
        const dense_matrix from(make_dense<cusparseDnMatDescr_t>(cusparseCreateDnMat, type, n, columns, b)),
            to(make_dense<cusparseDnMatDescr_t>(cusparseCreateDnMat, type, n, columns, x));
        const spsm_descriptor descr = make_spsm_descriptor();
        const auto op_b = CUSPARSE_OPERATION_NON_TRANSPOSE;
        const auto alg = CUSPARSE_SPSM_ALG_DEFAULT;
        expect(cusparseSpSM_bufferSize(cusparse(), t.op, op_b, scale.data(), a.get(), from.get(), to.get(),
                                       type, alg, descr.get(), &bytes));
        const workspace buffer(bytes);
        expect(cusparseSpSM_analysis(cusparse(), t.op, op_b, scale.data(), a.get(), from.get(), to.get(),
                                     type, alg, descr.get(), buffer.data()));
        expect(cusparseSpSM_solve(cusparse(), t.op, op_b, scale.data(), a.get(), from.get(), to.get(), type,
                                  alg, descr.get()));
        return x.bytes();
    }
    const dense_vector from = describe(type, by_columns.size(), b), to = describe(type, by_columns.size(), x);
    const spsv_descriptor descr = make_spsv_descriptor();
    const auto alg = CUSPARSE_SPSV_ALG_DEFAULT;
    expect(cusparseSpSV_bufferSize(cusparse(), t.op, scale.data(), a.get(), from.get(), to.get(), type, alg,
                                   descr.get(), &bytes));
    const workspace buffer(bytes);
    expect(cusparseSpSV_analysis(cusparse(), t.op, scale.data(), a.get(), from.get(), to.get(), type, alg,
                                 descr.get(), buffer.data()));
    expect(cusparseSpSV_solve(cusparse(), t.op, scale.data(), a.get(), from.get(), to.get(), type, alg,
                              descr.get()));
    return x.bytes();
}

std::vector<std::vector<int>> levels_of(const entries& used, std::int64_t n, cusparseOperation_t op) {
    // What each row of op(A) waits for.
    std::vector<std::vector<std::int64_t>> needs(static_cast<std::size_t>(n));
    for (const entry& e : used.list) {
        const bool turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
        if (e.row != e.col)
            needs[static_cast<std::size_t>(turned ? e.col : e.row)].push_back(turned ? e.row : e.col);
    }
    std::vector<std::vector<int>> levels;
    std::vector<bool> done(static_cast<std::size_t>(n));
    for (std::int64_t left = n; left > 0;) {
        levels.emplace_back();
        for (std::int64_t row = 0; row < n; ++row) {
            const auto& own = needs[static_cast<std::size_t>(row)];
            if (!done[static_cast<std::size_t>(row)] && std::all_of(own.begin(), own.end(), [&](auto j) {
                    return done[static_cast<std::size_t>(j)];
                }))
                levels.back().push_back(static_cast<int>(row));
        }
        for (const int row : levels.back()) done[static_cast<std::size_t>(row)] = true;
        left -= static_cast<std::int64_t>(levels.back().size());
    }
    return levels;
}

}  // namespace heron::test
