// Tridiagonal and pentadiagonal systems on the CPU. A single right-hand side is shared by two threads, many
// are shared out to all; systems of a batch are solved side by side.
#include "common/runtime/slot.hpp"
#include "side_by_side.hpp"
#include "twisted.hpp"

namespace heron::HERON_LEVEL {
namespace {

// Systems that a thread solves side by side: two vectors of the real type, and no fewer than make up for the
// time that a division takes.
template <class CT>
constexpr int neighbours = 128 / static_cast<int>(sizeof(real_of<CT>));
constexpr int strided_neighbours = 4;

// Calls f(first, number) for the systems in groups of `width`, and one by one what remains; number is a
// constant.
template <int width, class F>
void share_systems(const host_device& device, int64_t m, int64_t count, const F& f) {
    const int64_t groups = (count + width - 1) / width;
    run_team(team_for(device, m * count), [&](int member, int members) {
        const range own = equal_part(groups, member, members);
        for (int64_t group = own.begin; group < own.end; ++group) {
            const int64_t first = group * width;
            if (first + width <= count) {
                f(first, std::integral_constant<int, width>{});
                continue;
            }
            for (int64_t k = first; k < count; ++k) f(k, std::integral_constant<int, 1>{});
        }
    });
}

template <class CT>
void solve_one(host_device& device, heron_phase phase, const heron_gtsv_args& args,
               heron_workspace& workspace) {
    workspace_layout layout(phase, workspace);
    CT* const seconds = layout.take<CT>(args.m);
    CT* const thirds = layout.take<CT>(args.m);
    if (phase != HERON_PHASE_RUN) return;
    const auto solve = args.pivoting ? &solve_twisted<true, CT> : &solve_twisted<false, CT>;
    solve(team_for(device, args.m), as<const CT>(args.lower), as<const CT>(args.main),
          as<const CT>(args.upper), as<CT>(args.b), args.m, seconds, thirds);
}

// The factors once, by one thread.
template <class CT>
void solve_many(host_device& device, heron_phase phase, const heron_gtsv_args& args,
                heron_workspace& workspace) {
    workspace_layout layout(phase, workspace);
    CT* const multipliers = layout.take<CT>(args.m);
    CT* const inverses = layout.take<CT>(args.m);
    CT* const seconds = layout.take<CT>(args.m);
    CT* const thirds = layout.take<CT>(args.m);
    i8* const how = layout.take<i8>(args.m);
    if (phase != HERON_PHASE_RUN) return;
    kernels::tridiag_factor<CT>::run(0, as<const CT>(args.lower), as<const CT>(args.main),
                                     as<const CT>(args.upper), args.m, args.pivoting, multipliers, inverses,
                                     seconds, thirds, how);
    run_team(team_for(device, args.m * args.n), [&](int member, int members) {
        const range own = equal_part(args.n, member, members);
        for (int64_t j = own.begin; j < own.end; ++j)
            kernels::tridiag_solve<CT>::run(j, as<CT>(args.b), args.ldb, args.m, multipliers, inverses,
                                            seconds, thirds, how);
    });
}

void solve(host_device& device, heron_phase phase, const heron_gtsv_args& args, heron_workspace& workspace) {
    visit_full(args.type, [&]<class CT>(type<CT>) {
        args.n == 1 ? solve_one<CT>(device, phase, args, workspace)
                    : solve_many<CT>(device, phase, args, workspace);
    });
}

void solve_batch(host_device& device, heron_phase phase, const heron_gtsv_batch_args& args,
                 heron_workspace& workspace) {
    visit_full(args.type, [&]<class CT>(type<CT>) {
        workspace_layout layout(phase, workspace);
        CT* const factors = layout.take<CT>(args.m * args.count);
        if (phase != HERON_PHASE_RUN) return;
        share_systems<strided_neighbours>(
            device, args.m, args.count, [&]<int width>(int64_t first, std::integral_constant<int, width>) {
                const int64_t begin = first * args.stride;
                solve_by_thomas<width, false>(
                    as<const CT>(args.lower) + begin, as<const CT>(args.main) + begin,
                    as<const CT>(args.upper) + begin, as<CT>(args.x) + begin, args.m, {1, args.stride},
                    factors + first * args.m, {1, args.m});
            });
    });
}

void solve_interleaved(host_device& device, heron_phase phase, const heron_gtsv_interleaved_args& args,
                       heron_workspace& workspace) {
    const workspace_layout layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(args.type, [&]<class CT>(type<CT>) {
        share_systems<neighbours<CT>>(
            device, args.m, args.count, [&]<int width>(int64_t first, std::integral_constant<int, width>) {
                CT* const lower = as<CT>(args.lower) + first;
                CT* const main = as<CT>(args.main) + first;
                CT* const upper = as<CT>(args.upper) + first;
                CT* const x = as<CT>(args.x) + first;
                const system_steps at{args.count, 1};
                if (args.solver == HERON_INTERLEAVED_THOMAS)
                    solve_by_thomas<width, true, CT>(lower, main, upper, x, args.m, at, upper, at);
                else if (args.solver == HERON_INTERLEAVED_LU)
                    solve_by_elimination<width, false>(lower, main, upper, x, args.m, args.count);
                else
                    solve_by_elimination<width, true>(lower, main, upper, x, args.m, args.count);
            });
    });
}

void solve_five_diagonals(host_device& device, heron_phase phase, const heron_gpsv_interleaved_args& args,
                          heron_workspace& workspace) {
    const workspace_layout layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(args.type, [&]<class CT>(type<CT>) {
        share_systems<neighbours<CT>>(
            device, args.m, args.count, [&]<int width>(int64_t first, std::integral_constant<int, width>) {
                CT* const diagonals[5] = {as<CT>(args.second_lower) + first, as<CT>(args.lower) + first,
                                          as<CT>(args.main) + first, as<CT>(args.upper) + first,
                                          as<CT>(args.second_upper) + first};
                solve_pentadiagonal<width>(diagonals, as<CT>(args.x) + first, args.m, args.count);
            });
    });
}

}  // namespace

void override_tridiag(heron_backend& table) {
    table.gtsv = &slot<host_device, heron_gtsv_args, &solve, operation_names::gtsv>;
    table.gtsv_batch = &slot<host_device, heron_gtsv_batch_args, &solve_batch, operation_names::gtsv_batch>;
    table.gtsv_interleaved = &slot<host_device, heron_gtsv_interleaved_args, &solve_interleaved,
                                   operation_names::gtsv_interleaved>;
    table.gpsv_interleaved = &slot<host_device, heron_gpsv_interleaved_args, &solve_five_diagonals,
                                   operation_names::gpsv_interleaved>;
}

}  // namespace heron::HERON_LEVEL
