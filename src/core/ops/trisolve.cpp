// Sparse triangular solves: validation, composition (SpSV is SpSM with one column), the order of the phases,
// and the copies of values that updates leave in the workspace.
#include "core/element_types.hpp"
#include "core/submit.hpp"

namespace heron::core {
namespace {

constexpr size_t alignment = 256;

size_t round_up(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

// op(A)*C = alpha*B before the formats are composed. b and c may lack values.
struct problem {
    heron_operation op;
    const void* alpha;
    const sparse_matrix& a;
    heron_dnmat b, c;
    heron_type compute_type;
};

void require_matrix(const heron_spmat& a) {
    if (a.format == HERON_FORMAT_BLOCKED_ELL)
        not_supported("matA", "triangular solves take no Blocked-ELL matrix");
    if (a.rows != a.cols) invalid("matA", fmt::format("{} x {} is not square", a.rows, a.cols));
    if (a.batch_count > 1) not_supported("matA", "triangular solves take no batches");
}

void require_types(const problem& p) {
    const heron_type type = p.compute_type;
    const bool built =
        type == HERON_R_32F || type == HERON_R_64F || type == HERON_C_32F || type == HERON_C_64F;
    if (built && p.a.value.type == type && p.b.type == type && p.c.type == type) return;
    not_supported("computeType",
                  fmt::format("no triangular solve for A {}, right-hand side {}, solution {}, computed in {}",
                              name_of(p.a.value.type), name_of(p.b.type), name_of(p.c.type), name_of(type)));
}

void require_sizes(const problem& p, const solver_names& names) {
    const int64_t n = p.a.value.rows;
    if (p.b.rows != n) invalid(names.right_side, fmt::format("{} rows differ from op(A)'s {}", p.b.rows, n));
    if (p.c.rows != n) invalid(names.solution, fmt::format("{} rows differ from op(A)'s {}", p.c.rows, n));
    if (p.b.cols != p.c.cols)
        invalid(names.solution,
                fmt::format("{} columns differ from the right-hand side's {}", p.c.cols, p.b.cols));
    if (p.b.batch_count > 1) not_supported(names.right_side, "triangular solves take no batches");
    if (p.c.batch_count > 1) not_supported(names.solution, "triangular solves take no batches");
}

heron_fill_mode other_triangle(heron_fill_mode fill) {
    return fill == HERON_FILL_LOWER ? HERON_FILL_UPPER : HERON_FILL_LOWER;
}

heron_trisolve_args compose(context& c, const problem& p) {
    heron_trisolve_args args{};
    args.op = p.op;
    args.alpha = scalar_argument(c, p.alpha, p.compute_type, "alpha");
    args.a = canonical(p.a.value, args.op);
    if (p.a.value.format == HERON_FORMAT_CSC) args.a.fill = other_triangle(args.a.fill);
    args.b = p.b;
    args.c = p.c;
    args.type = p.compute_type;
    return args;
}

// Whether B and C, should they share memory, have an element at different places.
bool strides_differ(const heron_dnmat& b, const heron_dnmat& c) {
    const auto row_step = [](const heron_dnmat& m) { return m.order == HERON_ORDER_ROW ? m.ld : 1; };
    const auto column_step = [](const heron_dnmat& m) { return m.order == HERON_ORDER_ROW ? 1 : m.ld; };
    return (b.rows > 1 && row_step(b) != row_step(c)) || (b.cols > 1 && column_step(b) != column_step(c));
}

int64_t columns_to_stage(const heron_dnmat& b, const heron_dnmat& c) {
    const bool may_share = !b.values || !c.values || b.values == c.values;
    return may_share && strides_differ(b, c) ? b.cols : 0;
}

size_t values_bytes(const heron_spmat& a) {
    const int64_t stored = a.format == HERON_FORMAT_SELL  ? a.values_size
                           : a.format == HERON_FORMAT_BSR ? a.nnz * a.block_rows * a.block_cols
                                                          : a.nnz;
    return static_cast<size_t>(stored) * size_of(a.type);
}

size_t diagonal_bytes(const heron_spmat& a) { return static_cast<size_t>(a.rows) * size_of(a.type); }

size_t plugin_size(context& c, const heron_trisolve_args& args) {
    heron_workspace workspace{};
    call_slot(c, "trisolve", c.table().trisolve, HERON_PHASE_SIZE, args, workspace);
    return workspace.size;
}

// The plug-in's part, then the copies of an update, from an aligned address on.
size_t total_size(context& c, const heron_trisolve_args& args) {
    return round_up(plugin_size(c, args)) + round_up(values_bytes(args.a)) +
           round_up(diagonal_bytes(args.a)) + alignment;
}

void place_copies(context& c, const heron_trisolve_args& args, triangular_solver& s) {
    const auto start = round_up(reinterpret_cast<uintptr_t>(s.memory));
    const uintptr_t values = start + round_up(plugin_size(c, args));
    s.own_values = reinterpret_cast<void*>(values);
    s.own_diagonal = reinterpret_cast<void*>(values + round_up(values_bytes(args.a)));
}

[[noreturn]] void missing_phase(const triangular_solver& s, const char* phase) {
    invalid(s.names.descriptor, fmt::format("{}_{} has not been called with it", s.names.family, phase));
}

void size_solver(context& c, const phase_call& phase, const problem& p, triangular_solver& s) {
    required(phase.size, "bufferSize");
    heron_trisolve_args args = compose(c, p);
    args.staged_columns = columns_to_stage(p.b, p.c);
    s.size = args.a.rows > 0 ? total_size(c, args) : 0;
    s.staged_columns = args.staged_columns;
    s.is_sized = true;
    *phase.size = s.size;
}

void analyse(context& c, const phase_call& phase, const problem& p, triangular_solver& s) {
    if (!s.is_sized) missing_phase(s, "bufferSize");
    heron_trisolve_args args = compose(c, p);
    args.staged_columns = s.staged_columns;
    const bool empty = args.a.rows == 0;
    const size_t needed = empty ? 0 : total_size(c, args);
    if (needed > s.size)
        invalid(s.names.descriptor,
                fmt::format("{}_bufferSize was called for a smaller problem: {} bytes, not {}",
                            s.names.family, s.size, needed));
    if (needed > 0 && !phase.memory)
        invalid("externalBuffer", fmt::format("is NULL, but {} bytes are needed", needed));
    s.forget();
    s.backend = &c.table();
    s.device = c.device();
    s.analysed = args;
    s.memory = phase.memory;
    if (!empty) {
        place_copies(c, args, s);
        submit(c, "trisolve", c.table().trisolve, {HERON_PHASE_ANALYSE, nullptr, s.memory}, args, &s.plan);
    }
    s.is_analysed = true;
}

bool same_pattern(const heron_spmat& a, const heron_spmat& b) {
    return a.format == b.format && a.rows == b.rows && a.nnz == b.nnz && a.offsets == b.offsets &&
           a.row_indices == b.row_indices && a.indices == b.indices && a.offset_type == b.offset_type &&
           a.index_type == b.index_type && a.base == b.base && a.block_rows == b.block_rows &&
           a.block_cols == b.block_cols && a.block_order == b.block_order && a.slice_size == b.slice_size &&
           a.values_size == b.values_size;
}

void require_analysed(const context& c, const triangular_solver& s) {
    if (!s.is_analysed) missing_phase(s, "analysis");
    if (s.backend != &c.table() || s.device != c.device())
        invalid("handle", fmt::format("is on another device than that of {}_analysis", s.names.family));
}

void require_same_problem(const heron_trisolve_args& args, const triangular_solver& s) {
    const heron_spmat& a = s.analysed.a;
    const auto require_equal = [&](bool equal, const char* argument, const char* what) {
        if (!equal)
            invalid(argument, fmt::format("{} differs from that given to {}_analysis", what, s.names.family));
    };
    require_equal(args.op == s.analysed.op, "opA", "the operation");
    require_equal(args.type == s.analysed.type, "computeType", "the type");
    require_equal(same_pattern(args.a, a), "matA", "the pattern");
    require_equal(args.a.fill == a.fill, "matA", "the fill mode");
    require_equal(args.a.diag == a.diag, "matA", "the diagonal type");
}

void run(context& c, const problem& p, triangular_solver& s) {
    require_analysed(c, s);
    heron_trisolve_args args = compose(c, p);
    require_same_problem(args, s);
    if (args.c.rows == 0 || args.c.cols == 0) return;
    args.staged_columns = s.staged_columns;
    if (args.b.values == args.c.values && strides_differ(args.b, args.c) && args.staged_columns < args.b.cols)
        throw error(HERON_INSUFFICIENT_RESOURCES, s.names.solution,
                    fmt::format("shares memory with {} in another layout, and {}_bufferSize was not told so",
                                s.names.right_side, s.names.family));
    if (s.values_stamp > p.a.values_stamp) args.a.values = s.own_values;
    if (s.diagonal_stamp > p.a.values_stamp) args.diagonal = s.own_diagonal;
    submit(c, "trisolve", c.table().trisolve, {HERON_PHASE_RUN, nullptr, s.memory}, args, &s.plan);
}

void solve(context& c, const phase_call& phase, triangular_solver& s, const problem& p) {
    require_matrix(p.a.value);
    require_sizes(p, s.names);
    require_types(p);
    if (phase.phase != HERON_PHASE_SIZE) {
        require_arrays(p.a.value, "matA");
        validate_contents(c, p.a.value, "matA");
    }
    if (phase.phase == HERON_PHASE_SIZE) return size_solver(c, phase, p, s);
    if (phase.phase == HERON_PHASE_ANALYSE) return analyse(c, phase, p, s);
    require_arrays(p.b, s.names.right_side);
    require_arrays(p.c, s.names.solution);
    run(c, p, s);
}

// A vector as a matrix of one column; one that is not given is one of the right size and type without values.
heron_dnmat as_column(const dense_vector* v, int64_t size, heron_type type) {
    heron_dnmat m{};
    m.rows = v ? v->value.size : size;
    m.cols = 1;
    m.ld = m.rows;
    m.values = v ? v->value.values : nullptr;
    m.type = v ? v->value.type : type;
    m.batch_count = 1;
    return m;
}

heron_dnmat transposed(heron_dnmat m) {
    std::swap(m.rows, m.cols);
    m.order = m.order == HERON_ORDER_ROW ? HERON_ORDER_COLUMN : HERON_ORDER_ROW;
    return m;
}

}  // namespace

void spsv(context& c, const phase_call& phase, triangular_solver& solver, heron_operation op,
          const void* alpha, const sparse_matrix& a, const dense_vector* x, const dense_vector* y,
          heron_type compute_type) {
    const heron_dnmat b = as_column(x, a.value.rows, compute_type);
    solve(c, phase, solver, {op, alpha, a, b, as_column(y, a.value.rows, compute_type), compute_type});
}

void spsm(context& c, const phase_call& phase, triangular_solver& solver, heron_operation op_a,
          heron_operation op_b, const void* alpha, const sparse_matrix& a, const dense_matrix& b,
          const dense_matrix& c_matrix, heron_type compute_type) {
    if (op_b != HERON_OP_NONE && op_b != HERON_OP_TRANSPOSE)
        not_supported("opB", "a conjugate-transposed right-hand side is not supported");
    const heron_dnmat right = op_b == HERON_OP_NONE ? b.value : transposed(b.value);
    solve(c, phase, solver, {op_a, alpha, a, right, c_matrix.value, compute_type});
}

void update_triangular(context& c, triangular_solver& s, const void* values, matrix_part part) {
    require_analysed(c, s);
    const heron_spmat& a = s.analysed.a;
    const bool all = part == matrix_part::values;
    void* const to = all ? s.own_values : s.own_diagonal;
    const size_t bytes = all ? values_bytes(a) : diagonal_bytes(a);
    if (bytes == 0) return;
    require_element(values, size_of(a.type), "newValues");
    c.with_queue(
        [&](heron_queue* queue) { check(c.table().copy(queue, to, values, bytes), "copying new values"); });
    (all ? s.values_stamp : s.diagonal_stamp) = next_stamp();
    if (all) s.diagonal_stamp = 0;
}

}  // namespace heron::core
