#pragma once
// A matrix in blocks of another size on GPUs: teams or groups take the block rows (block_rows.h, unblock.h).
#include "group_memory.hpp"
#include "reblock.hpp"
#include <algorithm>

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family convert_block_row_teams{"convert_block_rows", "WT GROUP LANES SINGLE"};
inline constexpr kernel_family convert_unblocking{"convert_unblock", "WT GROUP"};
#include "block_rows.h"
#include "unblock.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// What suits a device.
enum class lanes { always, by_device };
struct reblock_policy {
    bool has_lanes;          // several teams may share a group
    int64_t groups_at_once;  // that share the block rows where these are few
};

// The backend declares reblock_policy policy_of(Device&). Where its devices have lanes always, nothing is
// compiled for those without.
template <class Device, class Scan, lanes which>
class grouped_reblock {
  public:
    grouped_reblock(Device& device, const heron_reblock_args& args, workspace_layout&)
        : device_(device), args_(args), policy_(policy_of(device)), a_(args.a), b_(args.b) {}

    using counts = block_counts<Device, Scan>;
    void count(const counts& to) {
        visit_shape([&]<int group, int single>() {
            launch<typename teams<raw32, group, single>::count_lines>(
                a_offsets(), a_indices(), a_base(), a_scalar_rows(), u32_of(a_.rows), u32_of(a_.cols),
                u32_of(b_.rows), u32_of(b_.cols), u32_of(b_.columns), int_of(b_.lines), own_lines(group),
                to.get());
        });
        to.publish(device_);
    }

    void fill() {
        visit_words(args_.a.type, [&]<class WT>(type<WT>, heron_index words) {
            visit_shape([&]<int group, int single>() {
                launch<at_once<typename teams<WT, group, single>::fill_lines, groups_of_unit>>(
                    a_offsets(), a_indices(), as<const WT>(args_.a.values), a_base(), a_scalar_rows(),
                    u32_of(a_.rows), u32_of(a_.cols), a_.row_step, a_.column_step,
                    as<const i32>(args_.b.offsets), as<i32>(args_.b.indices), as<WT>(args_.b.values),
                    int{args_.b.base}, u32_of(b_.rows), u32_of(b_.cols), b_.row_step, b_.column_step,
                    u32_of(b_.columns), int_of(b_.lines), own_lines(group), int_of(words));
            });
        });
    }

    // B is CSR.
    static void unblock(Device& device, const heron_reblock_args& args, bool indices) {
        const blocks_of a(args.a);
        const int64_t groups = policy_of(device).groups_at_once;
        visit_words(args.a.type, [&]<class WT>(type<WT>, heron_index words) {
            using program = kernels::convert_unblock<WT, group_with_lanes>;
            // A group has several block rows, of large blocks fewer where there are few of them (convert-5).
            constexpr int64_t large = 64;
            int64_t own = a.size() < large ? program::most_lines : 1;
            while (own < program::most_lines && 4 * own * groups <= a.lines) own *= 2;
            const int64_t parts = a.size() < large ? 1 : std::clamp<int64_t>(groups / a.lines, 1, 16);
            device.template launch_groups<typename program::unblock_lines>(
                kernels::convert_unblocking, (a.lines + own - 1) / own * parts, as<const i32>(args.a.offsets),
                as<const i32>(args.a.indices), as<const WT>(args.a.values), int{args.a.base}, int_of(a.lines),
                int_of(own), int_of(parts), int_of(a.rows), int_of(a.cols), a.row_step, a.column_step,
                as<i32>(args.b.offsets), indices ? as<i32>(args.b.indices) : nullptr, as<WT>(args.b.values),
                int{args.b.base}, int_of(words));
        });
    }

  private:
    static constexpr int groups_of_unit = 4;  // registers are for so many at a time
    static constexpr int group_with_lanes = 256;
    static constexpr int lanes_of_team = 32;
    template <class WT, int group, int single>
    using teams = kernels::convert_block_rows<WT, group, lanes_of_team, single>;

    // Calls f with the size of a group, of several teams where a device has lanes, and whether A is CSR.
    template <class F>
    void visit_shape(F&& f) const {
        a_.size() == 1 ? visit_group<1>(f) : visit_group<0>(f);
    }
    template <int single, class F>
    void visit_group(F& f) const {
        if constexpr (which == lanes::by_device)
            if (!policy_.has_lanes) return f.template operator()<lanes_of_team, single>();
        f.template operator()<group_with_lanes, single>();
    }

    // Block rows of a group. Few are spread over all groups, since a long one takes a group. Of many a group
    // has several for each of its teams, which leave out those that are empty or an item's (convert-13).
    int own_lines(int64_t items) const {
        constexpr int64_t turns = 4;
        const int64_t at_once = items / lanes_of_team;
        const auto share_of = [&](int64_t groups) { return (b_.lines + groups - 1) / groups; };
        const int64_t spread = share_of(policy_.groups_at_once);
        if (spread <= at_once) return int_of(std::max<int64_t>(spread, 1));
        const int64_t share = (share_of(turns * policy_.groups_at_once) + at_once - 1) / at_once * at_once;
        return int_of(std::clamp(share, 2 * at_once, items));
    }

    template <class Kernel, class... Args>
    void launch(Args... args) {
        const int64_t own = own_lines(Kernel::group);
        device_.template launch_groups<Kernel>(kernels::convert_block_row_teams, (b_.lines + own - 1) / own,
                                               args...);
    }

    static u32 u32_of(heron_index n) { return static_cast<u32>(n); }
    static int int_of(heron_index n) { return static_cast<int>(n); }
    const i32* a_offsets() const { return as<const i32>(args_.a.offsets); }
    const i32* a_indices() const { return as<const i32>(args_.a.indices); }
    int a_base() const { return args_.a.base; }
    int a_scalar_rows() const { return int_of(args_.a.rows); }

    Device& device_;
    const heron_reblock_args& args_;
    const reblock_policy policy_;
    blocks_of a_, b_;
};

}  // namespace heron::HERON_LEVEL::plans
