#pragma once
// Device memory of a handle's own, for operations whose functions have no argument for a workspace.
#include <heron/backend.h>
#include <vector>

namespace heron::core {

// A stream as a handle was given it. A stream that was destroyed may still have work under way when another
// one gets its address, so that a handle that is given the same address again may have another stream.
struct bound_stream {
    void* stream = nullptr;
    uint64_t binding = 0;  // 0 for the default stream, which is always the same

    // As a handle is given it now.
    static bound_stream of(void* stream);
    friend bool operator==(const bound_stream&, const bound_stream&) = default;
};

// The operations that use it follow each other, on whatever streams they are: one that comes on another
// stream than the last waits for it there. It grows and is freed with the handle only, because work under
// way, and graphs that were captured, keep addresses of it. The caller may give memory in its place.
//
// One thread at a time, as the handle's mutex sees to.
class scratch {
  public:
    scratch(const heron_backend& table, int device) : table_(table), device_(device) {}
    ~scratch();
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;

    // NULL and 0: none of the caller's any more.
    void use(void* memory, size_t bytes);

    // Whether there is so much, or may be: the caller's memory does not grow.
    bool may_hold(size_t bytes) const { return !callers_ || bytes <= callers_bytes_; }

    // Memory of at least so many bytes for what the stream is given next. Throws INSUFFICIENT_RESOURCES where
    // the caller's memory is too small, ALLOC_FAILED where the device has none.
    void* acquire(size_t bytes, const bound_stream& on);
    // After that work was submitted.
    void release(const bound_stream& on);

  private:
    void record(void* stream);
    void* grown_to(size_t bytes);
    void* allocated(size_t bytes);

    const heron_backend& table_;
    const int device_;
    std::vector<void*> blocks_;  // the last is in use
    size_t bytes_ = 0;           // of the last
    void* callers_ = nullptr;
    size_t callers_bytes_ = 0;
    void* event_ = nullptr;  // behind the last use, but for one that it has yet to be recorded behind
    bound_stream stream_;    // of the first use
    bool is_used_ = false;
    bool is_recorded_ = false;
    // From then on every use waits: which of them were captured, and so wait for nothing, the plug-in knows.
    bool has_several_streams_ = false;
};

}  // namespace heron::core
