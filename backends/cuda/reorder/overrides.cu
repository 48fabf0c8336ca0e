// Sorting by groups and colouring by teams.
#include "cuda/runtime/scan.hpp"
#include "cuda/runtime/group_words.cuh"
#include "common/runtime/slot.hpp"
#include "common/reorder/radix.hpp"
#include "common/reorder/teams.hpp"

namespace heron::HERON_LEVEL {
namespace {

using sort = plans::radix_sort<cuda_device, 256, 16, 32>;

// Few lanes where rows are short on average.
void color(cuda_device& device, heron_phase phase, const heron_color_args& args, heron_workspace& workspace) {
    // The host decides how many rounds there are.
    if (phase == HERON_PHASE_RUN && is_capturing(device.stream()))
        throw plan_error{HERON_NOT_SUPPORTED,
                         "colouring waits for the device, which a captured stream cannot"};
    using short_rows = plans::team_rounds<cuda_device, 256, 4>;
    using long_rows = plans::team_rounds<cuda_device, 256, 32>;
    plans::has_short_rows(args)
        ? plans::color_by<cuda_device, sort, short_rows>(device, phase, args, workspace)
        : plans::color_by<cuda_device, sort, long_rows>(device, phase, args, workspace);
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
