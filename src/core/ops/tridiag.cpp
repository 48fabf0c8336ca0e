// Tridiagonal and pentadiagonal systems: validation.
#include "tridiag.hpp"
#include "core/element_types.hpp"
#include "core/submit.hpp"

namespace heron::core {
namespace {

struct array {
    const void* data;
    core::role role;
};

// SIZE takes addresses as they are: programs ask for the size before they allocate.
void require_memory(const phase_call& phase, std::initializer_list<array> arrays, heron_type type) {
    if (phase.phase == HERON_PHASE_SIZE) return;
    for (const array& a : arrays) require_element(a.data, size_of(type), a.role);
    if (phase.takes_scratch) return;
    require_aligned(required(phase.memory, role::workspace), documented_alignment, role::workspace);
}

// Whether there is nothing to solve, which then is done.
bool is_empty(const phase_call& phase, int64_t m, int64_t count) {
    if (m > 0 && count > 0) return false;
    if (phase.phase == HERON_PHASE_SIZE) *required(phase.size, role::workspace_size) = least_workspace;
    return true;
}

// As the documentation asks for where systems are not interleaved.
void require_order(int64_t m) {
    constexpr int64_t least = 3;
    if (m < least) invalid(role::rows, fmt::format("{} is less than {}", m, least));
}

}  // namespace

void solve_tridiagonal(context& c, const phase_call& phase, const heron_gtsv_args& args) {
    require_order(args.m);
    require_count(args.n, role::columns);
    if (args.ldb < args.m)
        invalid(argument(role::b, part::ld), fmt::format("{} is less than @ {}", args.ldb, args.m),
                role::rows);
    if (is_empty(phase, args.m, args.n)) return;
    require_memory(
        phase,
        {{args.lower, role::lower}, {args.main, role::main}, {args.upper, role::upper}, {args.b, role::b}},
        args.type);
    submit<operation::gtsv>(c, phase, args, least_workspace);
}

void solve_tridiagonal_batch(context& c, const phase_call& phase, const heron_gtsv_batch_args& args) {
    require_order(args.m);
    require_count(args.count, role::count);
    if (args.stride < args.m)
        invalid(argument(role::x, part::stride), fmt::format("{} is less than @ {}", args.stride, args.m),
                role::rows);
    if (is_empty(phase, args.m, args.count)) return;
    require_memory(
        phase,
        {{args.lower, role::lower}, {args.main, role::main}, {args.upper, role::upper}, {args.x, role::x}},
        args.type);
    submit<operation::gtsv_batch>(c, phase, args, least_workspace);
}

void solve_interleaved(context& c, const phase_call& phase, const heron_gtsv_interleaved_args& args) {
    require_count(args.m, role::rows);
    require_count(args.count, role::count);
    if (is_empty(phase, args.m, args.count)) return;
    require_memory(
        phase,
        {{args.lower, role::lower}, {args.main, role::main}, {args.upper, role::upper}, {args.x, role::x}},
        args.type);
    submit<operation::gtsv_interleaved>(c, phase, args, least_workspace);
}

void solve_pentadiagonal_interleaved(context& c, const phase_call& phase,
                                     const heron_gpsv_interleaved_args& args) {
    require_count(args.m, role::rows);
    require_count(args.count, role::count);
    if (args.solver != HERON_INTERLEAVED_QR)
        invalid(role::algorithm, "is not QR, which alone solves pentadiagonal systems");
    if (is_empty(phase, args.m, args.count)) return;
    require_memory(phase,
                   {{args.second_lower, role::second_lower},
                    {args.lower, role::lower},
                    {args.main, role::main},
                    {args.upper, role::upper},
                    {args.second_upper, role::second_upper},
                    {args.x, role::x}},
                   args.type);
    submit<operation::gpsv_interleaved>(c, phase, args, least_workspace);
}

}  // namespace heron::core
