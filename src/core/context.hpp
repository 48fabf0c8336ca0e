#pragma once
// A handle: one device of one backend, the stream in use and the pointer mode.
#include "loader.hpp"
#include "opaque.hpp"
#include "scratch.hpp"
#include <atomic>
#include <mutex>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace heron::core {

enum class pointer_mode { host = 0, device = 1 };

// A command queue of the caller's, in a backend that has such objects (cl_command_queue).
struct command_queue {
    void* handle;
};

// Holds a mutex where the process has, or had, more than one thread: what a call does until it returns does
// not start another one that uses its handle.
class call_lock {
  public:
    explicit call_lock(std::recursive_mutex& mutex) : mutex_(is_alone() ? nullptr : &mutex) {
        if (mutex_) mutex_->lock();
    }
    ~call_lock() {
        if (mutex_) mutex_->unlock();
    }
    call_lock(const call_lock&) = delete;
    call_lock& operator=(const call_lock&) = delete;

  private:
    static bool is_alone() {
#if __has_include(<sys/single_threaded.h>)
        return __libc_single_threaded != 0;
#else
        return false;
#endif
    }

    std::recursive_mutex* mutex_;
};

class context : public opaque<context> {
  public:
    // On the default backend.
    context();
    // The device chosen by choose_thread_device, else HERON_DEVICE, else the thread's in the CUDA runtime,
    // else 0.
    explicit context(const core::backend& b);
    context(const core::backend& b, int device);
    // On a caller's command queue; device() is then -1 and operands are the backend's own objects (cl_mem).
    // Throws INVALID_VALUE for what is no queue.
    context(const core::backend& b, command_queue queue);
    ~context();
    context(const context&) = delete;
    context& operator=(const context&) = delete;

    const core::backend& backend() const { return backend_; }
    const heron_backend& table() const { return backend_.table; }
    int device() const { return device_; }

    void* stream() const { return bound().stream; }
    bound_stream bound() const;
    void set_stream(void* stream);
    core::pointer_mode pointer_mode() const { return pointer_mode_; }
    void set_pointer_mode(core::pointer_mode mode) { pointer_mode_ = mode; }
    int threads() const;
    void set_threads(int threads);
    // Device memory of the caller's in place of the handle's own scratch.
    void set_workspace(void* memory, size_t bytes);

    // Runs f(queue) while no other thread uses the queue.
    template <class F>
    void with_queue(F&& f) {
        const call_lock lock(mutex_);
        f(queue_);
    }

    // The same for several operations, none of which may find another thread's between it and the one before.
    template <class F>
    void exclusively(F&& f) {
        const call_lock lock(mutex_);
        f();
    }

    bool may_have_scratch(size_t bytes) const { return scratch_.may_hold(bytes); }

    // The same for an operation that has no argument for a workspace: f(queue, memory), with memory of at
    // least so many bytes that belongs to it in the order of the handle's calls.
    template <class F>
    void with_scratch(size_t bytes, F&& f) {
        const call_lock lock(mutex_);
        void* const memory = scratch_.acquire(bytes, stream_);
        f(queue_, memory);
        if (memory) scratch_.release(stream_);
    }

    // The same where the queue says how many bytes: size(queue), then f(queue, memory, bytes).
    template <class Size, class F>
    void with_scratch_of(Size&& size, F&& f) {
        const call_lock lock(mutex_);
        const size_t bytes = size(queue_);
        void* const memory = bytes > 0 ? scratch_.acquire(bytes, stream_) : nullptr;
        f(queue_, memory, bytes);
        if (memory) scratch_.release(stream_);
    }

    // On a caller's command queue, as the slots of the same meaning in backend.h; these throw their statuses.
    void wait_for(size_t count, void* const* events);
    void* mark();
    size_t buffer_bytes(void* memory);

    // Throws the status `missing` when the handle is NULL, and INVALID_VALUE when it was destroyed.
    static context& from(void* handle, heron_status missing = HERON_NOT_INITIALIZED) {
        if (!handle) handle_missing(missing);
        return *alive(static_cast<context*>(handle), role::handle);
    }

  private:
    [[noreturn]] static void handle_missing(heron_status status);

    const core::backend& backend_;
    int device_;
    heron_queue* queue_ = nullptr;
    bound_stream stream_;
    // Every scalar asks for it: no lock.
    std::atomic<core::pointer_mode> pointer_mode_ = core::pointer_mode::host;
    int threads_ = 0;
    scratch scratch_;
    mutable std::recursive_mutex mutex_;
};

// Which device of the default backend handles of this thread are made on from now on. For the CUDA runtime,
// where a thread chooses its device and the handles that it makes follow.
void choose_thread_device(int device) noexcept;

// Throws the status that a plug-in returned, unless it is success. The plug-in has logged its reason.
void check(heron_status status, const char* what);

}  // namespace heron::core
