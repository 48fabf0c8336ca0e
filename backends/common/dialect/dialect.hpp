#pragma once
// clang-format off: a vocabulary reads as a table.
// The kernel dialect for C++ and CUDA. Files in kernels/ are text that is OpenCL C 1.2, CUDA C++ and C++17 at
// once; they use only what this header and its OpenCL twin dialect.cl define:
//
//   HERON_TYPES(class T, ...)        the types that the next function or kernel depends on. C++: template
//   parameters;
//                                    OpenCL: nothing, the program is built with -DT=f32 and so on
//   HERON_FN type name(args)         a device function
//   HERON_KERNEL(name, args) {body}  a kernel: body is run for each `item` in [0, count)
//   HERON_END                        closes a kernel
//   GLOBAL                           address space of operands
//   LOAD(CT, VT, p, i)  STORE(CT, VT, p, i, v)   p[i] of storage type VT as compute type CT and back, rounded
//   to nearest ZERO(CT) ADD(CT, a, b) SUB MUL MAD(CT, a, b, c) = a*b + c   CONJ(CT, a) EQUAL(CT, a, b)
//   ONE(CT) DIV(CT, a, b) = a / b   REAL(CT, a)   a without its imaginary part SCALAR(CT, value, pointer)
//   *pointer if there is one, else value ATOMIC_ADD(CT, p, i, v)          p[i] += v by many items at once
//   SQRT(CT, a) of a's real part   ABS(CT, a)   MAGNITUDE(CT, a) = |re| + |im|   all without an imaginary
//   part LESS(CT, a, b)   NOT_ABOVE(CT, a, b)   a < b and a <= b of the real parts FROM_DOUBLE(CT, bits) the
//   double with these bits, an i64, cut off where CT has fewer ATOMIC_MIN(p, v)   *p := min(*p, v), of i32,
//   by many items COMBINE(OP, CT, a, b)  TERM(OP, CT, a, b)  FINISH(OP, CT, sum, c)   add, mul and epilogue
//   of the semiring OP, a type
//                                    parameter too: plus_times, min_plus, max_times, or_and. Arguments are
//                                    evaluated more than once
//
// The header is compiled once per instruction set level on the host, so everything lives in HERON_LEVEL:
// merged copies of one inline function would carry one level's instructions into another's table.
#include <cstdint>

#ifndef HERON_LEVEL
#error "HERON_LEVEL names the namespace of this build of the kernels"
#endif

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define HERON_FN static __device__ inline
#define HERON_FN_MEMBER __device__ static
#define HERON_FN_SPECIALIZED __device__ inline
#else
#define HERON_FN static inline
#define HERON_FN_MEMBER static inline
#define HERON_FN_SPECIALIZED inline
#endif
#define GLOBAL
#define HERON_TYPES(...) template <__VA_ARGS__>
#define HERON_KERNEL(kernel, ...)                    \
    struct kernel {                                  \
        static constexpr const char* name = #kernel; \
        HERON_FN_MEMBER void run(heron_index item, __VA_ARGS__)
#define HERON_END \
    }             \
    ;
#define LOAD(CT, VT, p, i) load<CT>((p)[i])
#define STORE(CT, VT, p, i, v) store((p)[i], v)
#define ZERO(CT) \
    CT {}
#define ONE(CT) one<CT>()
#define ADD(CT, a, b) add(a, b)
#define SUB(CT, a, b) sub(a, b)
#define MUL(CT, a, b) mul(a, b)
#define MAD(CT, a, b, c) mad(a, b, c)
#define CONJ(CT, a) conj(a)
#define DIV(CT, a, b) divide(a, b)
#define REAL(CT, a) real_part(a)
#define EQUAL(CT, a, b) equal(a, b)
#define FROM_DOUBLE(CT, bits) from_double<CT>(bits)
#define ABS(CT, a) modulus(a)
#define NOT_ABOVE(CT, a, b) not_above(a, b)
#define ATOMIC_MIN(p, v) atomic_least(p, v)
#define MAGNITUDE(CT, a) magnitude(a)
#define SQRT(CT, a) square_root(a)
#define LESS(CT, a, b) less(a, b)
#define SCALAR(CT, value, pointer) ((pointer) ? *(pointer) : (value))
#define ATOMIC_ADD(CT, p, i, v) atomic_add((p) + (i), v)
#define COMBINE(OP, CT, a, b) OP::template combine<CT>(a, b)
#define TERM(OP, CT, a, b) OP::template term<CT>(a, b)
#define FINISH(OP, CT, sum, c) OP::template combine<CT>(sum, c)

