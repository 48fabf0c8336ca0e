// Dense vectors on OpenCL: long ones by groups on GPUs, by runs of elements on processors, and others by the
// shared plans.
#include "opencl/runtime/device.hpp"
#include "opencl/runtime/kernels.hpp"
#include "common/blas1/grouped.hpp"
#include "common/blas1/runs.hpp"
#include "common/runtime/slot.hpp"

namespace heron::opencl {
namespace {

bool takes_groups(const device_traits& traits) {
    return takes_gpu_kernels("blas1", traits.is_gpu) && traits.largest_group >= plans::element_group;
}

// Compilers for processors turn the loop of an item into instructions for vectors.
bool takes_runs(const device_traits& traits) {
    return !traits.is_gpu && wanted_kernels("blas1") == kernel_choice::by_device;
}

void copy_vector(opencl_device& device, heron_phase phase, const heron_vector_copy_args& args,
                 heron_workspace& workspace) {
    if (takes_runs(device.traits())) return plans::copy_by_runs(device, phase, args, workspace);
    takes_groups(device.traits()) ? plans::copy_by_groups(device, phase, args, workspace)
                                  : plans::vector_copy(device, phase, args, workspace);
}

void scal(opencl_device& device, heron_phase phase, const heron_scal_args& args, heron_workspace& workspace) {
    if (takes_runs(device.traits())) return plans::scal_by_runs(device, phase, args, workspace);
    takes_groups(device.traits()) ? plans::scal_by_groups(device, phase, args, workspace)
                                  : plans::scal(device, phase, args, workspace);
}

void axpy(opencl_device& device, heron_phase phase, const heron_axpy_args& args, heron_workspace& workspace) {
    if (takes_runs(device.traits())) return plans::axpy_by_runs(device, phase, args, workspace);
    takes_groups(device.traits()) ? plans::axpy_by_groups(device, phase, args, workspace)
                                  : plans::axpy(device, phase, args, workspace);
}

// By runs on processors, elsewhere by the shared plan.
template <class Args, auto by_runs, auto plan>
void choose(opencl_device& device, heron_phase phase, const Args& args, heron_workspace& workspace) {
    (takes_runs(device.traits()) ? by_runs : plan)(device, phase, args, workspace);
}

template <class Args, auto by_runs, auto plan, const char* name>
constexpr auto chosen_slot = &slot<opencl_device, Args, &choose<Args, by_runs, plan>, name>;

}  // namespace

void override_blas1(heron_backend& table) {
    table.vector_copy =
        &slot<opencl_device, heron_vector_copy_args, &copy_vector, operation_names::vector_copy>;
    table.scal = &slot<opencl_device, heron_scal_args, &scal, operation_names::scal>;
    table.axpy = &slot<opencl_device, heron_axpy_args, &axpy, operation_names::axpy>;
    table.vector_swap = chosen_slot<heron_vector_swap_args, &plans::swap_by_runs<opencl_device>,
                                    &plans::vector_swap<opencl_device>, operation_names::vector_swap>;
    table.dot = chosen_slot<heron_dot_args, &plans::dot_by_runs<opencl_device>, &plans::dot<opencl_device>,
                            operation_names::dot>;
    table.asum = chosen_slot<heron_asum_args, &plans::asum_by_runs<opencl_device>,
                             &plans::asum<opencl_device>, operation_names::asum>;
    table.nrm2 = chosen_slot<heron_nrm2_args, &plans::nrm2_by_runs<opencl_device>,
                             &plans::nrm2<opencl_device>, operation_names::nrm2>;
    table.iamax = chosen_slot<heron_iamax_args, &plans::iamax_by_runs<opencl_device>,
                              &plans::iamax<opencl_device>, operation_names::iamax>;
}

}  // namespace heron::opencl
