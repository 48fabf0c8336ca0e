// Dense vectors on OpenCL: long ones by groups on GPUs, elsewhere by the shared plans.
#include "opencl/runtime/device.hpp"
#include "opencl/runtime/kernels.hpp"
#include "common/blas1/grouped.hpp"
#include "common/runtime/slot.hpp"

namespace heron::opencl {
namespace {

bool takes_groups(const device_traits& traits) {
    return takes_gpu_kernels("blas1", traits.is_gpu) && traits.largest_group >= plans::element_group;
}

void copy_vector(opencl_device& device, heron_phase phase, const heron_vector_copy_args& args,
                 heron_workspace& workspace) {
    takes_groups(device.traits()) ? plans::copy_by_groups(device, phase, args, workspace)
                                  : plans::vector_copy(device, phase, args, workspace);
}

void scal(opencl_device& device, heron_phase phase, const heron_scal_args& args, heron_workspace& workspace) {
    takes_groups(device.traits()) ? plans::scal_by_groups(device, phase, args, workspace)
                                  : plans::scal(device, phase, args, workspace);
}

void axpy(opencl_device& device, heron_phase phase, const heron_axpy_args& args, heron_workspace& workspace) {
    takes_groups(device.traits()) ? plans::axpy_by_groups(device, phase, args, workspace)
                                  : plans::axpy(device, phase, args, workspace);
}

}  // namespace

void override_blas1(heron_backend& table) {
    table.vector_copy =
        &slot<opencl_device, heron_vector_copy_args, &copy_vector, operation_names::vector_copy>;
    table.scal = &slot<opencl_device, heron_scal_args, &scal, operation_names::scal>;
    table.axpy = &slot<opencl_device, heron_axpy_args, &axpy, operation_names::axpy>;
}

}  // namespace heron::opencl
