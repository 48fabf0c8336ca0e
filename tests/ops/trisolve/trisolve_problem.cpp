#include "trisolve_problem.hpp"

namespace heron::test {
namespace {

bool in_triangle(const entry& e, cusparseFillMode_t fill) {
    return fill == CUSPARSE_FILL_MODE_LOWER ? e.col <= e.row : e.col >= e.row;
}

// The elements that take part.
entries named_triangle(const sparse_arrays& arrays, const triangle& t) {
    entries result = expand(arrays);
    std::erase_if(result.list, [&](const entry& e) {
        return !in_triangle(e, t.fill) || (t.diag == CUSPARSE_DIAG_TYPE_UNIT && e.row == e.col);
    });
    return result;
}

std::int64_t lines(std::int64_t rows, std::int64_t cols, cusparseOrder_t order) {
    return order == CUSPARSE_ORDER_COL ? cols : rows;
}
std::int64_t line_length(std::int64_t rows, std::int64_t cols, cusparseOrder_t order) {
    return order == CUSPARSE_ORDER_COL ? rows : cols;
}

// Where the elements of a dense matrix lie.
struct dense_shape {
    std::int64_t rows = 0, cols = 0;
    dense_layout layout{};

    std::int64_t ld() const { return line_length(rows, cols, layout.order) + layout.padding; }
    std::size_t size() const { return static_cast<std::size_t>(lines(rows, cols, layout.order) * ld()); }
    std::size_t at(std::int64_t i, std::int64_t j) const {
        return static_cast<std::size_t>(layout.order == CUSPARSE_ORDER_COL ? i + j * ld() : i * ld() + j);
    }
};

dense_matrix describe_matrix(cudaDataType type, const dense_shape& s, void* values) {
    cusparseDnMatDescr_t m = nullptr;
    expect(cusparseCreateDnMat(&m, s.rows, s.cols, s.ld(), values, type, s.layout.order));
    return dense_matrix(m);
}

dense_vector describe_vector(cudaDataType type, std::int64_t size, void* values) {
    cusparseDnVecDescr_t v = nullptr;
    expect(cusparseCreateDnVec(&v, size, values, type));
    return dense_vector(v);
}

const char* name_of_op(cusparseOperation_t op) {
    static constexpr const char* names[] = {"N", "T", "C"};
    return names[op];
}

}  // namespace

spsv_descriptor make_spsv_descriptor() {
    cusparseSpSVDescr_t d = nullptr;
    expect(cusparseSpSV_createDescr(&d));
    return spsv_descriptor(d);
}

spsm_descriptor make_spsm_descriptor() {
    cusparseSpSMDescr_t d = nullptr;
    expect(cusparseSpSM_createDescr(&d));
    return spsm_descriptor(d);
}

std::string triangle::name() const {
    return fmt::format("op {}, {}, {}", name_of_op(op), fill == CUSPARSE_FILL_MODE_LOWER ? "lower" : "upper",
                       diag == CUSPARSE_DIAG_TYPE_UNIT ? "unit" : "non-unit");
}

std::string solve_call::name() const {
    const auto dense = [](const dense_layout& l) {
        return fmt::format("{}+{}", l.order == CUSPARSE_ORDER_COL ? "columns" : "rows", l.padding);
    };
    return fmt::format("{} with {} columns, op(B) {}, B by {}, C by {}{}", as_matrix ? "SpSM" : "SpSV",
                       columns, name_of_op(op_b), dense(b), dense(c), in_place ? ", in place" : "");
}

std::vector<triangle> all_triangles(cudaDataType type) {
    std::vector<triangle> all;
    for (const auto op : {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE,
                          CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE})
        for (const auto fill : {CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER})
            for (const auto diag : {CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT})
                if (op != CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE || is_complex(type))
                    all.push_back({op, fill, diag});
    return all;
}

entries triangular_values(entries pattern, const triangle& t, cudaDataType type, random_source& random) {
    std::vector<double> rows(static_cast<std::size_t>(pattern.rows), 1.0), cols = rows;
    for (const entry& e : pattern.list) {
        rows[static_cast<std::size_t>(e.row)] += 1;
        cols[static_cast<std::size_t>(e.col)] += 1;
    }
    for (entry& e : pattern.list) {
        const double count =
            std::max(rows[static_cast<std::size_t>(e.row)], cols[static_cast<std::size_t>(e.col)]);
        const number v = random_value(type, random);
        const bool unread = !in_triangle(e, t.fill) || (e.row == e.col && t.diag == CUSPARSE_DIAG_TYPE_UNIT);
        e.value = unread           ? poison(type)
                  : e.row == e.col ? rounded(type, number{1.5 + 0.5 * v.real(), v.imag()})
                                   : rounded(type, 2.0 / count * v);
    }
    return pattern;
}

sparse_arrays make_system(const entries& pattern, const layout& l, const index_choice& index,
                          const triangle& t, cudaDataType type, std::uint64_t stream) {
    random_source numbers(stream), order(7);
    return arrange(triangular_values(pattern, t, type, numbers), l, index, type, order);
}

entries chain_pattern(std::int64_t n) {
    entries result{n, n, {}};
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = std::max<std::int64_t>(0, i - 1); j <= std::min(n - 1, i + 1); ++j)
            result.list.push_back({i, j, 1.0});
    return result;
}

