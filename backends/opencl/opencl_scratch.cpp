#include "opencl_scratch.hpp"
#include "opencl_error.hpp"
#include <algorithm>

namespace heron::opencl {
namespace {

// Sizes are rounded up to these, so that calls of similar sizes share buffers.
constexpr size_t granularity = size_t{1} << 16;

void CL_CALLBACK use_is_over(cl_event, cl_int, void* user) {
    const std::unique_ptr<std::shared_ptr<scratch_buffer>> buffer(
        static_cast<std::shared_ptr<scratch_buffer>*>(user));
    --(*buffer)->pending;
}

}  // namespace

scratch_buffer::~scratch_buffer() {
    if (memory) clReleaseMemObject(memory);
}

std::shared_ptr<scratch_buffer> scratch_pool::take(cl_context context, size_t bytes, cl_command_queue owner) {
    const std::lock_guard lock(mutex_);
    const auto is_free = [&](const auto& b) {
        return !b->held && (b->pending == 0 || (owner && b->owner == owner));
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
    auto* const user = new std::shared_ptr<scratch_buffer>(buffer);
    ++buffer->pending;
    if (clSetEventCallback(last, CL_COMPLETE, use_is_over, user) == CL_SUCCESS) return;
    // It stays pending and serves this queue alone.
    delete user;
}

}  // namespace heron::opencl
