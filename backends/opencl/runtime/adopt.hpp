#pragma once
// Command queues of a caller. The programs, kernels and scratch memory of a caller's context are kept for its
// next call, until the caller has let go of the context or adoptions_forget.
#include "queue.hpp"

namespace heron::opencl {

heron_queue* adopt(void* command_queue);

// Throws INVALID_VALUE for what is no buffer, MAPPING_ERROR for a buffer of another context.
size_t buffer_bytes(heron_queue& queue, void* memory);

// Throw INVALID_VALUE for a bad event, MAPPING_ERROR for one of another context.
void wait_for(heron_queue& queue, size_t count, void* const* events);

// The caller of the table owns the event.
cl_event mark(heron_queue& queue);

void forget_adoptions();

}  // namespace heron::opencl
