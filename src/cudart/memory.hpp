#pragma once
#include "runtime.hpp"

namespace heron::cudart {

// A hint that has nothing to move on any backend; checks its arguments as CUDA does.
void prefetch(const void* pointer, size_t count, cudaMemLocation location, unsigned flags,
              cudaStream_t stream);

}  // namespace heron::cudart
