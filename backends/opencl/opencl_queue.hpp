#pragma once
// A handle's execution context, and the events and streams behind the table's opaque pointers.
#include "opencl_platform.hpp"
#include <unordered_map>

namespace heron::opencl {

// Kernel objects hold their arguments, so a queue has its own.
struct kernel_instance {
    cl_kernel kernel = nullptr;
    size_t local_size = 0;
    const char* name = "";
};

// The stream's command queue for the time of one or more enqueues.
class submission {
  public:
    submission(device& d, stream& s) : device_(d), stream_(s) { device_.order_before_submission(stream_); }
    ~submission() { device_.count_submission(stream_); }
    submission(const submission&) = delete;
    submission& operator=(const submission&) = delete;

    cl_command_queue commands() const { return stream_.work(); }

  private:
    device& device_;
    stream& stream_;
};

class event {
  public:
    event() = default;
    ~event() { release(); }
    event(const event&) = delete;
    event& operator=(const event&) = delete;

    void record(device& d, stream& s);
    void wait() const;
    bool is_complete() const;
    // Later work of the stream starts after the event.
    void hold_back(stream& s) const;
    // Milliseconds from start to stop. Throws INVALID_VALUE unless both are complete.
    static float elapsed(const event& start, const event& stop);

  private:
    void release();
    cl_ulong nanoseconds() const;

    cl_event reached_ = nullptr;  // on the stream's own queue
    cl_event timed_ = nullptr;    // behind it, on the stream's clock
};

}  // namespace heron::opencl

struct heron_queue {
    heron_queue(heron::opencl::device& d, int device_index);
    ~heron_queue();
    heron_queue(const heron_queue&) = delete;
    heron_queue& operator=(const heron_queue&) = delete;

    heron::opencl::submission submit() { return {device, *stream}; }
    void flush() { clFlush(stream->work()); }
    void finish() { heron::opencl::check(clFinish(stream->work()), "clFinish"); }

    // The kernel `name` of a program, created at first use; `id` is an address that stands for this kernel
    // and its types. Bit i of null_pointers says that argument i is a NULL pointer: such calls have a kernel object of
    // their own, because NVIDIA's driver cannot take back an SVM pointer that an argument once had.
    template <class MakeKey>
    const heron::opencl::kernel_instance& kernel(const void* id, uint64_t null_pointers, const char* name, MakeKey&& key) {
        auto& instances = kernels_[id];
        const auto found = instances.find(null_pointers);
        if (found != instances.end()) return found->second;
        return instances.emplace(null_pointers, create_kernel(name, key())).first->second;
    }

    heron::opencl::device& device;
    const int index;
    std::shared_ptr<heron::opencl::stream> stream;

  private:
    heron::opencl::kernel_instance create_kernel(const char* name, const heron::opencl::program_key& key);

    std::unordered_map<const void*, std::unordered_map<uint64_t, heron::opencl::kernel_instance>> kernels_;
};
