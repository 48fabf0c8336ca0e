// Backends and devices through Heron's native API, for the commands that list or measure them.
#pragma once

#include <heron/heron.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace heron::tools {

struct backend_state {
    std::string name;
    bool available = false;
    std::string reason;  // why it is not available
    std::string version;
    std::string path;
};

// Every backend that the library knows, in the order in which it tries them.
std::vector<backend_state> list_backends();

// `names`, or if there are none, every backend that can be used.
std::vector<std::string> usable_backends(const std::vector<std::string>& names);

// Collects the reasons that the library logs, without letting them into the program's output, unless the user
// has asked for a log by the environment. One per process, made before the first call that may fail.
class reason_log {
  public:
    reason_log();
    ~reason_log();
    reason_log(const reason_log&) = delete;
    reason_log& operator=(const reason_log&) = delete;

    // The last reason since the last call of take(), or an empty string.
    static std::string take();
};

class heron_error : public std::runtime_error {
  public:
    heron_error(heron_status status, std::string_view what);
    heron_status status() const { return status_; }

  private:
    heron_status status_;
};

// Throws heron_error unless the status is success.
void check(heron_status status, std::string_view what);

// Memory of a device, freed with the object.
class device_buffer {
  public:
    device_buffer() = default;
    device_buffer(heron_handle handle, std::size_t bytes);

    void* get() const { return memory_.get(); }
    std::byte* at(std::size_t offset) const { return static_cast<std::byte*>(memory_.get()) + offset; }

  private:
    struct release {
        heron_handle handle;
        void operator()(void* memory) const { heron_free(handle, memory); }
    };
    std::unique_ptr<void, release> memory_;
};

// One device of one backend, with its default stream.
class device {
  public:
    // HERON_DEVICE or the first device.
    explicit device(const std::string& backend);
    ~device();
    device(const device&) = delete;
    device& operator=(const device&) = delete;

    const std::string& backend() const { return backend_; }
    const heron_device_info& info() const { return info_; }
    heron_handle handle() const { return handle_; }
    // The device computes on the processor's cores and memory.
    bool is_processor() const { return !info_.is_gpu; }

    device_buffer allocate(std::size_t bytes) const { return {handle_, bytes}; }
    void copy(void* destination, const void* source, std::size_t bytes) const;
    void fill(void* destination, unsigned char byte, std::size_t bytes) const;
    void synchronize() const;

    // Seconds that the work submitted to the default stream takes: by the device's events on CUDA, else by
    // the clock from the first call until the stream is idle.
    double seconds(const std::function<void()>& submit) const;

    // A working set of this size does not stay in the device's cache from one pass to the next.
    std::size_t cold_bytes() const;

  private:
    double seconds_by_events(const std::function<void()>& submit) const;

    std::string backend_;
    heron_handle handle_ = nullptr;
    heron_device_info info_{};
    void* start_ = nullptr;
    void* stop_ = nullptr;
};

}  // namespace heron::tools