namespace heron::HERON_LEVEL {

using heron_index = int64_t;
using i8 = int8_t;
using i32 = int32_t;
using i64 = int64_t;
using f32 = float;
using f64 = double;
struct alignas(8) c32 {
    float re, im;
};
struct alignas(16) c64 {
    double re, im;
};
struct f16 {
    uint16_t bits;
};
struct bf16 {
    uint16_t bits;
};
struct cf16 {
    f16 re, im;
};
struct cbf16 {
    bf16 re, im;
};

// Elements that are only moved, by width.
using raw8 = int8_t;
using raw16 = int16_t;
using raw32 = int32_t;
using raw64 = int64_t;
struct raw128 {
    int64_t low, high;
};

HERON_FN uint32_t bits_of(float v) {
    uint32_t u;
    __builtin_memcpy(&u, &v, 4);
    return u;
}
HERON_FN float float_of(uint32_t u) {
    float v;
    __builtin_memcpy(&v, &u, 4);
    return v;
}

HERON_FN float widen(bf16 v) { return float_of(static_cast<uint32_t>(v.bits) << 16); }

// Round to nearest even; a NaN stays a NaN.
HERON_FN bf16 narrow_bf16(float v) {
    const uint32_t u = bits_of(v);
    if ((u & 0x7fffffffu) > 0x7f800000u) return {static_cast<uint16_t>((u >> 16) | 0x40u)};
    return {static_cast<uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16)};
}

#ifdef __CUDACC__
HERON_FN float widen(f16 v) { return __half2float(__ushort_as_half(v.bits)); }
HERON_FN f16 narrow_f16(float v) { return {__half_as_ushort(__float2half_rn(v))}; }
#else
HERON_FN float widen(f16 v) {
    const uint32_t sign = static_cast<uint32_t>(v.bits & 0x8000u) << 16;
    const uint32_t magnitude = v.bits & 0x7fffu;
    // 2^112 rebiases the exponent, subnormals included. An infinity or a NaN has its mantissa then and lacks
    // the exponent's bits. Without a branch, so that loops over it become SIMD.
    const float scaled = float_of(magnitude << 13) * 0x1p112f;
    const uint32_t not_finite = magnitude >= 0x7c00u ? 0x7f800000u : 0u;
    return float_of(sign | not_finite | bits_of(scaled));
}

// Round to nearest even. Adding a power of two that aligns the last kept bit with the float's last bit makes
// the float unit round for us.
HERON_FN f16 narrow_f16(float v) {
    const uint32_t u = bits_of(v);
    const uint16_t sign = static_cast<uint16_t>((u >> 16) & 0x8000u);
    const uint32_t magnitude = u & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return {static_cast<uint16_t>(sign | 0x7e00u)};
    if (magnitude >= 0x47800000u) return {static_cast<uint16_t>(sign | 0x7c00u)};
    if (magnitude < 0x38800000u) {  // below the smallest normal half, 2^-14
        const float aligned = float_of(magnitude) + 0.5f;
        return {static_cast<uint16_t>(sign | (bits_of(aligned) - 0x3f000000u))};
    }
    const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    return {static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13))};
}
#endif

template <class CT>
struct loader;
template <>
struct loader<i32> {
    HERON_FN_MEMBER i32 from(i8 v) { return v; }
    HERON_FN_MEMBER i32 from(i32 v) { return v; }
};
template <>
struct loader<f32> {
    HERON_FN_MEMBER f32 from(i8 v) { return static_cast<float>(v); }
    HERON_FN_MEMBER f32 from(f16 v) { return widen(v); }
    HERON_FN_MEMBER f32 from(bf16 v) { return widen(v); }
    HERON_FN_MEMBER f32 from(f32 v) { return v; }
};
template <>
struct loader<f64> {
    HERON_FN_MEMBER f64 from(f32 v) { return v; }
    HERON_FN_MEMBER f64 from(f64 v) { return v; }
};
template <>
struct loader<c32> {
    HERON_FN_MEMBER c32 from(cf16 v) { return {widen(v.re), widen(v.im)}; }
    HERON_FN_MEMBER c32 from(cbf16 v) { return {widen(v.re), widen(v.im)}; }
    HERON_FN_MEMBER c32 from(f32 v) { return {v, 0}; }
    HERON_FN_MEMBER c32 from(c32 v) { return v; }
};
template <>
struct loader<c64> {
    HERON_FN_MEMBER c64 from(f64 v) { return {v, 0}; }
    HERON_FN_MEMBER c64 from(c64 v) { return v; }
};
template <class CT, class VT>
HERON_FN CT load(VT v) {
    return loader<CT>::from(v);
}

