// Kronecker products in single complex precision.
#include "square.cuh"

namespace heron::HERON_LEVEL {

template <>
bool tuned_kronmult<c32>(cuda_device& device, heron_phase phase, const heron_kronmult_args& args,
                         heron_workspace& workspace) {
    return kron_cuda::for_sizes<c32, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16>(device, phase, args, workspace);
}

}  // namespace heron::HERON_LEVEL
