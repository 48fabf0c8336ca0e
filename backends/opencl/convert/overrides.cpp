// Conversions on OpenCL: by groups on GPUs, elsewhere by the shared plans.
#include "opencl/runtime/device.hpp"
#include "opencl/runtime/kernels.hpp"
#include "common/runtime/slot.hpp"
#include "common/convert/plan.hpp"
#include "common/convert/grouped_rows.hpp"
#include "common/convert/grouped.hpp"
#include "common/convert/grouped_scan.hpp"
#include "common/convert/radix.hpp"
#include "common/convert/tiled_dense.hpp"
#include "common/convert/tiled_rows.hpp"

namespace heron::opencl {
namespace {

constexpr size_t group_size = 256;
constexpr uint64_t local_bytes_needed = 32 * 1024;

bool takes_groups(const device_traits& traits) {
    return takes_gpu_kernels("convert", traits.is_gpu) && traits.largest_group >= group_size &&
           traits.local_bytes >= local_bytes_needed;
}

}  // namespace

// Teams are parts of a warp, which NVIDIA's GPUs alone are known to have.
static bool has_lanes(opencl_device& device) { return device.traits().nvidia_major > 0; }
static plans::reblock_policy policy_of(opencl_device& device) {
    return {has_lanes(device), 4 * int64_t{device.traits().compute_units}};
}

// Only NVIDIA's GPUs, and processors, are known to let groups that have begun go on meanwhile.
static bool lets_groups_wait(opencl_device& device) {
    return device.traits().nvidia_major > 0 || !device.traits().is_gpu;
}

static plans::tile_policy tiles_on(opencl_device& device) {
    return {has_lanes(device), 8 * int64_t{device.traits().compute_units}, lets_groups_wait(device)};
}

using grouped_reblock =
    plans::grouped_reblock<opencl_device, plans::grouped_scan<opencl_device>, plans::lanes::by_device>;

static void pointers_to_indices(opencl_device& device, heron_phase phase,
                                const heron_pointers_to_indices_args& args, heron_workspace& workspace) {
    if (!takes_groups(device.traits())) return plans::pointers_to_indices(device, phase, args, workspace);
    workspace_layout(phase, workspace);
    if (phase == HERON_PHASE_RUN) plans::expand_in_groups(device, args);
}

static void indices_to_pointers(opencl_device& device, heron_phase phase,
                                const heron_indices_to_pointers_args& args, heron_workspace& workspace) {
    if (!takes_groups(device.traits())) return plans::indices_to_pointers(device, phase, args, workspace);
    workspace_layout(phase, workspace);
    if (phase == HERON_PHASE_RUN) plans::compress_in_groups(device, args);
}

static void dense_to_sparse(opencl_device& device, heron_phase phase, const heron_dense_to_sparse_args& args,
                            heron_workspace& workspace) {
    if (!takes_groups(device.traits())) return plans::dense_to_sparse(device, phase, args, workspace);
    plans::dense_to_sparse_by<plans::rows_by_tiles<false>>(device, phase, args, workspace);
}

static void sparse_to_dense(opencl_device& device, heron_phase phase, const heron_sparse_to_dense_args& args,
                            heron_workspace& workspace) {
    if (!takes_groups(device.traits())) return plans::sparse_to_dense(device, phase, args, workspace);
    plans::sparse_to_dense_by<plans::dense_by_tiles>(device, phase, args, workspace);
}

static void transpose(opencl_device& device, heron_phase phase, const heron_transpose_args& args,
                      heron_workspace& workspace) {
    if (!takes_groups(device.traits())) return plans::transpose(device, phase, args, workspace);
    plans::transpose_by_sorting<plans::radix_sorter<opencl_device>>(device, phase, args, workspace);
}

static void reblock_count(opencl_device& device, heron_phase phase, const heron_reblock_count_args& args,
                          heron_workspace& workspace) {
    if (!takes_groups(device.traits())) return plans::reblock_count(device, phase, args, workspace);
    plans::count_blocks<grouped_reblock>(device, phase, args, workspace);
}

static void reblock(opencl_device& device, heron_phase phase, const heron_reblock_args& args,
                    heron_workspace& workspace) {
    if (!takes_groups(device.traits())) return plans::reblock(device, phase, args, workspace);
    plans::fill_blocks<grouped_reblock>(device, phase, args, workspace);
}

void override_convert(heron_backend& table) {
    table.pointers_to_indices = &slot<opencl_device, heron_pointers_to_indices_args, &pointers_to_indices,
                                      operation_names::pointers_to_indices>;
    table.indices_to_pointers = &slot<opencl_device, heron_indices_to_pointers_args, &indices_to_pointers,
                                      operation_names::indices_to_pointers>;
    table.dense_to_sparse =
        &slot<opencl_device, heron_dense_to_sparse_args, &dense_to_sparse, operation_names::dense_to_sparse>;
    table.sparse_to_dense =
        &slot<opencl_device, heron_sparse_to_dense_args, &sparse_to_dense, operation_names::sparse_to_dense>;
    table.transpose = &slot<opencl_device, heron_transpose_args, &transpose, operation_names::transpose>;
    table.reblock_count =
        &slot<opencl_device, heron_reblock_count_args, &reblock_count, operation_names::reblock_count>;
    table.reblock = &slot<opencl_device, heron_reblock_args, &reblock, operation_names::reblock>;
}

}  // namespace heron::opencl
