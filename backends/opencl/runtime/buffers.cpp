#include "buffers.hpp"
#include <algorithm>

namespace heron::opencl {
namespace {

cl_mem buffer_of(const heron_rows& rows) { return static_cast<cl_mem>(rows.memory); }

char* address_of(const heron_rows& rows) { return static_cast<char*>(rows.memory) + rows.offset; }

// Rows without gaps are one long row, which drivers copy faster.
row_shape merged(row_shape shape, size_t to_pitch, size_t from_pitch) {
    if (to_pitch != shape.bytes || from_pitch != shape.bytes) return shape;
    return {shape.bytes * shape.count, 1};
}

// A place as the rectangular commands take it. Drivers find an overlap within one buffer wrongly where the
// first coordinate exceeds the pitch.
struct rectangle {
    rectangle(const heron_rows& rows)
        : origin{rows.offset % rows.pitch, rows.offset / rows.pitch, 0}, pitch(rows.pitch) {}
    size_t origin[3];
    size_t pitch;
};

struct region {
    region(row_shape shape) : size{shape.bytes, shape.count, 1} {}
    size_t size[3];
};

void write(heron_queue& queue, const heron_rows& to, const heron_rows& from, row_shape shape) {
    const char* const host = address_of(from);
    if (shape.count == 1)
        return queue.enqueue("clEnqueueWriteBuffer", [&](auto commands, auto count, auto waits, auto event) {
            return clEnqueueWriteBuffer(commands, buffer_of(to), CL_FALSE, to.offset, shape.bytes, host,
                                        count, waits, event);
        });
    constexpr size_t start[3] = {};
    const rectangle target(to);
    const region extent(shape);
    queue.enqueue("clEnqueueWriteBufferRect", [&](auto commands, auto count, auto waits, auto event) {
        return clEnqueueWriteBufferRect(commands, buffer_of(to), CL_FALSE, target.origin, start, extent.size,
                                        target.pitch, 0, from.pitch, 0, host, count, waits, event);
    });
}

void read(heron_queue& queue, const heron_rows& to, const heron_rows& from, row_shape shape) {
    char* const host = address_of(to);
    if (shape.count == 1)
        return queue.enqueue("clEnqueueReadBuffer", [&](auto commands, auto count, auto waits, auto event) {
            return clEnqueueReadBuffer(commands, buffer_of(from), CL_FALSE, from.offset, shape.bytes, host,
                                       count, waits, event);
        });
    constexpr size_t start[3] = {};
    const rectangle source(from);
    const region extent(shape);
    queue.enqueue("clEnqueueReadBufferRect", [&](auto commands, auto count, auto waits, auto event) {
        return clEnqueueReadBufferRect(commands, buffer_of(from), CL_FALSE, source.origin, start, extent.size,
                                       source.pitch, 0, to.pitch, 0, host, count, waits, event);
    });
}

void copy_within_device(heron_queue& queue, const heron_rows& to, const heron_rows& from, row_shape shape) {
    if (shape.count == 1)
        return queue.enqueue("clEnqueueCopyBuffer", [&](auto commands, auto count, auto waits, auto event) {
            return clEnqueueCopyBuffer(commands, buffer_of(from), buffer_of(to), from.offset, to.offset,
                                       shape.bytes, count, waits, event);
        });
    const rectangle source(from), target(to);
    const region extent(shape);
    queue.enqueue("clEnqueueCopyBufferRect", [&](auto commands, auto count, auto waits, auto event) {
        return clEnqueueCopyBufferRect(commands, buffer_of(from), buffer_of(to), source.origin, target.origin,
                                       extent.size, source.pitch, 0, target.pitch, 0, count, waits, event);
    });
}

}  // namespace

cl_mem create_buffer(void* context, size_t bytes) {
    const auto owner = static_cast<cl_context>(context);
    cl_uint devices = 0;
    if (!owner ||
        clGetContextInfo(owner, CL_CONTEXT_NUM_DEVICES, sizeof devices, &devices, nullptr) != CL_SUCCESS)
        fail(HERON_MAPPING_ERROR, "this is no context");
    cl_int code = CL_SUCCESS;
    const cl_mem made = clCreateBuffer(owner, CL_MEM_READ_WRITE, bytes, nullptr, &code);
    check(code, "clCreateBuffer");
    return made;
}

void copy_rows(heron_queue& queue, const heron_rows& to, const heron_rows& from, row_shape shape) {
    shape = merged(shape, to.pitch, from.pitch);
    if (from.is_host) return write(queue, to, from, shape);
    if (to.is_host) return read(queue, to, from, shape);
    copy_within_device(queue, to, from, shape);
}

// The first row is filled; then the rows that there are become twice as many.
void fill_rows(heron_queue& queue, const heron_rows& to, row_shape shape, const void* pattern,
               size_t pattern_bytes) {
    shape = merged(shape, to.pitch, to.pitch);
    queue.enqueue("clEnqueueFillBuffer", [&](auto commands, auto count, auto waits, auto event) {
        return clEnqueueFillBuffer(commands, buffer_of(to), pattern, pattern_bytes, to.offset, shape.bytes,
                                   count, waits, event);
    });
    for (size_t done = 1; done < shape.count; done *= 2) {
        heron_rows next = to;
        next.offset += done * to.pitch;
        copy_within_device(queue, next, to, {shape.bytes, std::min(done, shape.count - done)});
    }
}

void wait_for_last(heron_queue& queue) {
    queue.flush();
    const cl_event last = queue.adopted->last();
    if (last) check(clWaitForEvents(1, &last), "clWaitForEvents");
}

}  // namespace heron::opencl
