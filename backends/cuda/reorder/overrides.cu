// Sorting by groups, and colouring.
#include "color_sweep.cuh"
#include "cuda/runtime/scan.hpp"
#include "cuda/runtime/group_words.cuh"
#include "common/runtime/slot.hpp"
#include "common/reorder/radix.hpp"

namespace heron::HERON_LEVEL {
namespace {

using sort = plans::radix_sort<cuda_device, 256, 16, 32>;

// Few lanes where rows are short on average.
void color(cuda_device& device, heron_phase phase, const heron_color_args& args, heron_workspace& workspace) {
    // How many colours there are the host hears of.
    if (phase == HERON_PHASE_RUN && is_capturing(device.stream()))
        throw plan_error{HERON_NOT_SUPPORTED,
                         "colouring waits for the device, which a captured stream cannot"};
    const auto by = [&]<class Coloring>(type<Coloring>) {
        plans::color_by<cuda_device, sort, Coloring>(device, phase, args, workspace);
    };
    if (plans::has_short_rows(args)) return by(type<swept_coloring<4>>{});
    args.a.nnz < 100 * args.a.rows ? by(type<swept_coloring<8>>{}) : by(type<swept_coloring<32>>{});
}

}  // namespace

void override_reorder(heron_backend& table) {
    table.sort_pairs = &slot<cuda_device, heron_sort_pairs_args, &plans::sort_pairs_by<cuda_device, sort>,
                             operation_names::sort_pairs>;
    table.sort_rows = &slot<cuda_device, heron_sort_rows_args, &plans::sort_rows_by<cuda_device, sort>,
                            operation_names::sort_rows>;
    table.color = &slot<cuda_device, heron_color_args, &color, operation_names::color>;
}

}  // namespace heron::HERON_LEVEL