template <class T>
HERON_FN void store(T& to, T v) {
    to = v;
}
HERON_FN void store(f16& to, f32 v) { to = narrow_f16(v); }
HERON_FN void store(bf16& to, f32 v) { to = narrow_bf16(v); }
HERON_FN void store(cf16& to, c32 v) { to = {narrow_f16(v.re), narrow_f16(v.im)}; }
HERON_FN void store(cbf16& to, c32 v) { to = {narrow_bf16(v.re), narrow_bf16(v.im)}; }

template <class T>
HERON_FN T one() {
    return T(1);
}
template <>
HERON_FN_SPECIALIZED c32 one<c32>() {
    return {1, 0};
}
template <>
HERON_FN_SPECIALIZED c64 one<c64>() {
    return {1, 0};
}
template <class T>
HERON_FN T add(T a, T b) {
    return a + b;
}
template <class T>
HERON_FN T sub(T a, T b) {
    return a - b;
}
template <class T>
HERON_FN T mul(T a, T b) {
    return a * b;
}
template <class T>
HERON_FN T mad(T a, T b, T c) {
    return a * b + c;
}
template <class T>
HERON_FN T conj(T a) {
    return a;
}
template <class T>
HERON_FN bool equal(T a, T b) {
    return a == b;
}
template <class T>
HERON_FN T divide(T a, T b) {
    return a / b;
}
template <class T>
HERON_FN T real_part(T a) {
    return a;
}

template <class T>
HERON_FN T magnitude(T a) {
    return a < 0 ? -a : a;
}
template <class T>
HERON_FN bool less(T a, T b) {
    return a < b;
}
#ifdef __CUDACC__
HERON_FN f32 square_root(f32 a) { return sqrtf(a); }
HERON_FN f64 square_root(f64 a) { return sqrt(a); }
#else
HERON_FN f32 square_root(f32 a) { return __builtin_sqrtf(a); }
HERON_FN f64 square_root(f64 a) { return __builtin_sqrt(a); }
#endif

template <class C>
HERON_FN C add_complex(C a, C b) {
    return {a.re + b.re, a.im + b.im};
}
template <class C>
HERON_FN C sub_complex(C a, C b) {
    return {a.re - b.re, a.im - b.im};
}
template <class C>
HERON_FN C mad_complex(C a, C b, C c) {
    return {a.re * b.re + (c.re - a.im * b.im), a.re * b.im + (c.im + a.im * b.re)};
}
// Smith, Algorithm 116, CACM 5(8), 1962: no overflow where |b|^2 would. Lanes that differ in which part of b
// is the larger one divide together.
template <class C>
HERON_FN C divide_complex(C a, C b) {
    const bool by_real = (b.re < 0 ? -b.re : b.re) >= (b.im < 0 ? -b.im : b.im);
    const auto larger = by_real ? b.re : b.im;
    const auto smaller = by_real ? b.im : b.re;
    const auto ratio = smaller / larger;
    const auto size = larger + smaller * ratio;
    const auto re = by_real ? a.re + a.im * ratio : a.re * ratio + a.im;
    const auto im = by_real ? a.im - a.re * ratio : a.im * ratio - a.re;
    return {re / size, im / size};
}
HERON_FN c32 add(c32 a, c32 b) { return add_complex(a, b); }
HERON_FN c64 add(c64 a, c64 b) { return add_complex(a, b); }
HERON_FN c32 sub(c32 a, c32 b) { return sub_complex(a, b); }
HERON_FN c64 sub(c64 a, c64 b) { return sub_complex(a, b); }
HERON_FN c32 mad(c32 a, c32 b, c32 c) { return mad_complex(a, b, c); }
HERON_FN c64 mad(c64 a, c64 b, c64 c) { return mad_complex(a, b, c); }
HERON_FN c32 mul(c32 a, c32 b) { return mad_complex(a, b, c32{}); }
HERON_FN c64 mul(c64 a, c64 b) { return mad_complex(a, b, c64{}); }
HERON_FN c32 conj(c32 a) { return {a.re, -a.im}; }
HERON_FN c64 conj(c64 a) { return {a.re, -a.im}; }
HERON_FN c32 divide(c32 a, c32 b) { return divide_complex(a, b); }
HERON_FN c64 divide(c64 a, c64 b) { return divide_complex(a, b); }
HERON_FN c32 real_part(c32 a) { return {a.re, 0}; }
HERON_FN c64 real_part(c64 a) { return {a.re, 0}; }
HERON_FN c32 magnitude(c32 a) { return {magnitude(a.re) + magnitude(a.im), 0}; }
HERON_FN c64 magnitude(c64 a) { return {magnitude(a.re) + magnitude(a.im), 0}; }
HERON_FN c32 square_root(c32 a) { return {square_root(a.re), 0}; }
HERON_FN c64 square_root(c64 a) { return {square_root(a.re), 0}; }
HERON_FN bool less(c32 a, c32 b) { return a.re < b.re; }
HERON_FN bool less(c64 a, c64 b) { return a.re < b.re; }
HERON_FN bool equal(c32 a, c32 b) { return a.re == b.re && a.im == b.im; }
HERON_FN bool equal(c64 a, c64 b) { return a.re == b.re && a.im == b.im; }

