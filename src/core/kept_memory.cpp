#include "kept_memory.hpp"
#include "error.hpp"
#include "status.hpp"
#include <fmt/format.h>

namespace heron::core {

kept_memory::~kept_memory() { release(); }

void kept_memory::release() {
    if (memory_) backend_->memory_free(memory_);
    memory_ = nullptr;
    bytes_ = 0;
}

void* kept_memory::at_least(size_t bytes, context& c) {
    if (bytes <= bytes_ && backend_ == &c.table() && device_ == c.device()) return memory_;
    release();
    if (bytes == 0) return nullptr;
    backend_ = &c.table();
    device_ = c.device();
    if (backend_->memory_alloc(device_, bytes, HERON_MEMORY_DEVICE, &memory_) != HERON_SUCCESS) {
        memory_ = nullptr;
        throw error(HERON_ALLOC_FAILED, role::info,
                    fmt::format("no memory for the analysis's {} bytes", bytes));
    }
    bytes_ = bytes;
    return memory_;
}

}  // namespace heron::core
