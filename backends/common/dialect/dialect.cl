// The kernel dialect for OpenCL C 1.2: the twin of dialect.hpp, where its words are explained. A program is
// this file, one
// `#define` per type parameter ("#define VA f32") and one kernel family. Types are told apart by the names
// they are pasted from, so every operation is a function or macro whose name ends in the types; it begins
// with heron_ because drivers have macros named like OpenCL's own functions. HERON_TYPES and HERON_KERNEL are
// not here: OpenCL C 1.2 has no variadic macros, so the plug-in rewrites them in the text.

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif

#define HERON_FN static inline
#define GLOBAL __global
#define HERON_END }

#define HERON_PASTE1(name, a) name##_##a
#define HERON_PASTE2(name, a, b) name##_##a##_##b
#define HERON_NAME1(name, a) HERON_PASTE1(name, a)
#define HERON_NAME2(name, a, b) HERON_PASTE2(name, a, b)

#define LOAD(CT, VT, p, i) HERON_NAME2(heron_load, CT, VT)(p, i)
#define STORE(CT, VT, p, i, v) HERON_NAME2(heron_store, CT, VT)(p, i, v)
#define ZERO(CT) HERON_NAME1(heron_zero, CT)
#define ONE(CT) HERON_NAME1(heron_one, CT)
#define ADD(CT, a, b) HERON_NAME1(heron_add, CT)(a, b)
#define SUB(CT, a, b) HERON_NAME1(heron_sub, CT)(a, b)
#define MUL(CT, a, b) HERON_NAME1(heron_mul, CT)(a, b)
#define MAD(CT, a, b, c) HERON_NAME1(heron_mad, CT)(a, b, c)
#define CONJ(CT, a) HERON_NAME1(heron_conj, CT)(a)
#define DIV(CT, a, b) HERON_NAME1(heron_div, CT)(a, b)
#define REAL(CT, a) HERON_NAME1(heron_real, CT)(a)
#define EQUAL(CT, a, b) HERON_NAME1(heron_equal, CT)(a, b)
#define FROM_DOUBLE(CT, bits) HERON_NAME1(heron_from_double, CT)(bits)
#define ABS(CT, a) HERON_NAME1(heron_abs, CT)(a)
#define NOT_ABOVE(CT, a, b) HERON_NAME1(heron_not_above, CT)(a, b)
#define ATOMIC_MIN(p, v) atomic_min(p, v)
#define MAGNITUDE(CT, a) HERON_NAME1(heron_magnitude, CT)(a)
#define SQRT(CT, a) HERON_NAME1(heron_sqrt, CT)(a)
#define LESS(CT, a, b) HERON_NAME1(heron_less, CT)(a, b)
#define SCALAR(CT, value, pointer) ((pointer) ? *(pointer) : (value))
#define ATOMIC_ADD(CT, p, i, v) HERON_NAME1(heron_atomic_add, CT)((p) + (i), v)
// The same in local memory.
#define LOCAL_ADD(CT, p, v) HERON_NAME1(heron_local_add, CT)(p, v)
#define COMBINE(OP, CT, a, b) HERON_NAME1(heron_combine, OP)(CT, a, b)
#define TERM(OP, CT, a, b) HERON_NAME1(heron_term, OP)(CT, a, b)
#define FINISH(OP, CT, sum, c) HERON_NAME1(heron_finish, OP)(CT, sum, c)

#define heron_combine_plus_times(CT, a, b) ADD(CT, a, b)
#define heron_term_plus_times(CT, a, b) MUL(CT, a, b)
#define heron_finish_plus_times(CT, sum, c) ADD(CT, sum, c)
#define heron_combine_min_plus(CT, a, b) ((b) < (a) ? (b) : (a))
#define heron_term_min_plus(CT, a, b) ADD(CT, a, b)
#define heron_finish_min_plus(CT, sum, c) heron_combine_min_plus(CT, sum, c)
#define heron_combine_max_times(CT, a, b) ((a) < (b) ? (b) : (a))
#define heron_term_max_times(CT, a, b) MUL(CT, a, b)
#define heron_finish_max_times(CT, sum, c) heron_combine_max_times(CT, sum, c)
#define heron_combine_or_and(CT, a, b) (EQUAL(CT, a, ZERO(CT)) && EQUAL(CT, b, ZERO(CT)) ? ZERO(CT) : ONE(CT))
#define heron_term_or_and(CT, a, b) (EQUAL(CT, a, ZERO(CT)) || EQUAL(CT, b, ZERO(CT)) ? ZERO(CT) : ONE(CT))
#define heron_finish_or_and(CT, sum, c) heron_combine_or_and(CT, sum, c)

