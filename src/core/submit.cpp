#include "submit.hpp"
#include "element_types.hpp"
#include "status.hpp"
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

namespace heron::core {
namespace {

template <class T>
heron_scalar real_scalar(const void* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return {nullptr, static_cast<double>(value), 0};
}

template <class T>
heron_scalar complex_scalar(const void* p) {
    std::complex<T> value;
    std::memcpy(static_cast<void*>(&value), p, sizeof value);
    return {nullptr, value.real(), value.imag()};
}

// IEEE binary16 or bfloat16, exactly.
double widened(uint16_t bits, bool brain) {
    const int mantissa_bits = brain ? 7 : 10;
    const int bias = brain ? 127 : 15;
    const int mantissa = bits & ((1 << mantissa_bits) - 1);
    const int exponent = (bits & 0x7fff) >> mantissa_bits;
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 2 * bias + 1)
        return mantissa ? std::nan("") : sign * std::numeric_limits<double>::infinity();
    const int whole = exponent > 0 ? mantissa + (1 << mantissa_bits) : mantissa;
    return sign * std::ldexp(whole, std::max(exponent, 1) - bias - mantissa_bits);
}

}  // namespace

heron_scalar scalar_argument(const context& c, const void* pointer, heron_type compute_type,
                             const subject& about) {
    if (c.pointer_mode() == pointer_mode::device) {
        require_element(pointer, size_of(compute_type), about);
        return {pointer, 0, 0};
    }
    return scalar_on_host(pointer, compute_type, about);
}

heron_scalar scalar_on_host(const void* pointer, heron_type compute_type, const subject& about) {
    // Copied byte by byte: std::complex<float> is less aligned than cuComplex.
    required(pointer, about);
    switch (compute_type) {
        case HERON_R_32I: return real_scalar<int32_t>(pointer);
        case HERON_R_32F: return real_scalar<float>(pointer);
        case HERON_R_64F: return real_scalar<double>(pointer);
        case HERON_C_32F: return complex_scalar<float>(pointer);
        case HERON_C_64F: return complex_scalar<double>(pointer);
        default:
            not_supported(role::compute_type, fmt::format("{} is not a compute type", name_of(compute_type)));
    }
}

heron_scalar short_scalar_argument(const context& c, const void* pointer, heron_type compute_type,
                                   const subject& about) {
    if (c.pointer_mode() == pointer_mode::device)
        not_supported(role::compute_type,
                      "16-bit scalars in device memory are not built: use the 32-bit compute type");
    uint16_t parts[2] = {0, 0};
    std::memcpy(parts, required(pointer, about), size_of(compute_type));
    const bool brain = compute_type == HERON_R_16BF || compute_type == HERON_C_16BF;
    return {nullptr, widened(parts[0], brain), is_complex(compute_type) ? widened(parts[1], brain) : 0};
}

heron_count_result count_result(const context& c, int32_t* total) {
    const bool is_on_device = c.pointer_mode() == pointer_mode::device;
    if (is_on_device) require_aligned(total, sizeof *total, role::result);
    return {total, is_on_device};
}

void slot_missing(const context& c, operation op) {
    not_supported(name_of(op), fmt::format("the {} plug-in is older and lacks it", c.backend().name));
}

void slot_failed(const context& c, operation op, heron_status status) {
    throw error(status, "",
                fmt::format("{} on {}: {}", name_of(op), c.backend().name, status_string(status)));
}

void workspace_missing(size_t needed) {
    invalid(role::workspace, fmt::format("is NULL, but {} bytes are needed", needed));
}

}  // namespace heron::core
