#pragma once
// Kronecker products as CUDA runs them: the shared plan's slot is this specialisation.
#include "cuda_device.cuh"
#include "../common/plans/kron.hpp"

namespace heron::HERON_LEVEL {

// False when the shape is not one for the tuned kernels. The files kron_*.cu hold one type each.
template <class CT>
bool tuned_kronmult(cuda_device& device, heron_phase phase, const heron_kronmult_args& args,
                    heron_workspace& workspace);

namespace plans {
template <>
void kronmult<cuda_device>(cuda_device& device, heron_phase phase, const heron_kronmult_args& args,
                           heron_workspace& workspace);
}

}  // namespace heron::HERON_LEVEL