typedef long heron_index;
typedef char i8;
typedef int i32;
typedef long i64;
typedef float f32;
typedef float2 c32;
typedef ushort f16;
typedef ushort bf16;
typedef struct {
    ushort re, im;
} cf16;
typedef struct {
    ushort re, im;
} cbf16;
typedef short raw16;
typedef struct {
    long low, high;
} raw128;

#define heron_zero_i32 0
#define heron_one_i32 1
HERON_FN i32 heron_add_i32(i32 a, i32 b) { return a + b; }
HERON_FN i32 heron_sub_i32(i32 a, i32 b) { return a - b; }
HERON_FN i32 heron_mul_i32(i32 a, i32 b) { return a * b; }
HERON_FN i32 heron_mad_i32(i32 a, i32 b, i32 c) { return a * b + c; }
HERON_FN i32 heron_conj_i32(i32 a) { return a; }
HERON_FN i32 heron_div_i32(i32 a, i32 b) { return a / b; }
HERON_FN i32 heron_real_i32(i32 a) { return a; }
HERON_FN int heron_equal_i32(i32 a, i32 b) { return a == b; }
HERON_FN i32 heron_load_i32_i8(GLOBAL const i8* p, heron_index i) { return p[i]; }
HERON_FN i32 heron_load_i32_i32(GLOBAL const i32* p, heron_index i) { return p[i]; }
// A family is built whole: some kernels of the integer rows are compiled that no plan launches.
HERON_FN void heron_store_i32_i8(GLOBAL i8* p, heron_index i, i32 v) { p[i] = convert_char_sat(v); }
HERON_FN void heron_store_f32_i8(GLOBAL i8* p, heron_index i, f32 v) { p[i] = convert_char_sat_rte(v); }
HERON_FN void heron_store_i32_i32(GLOBAL i32* p, heron_index i, i32 v) { p[i] = v; }
HERON_FN void heron_atomic_add_i32(volatile GLOBAL i32* p, i32 v) { atomic_add(p, v); }
HERON_FN void heron_local_add_i32(volatile __local i32* p, i32 v) { atomic_add(p, v); }

#define heron_zero_f32 0.0f
#define heron_one_f32 1.0f
HERON_FN f32 heron_add_f32(f32 a, f32 b) { return a + b; }
HERON_FN f32 heron_sub_f32(f32 a, f32 b) { return a - b; }
HERON_FN f32 heron_mul_f32(f32 a, f32 b) { return a * b; }
HERON_FN f32 heron_mad_f32(f32 a, f32 b, f32 c) { return a * b + c; }
HERON_FN f32 heron_conj_f32(f32 a) { return a; }
HERON_FN f32 heron_div_f32(f32 a, f32 b) { return a / b; }
HERON_FN f32 heron_real_f32(f32 a) { return a; }
HERON_FN f32 heron_magnitude_f32(f32 a) { return fabs(a); }
HERON_FN int heron_less_f32(f32 a, f32 b) { return a < b; }
HERON_FN int heron_equal_f32(f32 a, f32 b) { return a == b; }
HERON_FN f32 heron_from_double_f32(i64 bits) {
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    const uint sign = bits < 0 ? 0x80000000u : 0u;
    if (exponent > 127) return as_float(sign | 0x7f800000u);
    if (exponent < -126) return as_float(sign);
    return as_float(sign | (uint)(exponent + 127) << 23 | (uint)(bits >> 29 & 0x7fffff));
}
HERON_FN f32 heron_sqrt_f32(f32 a) { return sqrt(a); }
HERON_FN f32 heron_abs_f32(f32 a) { return fabs(a); }
HERON_FN int heron_not_above_f32(f32 a, f32 b) { return a <= b; }

