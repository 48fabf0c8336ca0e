// Counting and pruning on OpenCL: by groups on GPUs, elsewhere by the shared plans.
#include "opencl/runtime/device.hpp"
#include "opencl/runtime/kernels.hpp"
#include "common/prune/grouped.hpp"
#include "common/runtime/slot.hpp"

namespace heron::opencl {
namespace {

constexpr size_t group_size = 256;
constexpr uint64_t local_bytes_needed = 32 * 1024;

bool takes_groups(const device_traits& traits) {
    return takes_gpu_kernels("prune", traits.is_gpu) && traits.largest_group >= group_size &&
           traits.local_bytes >= local_bytes_needed;
}

}  // namespace

// Teams are parts of a warp, which NVIDIA's GPUs alone are known to have.
static plans::tile_policy tiles_on(opencl_device& device) {
    const bool is_nvidia = device.traits().is_nvidia_gpu();
    // Only NVIDIA's GPUs, and processors, are known to let groups that have begun go on meanwhile.
    return {is_nvidia, 8 * int64_t{device.traits().compute_units}, is_nvidia || !device.traits().is_gpu};
}

using pruning = plans::grouped_pruning<opencl_device, false>;

template <class Args>
using operation = void (*)(opencl_device&, heron_phase, const Args&, heron_workspace&);

template <class Args, operation<Args> grouped, operation<Args> shared>
static void by_device(opencl_device& device, heron_phase phase, const Args& args,
                      heron_workspace& workspace) {
    takes_groups(device.traits()) ? grouped(device, phase, args, workspace)
                                  : shared(device, phase, args, workspace);
}

void override_prune(heron_backend& table) {
    table.count_nonzeros =
        &slot<opencl_device, heron_count_nonzeros_args,
              &by_device<heron_count_nonzeros_args, &pruning::count_nonzeros, &plans::count_nonzeros>,
              operation_names::count_nonzeros>;
    table.prune_count = &slot<opencl_device, heron_prune_count_args,
                              &by_device<heron_prune_count_args, &pruning::prune_count, &plans::prune_count>,
                              operation_names::prune_count>;
    table.prune = &slot<opencl_device, heron_prune_args,
                        &by_device<heron_prune_args, &pruning::prune, &plans::prune>, operation_names::prune>;
    table.percentile = &slot<opencl_device, heron_percentile_args,
                             &by_device<heron_percentile_args, &pruning::percentile, &plans::percentile>,
                             operation_names::percentile>;
}

}  // namespace heron::opencl
