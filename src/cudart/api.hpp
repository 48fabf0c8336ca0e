#pragma once
// The public prototypes, exported: everything else of the library is hidden.
#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#include <cuda12_abi.h>
#include <cuda_profiler_api.h>
#include "nvcc_abi.h"
#pragma GCC visibility pop