// Without arithmetic of doubles, which some devices lack. What is too small for a normal number is zero.
HERON_FN f32 cut_double(i64 bits) {
    const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
    const uint32_t sign = bits < 0 ? 0x80000000u : 0u;
    if (exponent > 127) return float_of(sign | 0x7f800000u);
    if (exponent < -126) return float_of(sign);
    return float_of(sign | static_cast<uint32_t>(exponent + 127) << 23 |
                    static_cast<uint32_t>(bits >> 29 & 0x7fffff));
}
template <class CT>
HERON_FN CT from_double(i64 bits);
template <>
HERON_FN_SPECIALIZED f32 from_double<f32>(i64 bits) {
    return cut_double(bits);
}
template <>
HERON_FN_SPECIALIZED f64 from_double<f64>(i64 bits) {
    f64 v;
    __builtin_memcpy(&v, &bits, 8);
    return v;
}
template <>
HERON_FN_SPECIALIZED c32 from_double<c32>(i64 bits) {
    return {cut_double(bits), 0};
}
template <>
HERON_FN_SPECIALIZED c64 from_double<c64>(i64 bits) {
    return {from_double<f64>(bits), 0};
}
#ifdef __CUDACC__
HERON_FN c32 modulus(c32 a) { return {hypotf(a.re, a.im), 0}; }
HERON_FN c64 modulus(c64 a) { return {hypot(a.re, a.im), 0}; }
#else
HERON_FN c32 modulus(c32 a) { return {__builtin_hypotf(a.re, a.im), 0}; }
HERON_FN c64 modulus(c64 a) { return {__builtin_hypot(a.re, a.im), 0}; }
#endif
HERON_FN f32 modulus(f32 a) { return a < 0 ? -a : a; }
HERON_FN f64 modulus(f64 a) { return a < 0 ? -a : a; }
template <class T>
HERON_FN bool not_above(T a, T b) {
    return a <= b;
}
HERON_FN bool not_above(c32 a, c32 b) { return a.re <= b.re; }
HERON_FN bool not_above(c64 a, c64 b) { return a.re <= b.re; }

#ifdef __CUDACC__
HERON_FN void atomic_least(i32* p, i32 v) { atomicMin(p, v); }
template <class T>
HERON_FN void atomic_add(T* p, T v) {
    atomicAdd(p, v);
}
#else
HERON_FN void atomic_least(i32* p, i32 v) {
    i32 seen = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (v < seen && !__atomic_compare_exchange_n(p, &seen, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}
template <class T>
HERON_FN void atomic_add(T* p, T v) {
#pragma omp atomic
    *p += v;
}
#endif
HERON_FN void atomic_add(c32* p, c32 v) {
    atomic_add(&p->re, v.re);
    atomic_add(&p->im, v.im);
}
HERON_FN void atomic_add(c64* p, c64 v) {
    atomic_add(&p->re, v.re);
    atomic_add(&p->im, v.im);
}

// Semirings. min and max are for real types.
struct plus_times {
    template <class CT>
    HERON_FN_MEMBER CT combine(CT a, CT b) {
        return add(a, b);
    }
    template <class CT>
    HERON_FN_MEMBER CT term(CT a, CT b) {
        return mul(a, b);
    }
};
struct min_plus {
    template <class CT>
    HERON_FN_MEMBER CT combine(CT a, CT b) {
        return b < a ? b : a;
    }
    template <class CT>
    HERON_FN_MEMBER CT term(CT a, CT b) {
        return add(a, b);
    }
};
struct max_times {
    template <class CT>
    HERON_FN_MEMBER CT combine(CT a, CT b) {
        return a < b ? b : a;
    }
    template <class CT>
    HERON_FN_MEMBER CT term(CT a, CT b) {
        return mul(a, b);
    }
};
struct or_and {
    template <class CT>
    HERON_FN_MEMBER CT combine(CT a, CT b) {
        return equal(a, CT{}) && equal(b, CT{}) ? CT{} : one<CT>();
    }
    template <class CT>
    HERON_FN_MEMBER CT term(CT a, CT b) {
        return equal(a, CT{}) || equal(b, CT{}) ? CT{} : one<CT>();
    }
};

}  // namespace heron::HERON_LEVEL
