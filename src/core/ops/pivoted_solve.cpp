// Validation, the order of the phases, and the memory that an analysis keeps.
#include "pivoted_solve.hpp"

namespace heron::core {
namespace {

void require_readable(context& c, const heron_spmat& a) {
    require_arrays(a, role::a);
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

void require_same_problem(const analysed_problem& analysed, heron_operation op, const heron_spmat& a) {
    const auto require_equal = [](bool equal, role r, const char* what) {
        if (!equal) invalid(r, fmt::format("{} differs from that given to @", what), role::analysis_phase);
    };
    require_equal(op == analysed.op, role::operation_a, "the operation");
    require_equal(same_shape(a, analysed.a), role::info, "the matrix");
    require_equal(a.fill == analysed.a.fill, role::info, "the fill mode");
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

void look_for_zeros(context& c, heron_phase phase, pivoted_solve& s, const heron_spmat& a) {
    heron_zero_pivot_args args{};
    args.a = a;
    args.zero_pivot = s.zero_pivot.on(c);
    heron_workspace none{};
    call_slot<operation::zero_pivot>(c, phase, args, none);
}

}  // namespace

void size_pivoted(const phase_call& phase, const heron_spmat& a) {
    require_square(a);
    answer_least_workspace(phase);
}

void analyse_pivoted(context& c, const pivoted_phase& phase, pivoted_solve& s, heron_operation op,
                     const heron_spmat& a, int64_t right_sides) {
    require_square(a);
    require_readable(c, a);
    require_least_workspace(phase.call);
    s.restart();
    const heron_dnmat sides = shape_of(a, right_sides);
    const heron_trisolve_args args = compose(op, a, sides, sides);
    heron_workspace workspace{};
    look_for_zeros(c, HERON_PHASE_ANALYSE, s, args.a);
    if (a.rows > 0) {
        workspace.memory = s.memory.at_least(workspace_size<operation::trisolve>(c, args), c);
        call_slot<operation::trisolve>(c, HERON_PHASE_ANALYSE, args, workspace);
    }
    s.keep(c, {operation::trisolve, op, HERON_DEFAULT, {a.type}, a}, workspace);
    s.with_levels = phase.with_levels;
    s.is_analysed = true;
}

void solve_pivoted(context& c, const pivoted_phase& phase, pivoted_solve& s, heron_operation op,
                   const void* alpha, const heron_spmat& a, const heron_dnmat& b, const heron_dnmat& result) {
    require_square(a);
    require_readable(c, a);
    require_operands(a, b, result);
    require_least_workspace(phase.call);
    s.require_analysed(c, phase.with_levels);
    require_same_problem(s.made_for(), op, a);
    heron_trisolve_args args = compose(op, a, b, result);
    args.alpha = scalar_argument(c, alpha, a.type, role::alpha);
    look_for_zeros(c, HERON_PHASE_RUN, s, args.a);
    if (result.rows > 0 && result.cols > 0) run_in<operation::trisolve>(c, args, s.workspace(), s.plan());
}

}  // namespace heron::core
