#pragma once
// The OpenCL devices that Heron can use, found once per process.
#include "opencl/dense/kit.hpp"
#include "error.hpp"
#include "program.hpp"
#include "scratch.hpp"
#include "traits.hpp"
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace heron::opencl {

class kernel_cache;

// An event behind all that the queue has been given, on its way to the device. The caller releases it.
cl_event mark_behind(cl_command_queue queue);

// Whether the event is complete. Throws if a command before it has failed.
bool has_passed(cl_event event);

// An in-order command queue. Events take their times from a second, profiling queue, so that the work itself
// never pays for being timed.
class stream {
  public:
    stream(cl_context context, cl_device_id device);
    // A caller's queue.
    explicit stream(cl_command_queue adopted);
    ~stream();
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;

    cl_command_queue work() const { return work_; }
    cl_command_queue clock();

  private:
    friend class device;
    cl_context context_ = nullptr;
    cl_device_id device_ = nullptr;
    cl_command_queue work_ = nullptr;
    std::mutex mutex_;
    cl_command_queue clock_ = nullptr;
    // Guarded by the device: how much was submitted here, and how much of whom is known to come before what
    // follows. For the default stream nothing is seen here; each other stream remembers both directions.
    uint64_t submitted_ = 0;
    uint64_t seen_of_default_ = 0;
    uint64_t seen_by_default_ = 0;
    // How many submissions are known to be done; the mark is behind the first `marked_`.
    uint64_t done_ = 0;
    cl_event mark_ = nullptr;
    uint64_t marked_ = 0;
};

class device {
  public:
    // The reason why Heron cannot use the OpenCL device is returned in *why; it is empty for a good one.
    device(cl_device_id id, cl_platform_id platform, std::string* why);
    // The device in a caller's context. It has no streams of its own.
    device(cl_device_id id, cl_context context);
    ~device();
    device(const device&) = delete;
    device& operator=(const device&) = delete;

    const device_traits& traits() const { return traits_; }
    cl_device_id id() const { return id_; }
    cl_context context();
    program_store& programs() { return programs_; }
    scratch_pool& scratch() { return *scratch_; }
    dense_kits& dense() { return dense_; }
    bool is_guest() const { return is_guest_; }

    // Kernels hold their arguments, so that each queue has its own; those of a guest serve one adopted queue
    // after another.
    std::unique_ptr<kernel_cache> borrow_kernels();
    // Drops programs, kernels and scratch memory.
    void empty_caches();
    void return_kernels(std::unique_ptr<kernel_cache> kernels) noexcept;

    // The stream behind a native handle; NULL is the default stream. Throws for an address that is no stream.
    std::shared_ptr<stream> stream_of(void* handle);
    void* create_stream();
    void destroy_stream(void* handle);

    // Waits for all streams, or for one.
    void finish();
    void finish(stream& s);
    // Whether all that the stream was given is done. Waits for nothing.
    bool is_done(stream& s);

    // The default stream is CUDA's: its work starts after what all other streams were given before, and
    // theirs after its. Enqueue between the two calls.
    void order_before_submission(stream& s);
    void count_submission(stream& s);

  private:
    void open(const std::lock_guard<std::mutex>&);

    cl_device_id id_;
    device_traits traits_;
    std::mutex mutex_;
    cl_context context_ = nullptr;
    std::shared_ptr<stream> default_stream_;
    std::vector<std::shared_ptr<stream>> streams_;
    program_store programs_;
    std::unique_ptr<scratch_pool> scratch_;
    dense_kits dense_;
    std::vector<std::unique_ptr<kernel_cache>> idle_kernels_;
    bool is_guest_ = false;
};

struct device_list {
    std::vector<device*>
        devices;  // GPUs first; never freed, since drivers unload before static destructors run
    std::string why_none;
};

const device_list& all_devices();

// Throws INVALID_VALUE for an index out of range.
device& device_at(int index);

}  // namespace heron::opencl
