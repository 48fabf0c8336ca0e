// Validation, the order of the phases, and the memory that an analysis keeps.
#include "pivoted_solve.hpp"

namespace heron::core {
namespace {

void require_readable(context& c, const heron_spmat& a) {
    require_arrays(a, role::a);
    validate_contents(c, a, role::a);
}

// An analysis reads no values.
void require_readable_pattern(context& c, const heron_spmat& a) {
    require_pattern(a, role::a);
    validate_contents(c, a, role::a);
}

heron_trisolve_args compose(heron_operation op, const heron_spmat& a, const heron_dnmat& b,
                            const heron_dnmat& result) {
    heron_trisolve_args args{};
    args.op = op;
    args.a = canonical(a, args.op);
    args.b = b;
    args.c = result;
    args.type = a.type;
    return args;
}

// A right-hand side of the analysis, which has no values.
heron_dnmat shape_of(const heron_spmat& a, int64_t right_sides) {
    heron_dnmat m{};
    m.rows = a.rows;
    m.cols = right_sides;
    m.ld = a.rows;
    m.type = a.type;
    m.batch_count = 1;
    return m;
}

// The address of the pattern may be another one than in the analysis.
bool same_shape(const heron_spmat& a, const heron_spmat& b) {
    return a.rows == b.rows && a.nnz == b.nnz && a.base == b.base && a.type == b.type &&
           a.block_rows == b.block_rows && a.block_order == b.block_order;
}

void require_equal(bool equal, role r, const char* what) {
    if (!equal) invalid(r, fmt::format("{} differs from that given to @", what), role::analysis_phase);
}

void require_same_triangle(const analysed_problem& analysed, heron_operation op, const heron_spmat& a) {
    require_equal(op == analysed.op, role::operation_a, "the operation");
    require_equal(same_shape(a, analysed.a), role::info, "the matrix");
    require_equal(a.fill == analysed.a.fill, role::info, "the fill mode");
}

void require_same_problem(const analysed_problem& analysed, heron_operation op, const heron_spmat& a) {
    require_same_triangle(analysed, op, a);
    require_equal(a.diag == analysed.a.diag, role::info, "the diagonal type");
}

void require_operands(const heron_spmat& a, const heron_dnmat& b, const heron_dnmat& result) {
    if (b.rows != a.rows) invalid(role::b, fmt::format("{} rows differ from op(A)'s {}", b.rows, a.rows));
    if (result.rows != a.rows)
        invalid(role::c, fmt::format("{} rows differ from op(A)'s {}", result.rows, a.rows));
    if (b.cols != result.cols)
        invalid(role::c, fmt::format("{} columns differ from the right-hand side's {}", result.cols, b.cols));
    require_arrays(b, role::b);
    require_arrays(result, role::c);
    if (b.values && b.values == result.values && (b.order != result.order || b.ld != result.ld))
        invalid(argument{role::c, part::ld}, "differs from @ in the same memory",
                argument{role::b, part::ld});
}

// What the analysis keeps of the solve itself.
void* memory_for(context& c, pivoted_solve& s, const heron_trisolve_args& args) {
    return s.memory.at_least(workspace_size<operation::trisolve>(c, args), c);
}

heron_trisolve_args compose_analysis(heron_operation op, const heron_spmat& a, int64_t right_sides) {
    const heron_dnmat sides = shape_of(a, right_sides);
    return compose(op, a, sides, sides);
}

// ANALYSE of the solve itself.
void analyse_rows(context& c, pivoted_solve& s, heron_operation op, const heron_spmat& a,
                  int64_t right_sides) {
    const heron_trisolve_args args = compose_analysis(op, a, right_sides);
    heron_workspace workspace{};
    if (a.rows > 0) {
        workspace.memory = memory_for(c, s, args);
        call_slot<operation::trisolve>(c, HERON_PHASE_ANALYSE, args, workspace);
    }
    s.keep(c, {operation::trisolve, op, HERON_DEFAULT, {a.type}, a}, workspace);
    s.right_sides = right_sides;
    s.is_analysed = true;
}

heron_trisolve_args with_alpha(const context& c, heron_trisolve_args args, const void* alpha) {
    args.alpha = scalar_argument(c, alpha, args.type, role::alpha);
    return args;
}

bool is_worth_a_run(const heron_trisolve_args& args) { return args.c.rows > 0 && args.c.cols > 0; }

void run_rows(context& c, const pivoted_solve& s, const heron_trisolve_args& args) {
    if (is_worth_a_run(args)) run_in<operation::trisolve>(c, args, s.workspace(), s.plan());
}

// Whether the analysis does for such a solve all that one made for it would.
bool serves(const pivoted_solve& s, const heron_spmat& a, int64_t right_sides) {
    const bool has_diagonal = s.made_for().a.diag != HERON_DIAG_UNIT || a.diag == HERON_DIAG_UNIT;
    return has_diagonal && right_sides <= s.right_sides;
}

void look_for_missing_pivots(context& c, pivoted_solve& s) {
    const analysed_problem& analysed = s.made_for();
    heron_zero_pivot_args args{};
    args.a = compose_analysis(analysed.op, analysed.a, 1).a;
    args.zero_pivot = s.zero_pivot.on(c);
    heron_workspace none{};
    call_slot<operation::zero_pivot>(c, HERON_PHASE_ANALYSE, args, none);
}

}  // namespace

void size_pivoted(const phase_call& phase, const heron_spmat& a) {
    require_square(a);
    answer_least_workspace(phase);
}

void size_pivoted(context& c, const phase_call& phase, pivoted_solve& s, heron_operation op,
                  const heron_spmat& a, int64_t right_sides) {
    require_square(a);
    if (!s.is_analysed) {
        s.zero_pivot.on(c);
        if (a.rows > 0) memory_for(c, s, compose_analysis(op, a, right_sides));
    }
    answer_least_workspace(phase);
}

void analyse_pivoted(context& c, const pivoted_phase& phase, pivoted_solve& s, heron_operation op,
                     const heron_spmat& a, int64_t right_sides) {
    require_square(a);
    require_readable_pattern(c, a);
    require_least_workspace(phase.call);
    s.restart();
    s.zero_pivot.on(c);
    analyse_rows(c, s, op, a, right_sides);
    s.with_levels = phase.with_levels;
    s.knows_pivots = false;
}

void solve_pivoted(context& c, const pivoted_phase& phase, pivoted_solve& s, heron_operation op,
                   const void* alpha, const heron_spmat& a, const heron_dnmat& b, const heron_dnmat& result) {
    require_square(a);
    require_readable(c, a);
    require_operands(a, b, result);
    require_least_workspace(phase.call);
    s.require_analysed(c, phase.with_levels);
    require_same_problem(s.made_for(), op, a);
    heron_trisolve_args args = with_alpha(c, compose(op, a, b, result), alpha);
    args.zero_pivot = s.zero_pivot.on(c);
    run_rows(c, s, args);
    s.knows_pivots = s.knows_pivots || is_worth_a_run(args);
}

void report_zero_pivot(context& c, pivoted_solve& s, int32_t* position) {
    require_element(position, sizeof *position, role::position);
    if (s.is_analysed && !s.knows_pivots && s.made_for().a.rows > 0) {
        if (!s.is_of(c)) invalid(role::handle, "is on another device than that of the analysis");
        look_for_missing_pivots(c, s);
        s.knows_pivots = true;
    }
    report_zero_pivot(c, static_cast<const pivoted_analysis&>(s), position);
}

void require_analysed_matrix(const context& c, const pivoted_solve& s, const heron_spmat& a) {
    s.require_analysed(c, false);
    require_equal(same_shape(a, s.made_for().a), role::info, "the matrix");
}

void analyse_kept(context& c, pivoted_solve& s, heron_operation op, const heron_spmat& a) {
    require_square(a);
    require_readable_pattern(c, a);
    s.restart();
    analyse_rows(c, s, op, a, 1);
}

void solve_kept(context& c, pivoted_solve& s, heron_operation op, const void* alpha, const heron_spmat& a,
                const heron_dnmat& b, const heron_dnmat& result) {
    require_square(a);
    require_readable(c, a);
    require_operands(a, b, result);
    s.require_analysed(c, false);
    require_same_triangle(s.made_for(), op, a);
    const heron_trisolve_args args = with_alpha(c, compose(op, a, b, result), alpha);
    if (!serves(s, a, b.cols)) {
        s.restart();
        analyse_rows(c, s, op, a, std::max(b.cols, s.right_sides));
    }
    run_rows(c, s, args);
}

}  // namespace heron::core
