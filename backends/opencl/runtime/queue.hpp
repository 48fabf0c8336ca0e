#pragma once
// A handle's execution context, and the events and streams behind the table's opaque pointers.
#include "platform.hpp"
#include <cstring>
#include <unordered_map>
#include <vector>

namespace heron::opencl {

// What a kernel's arguments have been set to, so that a call sets those alone that differ from the last
// one's.
class kept_arguments {
  public:
    bool has(cl_uint index, const void* value, size_t size) const {
        return index < kept_.size() && kept_[index].size == size &&
               std::memcmp(kept_[index].bytes, value, size) == 0;
    }
    void keep(cl_uint index, const void* value, size_t size) {
        if (size > sizeof(argument::bytes)) return;
        if (index >= kept_.size()) kept_.resize(index + 1);
        kept_[index].size = size;
        std::memcpy(kept_[index].bytes, value, size);
    }

  private:
    struct argument {
        size_t size = 0;
        unsigned char bytes[16];
    };
    std::vector<argument> kept_;
};

// Kernel objects hold their arguments, so a queue has its own.
struct kernel_instance {
    cl_kernel kernel = nullptr;
    size_t local_size = 0;
    const char* name = "";
    mutable kept_arguments arguments{};  // those that are no memory
};

// Which kernel of which program. Bit i of null_pointers says that argument i is a NULL pointer: such calls
// have a kernel object of their own, because NVIDIA's driver cannot take back an SVM pointer that an argument
// once had.
struct kernel_id {
    const void* program;  // an address that stands for it
    const char* name;
    uint64_t null_pointers;
    bool operator==(const kernel_id&) const = default;
};

struct kernel_id_hash {
    size_t operator()(const kernel_id& id) const {
        constexpr size_t spread = 0x9e3779b97f4a7c15u;
        const auto program = reinterpret_cast<size_t>(id.program);
        const auto name = reinterpret_cast<size_t>(id.name);
        return ((program * spread ^ name) * spread) ^ id.null_pointers;
    }
};

// The kernels of a queue.
class kernel_cache {
  public:
    kernel_cache() = default;
    ~kernel_cache();
    kernel_cache(const kernel_cache&) = delete;
    kernel_cache& operator=(const kernel_cache&) = delete;

    std::unordered_map<kernel_id, kernel_instance, kernel_id_hash> kernels;
};

// What an adopted command queue needs beyond an owned one.
class adoption {
  public:
    adoption(std::shared_ptr<device> guest, bool is_in_order)
        : guest_(std::move(guest)), is_in_order_(is_in_order) {}
    ~adoption();
    adoption(const adoption&) = delete;
    adoption& operator=(const adoption&) = delete;

    // The caller's events for the first command, then the chain of commands on an out-of-order queue.
    void add_wait(cl_event event);
    cl_uint wait_count() const { return static_cast<cl_uint>(waits_.size()); }
    const cl_event* wait_list() const { return waits_.empty() ? nullptr : waits_.data(); }
    // The command behind the event was enqueued with that list. Takes the event over.
    void follow(cl_event event);
    cl_event last() const { return last_; }
    bool is_in_order() const { return is_in_order_; }

  private:
    void drop_waits();

    std::shared_ptr<device> guest_;  // outlives the queue
    bool is_in_order_;
    std::vector<cl_event> waits_;
    cl_event last_ = nullptr;
};

// A little memory of the host that the driver has pinned: NVIDIA's copies a few bytes there in half of the
// time that they take to any other (survey-18).
class pinned_window {
  public:
    static constexpr size_t bytes = 4096;

    pinned_window(cl_context context, std::shared_ptr<stream> mapped_by);
    ~pinned_window();
    pinned_window(const pinned_window&) = delete;
    pinned_window& operator=(const pinned_window&) = delete;

    void* address() const { return address_; }  // NULL where there is none

  private:
    std::shared_ptr<stream> mapped_by_;
    cl_mem memory_;
    void* address_ = nullptr;
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
    void hold_back(device& d, stream& s) const;
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
    // On a caller's command queue.
    heron_queue(std::shared_ptr<heron::opencl::device> guest, cl_command_queue commands, bool is_in_order);
    ~heron_queue();
    heron_queue(const heron_queue&) = delete;
    heron_queue& operator=(const heron_queue&) = delete;

    heron::opencl::submission submit() { return {device, *stream}; }
    void flush() { clFlush(stream->work()); }
    void finish() { heron::opencl::check(clFinish(stream->work()), "clFinish"); }

    // Created at first use, of the program that make_key() describes.
    template <class MakeKey>
    const heron::opencl::kernel_instance& kernel(const heron::opencl::kernel_id& id, MakeKey&& make_key) {
        const auto found = kernels_->kernels.find(id);
        if (found != kernels_->kernels.end()) return found->second;
        return add_kernel(id, make_key());
    }

    // Enqueues one command: f(commands, wait_count, wait_list, event). *event gets the command's event, for
    // the caller to release, if event is not NULL.
    template <class F>
    void enqueue(const char* call, F&& f, cl_event* event = nullptr) {
        using namespace heron::opencl;
        if (!adopted) {
            check(f(submit().commands(), cl_uint{0}, static_cast<const cl_event*>(nullptr), event), call);
            return;
        }
        cl_event done = nullptr;
        check(f(stream->work(), adopted->wait_count(), adopted->wait_list(), &done), call);
        if (event) {
            clRetainEvent(done);
            *event = done;
        }
        adopted->follow(done);
    }

    // For what the host reads of a GPU on a queue of Heron's own; else NULL.
    void* window();

    // What keeps the order of commands without events: the queue, unless it is out of order.
    cl_command_queue ordering() const {
        return adopted && !adopted->is_in_order() ? nullptr : stream->work();
    }

    // Whether work starts in time without a flush of ours. A caller's queue is flushed when he waits for it,
    // or for an event of it (queue_mark), as with clBLAS. Out of order it must get on, because scratch memory
    // is only free again when its work is seen to be done.
    bool owner_flushes() const { return adopted && adopted->is_in_order(); }

    heron::opencl::device& device;
    const int index;
    std::shared_ptr<heron::opencl::stream> stream;
    std::unique_ptr<heron::opencl::adoption> adopted;  // NULL for a queue of Heron's own

  private:
    const heron::opencl::kernel_instance& add_kernel(const heron::opencl::kernel_id& id,
                                                     const heron::opencl::program_key& key);

    std::unique_ptr<heron::opencl::kernel_cache> kernels_;
    std::unique_ptr<heron::opencl::pinned_window> window_;  // made at first use
};