#define heron_zero_c32 ((c32)(0.0f, 0.0f))
#define heron_one_c32 ((c32)(1.0f, 0.0f))
HERON_FN c32 heron_add_c32(c32 a, c32 b) { return a + b; }
HERON_FN c32 heron_sub_c32(c32 a, c32 b) { return a - b; }
HERON_FN c32 heron_mad_c32(c32 a, c32 b, c32 c) {
    return (c32)(a.x * b.x + (c.x - a.y * b.y), a.x * b.y + (c.y + a.y * b.x));
}
HERON_FN c32 heron_mul_c32(c32 a, c32 b) { return heron_mad_c32(a, b, heron_zero_c32); }
HERON_FN c32 heron_conj_c32(c32 a) { return (c32)(a.x, -a.y); }
HERON_FN c32 heron_div_c32(c32 a, c32 b) {
    const int by_real = fabs(b.x) >= fabs(b.y);
    const f32 larger = by_real ? b.x : b.y;
    const f32 smaller = by_real ? b.y : b.x;
    const f32 ratio = smaller / larger;
    const f32 size = larger + smaller * ratio;
    const f32 re = by_real ? a.x + a.y * ratio : a.x * ratio + a.y;
    const f32 im = by_real ? a.y - a.x * ratio : a.y * ratio - a.x;
    return (c32)(re / size, im / size);
}
HERON_FN c32 heron_real_c32(c32 a) { return (c32)(a.x, 0.0f); }
HERON_FN c32 heron_magnitude_c32(c32 a) { return (c32)(fabs(a.x) + fabs(a.y), 0); }
HERON_FN int heron_less_c32(c32 a, c32 b) { return a.x < b.x; }
HERON_FN int heron_equal_c32(c32 a, c32 b) { return a.x == b.x && a.y == b.y; }
HERON_FN c32 heron_from_double_c32(i64 bits) { return (c32)(heron_from_double_f32(bits), 0.0f); }
HERON_FN c32 heron_sqrt_c32(c32 a) { return (c32)(sqrt(a.x), 0.0f); }
HERON_FN c32 heron_abs_c32(c32 a) { return (c32)(hypot(a.x, a.y), 0.0f); }
HERON_FN int heron_not_above_c32(c32 a, c32 b) { return a.x <= b.x; }

// Rounds to nearest even; a NaN stays a NaN.
HERON_FN bf16 narrow_bf16(f32 v) {
    const uint u = as_uint(v);
    if ((u & 0x7fffffffu) > 0x7f800000u) return (bf16)((u >> 16) | 0x40u);
    return (bf16)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}
HERON_FN f32 widen_bf16(bf16 v) { return as_float((uint)v << 16); }

HERON_FN f32 heron_load_f32_i8(GLOBAL const i8* p, heron_index i) { return (f32)p[i]; }
HERON_FN f32 heron_load_f32_f16(GLOBAL const f16* p, heron_index i) {
    return vload_half(0, (GLOBAL const half*)(p + i));
}
HERON_FN f32 heron_load_f32_bf16(GLOBAL const bf16* p, heron_index i) { return widen_bf16(p[i]); }
HERON_FN f32 heron_load_f32_f32(GLOBAL const f32* p, heron_index i) { return p[i]; }
HERON_FN void heron_store_f32_f16(GLOBAL f16* p, heron_index i, f32 v) {
    vstore_half_rte(v, 0, (GLOBAL half*)(p + i));
}
HERON_FN void heron_store_f32_bf16(GLOBAL bf16* p, heron_index i, f32 v) { p[i] = narrow_bf16(v); }
HERON_FN void heron_store_f32_f32(GLOBAL f32* p, heron_index i, f32 v) { p[i] = v; }

HERON_FN c32 heron_load_c32_f32(GLOBAL const f32* p, heron_index i) { return (c32)(p[i], 0.0f); }
HERON_FN c32 heron_load_c32_cf16(GLOBAL const cf16* p, heron_index i) {
    return vload_half2(0, (GLOBAL const half*)(p + i));
}
HERON_FN c32 heron_load_c32_cbf16(GLOBAL const cbf16* p, heron_index i) {
    return (c32)(widen_bf16(p[i].re), widen_bf16(p[i].im));
}
HERON_FN c32 heron_load_c32_c32(GLOBAL const c32* p, heron_index i) { return p[i]; }
HERON_FN void heron_store_c32_cf16(GLOBAL cf16* p, heron_index i, c32 v) {
    vstore_half2_rte(v, 0, (GLOBAL half*)(p + i));
}
HERON_FN void heron_store_c32_cbf16(GLOBAL cbf16* p, heron_index i, c32 v) {
    p[i].re = narrow_bf16(v.x);
    p[i].im = narrow_bf16(v.y);
}
HERON_FN void heron_store_c32_c32(GLOBAL c32* p, heron_index i, c32 v) { p[i] = v; }

