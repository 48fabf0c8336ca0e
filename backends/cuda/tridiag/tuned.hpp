#pragma once
// Tridiagonal systems by teams of threads, compiled for one type each.
#include "cuda/runtime/device.cuh"
#include "common/runtime/dispatch.hpp"

namespace heron::HERON_LEVEL {

template <class CT>
void solve_tridiagonal(cuda_device& device, heron_phase phase, const heron_gtsv_args& args,
                       heron_workspace& workspace);
template <class CT>
void solve_tridiagonal(cuda_device& device, heron_phase phase, const heron_gtsv_batch_args& args,
                       heron_workspace& workspace);
template <class CT>
void solve_interleaved(cuda_device& device, const heron_gtsv_interleaved_args& args);

}  // namespace heron::HERON_LEVEL
