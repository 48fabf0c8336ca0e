#pragma once
// SDDMM as CUDA runs it: the shared plan's slot is this specialisation.
#include "cuda_device.cuh"
#include "../common/plans/sddmm.hpp"

namespace heron::HERON_LEVEL {

// One row of the table of data types; the files sddmm_*.cu hold some each.
template <class VX, class VC, class CT>
void tuned_sddmm(cuda_device& device, heron_phase phase, const heron_sddmm_args& args,
                 heron_workspace& workspace);

namespace plans {
template <>
void sddmm<cuda_device>(cuda_device& device, heron_phase phase, const heron_sddmm_args& args,
                        heron_workspace& workspace);
}

}  // namespace heron::HERON_LEVEL