// OpenCL C 1.2 has no floating-point atomics: compare and swap, or the instruction where the device is known
// to have it.
#ifdef HERON_PTX
HERON_FN void heron_atomic_add_f32(volatile GLOBAL f32* p, f32 v) {
    __asm__ volatile("red.global.add.f32 [%0], %1;" : : "l"(p), "f"(v) : "memory");
}
HERON_FN void heron_local_add_f32(__local f32* p, f32 v) {
    __asm__ volatile("red.shared.add.f32 [%0], %1;" : : "l"((ulong)p), "f"(v) : "memory");
}
#else
HERON_FN void heron_atomic_add_f32(volatile GLOBAL f32* p, f32 v) {
    volatile GLOBAL uint* const bits = (volatile GLOBAL uint*)p;
    uint seen = *bits;
    uint expected;
    do {
        expected = seen;
        seen = atomic_cmpxchg(bits, expected, as_uint(as_float(expected) + v));
    } while (seen != expected);
}
HERON_FN void heron_local_add_f32(__local f32* p, f32 v) {
    volatile __local uint* const bits = (volatile __local uint*)p;
    uint seen = *bits;
    uint expected;
    do {
        expected = seen;
        seen = atomic_cmpxchg(bits, expected, as_uint(as_float(expected) + v));
    } while (seen != expected);
}
#endif
// Both parts in one access where the hardware can.
HERON_FN void heron_atomic_add_c32(volatile GLOBAL c32* p, c32 v) {
#if defined(HERON_PTX) && HERON_PTX >= 9
    __asm__ volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %2};"
                     :
                     : "l"(p), "f"(v.x), "f"(v.y)
                     : "memory");
#else
    heron_atomic_add_f32((volatile GLOBAL f32*)p, v.x);
    heron_atomic_add_f32((volatile GLOBAL f32*)p + 1, v.y);
#endif
}
HERON_FN void heron_local_add_c32(__local c32* p, c32 v) {
    heron_local_add_f32((__local f32*)p, v.x);
    heron_local_add_f32((__local f32*)p + 1, v.y);
}

#if defined(cl_khr_fp64) && defined(cl_khr_int64_base_atomics)
typedef double f64;
typedef double2 c64;

#define heron_zero_f64 0.0
#define heron_one_f64 1.0
HERON_FN f64 heron_add_f64(f64 a, f64 b) { return a + b; }
HERON_FN f64 heron_sub_f64(f64 a, f64 b) { return a - b; }
HERON_FN f64 heron_mul_f64(f64 a, f64 b) { return a * b; }
HERON_FN f64 heron_mad_f64(f64 a, f64 b, f64 c) { return a * b + c; }
HERON_FN f64 heron_conj_f64(f64 a) { return a; }
HERON_FN f64 heron_div_f64(f64 a, f64 b) { return a / b; }
HERON_FN f64 heron_real_f64(f64 a) { return a; }
HERON_FN f64 heron_magnitude_f64(f64 a) { return fabs(a); }
HERON_FN int heron_less_f64(f64 a, f64 b) { return a < b; }
HERON_FN int heron_equal_f64(f64 a, f64 b) { return a == b; }
HERON_FN f64 heron_from_double_f64(i64 bits) { return as_double(bits); }
HERON_FN f64 heron_sqrt_f64(f64 a) { return sqrt(a); }
HERON_FN f64 heron_abs_f64(f64 a) { return fabs(a); }
HERON_FN int heron_not_above_f64(f64 a, f64 b) { return a <= b; }
HERON_FN f64 heron_load_f64_f32(GLOBAL const f32* p, heron_index i) { return p[i]; }
HERON_FN f64 heron_load_f64_f64(GLOBAL const f64* p, heron_index i) { return p[i]; }
HERON_FN void heron_store_f64_f64(GLOBAL f64* p, heron_index i, f64 v) { p[i] = v; }

