// Sparse triangular solves: validation, composition (SpSV is SpSM with one column), the order of the phases,
// and the copies of values that updates leave in the workspace.
#include "core/element_types.hpp"
#include "core/submit.hpp"
#include <algorithm>
#include <atomic>

namespace heron::core {
namespace {

constexpr size_t alignment = 256;

size_t round_up(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

// What the phases of a solve share besides the plan.
struct triangular_analysis final : analysis, opaque<triangular_analysis> {
    static constexpr operation kind_of_all = operation::trisolve;
    triangular_analysis() : analysis(kind_of_all) {}

    // Left by SIZE.
    bool is_sized = false;
    size_t size = 0;
    int64_t staged_columns = 0;

    // Left by ANALYSE: the workspace has room to stage as many columns.
    bool is_analysed = false;
    int64_t room_for_columns = 0;

    // Copies behind the plug-in's workspace, and when an update made them, in next_stamp's time; 0: there is
    // none. The latest change counts, be it one of these or one of the matrix.
    void* own_values = nullptr;
    void* own_diagonal = nullptr;
    uint64_t values_stamp = 0;
    uint64_t diagonal_stamp = 0;
};

// op(A)*C = alpha*B before the formats are composed. b and c may lack values.
struct problem {
    heron_operation op;
    const void* alpha;
    const heron_spmat& a;
    heron_dnmat b, c;
    heron_type compute_type;
    uint64_t values_changed;
};

void require_matrix(const heron_spmat& a) {
    if (a.format == HERON_FORMAT_BLOCKED_ELL)
        not_supported(role::a, "triangular solves take no Blocked-ELL matrix");
    if (a.rows != a.cols) invalid(role::a, fmt::format("{} x {} is not square", a.rows, a.cols));
    if (a.batch_count > 1) not_supported(role::a, "triangular solves take no batches");
}

void require_types(const problem& p) {
    const heron_type type = p.compute_type;
    const bool built =
        type == HERON_R_32F || type == HERON_R_64F || type == HERON_C_32F || type == HERON_C_64F;
    if (built && p.a.type == type && p.b.type == type && p.c.type == type) return;
    not_supported(role::compute_type,
                  fmt::format("no triangular solve for A {}, right-hand side {}, solution {}, computed in {}",
                              name_of(p.a.type), name_of(p.b.type), name_of(p.c.type), name_of(type)));
}

void require_sizes(const problem& p) {
    const int64_t n = p.a.rows;
    if (p.b.rows != n) invalid(role::b, fmt::format("{} rows differ from op(A)'s {}", p.b.rows, n));
    if (p.c.rows != n) invalid(role::c, fmt::format("{} rows differ from op(A)'s {}", p.c.rows, n));
    if (p.b.cols != p.c.cols)
        invalid(role::c, fmt::format("{} columns differ from the right-hand side's {}", p.c.cols, p.b.cols));
    if (p.b.batch_count > 1) not_supported(role::b, "triangular solves take no batches");
    if (p.c.batch_count > 1) not_supported(role::c, "triangular solves take no batches");
}

heron_fill_mode other_triangle(heron_fill_mode fill) {
    return fill == HERON_FILL_LOWER ? HERON_FILL_UPPER : HERON_FILL_LOWER;
}

heron_trisolve_args compose(context& c, const problem& p) {
    heron_trisolve_args args{};
    args.op = p.op;
    args.alpha = scalar_argument(c, p.alpha, p.compute_type, role::alpha);
    args.a = canonical(p.a, args.op);
    if (p.a.format == HERON_FORMAT_CSC) args.a.fill = other_triangle(args.a.fill);
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

// The plug-in's part, then the copies of an update, from an aligned address on.
struct parts {
    size_t values, diagonal, size;
};

parts lay_out(context& c, const heron_trisolve_args& args) {
    if (args.a.rows == 0) return {};
    const size_t values = round_up(workspace_size<operation::trisolve>(c, args));
    const size_t diagonal = values + round_up(values_bytes(args.a));
    return {values, diagonal, diagonal + round_up(diagonal_bytes(args.a)) + alignment};
}

[[noreturn]] void missing_phase(argument phase) {
    invalid(role::analysis, "@ has not been called with it", phase);
}

void size_solver(context& c, const phase_call& phase, const problem& p, triangular_analysis& s) {
    size_t& size = *required(phase.size, role::workspace_size);
    heron_trisolve_args args = compose(c, p);
    args.staged_columns = columns_to_stage(p.b, p.c);
    size = lay_out(c, args).size;
    // The buffer of another problem whose size was asked for before may still be used.
    s.size = std::max(s.size, size);
    s.staged_columns = args.staged_columns;
    s.is_sized = true;
}

void analyse(context& c, const phase_call& phase, const problem& p, triangular_analysis& s) {
    if (!s.is_sized) missing_phase(role::size_phase);
    heron_trisolve_args args = compose(c, p);
    args.staged_columns = s.staged_columns;
    parts needed = lay_out(c, args);
    if (needed.size > s.size && args.staged_columns > 0) {
        args.staged_columns = 0;
        needed = lay_out(c, args);
    }
    if (needed.size > s.size)
        invalid(role::analysis,
                fmt::format("@ was called for a smaller problem: {} bytes, not {}", s.size, needed.size),
                role::size_phase);
    if (needed.size > 0 && !phase.memory) workspace_missing(needed.size);
    s.is_analysed = false;
    s.values_stamp = s.diagonal_stamp = 0;
    heron_workspace workspace{0, phase.memory, nullptr};
    if (needed.size > 0) {
        s.forget();
        call_slot<operation::trisolve>(c, HERON_PHASE_ANALYSE, args, workspace);
        const uintptr_t start = round_up(reinterpret_cast<uintptr_t>(phase.memory));
        s.own_values = reinterpret_cast<void*>(start + needed.values);
        s.own_diagonal = reinterpret_cast<void*>(start + needed.diagonal);
    }
    s.keep(c, {operation::trisolve, args.op, HERON_DEFAULT, {args.type}, args.a}, workspace);
    s.room_for_columns = args.staged_columns;
    s.is_analysed = true;
}

void require_analysed(const context& c, const triangular_analysis& s) {
    if (!s.is_analysed) missing_phase(role::analysis_phase);
    if (!s.is_of(c)) invalid(role::handle, "is on another device than that of @", role::analysis_phase);
}

void require_same_problem(const heron_trisolve_args& args, const analysed_problem& analysed) {
    const auto require_equal = [&](bool equal, role r, const char* what) {
        if (!equal) invalid(r, fmt::format("{} differs from that given to @", what), role::analysis_phase);
    };
    require_equal(args.op == analysed.op, role::operation_a, "the operation");
    require_equal(args.type == analysed.types[0], role::compute_type, "the type");
    require_equal(same_pattern(args.a, analysed.a), role::a, "the pattern");
    require_equal(args.a.fill == analysed.a.fill, role::a, "the fill mode");
    require_equal(args.a.diag == analysed.a.diag, role::a, "the diagonal type");
}

void run(context& c, const problem& p, const triangular_analysis& s) {
    require_analysed(c, s);
    heron_trisolve_args args = compose(c, p);
    require_same_problem(args, s.made_for());
    if (args.c.rows == 0 || args.c.cols == 0) return;
    args.staged_columns = s.room_for_columns;
    if (args.b.values == args.c.values && strides_differ(args.b, args.c) && args.staged_columns < args.b.cols)
        throw error(HERON_INSUFFICIENT_RESOURCES, role::c,
                    "shares memory with the right-hand side in another layout, and @ was not told so",
                    role::size_phase);
    if (s.values_stamp > p.values_changed) args.a.values = s.own_values;
    if (s.diagonal_stamp > p.values_changed) args.diagonal = s.own_diagonal;
    run_in<operation::trisolve>(c, args, s.workspace(), s.plan());
}

void solve(context& c, const phase_call& phase, analysis& kept, const problem& p) {
    auto& s = as<triangular_analysis>(kept);
    require_matrix(p.a);
    require_sizes(p);
    require_types(p);
    if (phase.phase == HERON_PHASE_SIZE) return size_solver(c, phase, p, s);
    require_arrays(p.a, role::a);
    validate_contents(c, p.a, role::a);
    if (phase.phase == HERON_PHASE_ANALYSE) return analyse(c, phase, p, s);
    require_arrays(p.b, role::b);
    require_arrays(p.c, role::c);
    run(c, p, s);
}

// A vector as a matrix of one column; one that is not given is one of the right size and type without values.
heron_dnmat as_column(const heron_dnvec* v, int64_t size, heron_type type) {
    heron_dnmat m{};
    m.rows = v ? v->size : size;
    m.cols = 1;
    m.ld = m.rows;
    m.values = v ? v->values : nullptr;
    m.type = v ? v->type : type;
    m.batch_count = 1;
    return m;
}

}  // namespace

std::unique_ptr<analysis> make_triangular_analysis() { return std::make_unique<triangular_analysis>(); }

uint64_t next_stamp() {
    static std::atomic<uint64_t> stamp{0};
    return ++stamp;
}

void spsv(context& c, const phase_call& phase, analysis& kept, heron_operation op, const void* alpha,
          const heron_spmat& a, const heron_dnvec* x, const heron_dnvec* y, heron_type compute_type,
          uint64_t values_changed) {
    const heron_dnmat b = as_column(x, a.rows, compute_type);
    solve(c, phase, kept,
          {op, alpha, a, b, as_column(y, a.rows, compute_type), compute_type, values_changed});
}

void spsm(context& c, const phase_call& phase, analysis& kept, heron_operation op_a, heron_operation op_b,
          const void* alpha, const heron_spmat& a, const heron_dnmat& b, const heron_dnmat& c_matrix,
          heron_type compute_type, uint64_t values_changed) {
    if (op_b != HERON_OP_NONE && op_b != HERON_OP_TRANSPOSE)
        not_supported(role::operation_b, "a conjugate-transposed right-hand side is not supported");
    const heron_dnmat right = op_b == HERON_OP_NONE ? b : transposed(b);
    solve(c, phase, kept, {op_a, alpha, a, right, c_matrix, compute_type, values_changed});
}

void update_triangular(context& c, analysis& kept, const void* values, matrix_part part) {
    auto& s = as<triangular_analysis>(kept);
    require_analysed(c, s);
    const heron_spmat& a = s.made_for().a;
    const bool all = part == matrix_part::values;
    void* const to = all ? s.own_values : s.own_diagonal;
    const size_t bytes = all ? values_bytes(a) : diagonal_bytes(a);
    if (bytes == 0) return;
    require_element(values, size_of(a.type), role::new_values);
    c.with_queue(
        [&](heron_queue* queue) { check(c.table().copy(queue, to, values, bytes), "copying new values"); });
    (all ? s.values_stamp : s.diagonal_stamp) = next_stamp();
    if (all) s.diagonal_stamp = 0;
}

}  // namespace heron::core