entries arrow_pattern(std::int64_t n) {
    entries result{n, n, {}};
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            if (i == j || i == 0 || j == 0 || i == n - 1 || j == n - 1) result.list.push_back({i, j, 1.0});
    return result;
}

entries dense_pattern(std::int64_t n) {
    random_source any;
    return random_pattern(n, n, 1, any);
}

entries diagonal_pattern(std::int64_t n) {
    entries result{n, n, {}};
    for (std::int64_t i = 0; i < n; ++i) result.list.push_back({i, i, 1.0});
    return result;
}

entries scattered_pattern(std::int64_t n, std::int64_t per_row, random_source& random) {
    entries result{n, n, {}};
    for (std::int64_t i = 0; i < n; ++i) {
        std::vector<std::int64_t> columns{i};
        for (std::int64_t k = 0; k < per_row; ++k) columns.push_back(random.below(n));
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        for (const std::int64_t j : columns) result.list.push_back({i, j, 1.0});
    }
    return result;
}

// ---- the problem ----

// B and C of one solve; in place they are one array.
struct trisolve_problem::operands {
    operands(const solve_call& call, std::int64_t n, cudaDataType type) {
        const bool turned = call.op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
        b = {turned ? call.columns : n, turned ? n : call.columns, call.b};
        c = {n, call.columns, call.c};
        random_source random(100 + call.stream);
        right_sides = random_values(type, static_cast<std::size_t>(n * call.columns), random);
        b_start.assign(call.in_place ? std::max(b.size(), c.size()) : b.size(), poison(type));
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < call.columns; ++j)
                b_start[turned ? b.at(j, i) : b.at(i, j)] =
                    right_sides[static_cast<std::size_t>(i * call.columns + j)];
        b_memory.emplace_back(type, b_start, std::size_t{1});
        if (!call.in_place)
            b_memory.emplace_back(type, std::vector<number>(c.size(), poison(type)), std::size_t{1});
        if (call.as_matrix) {
            b_matrix = describe_matrix(type, b, b_memory.front().data());
            c_matrix = describe_matrix(type, c, b_memory.back().data());
        } else {
            x = describe_vector(type, n, b_memory.front().data());
            y = describe_vector(type, n, b_memory.back().data());
        }
    }

    dense_shape b, c;
    std::vector<number> right_sides;  // by rows
    std::vector<number> b_start;
    std::vector<typed_array> b_memory;  // B, and C if it is another
    dense_matrix b_matrix, c_matrix;
    dense_vector x, y;
};

