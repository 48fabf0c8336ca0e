// Whether this processor runs code for a level of x86-64. GCC and clang 18 know the levels by name; older
// clang knows most of what they are made of, and the rest is asked of the processor.
#pragma once

#if defined(__x86_64__)
#include <cpuid.h>

namespace heron::host {

#if defined(__clang__) && __clang_major__ < 18

struct processor_bits {
    unsigned basic = 0, extended = 0;  // ecx of the leaves 1 and 0x80000001
};

inline processor_bits bits_of_processor() {
    processor_bits bits;
    unsigned a = 0, b = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &bits.basic, &d) || !__get_cpuid(0x80000001u, &a, &b, &bits.extended, &d))
        return {};
    return bits;
}

inline bool runs_v2() {
    constexpr unsigned cx16 = 1u << 13, lahf = 1u << 0;
    const processor_bits bits = bits_of_processor();
    return (bits.basic & cx16) && (bits.extended & lahf) && __builtin_cpu_supports("popcnt") &&
           __builtin_cpu_supports("sse4.2");
}
inline bool runs_v3() {
    constexpr unsigned movbe = 1u << 22, f16c = 1u << 29, lzcnt = 1u << 5;
    const processor_bits bits = bits_of_processor();
    return runs_v2() && (bits.basic & movbe) && (bits.basic & f16c) && (bits.extended & lzcnt) &&
           __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
}
inline bool runs_v4() {
    return runs_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

#else

inline bool runs_v2() { return __builtin_cpu_supports("x86-64-v2"); }
inline bool runs_v3() { return __builtin_cpu_supports("x86-64-v3"); }
inline bool runs_v4() { return __builtin_cpu_supports("x86-64-v4"); }

#endif

}  // namespace heron::host
#endif
