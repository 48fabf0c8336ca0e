#pragma once
// item_rounds for devices with groups: teams of items share a row's neighbours (teams.h).
#include "common/dialect/dialect_group.hpp"
#include "plan.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family reorder_team_kernels{"reorder_teams", "GROUP LANES"};
#include "teams.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// Of which a few lanes take one at a time.
inline bool has_short_rows(const heron_color_args& args) { return args.a.nnz < 10 * args.a.rows; }

// Whether a pattern has each element's place across the diagonal.
template <class Device, int group, int lanes>
class team_symmetry {
  public:
    team_symmetry(workspace_layout& layout, int64_t) : found_(layout.take<u32>(2)) {}

    // Waits for the device.
    bool is_symmetric(Device& device, const color_graph& g) const {
        device.fill(found_, 0, 2 * sizeof(u32));
        constexpr int64_t rows_at_a_time = group / lanes;
        // Groups that add to the same two numbers.
        const int64_t groups = std::min<int64_t>((g.rows + rows_at_a_time - 1) / rows_at_a_time, 1024);
        device.template launch_groups<typename kernels::reorder_teams<group, lanes>::teams_asymmetry>(
            kernels::reorder_team_kernels, groups, g.offsets, g.indices, g.base, g.rows, found_);
        u32 found[2] = {0, 0};
        device.read(found, found_, sizeof found);
        return found[0] == 0 && found[1] == 0;
    }

  private:
    u32* found_;
};

template <class Device, int group, int lanes>
class team_rounds {
  public:
    team_rounds(workspace_layout& layout, int64_t rows)
        : symmetry_(layout, rows),
          found_(layout.take<u32>(2)),
          listed_(layout.take<i32>(rows)),
          count_(rows) {}

    bool is_symmetric(Device& device, const color_graph& g) const {
        return symmetry_.is_symmetric(device, g);
    }

    color_progress color(Device& device, const color_graph& g, int64_t target, i32* proposals, i32* colors) {
        return color_in_rounds(device, *this, g, target, proposals, colors);
    }

    void run_round(Device& device, const color_graph& g, i32* proposals, i32* colors) const {
        const i32* const listed = count_ < g.rows ? listed_ : nullptr;
        launch<typename program::teams_propose>(device, groups_of(count_), g.offsets, g.indices, g.base,
                                                listed, heron_index{count_}, g.turned_offsets,
                                                g.turned_indices, static_cast<const i32*>(colors), proposals);
        launch<typename program::teams_settle>(device, groups_of(count_), g.offsets, g.indices, g.base,
                                               listed, heron_index{count_}, g.turned_offsets,
                                               g.turned_indices, static_cast<const i32*>(proposals), colors);
    }

    // Later rounds are about the rows that have no colour now.
    color_progress measure(Device& device, heron_index rows, const i32* colors) {
        device.fill(found_, 0, 2 * sizeof(u32));
        launch<typename program::teams_measure>(device, few((rows + group - 1) / group), colors, rows, found_,
                                                listed_);
        u32 found[2] = {0, 0};
        device.read(found, found_, sizeof found);
        count_ = found[0];
        return {rows - count_, found[1]};
    }

  private:
    using program = kernels::reorder_teams<group, lanes>;

    static int64_t groups_of(int64_t rows) { return (rows + group / lanes - 1) / (group / lanes); }
    // Of groups that add to the same two numbers.
    static int64_t few(int64_t groups) { return groups < 1024 ? groups : 1024; }

    template <class Kernel, class... Args>
    static void launch(Device& device, int64_t groups, Args... args) {
        device.template launch_groups<Kernel>(kernels::reorder_team_kernels, groups, args...);
    }

    team_symmetry<Device, group, lanes> symmetry_;
    u32* found_;
    i32* listed_;
    int64_t count_;
};

}  // namespace heron::HERON_LEVEL::plans
