// Sorting by groups and colouring by teams for GPUs; elsewhere the shared plans.
#include "opencl/runtime/device.hpp"
#include "opencl/runtime/kernels.hpp"
#include "common/reorder/radix.hpp"
#include "common/reorder/teams.hpp"
#include "common/runtime/slot.hpp"

namespace heron::opencl {
namespace {

constexpr uint64_t local_bytes_needed = 48 * 1024;

bool takes_groups(const device_traits& traits) {
    return takes_gpu_kernels("reorder", traits.is_gpu) && traits.largest_group >= 256 &&
           traits.local_bytes >= local_bytes_needed;
}

// Where teams are no part of a warp they are groups.
using warp_sort = plans::radix_sort<opencl_device, 256, 16, 32>;
using group_sort = plans::radix_sort<opencl_device, 32, 16, 32>;

// Calls f with the sort for the device.
template <class F>
void visit_sort(const device_traits& traits, F&& f) {
    if (!takes_groups(traits)) return f(type<plans::pair_sort<opencl_device>>{});
    traits.nvidia_major > 0 ? f(type<warp_sort>{}) : f(type<group_sort>{});
}

// The same with the rounds of colouring. Few lanes where rows are short on average.
template <class F>
void visit_coloring(const device_traits& traits, const heron_color_args& args, F&& f) {
    if (!takes_groups(traits))
        return f(type<plans::pair_sort<opencl_device>>{}, type<plans::item_rounds<opencl_device>>{});
    if (traits.nvidia_major == 0)
        return f(type<group_sort>{}, type<plans::team_rounds<opencl_device, 32, 32>>{});
    plans::has_short_rows(args) ? f(type<warp_sort>{}, type<plans::team_rounds<opencl_device, 256, 4>>{})
                                : f(type<warp_sort>{}, type<plans::team_rounds<opencl_device, 256, 32>>{});
}

void sort_pairs(opencl_device& device, heron_phase phase, const heron_sort_pairs_args& args,
                heron_workspace& workspace) {
    visit_sort(device.traits(), [&]<class Sort>(type<Sort>) {
        plans::sort_pairs_by<opencl_device, Sort>(device, phase, args, workspace);
    });
}

void sort_rows(opencl_device& device, heron_phase phase, const heron_sort_rows_args& args,
               heron_workspace& workspace) {
    visit_sort(device.traits(), [&]<class Sort>(type<Sort>) {
        plans::sort_rows_by<opencl_device, Sort>(device, phase, args, workspace);
    });
}

void color(opencl_device& device, heron_phase phase, const heron_color_args& args,
           heron_workspace& workspace) {
    visit_coloring(device.traits(), args, [&]<class Sort, class Rounds>(type<Sort>, type<Rounds>) {
        plans::color_by<opencl_device, Sort, Rounds>(device, phase, args, workspace);
    });
}

}  // namespace

void override_reorder(heron_backend& table) {
    table.sort_pairs = &slot<opencl_device, heron_sort_pairs_args, &sort_pairs, operation_names::sort_pairs>;
    table.sort_rows = &slot<opencl_device, heron_sort_rows_args, &sort_rows, operation_names::sort_rows>;
    table.color = &slot<opencl_device, heron_color_args, &color, operation_names::color>;
}

}  // namespace heron::opencl
