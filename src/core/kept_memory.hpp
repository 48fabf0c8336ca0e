#pragma once
// Device memory that outlives a call, for functions whose callers may overwrite the workspace between their
// phases.
#include "context.hpp"

namespace heron::core {

// Destroying it waits for work that may still use it.
class kept_memory {
  public:
    kept_memory() = default;
    ~kept_memory();
    kept_memory(const kept_memory&) = delete;
    kept_memory& operator=(const kept_memory&) = delete;

    // At least so many bytes on this context's device; what was there before is lost if it is elsewhere or
    // too small. NULL for none.
    void* at_least(size_t bytes, context& c);
    // NULL where there is nothing on this context's device.
    void* on(const context& c) const;
    bool is_empty() const { return !memory_; }

  private:
    void release();

    const heron_backend* backend_ = nullptr;
    int device_ = 0;
    void* memory_ = nullptr;
    size_t bytes_ = 0;
};

}  // namespace heron::core
