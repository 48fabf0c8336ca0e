// Incomplete factorisations: validation, the order of the phases, and the memory that an analysis keeps.
#include "factor.hpp"

namespace heron::core {
namespace {

template <class Args>
Args compose(context& c, factorisation& f, const heron_spmat& a) {
    Args args{};
    args.a = a;
    args.zero_pivot = f.zero_pivot.on(c);
    args.boost = f.boosts;
    args.tolerance = f.tolerance;
    args.boost_value = f.boost_value;
    return args;
}

void require_readable(context& c, const heron_spmat& a, bool with_values) {
    if (a.rows > 0) require_offsets(a, role::a);
    with_values ? require_arrays(a, role::a) : require_pattern(a, role::a);
    validate_contents(c, a, role::a);
    validate_ascending(c, a, role::a);
}

bool same_shape(const heron_spmat& a, const heron_spmat& b) {
    return a.format == b.format && a.rows == b.rows && a.nnz == b.nnz && a.base == b.base &&
           a.type == b.type && a.block_rows == b.block_rows;
}

// The analysis itself then allocates nothing, which takes long and cannot be captured.
template <operation op, class Args>
void size(context& c, factorisation& f, const phase_call& phase, const heron_spmat& a) {
    if (!f.is_analysed && a.rows > 0) f.memory.at_least(workspace_size<op>(c, compose<Args>(c, f, a)), c);
    answer_least_workspace(phase);
}

template <operation op, class Args>
void analyse(context& c, factorisation& f, const heron_spmat& a, bool with_levels) {
    f.restart();
    heron_workspace workspace{};
    if (a.rows > 0) {
        const Args args = compose<Args>(c, f, a);
        workspace.memory = f.memory.at_least(workspace_size<op>(c, args), c);
        call_slot<op>(c, HERON_PHASE_ANALYSE, args, workspace);
    }
    f.keep(c, {op, HERON_OP_NONE, HERON_DEFAULT, {a.type}, a}, workspace);
    f.with_levels = with_levels;
    f.is_analysed = true;
}

template <operation op, class Args>
void run(context& c, factorisation& f, const heron_spmat& a, bool with_levels) {
    f.require_analysed(c, with_levels);
    if (!same_shape(a, f.made_for().a))
        invalid(role::info, "@ was called with it for another matrix", role::analysis_phase);
    if (f.boosts && f.boost_type != a.type) invalid(role::info, "has a boost value of another type");
    if (a.rows > 0) run_in<op>(c, compose<Args>(c, f, a), f.workspace(), f.plan());
}

template <operation op, class Args>
void factorise_as(context& c, const phase_call& phase, factorisation& f, const heron_spmat& a,
                  bool with_levels) {
    switch (phase.phase) {
        case HERON_PHASE_SIZE: return size<op, Args>(c, f, phase, a);
        case HERON_PHASE_ANALYSE: return analyse<op, Args>(c, f, a, with_levels);
        default: return run<op, Args>(c, f, a, with_levels);
    }
}

}  // namespace

void factorise(context& c, const phase_call& phase, factorisation& f, const heron_spmat& a,
               bool with_levels) {
    require_square(a);
    if (phase.phase == HERON_PHASE_SIZE) {
        required(phase.size, role::workspace_size);
    } else {
        require_readable(c, a, phase.phase == HERON_PHASE_RUN);
        require_least_workspace(phase);
    }
    if (f.kind() == operation::ilu0)
        factorise_as<operation::ilu0, heron_ilu0_args>(c, phase, f, a, with_levels);
    else
        factorise_as<operation::ic0, heron_ic0_args>(c, phase, f, a, with_levels);
}

void set_boost(context& c, factorisation& f, bool enable, const double* tolerance, const void* value,
               heron_type type) {
    if (enable) {
        const heron_scalar new_tolerance = scalar_argument(c, tolerance, HERON_R_64F, role::tolerance);
        const heron_scalar new_value = scalar_argument(c, value, type, role::boost);
        f.tolerance = new_tolerance;
        f.boost_value = new_value;
        f.boost_type = type;
    }
    f.boosts = enable;
}

}  // namespace heron::core