trisolve_problem::trisolve_problem(const sparse_arrays& arrays, const triangle& t, std::size_t misalignment)
    : arrays_(arrays),
      triangle_(t),
      elements_(named_triangle(arrays, t)),
      a_(arrays, misalignment),
      spsv_(make_spsv_descriptor()),
      spsm_(make_spsm_descriptor()) {
    expect(cusparseSpMatSetAttribute(a_.get(), CUSPARSE_SPMAT_FILL_MODE, &triangle_.fill, sizeof t.fill));
    expect(cusparseSpMatSetAttribute(a_.get(), CUSPARSE_SPMAT_DIAG_TYPE, &triangle_.diag, sizeof t.diag));
}

// f(alpha, operands) with the call's pointer mode.
template <class F>
auto trisolve_problem::with_operands(const solve_call& call, const operands& o, F&& f) {
    const pointer_mode_scope mode(call.mode);
    const scalar_operand alpha(arrays_.type, call.alpha, call.mode);
    const cusparseStatus_t status = f(alpha.data(), o);
    // The scalar in device memory must live until the solve is done.
    expect(heron_synchronize(native()));
    return status;
}

std::size_t trisolve_problem::buffer_size(const solve_call& call) {
    INFO(triangle_.name() << ", " << call.name());
    const operands o(call, arrays_.rows, arrays_.type);
    std::size_t size = 0;
    expect(with_operands(call, o, [&](const void* alpha, const operands& p) {
        return call.as_matrix
                   ? cusparseSpSM_bufferSize(cusparse(), triangle_.op, call.op_b, alpha, a_.get(),
                                             p.b_matrix.get(), p.c_matrix.get(), arrays_.type,
                                             CUSPARSE_SPSM_ALG_DEFAULT, spsm_.get(), &size)
                   : cusparseSpSV_bufferSize(cusparse(), triangle_.op, alpha, a_.get(), p.x.get(), p.y.get(),
                                             arrays_.type, CUSPARSE_SPSV_ALG_DEFAULT, spsv_.get(), &size);
    }));
    return size;
}

cusparseStatus_t trisolve_problem::try_analyse(const solve_call& call, void* buffer) {
    const operands o(call, arrays_.rows, arrays_.type);
    return with_operands(call, o, [&](const void* alpha, const operands& p) {
        return call.as_matrix
                   ? cusparseSpSM_analysis(cusparse(), triangle_.op, call.op_b, alpha, a_.get(),
                                           p.b_matrix.get(), p.c_matrix.get(), arrays_.type,
                                           CUSPARSE_SPSM_ALG_DEFAULT, spsm_.get(), buffer)
                   : cusparseSpSV_analysis(cusparse(), triangle_.op, alpha, a_.get(), p.x.get(), p.y.get(),
                                           arrays_.type, CUSPARSE_SPSV_ALG_DEFAULT, spsv_.get(), buffer);
    });
}

void trisolve_problem::analyse(const solve_call& call, std::size_t workspace_misalignment) {
    workspace_ = std::make_unique<workspace>(buffer_size(call), workspace_misalignment);
    INFO(triangle_.name() << ", " << call.name());
    expect(try_analyse(call, workspace_->data()));
    new_diagonal_.clear();
}

cusparseStatus_t trisolve_problem::try_solve(const solve_call& call) {
    const operands o(call, arrays_.rows, arrays_.type);
    const cusparseStatus_t status = with_operands(call, o, [&](const void* alpha, const operands& p) {
        return call.as_matrix
                   ? cusparseSpSM_solve(cusparse(), triangle_.op, call.op_b, alpha, a_.get(),
                                        p.b_matrix.get(), p.c_matrix.get(), arrays_.type,
                                        CUSPARSE_SPSM_ALG_DEFAULT, spsm_.get())
                   : cusparseSpSV_solve(cusparse(), triangle_.op, alpha, a_.get(), p.x.get(), p.y.get(),
                                        arrays_.type, CUSPARSE_SPSV_ALG_DEFAULT, spsv_.get());
    });
    if (status == CUSPARSE_STATUS_SUCCESS) check(call, o);
    return status;
}

