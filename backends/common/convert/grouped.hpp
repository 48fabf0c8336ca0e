#pragma once
// A matrix in blocks of another size on GPUs: teams merge the lines of a block row (merge.h), and groups take
// those that are long or many, or all where block rows are few (windows.h).
#include "group_memory.hpp"
#include "reblock.hpp"
#include <algorithm>

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family convert_merging{"convert_merge", "WT GROUP LANES"};
inline constexpr kernel_family convert_windowing{"convert_windows", "WT GROUP"};
#include "merge.h"
#include "windows.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// What suits a device.
enum class lanes { always, by_device };
struct reblock_policy {
    bool has_lanes;          // several teams may share a group
    int64_t groups_at_once;  // that walk over block rows
};

// The backend declares reblock_policy policy_of(Device&). Where its devices have lanes always, nothing is
// compiled for those without.
template <class Device, class Scan, lanes which>
class grouped_reblock {
  public:
    grouped_reblock(Device& device, const heron_reblock_args& args, workspace_layout& layout)
        : device_(device),
          args_(args),
          policy_(policy_of(device)),
          a_(args.a),
          b_(args.b),
          counts_(layout, args),
          marks_(layout.take<i32>(b_.lines)) {}

    void count() {
        count_lines();
        counts_.publish(device_);
    }

    void fill() {
        visit_words(args_.a.type,
                    [&]<class WT>(type<WT>, heron_index words) { fill_lines<WT>(static_cast<int>(words)); });
    }

    // B is CSR.
    static void unblock(Device& device, const heron_reblock_args& args, bool indices) {
        const blocks_of a(args.a);
        visit_words(args.a.type, [&]<class WT>(type<WT>, heron_index words) {
            constexpr int64_t lines = group / windows<WT>::share;
            device.template launch_groups<typename windows<WT>::unblock_lines>(
                kernels::convert_windowing, (a.lines + lines - 1) / lines, as<const i32>(args.a.offsets),
                as<const i32>(args.a.indices), as<const WT>(args.a.values), int{args.a.base},
                static_cast<int>(a.lines), static_cast<int>(a.rows), static_cast<int>(a.cols), a.row_step,
                a.column_step, as<i32>(args.b.offsets), indices ? as<i32>(args.b.indices) : nullptr,
                as<WT>(args.b.values), int{args.b.base}, static_cast<int>(words));
        });
    }

  private:
    static constexpr int group = 256;
    static constexpr int most_lanes = 32;
    template <class WT>
    using windows = kernels::convert_windows<WT, group>;

    template <int lanes_, int group_>
    struct team_shape {
        static constexpr int lanes = lanes_, group = group_;
    };
    // Calls f with lanes for a block row's lines.
    template <class F>
    void visit_team(F&& f) const {
        const auto with = [&]<int count>(std::integral_constant<int, count>) {
            if constexpr (which == lanes::by_device)
                if (!policy_.has_lanes) return f(team_shape<count, count>{});
            f(team_shape<count, group>{});
        };
        if (b_.rows <= 2) return with(std::integral_constant<int, 2>{});
        if (b_.rows <= 4) return with(std::integral_constant<int, 4>{});
        if (b_.rows <= 8) return with(std::integral_constant<int, 8>{});
        if (b_.rows <= 16) return with(std::integral_constant<int, 16>{});
        with(std::integral_constant<int, 32>{});
    }
    // Lines for the lanes of a team, and more block rows than groups can take at once.
    bool takes_teams() const { return b_.rows <= most_lanes && b_.lines > 2 * policy_.groups_at_once; }
    int64_t walking_groups() const { return std::min(int64_t{b_.lines}, 2 * policy_.groups_at_once); }
    // Without marks groups take all block rows.
    const i32* marks() const { return takes_teams() ? marks_ : nullptr; }

    void count_lines() {
        if (takes_teams())
            visit_team([&]<class Shape>(Shape) {
                using kernel =
                    typename kernels::convert_merge<raw32, Shape::group, Shape::lanes>::count_merged;
                device_.template launch_groups<kernel>(
                    kernels::convert_merging, groups_for<Shape>(), a_offsets(), a_indices(), a_base(),
                    a_scalar_rows(), u32_of(a_.rows), u32_of(a_.cols), u32_of(b_.rows), u32_of(b_.cols),
                    static_cast<int>(b_.lines), counts_.get(), marks_);
            });
        device_.template launch_groups<typename windows<raw32>::count_marked>(
            kernels::convert_windowing, walking_groups(), a_offsets(), a_indices(), a_base(), a_scalar_rows(),
            u32_of(a_.rows), u32_of(a_.cols), u32_of(b_.rows), u32_of(b_.cols), u32_of(b_.columns),
            static_cast<int>(b_.lines), counts_.get(), marks());
    }

    template <class Shape>
    int64_t groups_for() const {
        constexpr int64_t teams = Shape::group / Shape::lanes;
        return (b_.lines + teams - 1) / teams;
    }

    // A lane writes the zeros of its line too where it fills whole sectors of memory then, or its team does.
    template <class WT>
    bool lanes_write_zeros(int words) const {
        constexpr heron_index sector = 32;
        const bool together = b_.row_step == 1 && b_.rows > 1;
        return together || b_.cols * words * heron_index{sizeof(WT)} <= sector;
    }

    template <class WT>
    void fill_lines(int words) {
        const WT* const a = as<const WT>(args_.a.values);
        WT* const b = as<WT>(args_.b.values);
        const bool zeros = lanes_write_zeros<WT>(words);
        if (takes_teams())
            visit_team([&]<class Shape>(Shape) {
                using kernel = typename kernels::convert_merge<WT, Shape::group, Shape::lanes>::fill_merged;
                device_.template launch_groups<kernel>(
                    kernels::convert_merging, groups_for<Shape>(), a_offsets(), a_indices(), a, a_base(),
                    a_scalar_rows(), u32_of(a_.rows), u32_of(a_.cols), a_.row_step, a_.column_step,
                    b_offsets(), as<i32>(args_.b.indices), b, int{args_.b.base}, u32_of(b_.rows),
                    u32_of(b_.cols), b_.row_step, b_.column_step, static_cast<int>(b_.lines), words,
                    int{zeros}, marks_);
            });
        device_.template launch_groups<typename windows<WT>::fill_marked>(
            kernels::convert_windowing, walking_groups(), a_offsets(), a_indices(), a, a_base(),
            a_scalar_rows(), u32_of(a_.rows), u32_of(a_.cols), a_.row_step, a_.column_step, b_offsets(),
            as<i32>(args_.b.indices), b, int{args_.b.base}, u32_of(b_.rows), u32_of(b_.cols), b_.row_step,
            b_.column_step, u32_of(b_.columns), static_cast<int>(b_.lines), words,
            int{zeros || !takes_teams()}, marks());
    }

    static u32 u32_of(heron_index n) { return static_cast<u32>(n); }
    const i32* a_offsets() const { return as<const i32>(args_.a.offsets); }
    const i32* a_indices() const { return as<const i32>(args_.a.indices); }
    const i32* b_offsets() const { return as<const i32>(args_.b.offsets); }
    int a_base() const { return args_.a.base; }
    int a_scalar_rows() const { return static_cast<int>(args_.a.rows); }

    Device& device_;
    const heron_reblock_args& args_;
    const reblock_policy policy_;
    blocks_of a_, b_;
    block_counts<Device, Scan> counts_;
    i32* marks_;  // of block rows with long lines
};

}  // namespace heron::HERON_LEVEL::plans
