#pragma once
// Tridiagonal systems on GPUs: teams of items share the rows of a system (teams.h), or of many interleaved
// ones two items have one (each.h). Systems that fit a group are read once, in one launch; longer ones twice,
// in three. Those that ask for no pivoting get it, too: it costs no memory traffic, and what is compared is
// in registers.
#include "common/dialect/dialect_group.hpp"
#include "plan.hpp"
#include <algorithm>
#include <type_traits>

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family team_solves{"tridiag_pivots tridiag_teams", "CT GROUP ROWS"};
inline constexpr kernel_family each_solves{"tridiag_pivots tridiag_each", "CT GROUP AHEAD"};
#include "each.h"
#include "teams.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// Systems of m rows, whose diagonals are `stride` apart, and their right-hand sides x_stride.
struct strided_systems {
    int64_t m, count, stride, x_stride;
    const void *lower, *main, *upper;
    void* x;
};

inline strided_systems systems_of(const heron_gtsv_args& args) {
    return {args.m, args.n, 0, args.ldb, args.lower, args.main, args.upper, args.b};
}
inline strided_systems systems_of(const heron_gtsv_batch_args& args) {
    return {args.m, args.count, args.stride, args.stride, args.lower, args.main, args.upper, args.x};
}

template <class Device, class CT>
class team_solver {
  public:
    explicit team_solver(Device& device) : device_(device) {}

    void strided(heron_phase phase, const strided_systems& s, heron_workspace& workspace) {
        const int64_t chunks = quotient(s.m, chunk_rows);
        const int64_t total = chunks * s.count;
        workspace_layout layout(phase, workspace);
        const bool is_cut = chunks > 1;
        CT* const pairs = is_cut ? layout.take<CT>(total * solvers::pair_parts) : nullptr;
        CT* const joints = is_cut ? layout.take<CT>(total * solvers::joint_parts) : nullptr;
        CT* const ends = is_cut ? layout.take<CT>(total * 2) : nullptr;
        if (phase != HERON_PHASE_RUN) return;
        if (!is_cut) return solve_whole(s);
        const int count = static_cast<int>(chunks);
        launch<at_once<typename solvers::reduce_rows, groups_at_once>>(
            total, as<const CT>(s.lower), as<const CT>(s.main), as<const CT>(s.upper),
            as<const CT>(static_cast<const void*>(s.x)), heron_index{s.m}, heron_index{s.stride},
            heron_index{s.x_stride}, heron_index{s.count}, count, pairs, heron_index{total});
        launch<typename end_solvers::solve_ends>(s.count, static_cast<const CT*>(pairs), joints, ends, count,
                                                 heron_index{total});
        solve(total, s, group, 1, count, ends);
    }

    // Whether teams of these systems touch as many neighbouring elements as memory hands out at a time.
    static bool serves_interleaved(const heron_interleaved_args& args) {
        constexpr int64_t sector = 32;
        return quotient(args.m, rows) * sector <= group * static_cast<int64_t>(sizeof(CT));
    }
    // Bytes of what the systems of a group keep on chip: at least four groups have room for so much at a
    // time, and NVIDIA's OpenCL runs no kernel that takes all of the 48 KiB which it says that a group has.
    static constexpr size_t most_kept = 47 * 1024;
    // Whether teams are faster: not where there are so many systems that two items for each fill a large
    // device.
    static bool prefers_teams(const heron_interleaved_args& args) {
        constexpr int64_t many = 16384;
        return args.count < many && serves_interleaved(args);
    }
    void each(const heron_interleaved_args& args) {
        constexpr int width = each_solver::width;
        constexpr size_t slot_bytes = each_solver::slot_size * sizeof(CT);
        const auto most_slots = static_cast<int64_t>(kept_at_most(args.count) / slot_bytes);
        const int64_t slots = std::clamp<int64_t>(args.m, 2, most_slots);
        launch_of<at_once<typename each_solver::solve_each, pairs_at_once>>(
            kernels::each_solves, quotient(args.count, width), as<CT>(args.lower), diagonal(args.main),
            as<CT>(args.upper), as<CT>(args.x), static_cast<int>(args.m), heron_index{args.count},
            static_cast<int>(slots), local_memory{static_cast<size_t>(slots) * slot_bytes});
    }

