#pragma once
#include "runtime.hpp"

namespace heron::cudart {

// A hint that has nothing to move on any backend; checks its arguments as CUDA does.
void prefetch(const void* pointer, size_t count, cudaMemLocation location, unsigned flags,
              cudaStream_t stream);

// The same for advice on where memory should lie. Advice of some kinds leaves the location out.
void advise(const void* pointer, size_t count, cudaMemoryAdvise advice, cudaMemLocation location);

}  // namespace heron::cudart
