#pragma once
// What the runtime knows of the process: the devices of the chosen backend and, for each, its memory, streams
// and events.
#include "guard.hpp"
#include "core/context.hpp"
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace heron::cudart {

// A stream of a device. The public cudaStream_t is its native stream, so that cuSPARSE handles can use it.
class stream {
  public:
    enum class kind { device_default, blocking, non_blocking };

    stream(const core::backend& backend, int device_number, int ordinal, kind k);
    ~stream();
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;

    int ordinal() const { return ordinal_; }
    kind sort() const { return kind_; }
    void* native() const { return native_; }

    void copy(void* destination, const void* source, size_t bytes);
    void copy_rows(char* destination, size_t destination_pitch, const char* source, size_t source_pitch,
                   size_t width, size_t height);
    void fill(void* destination, unsigned char byte, size_t bytes);
    void fill_rows(char* destination, size_t pitch, unsigned char byte, size_t width, size_t height);
    void synchronize();
    void record(void* native_event);
    void wait_for(void* native_event);
    bool is_idle();

  private:
    core::context context_;
    int ordinal_;
    kind kind_;
    void* native_ = nullptr;
};

// The public cudaEvent_t is the native event. An event that was never recorded counts as complete.
class event {
  public:
    event(const core::backend& backend, int device_number, int ordinal, unsigned flags);
    ~event();
    event(const event&) = delete;
    event& operator=(const event&) = delete;

    int ordinal() const { return ordinal_; }
    unsigned flags() const { return flags_; }
    void* native() const { return native_; }
    bool is_recorded() const { return is_recorded_; }

    void record(stream& on);
    void hold_back(stream& waiting);
    bool is_complete();
    void synchronize();
    // Milliseconds between two different or equal events that are recorded and complete.
    float elapsed_since(event& start);

  private:
    const heron_backend& table_;
    const int ordinal_;
    const unsigned flags_;
    void* native_ = nullptr;
    std::atomic<bool> is_recorded_ = false;
    std::recursive_mutex mutex_;  // a native event serves one thread at a time
};

struct device {
    device(const core::backend& b, int ordinal, int number);

    const core::backend& backend;
    const int ordinal;  // what the program calls it
    const int number;   // what the backend calls it
    heron_device_info info{};
    stream default_stream;
    // What cudaDeviceSetLimit sets, by cudaLimit; the values at first are those of CUDA devices.
    std::array<std::atomic<size_t>, 7> limits = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};
    std::atomic<cudaFuncCache> cache_config = cudaFuncCachePreferNone;

    const heron_backend& table() const { return backend.table; }
    // Waits for everything submitted to the device.
    void synchronize() const;
};

// Memory that this runtime has handed out or, with registered = true, that the program has declared to it.
struct allocation {
    void* base =
        nullptr;  // what the backend calls it: the address itself or, for the sake of alignment, one before
    size_t bytes = 0;
    heron_memory kind = HERON_MEMORY_DEVICE;
    unsigned flags = 0;
    int ordinal = 0;
    bool registered = false;
    std::shared_ptr<void> share;  // in a memory pool
};

// Where an address lies.
struct place {
    bool is_known = false;  // inside an allocation of the backend or a registered range
    bool is_registered = false;
    heron_memory kind = HERON_MEMORY_HOST;
    int ordinal = 0;
    size_t bytes_left = 0;  // from the address to the end of its block
    unsigned flags = 0;     // that it was allocated or registered with
};

class runtime {
  public:
    // Lives until the process ends, since generated code unregisters its kernels after main has returned.
    static runtime& get();

    int device_count();
    int current_ordinal() const;
    void set_current(int ordinal);
    // Of the current device, as the program has set them.
    unsigned device_flags();
    void set_device_flags(unsigned flags);
    // Throw cudaErrorInvalidDevice, cudaErrorNoDevice, or the fault that has made the device unusable.
    std::shared_ptr<device> at(int ordinal);
    std::shared_ptr<device> current() { return at(current_ordinal()); }
    // Frees all that belongs to the current device. The next call that needs the device starts it anew.
    void reset_current();

    // bytes > 0.
    void* allocate(size_t bytes, heron_memory kind, unsigned flags) {
        return allocate_on(*current(), bytes, kind, flags, nullptr);
    }
    void* allocate_on(const device& target, size_t bytes, heron_memory kind, unsigned flags,
                      std::shared_ptr<void> share);
    // Frees memory of exactly this address and of a kind that is_host allows.
    void release(void* pointer, bool is_host);
    void register_host(void* pointer, size_t bytes, unsigned flags);
    void unregister_host(void* pointer);
    place locate(const void* pointer);
    size_t bytes_allocated(int ordinal);

    cudaStream_t create_stream(stream::kind k);
    void destroy_stream(cudaStream_t s);
    // The default streams by their constants too.
    std::shared_ptr<stream> find(cudaStream_t s);
    cudaEvent_t create_event(unsigned flags);
    void destroy_event(cudaEvent_t e);
    std::shared_ptr<event> find(cudaEvent_t e);

    // The streams whose work so far is part of what the stream must wait for: all blocking ones for a default
    // stream.
    std::vector<std::shared_ptr<stream>> streams_before(const stream& s);

    // Runs work(stream) in the order that CUDA promises between a device's default stream and its blocking
    // streams: neither overtakes the other.
    template <class F>
    void submit(stream& s, F&& work) {
        if (s.sort() == stream::kind::non_blocking) return work(s);
        if (s.sort() == stream::kind::blocking) {
            at(s.ordinal())->default_stream.synchronize();
            return work(s);
        }
        const auto others = streams_before(s);
        for (const auto& other : others) other->synchronize();
        work(s);
        if (!others.empty()) s.synchronize();
    }

  private:
    const core::backend& backend();
    // Takes the allocation out of the books.
    allocation forget(void* pointer, bool is_host);

    std::recursive_mutex mutex_;
    const core::backend* backend_ = nullptr;
    std::vector<int> numbers_;  // the backend's number of every visible device
    std::vector<std::shared_ptr<device>> devices_;
    std::vector<unsigned> device_flags_;
    std::map<const void*, allocation> allocations_;
    std::map<const void*, std::shared_ptr<stream>> streams_;
    std::map<const void*, std::shared_ptr<event>> events_;
};

}  // namespace heron::cudart
