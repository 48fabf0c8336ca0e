#include "scratch.hpp"
#include "error.hpp"
#include <algorithm>

namespace heron::opencl {
namespace {

// Sizes are rounded up to these, so that calls of similar sizes share buffers.
constexpr size_t granularity = size_t{1} << 16;

}  // namespace

scratch_buffer::~scratch_buffer() {
    if (last) clReleaseEvent(last);
    if (memory) clReleaseMemObject(memory);
}

// Asked for when somebody else wants the buffer: a callback for every call costs some drivers tens of
// microseconds.
bool scratch_buffer::is_idle() {
    if (!last) return true;
    cl_int status = CL_COMPLETE;
    clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (status > CL_COMPLETE) return false;
    clReleaseEvent(last);
    last = nullptr;
    return true;
}

std::shared_ptr<scratch_buffer> scratch_pool::take(cl_context context, size_t bytes, cl_command_queue owner) {
    const std::lock_guard lock(mutex_);
    const auto is_free = [&](const auto& b) {
        return !b->held && ((owner && b->owner == owner) || b->is_idle());
    };
    const auto found = std::find_if(buffers_.begin(), buffers_.end(),
                                    [&](const auto& b) { return b->bytes >= bytes && is_free(b); });
    if (found != buffers_.end()) {
        (*found)->held = true;
        (*found)->owner = owner;
        return *found;
    }
    // Those that are free and too small would never be used again by a caller whose matrices grow. The
    // runtime keeps a released buffer until the commands that use it are done.
    std::erase_if(buffers_, is_free);
    auto made = std::make_shared<scratch_buffer>();
    made->bytes = (bytes + granularity - 1) / granularity * granularity;
    cl_int code = CL_SUCCESS;
    made->memory = clCreateBuffer(context, CL_MEM_READ_WRITE, made->bytes, nullptr, &code);
    check(code, "clCreateBuffer");
    made->owner = owner;
    made->held = true;
    buffers_.push_back(made);
    return made;
}

void scratch_pool::give_back(const std::shared_ptr<scratch_buffer>& buffer, cl_event last) {
    const std::lock_guard lock(mutex_);
    buffer->held = false;
    if (!last) return;
    clRetainEvent(last);
    if (buffer->last) clReleaseEvent(buffer->last);
    buffer->last = last;
}

}  // namespace heron::opencl