    void interleaved(const heron_interleaved_args& args) {
        if constexpr (few_rows < rows)
            if (args.m <= most_of_few) return launch_interleaved<few_solvers, few_at_once>(args);
        launch_interleaved<solvers, groups_at_once>(args);
    }

  private:
    // What an item holds in registers.
    static constexpr int rows = sizeof(CT) > 8 ? 4 : sizeof(CT) > 4 ? 8 : 16;
    static constexpr int group = 128;
    static constexpr int groups_at_once = sizeof(CT) > 8 ? 2 : 3;
    static constexpr int chunk_rows = group * rows;
    // As many as the local memory of a group has room for.
    static constexpr int end_group = sizeof(CT) > 8 ? 128 : 256;
    using solvers = kernels::tridiag_teams<CT, group, rows>;
    using end_solvers = kernels::tridiag_teams<CT, end_group, rows>;

    // Short interleaved systems: items with fewer rows leave registers for more of them, so that some load
    // while others eliminate.
    static constexpr int few_rows = sizeof(CT) > 4 ? rows : 8;
    static constexpr int few_at_once = 5;
    static constexpr int64_t most_of_few = 64;
    using few_solvers = kernels::tridiag_teams<CT, group, few_rows>;

    // A group has 32 systems.
    static constexpr int each_group = 64;
    static constexpr int pairs_at_once = sizeof(CT) > 8 ? 4 : 8;
    using each_solver = kernels::tridiag_each<CT, each_group, (sizeof(CT) > 4 ? 4 : 8)>;
    // Where there are systems enough, c32, which has most to reckon per byte, gains more by more systems at
    // work at a time than by local memory.
    static constexpr size_t kept_at_most(int64_t count) {
        constexpr int64_t at_work = 16384;
        const bool has_more = std::is_same_v<CT, c32> && count > at_work;
        return has_more ? most_kept / 3 * 2 : most_kept;
    }

    static int64_t quotient(int64_t a, int64_t b) { return (a + b - 1) / b; }
    static const CT* diagonal(const void* p) { return as<const CT>(p); }

    template <class Program, int at_once_count>
    void launch_interleaved(const heron_interleaved_args& args) {
        using kernel = typename Program::solve_interleaved;
        const int team = static_cast<int>(quotient(args.m, Program::item_rows));
        const int width = kernel::group / team;
        launch<at_once<kernel, at_once_count>>(quotient(args.count, width), diagonal(args.lower),
                                               diagonal(args.main), diagonal(args.upper), as<CT>(args.x),
                                               heron_index{args.m}, heron_index{args.count}, team, width);
    }

    void solve_whole(const strided_systems& s) {
        const int team = static_cast<int>(quotient(s.m, rows));
        const int teams = group / team;
        solve(quotient(s.count, teams), s, team, teams, 1, nullptr);
    }

    void solve(int64_t groups, const strided_systems& s, int team, int teams, int chunks, const CT* ends) {
        launch<at_once<typename solvers::solve_rows, groups_at_once>>(
            groups, as<const CT>(s.lower), as<const CT>(s.main), as<const CT>(s.upper), as<CT>(s.x),
            heron_index{s.m}, heron_index{s.stride}, heron_index{s.x_stride}, heron_index{s.count}, team,
            teams, chunks, ends);
    }

    template <class Kernel, class... Args>
    void launch_of(const kernel_family& family, int64_t groups, Args... args) {
        device_.template launch_groups<Kernel>(family, groups, args...);
    }
    template <class Kernel, class... Args>
    void launch(int64_t groups, Args... args) {
        launch_of<Kernel>(kernels::team_solves, groups, args...);
    }

    Device& device_;
};

}  // namespace heron::HERON_LEVEL::plans
