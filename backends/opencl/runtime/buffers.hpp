#pragma once
// Buffers of a caller's, on the caller's command queues.
#include "queue.hpp"

namespace heron::opencl {

struct row_shape {
    size_t bytes, count;
};

// Throws MAPPING_ERROR for what is no context.
cl_mem create_buffer(void* context, size_t bytes);

// As rows_copy and rows_fill of the table; neither waits.
void copy_rows(heron_queue& queue, const heron_rows& to, const heron_rows& from, row_shape shape);
void fill_rows(heron_queue& queue, const heron_rows& to, row_shape shape, const void* pattern,
               size_t pattern_bytes);

// For the last command that an adopted queue was given.
void wait_for_last(heron_queue& queue);

}  // namespace heron::opencl
