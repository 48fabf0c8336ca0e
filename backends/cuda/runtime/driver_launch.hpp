#pragma once
// Launches by the driver's own functions, which the CUDA runtime would call in its turn.
#include <cuda.h>
#include <cuda_runtime_api.h>

namespace heron::cuda {

// What HERON_TRY_LAUNCH says: 0 by the runtime, 1 by the driver, 2 by the runtime and early, 3 by the driver
// and early.
int launch_way() noexcept;

// The driver's handle of a kernel; NULL where there is none.
CUfunction driver_kernel(const void* kernel) noexcept;

// False where nothing was launched: the runtime then says why.
bool launch_by_driver(CUfunction kernel, unsigned blocks, unsigned threads, unsigned shared_bytes,
                      cudaStream_t stream, void** arguments, bool early) noexcept;

}  // namespace heron::cuda
