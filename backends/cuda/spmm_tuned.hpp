#pragma once
// SpMM as CUDA runs it: the shared plan's slot is this specialisation.
#include "cuda_device.cuh"
#include "../common/plans/spmm.hpp"

namespace heron::HERON_LEVEL {

// One row of the table of data types; the files spmm_*.cu hold one kind of compute type each.
template <class VA, class VC, class CT>
void tuned_spmm(cuda_device& device, heron_phase phase, const heron_spmm_args& args,
                heron_workspace& workspace);

namespace plans {
template <>
void spmm<cuda_device>(cuda_device& device, heron_phase phase, const heron_spmm_args& args,
                       heron_workspace& workspace);
}

}  // namespace heron::HERON_LEVEL