#define heron_zero_c64 ((c64)(0.0, 0.0))
#define heron_one_c64 ((c64)(1.0, 0.0))
HERON_FN c64 heron_add_c64(c64 a, c64 b) { return a + b; }
HERON_FN c64 heron_sub_c64(c64 a, c64 b) { return a - b; }
HERON_FN c64 heron_mad_c64(c64 a, c64 b, c64 c) {
    return (c64)(a.x * b.x + (c.x - a.y * b.y), a.x * b.y + (c.y + a.y * b.x));
}
HERON_FN c64 heron_mul_c64(c64 a, c64 b) { return heron_mad_c64(a, b, heron_zero_c64); }
HERON_FN c64 heron_conj_c64(c64 a) { return (c64)(a.x, -a.y); }
HERON_FN c64 heron_div_c64(c64 a, c64 b) {
    const int by_real = fabs(b.x) >= fabs(b.y);
    const f64 larger = by_real ? b.x : b.y;
    const f64 smaller = by_real ? b.y : b.x;
    const f64 ratio = smaller / larger;
    const f64 size = larger + smaller * ratio;
    const f64 re = by_real ? a.x + a.y * ratio : a.x * ratio + a.y;
    const f64 im = by_real ? a.y - a.x * ratio : a.y * ratio - a.x;
    return (c64)(re / size, im / size);
}
HERON_FN c64 heron_real_c64(c64 a) { return (c64)(a.x, 0.0); }
HERON_FN c64 heron_magnitude_c64(c64 a) { return (c64)(fabs(a.x) + fabs(a.y), 0); }
HERON_FN int heron_less_c64(c64 a, c64 b) { return a.x < b.x; }
HERON_FN int heron_equal_c64(c64 a, c64 b) { return a.x == b.x && a.y == b.y; }
HERON_FN c64 heron_from_double_c64(i64 bits) { return (c64)(as_double(bits), 0.0); }
HERON_FN c64 heron_sqrt_c64(c64 a) { return (c64)(sqrt(a.x), 0.0); }
HERON_FN c64 heron_abs_c64(c64 a) { return (c64)(hypot(a.x, a.y), 0.0); }
HERON_FN int heron_not_above_c64(c64 a, c64 b) { return a.x <= b.x; }
HERON_FN c64 heron_load_c64_f64(GLOBAL const f64* p, heron_index i) { return (c64)(p[i], 0.0); }
HERON_FN c64 heron_load_c64_c64(GLOBAL const c64* p, heron_index i) { return p[i]; }
HERON_FN void heron_store_c64_c64(GLOBAL c64* p, heron_index i, c64 v) { p[i] = v; }

#ifdef HERON_PTX
HERON_FN void heron_atomic_add_f64(volatile GLOBAL f64* p, f64 v) {
    __asm__ volatile("red.global.add.f64 [%0], %1;" : : "l"(p), "d"(v) : "memory");
}
HERON_FN void heron_local_add_f64(__local f64* p, f64 v) {
    __asm__ volatile("red.shared.add.f64 [%0], %1;" : : "l"((ulong)p), "d"(v) : "memory");
}
#else
HERON_FN void heron_atomic_add_f64(volatile GLOBAL f64* p, f64 v) {
    volatile GLOBAL ulong* const bits = (volatile GLOBAL ulong*)p;
    ulong seen = *bits;
    ulong expected;
    do {
        expected = seen;
        seen = atom_cmpxchg(bits, expected, as_ulong(as_double(expected) + v));
    } while (seen != expected);
}
HERON_FN void heron_local_add_f64(__local f64* p, f64 v) {
    volatile __local ulong* const bits = (volatile __local ulong*)p;
    ulong seen = *bits;
    ulong expected;
    do {
        expected = seen;
        seen = atom_cmpxchg(bits, expected, as_ulong(as_double(expected) + v));
    } while (seen != expected);
}
#endif
HERON_FN void heron_atomic_add_c64(volatile GLOBAL c64* p, c64 v) {
    heron_atomic_add_f64((volatile GLOBAL f64*)p, v.x);
    heron_atomic_add_f64((volatile GLOBAL f64*)p + 1, v.y);
}
HERON_FN void heron_local_add_c64(__local c64* p, c64 v) {
    heron_local_add_f64((__local f64*)p, v.x);
    heron_local_add_f64((__local f64*)p + 1, v.y);
}
#endif
