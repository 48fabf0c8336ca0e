// A handle of cuSPARSE and one of the native interface on one stream of their own, and device memory that is
// filled and read on it. Several threads may use a lane at a time: what belongs to a lane stays as it is
// made.
#pragma once

#include <heron/heron.h>

#include <memory>
#include <vector>

#include "measure/bench_values.hpp"
#include "measure/device_array.hpp"
#include "peers/cusparse_library.hpp"

namespace heron::tools {

class lane {
  public:
    // On the device of HERON_BACKEND and HERON_DEVICE. Scalars are read on the device or on the host.
    lane(const cusparse_library& library, bool scalars_on_device);
    ~lane();
    lane(const lane&) = delete;
    lane& operator=(const lane&) = delete;

    const cusparse_library& library() const { return library_; }
    cusparseHandle_t sparse() const { return sparse_; }
    heron_handle native() const { return native_; }

    // Numbers of the type, where the handles' pointer mode says.
    const void* one(scalar_type type) const { return scalar(type, 1); }
    const void* zero(scalar_type type) const { return scalar(type, 0); }
    bool scalars_on_device() const { return scalars_.get() != nullptr; }

    void finish() const { heron::tools::check(heron_synchronize(native_), "heron_synchronize"); }
    void check(cusparseStatus_t status, const char* function) const { library_.check(status, function); }
    // For the one thread that has the lane to itself.
    void change_stream();

  private:
    const void* scalar(scalar_type type, int value) const;
    void set_stream(void* stream);
    void release();

    const cusparse_library& library_;
    heron_handle native_ = nullptr;
    cusparseHandle_t sparse_ = nullptr;
    void* stream_ = nullptr;
    device_buffer scalars_;
};

// Whole numbers of a type that is chosen at run time, in the memory of a lane's device.
class device_numbers {
  public:
    device_numbers(heron_handle on, scalar_type type, const std::vector<double>& values);
    device_numbers(heron_handle on, scalar_type type, std::size_t count);

    void* get() const { return bytes_.get(); }
    std::size_t size() const;
    std::vector<double> read(heron_handle by) const;

  private:
    scalar_type type_;
    device_array<std::byte> bytes_;
};

}  // namespace heron::tools
