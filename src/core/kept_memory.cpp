#include "kept_memory.hpp"
#include "error.hpp"
#include <fmt/format.h>

namespace heron::core {

kept_memory::~kept_memory() { release(); }

void kept_memory::release() {
    if (memory_) backend_->memory_free(memory_);
    memory_ = nullptr;
    bytes_ = 0;
}

void* kept_memory::on(const context& c) const {
    return backend_ == &c.table() && device_ == c.device() ? memory_ : nullptr;
}

void* kept_memory::at_least(size_t bytes, context& c) {
    if (bytes <= bytes_ && on(c)) return memory_;
    release();
    if (bytes == 0) return nullptr;
    backend_ = &c.table();
    device_ = c.device();
    const heron_status status = backend_->memory_alloc(device_, bytes, HERON_MEMORY_DEVICE, &memory_);
    if (status != HERON_SUCCESS) {
        memory_ = nullptr;
        throw error(status, role::info, fmt::format("allocation of its {} bytes failed", bytes));
    }
    bytes_ = bytes;
    return memory_;
}

}  // namespace heron::core
