// A matrix and vectors on OpenCL: by groups on GPUs, by runs of elements on processors, and others by the
// shared plans.
#include "opencl/runtime/device.hpp"
#include "opencl/runtime/kernels.hpp"
#include "common/blas2/grouped.hpp"
#include "common/blas2/runs.hpp"
#include "common/blas2/trmv.hpp"
#include "common/runtime/slot.hpp"

namespace heron::opencl {
namespace {

bool takes_groups(const device_traits& traits) {
    return takes_gpu_kernels("blas2", traits.is_gpu) && traits.largest_group >= plans::gemv_group;
}

// Compilers for processors turn the loop of an item into instructions for vectors.
bool takes_runs(const device_traits& traits) {
    return !traits.is_gpu && wanted_kernels("blas2") == kernel_choice::by_device;
}

// Groups that wait for others: NVIDIA's GPUs alone are known to let these go on meanwhile.
bool takes_chain(const device_traits& traits) {
    return takes_gpu_kernels("trsv", traits.nvidia_major > 0) && traits.largest_group >= plans::gemv_group;
}

void gemv(opencl_device& device, heron_phase phase, const heron_gemv_args& args, heron_workspace& workspace) {
    if (takes_runs(device.traits())) return plans::gemv_by_runs(device, phase, args, workspace);
    takes_groups(device.traits()) ? plans::gemv_by_groups(device, phase, args, workspace)
                                  : plans::gemv(device, phase, args, workspace);
}

void gemv_batched(opencl_device& device, heron_phase phase, const heron_gemv_batched_args& args,
                  heron_workspace& workspace) {
    takes_groups(device.traits()) ? plans::gemv_batched_by_groups(device, phase, args, workspace)
                                  : plans::gemv_batched(device, phase, args, workspace);
}

void geam(opencl_device& device, heron_phase phase, const heron_geam_args& args, heron_workspace& workspace) {
    takes_groups(device.traits()) ? plans::geam_by_groups(device, phase, args, workspace)
                                  : plans::geam(device, phase, args, workspace);
}

void dgmm(opencl_device& device, heron_phase phase, const heron_dgmm_args& args, heron_workspace& workspace) {
    takes_groups(device.traits()) ? plans::dgmm_by_groups(device, phase, args, workspace)
                                  : plans::dgmm(device, phase, args, workspace);
}

void ger(opencl_device& device, heron_phase phase, const heron_ger_args& args, heron_workspace& workspace) {
    if (takes_runs(device.traits())) return plans::ger_by_runs(device, phase, args, workspace);
    takes_groups(device.traits()) ? plans::ger_by_groups(device, phase, args, workspace)
                                  : plans::ger(device, phase, args, workspace);
}

void symv(opencl_device& device, heron_phase phase, const heron_symv_args& args, heron_workspace& workspace) {
    if (takes_runs(device.traits())) return plans::symv_by_runs(device, phase, args, workspace);
    takes_groups(device.traits()) ? plans::symv_by_groups(device, phase, args, workspace)
                                  : plans::symv(device, phase, args, workspace);
}

void trsv(opencl_device& device, heron_phase phase, const heron_trsv_args& args, heron_workspace& workspace) {
    if (takes_chain(device.traits())) return plans::trsv_by_chain(device, phase, args, workspace);
    takes_groups(device.traits()) ? plans::trsv_by_groups(device, phase, args, workspace)
                                  : plans::trsv(device, phase, args, workspace);
}

void trmv(opencl_device& device, heron_phase phase, const heron_trmv_args& args, heron_workspace& workspace) {
    if (takes_runs(device.traits())) return plans::trmv_by_runs(device, phase, args, workspace);
    takes_groups(device.traits()) ? plans::trmv_by_groups(device, phase, args, workspace)
                                  : plans::trmv(device, phase, args, workspace);
}

}  // namespace

void override_blas2(heron_backend& table) {
    table.gemv = &slot<opencl_device, heron_gemv_args, &gemv, operation_names::gemv>;
    table.gemv_batched =
        &slot<opencl_device, heron_gemv_batched_args, &gemv_batched, operation_names::gemv_batched>;
    table.geam = &slot<opencl_device, heron_geam_args, &geam, operation_names::geam>;
    table.dgmm = &slot<opencl_device, heron_dgmm_args, &dgmm, operation_names::dgmm>;
    table.ger = &slot<opencl_device, heron_ger_args, &ger, operation_names::ger>;
    table.symv = &slot<opencl_device, heron_symv_args, &symv, operation_names::symv>;
    table.trmv = &slot<opencl_device, heron_trmv_args, &trmv, operation_names::trmv>;
    table.trsv = &slot<opencl_device, heron_trsv_args, &trsv, operation_names::trsv>;
}

}  // namespace heron::opencl