void trisolve_problem::solve(const solve_call& call) {
    INFO(fmt::format("{}, {}, n {}, nnz {}, format {}, type {}", triangle_.name(), call.name(), arrays_.rows,
                     arrays_.nnz, static_cast<int>(arrays_.format), facts(arrays_.type).name));
    expect(try_solve(call));
}

void trisolve_problem::check(const solve_call& call, const operands& o) {
    solution_ = o.b_memory.back().bytes();
    const std::vector<number> found = decode(arrays_.type, solution_);
    std::vector<number> x(o.right_sides.size());
    std::vector<bool> written(found.size());
    for (std::int64_t i = 0; i < arrays_.rows; ++i)
        for (std::int64_t j = 0; j < call.columns; ++j) {
            x[static_cast<std::size_t>(i * call.columns + j)] = found[o.c.at(i, j)];
            written[o.c.at(i, j)] = true;
        }
    const system_residual residual =
        triangular_residual(elements_, triangle_.op, triangle_.diag, new_diagonal_, call.alpha, o.right_sides,
                            x, call.columns, arrays_.type);
    const std::string wrong = difference(residual.left, residual.right);
    if (!wrong.empty()) FAIL_CHECK(wrong);
    const std::vector<unsigned char> start = encode(
        arrays_.type, call.in_place ? o.b_start : std::vector<number>(found.size(), poison(arrays_.type)));
    const std::size_t size = size_of(arrays_.type);
    for (std::size_t k = 0; k < found.size(); ++k)
        if (!written[k] && std::memcmp(&start[k * size], &solution_[k * size], size) != 0) {
            FAIL_CHECK("memory between the lines of C was written");
            break;
        }
    if (!call.in_place && o.b_memory.front().bytes() != encode(arrays_.type, o.b_start))
        FAIL_CHECK("B was written");
    if (workspace_ && !workspace_->canaries_are_whole())
        FAIL_CHECK("memory around the workspace was written");
}

void trisolve_problem::expect_values(const std::vector<number>& values) {
    sparse_arrays changed = arrays_;
    changed.values = values;
    elements_ = named_triangle(changed, triangle_);
    new_diagonal_.clear();
}

void trisolve_problem::set_values(const std::vector<number>& values) {
    expect_values(values);
    new_values_.emplace_back(arrays_.type, values, std::size_t{1});
    expect(cusparseSpMatSetValues(a_.get(), new_values_.back().data()));
}

void trisolve_problem::overwrite_values(const std::vector<number>& values) {
    expect_values(values);
    a_.values().upload(values);
}

// The given array is spoilt at once: the descriptor must hold a copy.
void trisolve_problem::update_values(const std::vector<number>& values, bool as_matrix) {
    expect_values(values);
    typed_array given(arrays_.type, values, 1);
    expect(
        as_matrix
            ? cusparseSpSM_updateMatrix(cusparse(), spsm_.get(), given.data(), CUSPARSE_SPSM_UPDATE_GENERAL)
            : cusparseSpSV_updateMatrix(cusparse(), spsv_.get(), given.data(), CUSPARSE_SPSV_UPDATE_GENERAL));
    given.upload(std::vector<number>(values.size(), poison(arrays_.type)));
    expect(heron_synchronize(native()));
}

void trisolve_problem::update_diagonal(const std::vector<number>& diagonal, bool as_matrix) {
    new_diagonal_ = diagonal;
    typed_array given(arrays_.type, diagonal, 1);
    expect(as_matrix ? cusparseSpSM_updateMatrix(cusparse(), spsm_.get(), given.data(),
                                                 CUSPARSE_SPSM_UPDATE_DIAGONAL)
                     : cusparseSpSV_updateMatrix(cusparse(), spsv_.get(), given.data(),
                                                 CUSPARSE_SPSV_UPDATE_DIAGONAL));
    given.upload(std::vector<number>(diagonal.size(), poison(arrays_.type)));
    expect(heron_synchronize(native()));
}

}  // namespace heron::test
