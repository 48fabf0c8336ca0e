/* Half precision (IEEE binary16) as a storage type: conversions, and arithmetic by way of float. */
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#include "vector_types.h"
#include "vector_functions.h"

typedef struct __align__(2) {
    unsigned short x;
}
__half_raw;

typedef struct __align__(4) {
    unsigned short x, y;
}
__half2_raw;

#ifdef __cplusplus

#define __CUDA_FP16_TYPES_EXIST__

#include <string.h>

#include <type_traits>

namespace heron_fp16 {

/* Round to nearest even, straight from double: a step through float would round twice. NaN becomes 0x7fff. */
inline unsigned short from_double(double value) {
    unsigned long long bits;
    memcpy(&bits, &value, sizeof bits);
    const unsigned sign = static_cast<unsigned>(bits >> 48) & 0x8000u;
    bits &= 0x7fffffffffffffffull;
    if (bits > 0x7ff0000000000000ull) return 0x7fff;
    const int exponent = static_cast<int>(bits >> 52) - 1023;
    if (exponent > 15) return static_cast<unsigned short>(sign | 0x7c00u);
    if (exponent < -25) return static_cast<unsigned short>(sign);
    /* A subnormal half keeps fewer bits and has the stored exponent 0. */
    const int drop = exponent < -14 ? 42 - 14 - exponent : 42;
    const unsigned long long mantissa = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
    unsigned half = static_cast<unsigned>(mantissa >> drop);
    if (exponent >= -14) half += static_cast<unsigned>(exponent + 14) << 10;
    const unsigned long long rest = mantissa & ((1ull << drop) - 1), tie = 1ull << (drop - 1);
    /* A carry runs into the exponent, up to infinity, as it should. */
    if (rest > tie || (rest == tie && (half & 1u))) ++half;
    return static_cast<unsigned short>(sign | half);
}

/* Exact; a NaN becomes the canonical quiet NaN. */
inline float to_float(unsigned short half) {
    const unsigned sign = (half & 0x8000u) << 16, exponent = (half >> 10) & 0x1fu, mantissa = half & 0x3ffu;
    if (exponent == 0) {
        const float magnitude = static_cast<float>(mantissa) * (1.0f / 16777216.0f);
        return sign ? -magnitude : magnitude;
    }
    unsigned bits = sign | ((exponent + 112u) << 23) | (mantissa << 13);
    if (exponent == 0x1fu) bits = mantissa ? 0x7fffffffu : sign | 0x7f800000u;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace heron_fp16

struct __align__(2) __half {
    __half() = default;
    constexpr __half(const __half_raw& raw) : __x(raw.x) {}
    template <class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
    __half(T value) : __x(heron_fp16::from_double(static_cast<double>(value))) {}
    operator __half_raw() const { return __half_raw{__x}; }
    operator float() const { return heron_fp16::to_float(__x); }

    __half& operator+=(float other) { return *this = *this + other; }
    __half& operator-=(float other) { return *this = *this - other; }
    __half& operator*=(float other) { return *this = *this * other; }
    __half& operator/=(float other) { return *this = *this / other; }

  protected:
    unsigned short __x;
};

struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    constexpr __half2(const __half& low, const __half& high) : x(low), y(high) {}
    constexpr __half2(const __half2_raw& raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
    operator __half2_raw() const { return __half2_raw{__half_raw(x).x, __half_raw(y).x}; }
};

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
typedef __half nv_half;
typedef __half2 nv_half2;

inline __half __float2half(float a) { return __half(a); }
inline __half __float2half_rn(float a) { return __half(a); }
inline __half __double2half(double a) { return __half(a); }
inline float __half2float(__half a) { return a; }

inline unsigned short __half_as_ushort(__half a) { return __half_raw(a).x; }
inline short __half_as_short(__half a) { return static_cast<short>(__half_raw(a).x); }
inline __half __ushort_as_half(unsigned short bits) { return __half_raw{bits}; }
inline __half __short_as_half(short bits) { return __half_raw{static_cast<unsigned short>(bits)}; }
inline bool __hisnan(__half a) { return (__half_as_ushort(a) & 0x7fffu) > 0x7c00u; }
/* 1 for +infinity, -1 for -infinity, else 0 */
inline int __hisinf(__half a) {
    return (__half_as_ushort(a) & 0x7fffu) != 0x7c00u ? 0 : __half_as_ushort(a) == 0x7c00u ? 1 : -1;
}

inline __half2 make_half2(__half x, __half y) { return __half2(x, y); }
inline __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
inline __half2 __half2half2(__half a) { return __half2(a, a); }
inline __half2 __float2half2_rn(float a) { return __half2(a, a); }
inline __half2 __floats2half2_rn(float a, float b) { return __half2(a, b); }
inline __half2 __float22half2_rn(float2 a) { return __half2(a.x, a.y); }
inline float2 __half22float2(__half2 a) { return make_float2(a.x, a.y); }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }
inline float __low2float(__half2 a) { return a.x; }
inline float __high2float(__half2 a) { return a.y; }

#endif

#endif
