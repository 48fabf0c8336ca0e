#include "submit.hpp"
#include "element_types.hpp"
#include <algorithm>
#include <cmath>
#include <complex>
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
                             const char* argument) {
    if (c.pointer_mode() == pointer_mode::device) {
        require_element(pointer, size_of(compute_type), argument);
        return {pointer, 0, 0};
    }
    // Host scalars are copied byte by byte: std::complex<float> is less aligned than cuComplex.
    required(pointer, argument);
    switch (compute_type) {
        case HERON_R_32I: return real_scalar<int32_t>(pointer);
        case HERON_R_32F: return real_scalar<float>(pointer);
        case HERON_R_64F: return real_scalar<double>(pointer);
        case HERON_C_32F: return complex_scalar<float>(pointer);
        case HERON_C_64F: return complex_scalar<double>(pointer);
        default: not_supported("computeType", fmt::format("{} is not a compute type", name_of(compute_type)));
    }
}

heron_scalar short_scalar_argument(const context& c, const void* pointer, heron_type compute_type,
                                   const char* argument) {
    if (c.pointer_mode() == pointer_mode::device)
        not_supported("computeType",
                      "16-bit scalars in device memory are not built: use the 32-bit compute type");
    uint16_t parts[2] = {0, 0};
    std::memcpy(parts, required(pointer, argument), size_of(compute_type));
    const bool brain = compute_type == HERON_R_16BF || compute_type == HERON_C_16BF;
    return {nullptr, widened(parts[0], brain), is_complex(compute_type) ? widened(parts[1], brain) : 0};
}

void require_arrays(const heron_dnvec& v, const char* argument) {
    if (v.size > 0 && !v.values) invalid(argument, "has NULL values");
}

void require_arrays(const heron_dnmat& m, const char* argument) {
    if (m.rows > 0 && m.cols > 0 && !m.values) invalid(argument, "has NULL values");
}

void require_arrays(const heron_spvec& v, const char* argument) {
    if (v.nnz > 0 && (!v.indices || !v.values)) invalid(argument, "has NULL indices or values");
}

void require_arrays(const heron_spmat& m, const char* argument) {
    if (m.rows == 0 || m.cols == 0) return;
    const bool ell = m.format == HERON_FORMAT_BLOCKED_ELL;
    const int64_t stored = ell ? m.rows * m.ell_cols : m.format == HERON_FORMAT_SELL ? m.values_size : m.nnz;
    if (stored == 0) return;
    if (!m.indices || !m.values) invalid(argument, "has NULL indices or values");
    if (m.format == HERON_FORMAT_COO && !m.row_indices) invalid(argument, "has NULL row indices");
    if (m.format != HERON_FORMAT_COO && !ell && !m.offsets) invalid(argument, "has NULL offsets");
}

bool transposes(heron_operation op) { return op == HERON_OP_TRANSPOSE || op == HERON_OP_CONJUGATE_TRANSPOSE; }
bool conjugates(heron_operation op) { return op == HERON_OP_CONJUGATE || op == HERON_OP_CONJUGATE_TRANSPOSE; }

heron_operation of_the_transpose(heron_operation op) {
    switch (op) {
        case HERON_OP_NONE: return HERON_OP_TRANSPOSE;
        case HERON_OP_TRANSPOSE: return HERON_OP_NONE;
        case HERON_OP_CONJUGATE_TRANSPOSE: return HERON_OP_CONJUGATE;
        default: return HERON_OP_CONJUGATE_TRANSPOSE;
    }
}

heron_spmat canonical(const heron_spmat& m, heron_operation& op) {
    heron_spmat result = m;
    const bool empty = m.format == HERON_FORMAT_SELL ? m.values_size == 0 : m.nnz == 0;
    if (m.format != HERON_FORMAT_BLOCKED_ELL && (empty || m.rows == 0 || m.cols == 0)) {
        result.format = HERON_FORMAT_COO;
        result.nnz = 0;
    } else if (m.format == HERON_FORMAT_CSC) {
        result.format = HERON_FORMAT_CSR;
        std::swap(result.rows, result.cols);
        op = of_the_transpose(op);
    }
    return result;
}

}  // namespace heron::core
