#include "lane.hpp"

#include <array>
#include <utility>

namespace heron::tools {
namespace {

// 0 and 1 as double and as float: {0, 1} at 0, {0f, 1f} at 16.
struct scalar_values {
    double wide[2] = {0, 1};
    float narrow[2] = {0, 1};
};
constexpr scalar_values host_scalars;

}  // namespace

lane::lane(const cusparse_library& library, bool scalars_on_device) : library_(library) {
    try {
        heron::tools::check(heron_create(&native_), "heron_create");
        check(library_.create(&sparse_), "cusparseCreate");
        void* stream = nullptr;
        heron::tools::check(heron_stream_create(native_, &stream), "heron_stream_create");
        set_stream(stream);
        if (!scalars_on_device) return;
        scalars_ = device_buffer(native_, sizeof host_scalars);
        heron::tools::check(heron_copy(native_, scalars_.get(), &host_scalars, sizeof host_scalars),
                            "heron_copy");
        heron::tools::check(heron_set_pointer_mode(native_, HERON_POINTER_DEVICE), "heron_set_pointer_mode");
        check(library_.function<decltype(&cusparseSetPointerMode)>("cusparseSetPointerMode")(
                  sparse_, CUSPARSE_POINTER_MODE_DEVICE),
              "cusparseSetPointerMode");
    } catch (...) {
        release();
        throw;
    }
}

lane::~lane() { release(); }

void lane::release() {
    scalars_ = {};
    if (sparse_) library_.destroy(sparse_);
    if (stream_) {
        heron_set_stream(native_, nullptr);
        heron_stream_destroy(native_, stream_);
    }
    if (native_) heron_destroy(native_);
}

void lane::set_stream(void* stream) {
    void* const before = std::exchange(stream_, stream);
    heron::tools::check(heron_set_stream(native_, stream), "heron_set_stream");
    check(library_.function<decltype(&cusparseSetStream)>("cusparseSetStream")(
              sparse_, static_cast<cudaStream_t>(stream)),
          "cusparseSetStream");
    if (before) heron::tools::check(heron_stream_destroy(native_, before), "heron_stream_destroy");
}

void lane::change_stream() {
    finish();
    void* stream = nullptr;
    heron::tools::check(heron_stream_create(native_, &stream), "heron_stream_create");
    set_stream(stream);
}

const void* lane::scalar(scalar_type type, int value) const {
    const auto* const at =
        scalars_on_device() ? static_cast<const scalar_values*>(scalars_.get()) : &host_scalars;
    return type == scalar_type::f64 ? static_cast<const void*>(at->wide + value)
                                    : static_cast<const void*>(at->narrow + value);
}

device_numbers::device_numbers(heron_handle on, scalar_type type, const std::vector<double>& values)
    : type_(type), bytes_(on, encode(type, {.real = values})) {}

device_numbers::device_numbers(heron_handle on, scalar_type type, std::size_t count)
    : type_(type), bytes_(on, traits_of(type).size * count) {}

std::size_t device_numbers::size() const { return bytes_.size() / traits_of(type_).size; }

std::vector<double> device_numbers::read(heron_handle by) const {
    return decode(type_, bytes_.download(by)).real;
}

}  // namespace heron::tools
