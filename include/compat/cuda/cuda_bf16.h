/* bfloat16 as a storage type: conversions, and arithmetic by way of float. */
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#include "vector_types.h"
#include "vector_functions.h"

typedef struct __align__(2) {
    unsigned short x;
}
__nv_bfloat16_raw;

typedef struct __align__(4) {
    unsigned short x, y;
}
__nv_bfloat162_raw;

#ifdef __cplusplus

#define __CUDA_BF16_TYPES_EXIST__

#include <string.h>

#include <type_traits>

namespace heron_bf16 {

/* Round to nearest even. NaN becomes 0x7fff. */
inline unsigned short from_float(float value) {
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
    return static_cast<unsigned short>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

/* To float rounding to odd, which keeps what the second rounding needs to know (S. Boldo, G. Melquiond,
 * IEEE Trans. Comput. 57(4), 2008). */
inline unsigned short from_double(double value) {
    float nearest = static_cast<float>(value);
    unsigned bits;
    memcpy(&bits, &nearest, sizeof bits);
    const double back = static_cast<double>(nearest);
    if (back != value && value == value && !(bits & 1u)) {
        const bool grow = (value > back) == (value > 0);
        bits = grow ? bits + 1u : bits - 1u;
        memcpy(&nearest, &bits, sizeof bits);
    }
    return from_float(nearest);
}

/* Exact. */
inline float to_float(unsigned short bfloat) {
    const unsigned bits = static_cast<unsigned>(bfloat) << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace heron_bf16

struct __align__(2) __nv_bfloat16 {
    __nv_bfloat16() = default;
    constexpr __nv_bfloat16(const __nv_bfloat16_raw& raw) : __x(raw.x) {}
    template <class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
    __nv_bfloat16(T value) : __x(heron_bf16::from_double(static_cast<double>(value))) {}
    operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
    operator float() const { return heron_bf16::to_float(__x); }

    __nv_bfloat16& operator+=(float other) { return *this = *this + other; }
    __nv_bfloat16& operator-=(float other) { return *this = *this - other; }
    __nv_bfloat16& operator*=(float other) { return *this = *this * other; }
    __nv_bfloat16& operator/=(float other) { return *this = *this / other; }

  protected:
    unsigned short __x;
};

struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    constexpr __nv_bfloat162(const __nv_bfloat16& low, const __nv_bfloat16& high) : x(low), y(high) {}
    constexpr __nv_bfloat162(const __nv_bfloat162_raw& raw)
        : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y}) {}
    operator __nv_bfloat162_raw() const {
        return __nv_bfloat162_raw{__nv_bfloat16_raw(x).x, __nv_bfloat16_raw(y).x};
    }
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

inline __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
inline __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
inline __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
inline float __bfloat162float(__nv_bfloat16 a) { return a; }

inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return __nv_bfloat16_raw(a).x; }
inline short __bfloat16_as_short(__nv_bfloat16 a) { return static_cast<short>(__nv_bfloat16_raw(a).x); }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __nv_bfloat16_raw{bits}; }
inline __nv_bfloat16 __short_as_bfloat16(short bits) {
    return __nv_bfloat16_raw{static_cast<unsigned short>(bits)};
}
inline bool __hisnan(__nv_bfloat16 a) { return (__bfloat16_as_ushort(a) & 0x7fffu) > 0x7f80u; }
/* 1 for +infinity, -1 for -infinity, else 0 */
inline int __hisinf(__nv_bfloat16 a) {
    return (__bfloat16_as_ushort(a) & 0x7fffu) != 0x7f80u ? 0 : __bfloat16_as_ushort(a) == 0x7f80u ? 1 : -1;
}

inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
inline __nv_bfloat162 __float2bfloat162_rn(float a) { return __nv_bfloat162(a, a); }
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(a, b); }
inline __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __nv_bfloat162(a.x, a.y); }
inline float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2(a.x, a.y); }
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
inline float __low2float(__nv_bfloat162 a) { return a.x; }
inline float __high2float(__nv_bfloat162 a) { return a.y; }

#endif

#endif
