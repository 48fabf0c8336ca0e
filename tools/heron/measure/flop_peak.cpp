#include "flop_peak.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>

namespace heron::tools {
namespace {

constexpr int sums = 12;
constexpr int steps = 20000;

template <class R, int bytes>
struct vector_of {
    typedef R type __attribute__((vector_size(bytes)));
};

// Multiply-adds on independent sums, as many as hide their latency and fit the registers.
template <class R, int bytes>
[[gnu::always_inline]] inline double spin(R start) {
    using vector = typename vector_of<R, bytes>::type;
    vector sum[sums];
    const vector factor = start - vector{};
    const vector addend = start - vector{} - 1;
    for (int i = 0; i < sums; ++i) sum[i] = factor * static_cast<R>(i);
    for (int n = 0; n < steps; ++n)
#pragma GCC unroll 12
        for (int i = 0; i < sums; ++i) sum[i] = sum[i] * factor + addend;
    R result = 0;
    for (int i = 0; i < sums; ++i) result += sum[i][0];
    return static_cast<double>(result);
}

#if defined(__x86_64__)
template <class R>
[[gnu::target("avx512f")]] double spin_v4(R start) {
    return spin<R, 64>(start);
}
template <class R>
[[gnu::target("avx2,fma")]] double spin_v3(R start) {
    return spin<R, 32>(start);
}
#endif
template <class R>
double spin_plain(R start) {
    return spin<R, 16>(start);
}

template <class R>
struct spinner {
    double (*run)(R);
    int bytes;
};

template <class R>
spinner<R> best_spinner() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return {&spin_v4<R>, 64};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {&spin_v3<R>, 32};
#endif
    return {&spin_plain<R>, 16};
}

template <class R>
double measured_peak() {
    const spinner<R> best = best_spinner<R>();
    volatile double sink = 0;
    double peak = 0;
    double spent = 0;
    // The best of many short rounds: others may be using the cores.
    for (int round = 0; round < 15 || spent < 0.2; ++round) {
        int threads = 1;
        const auto start = std::chrono::steady_clock::now();
#pragma omp parallel
        {
            const double result = best.run(R(1));
#pragma omp critical
            {
                sink = sink + result;
                threads = omp_get_num_threads();
            }
        }
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        spent += seconds;
        const double lanes = static_cast<double>(best.bytes) / static_cast<double>(sizeof(R));
        peak = std::max(peak, 2.0 * sums * steps * lanes * threads / seconds);
    }
    return peak;
}

struct multiply_adds {
    unsigned major, minor;
    double single, twice;  // per clock and multiprocessor
};
// From NVIDIA's tables of arithmetic throughput.
constexpr multiply_adds cuda_rates[] = {{8, 0, 64, 64},   {8, 6, 128, 2},   {8, 9, 128, 2},
                                        {9, 0, 128, 128}, {10, 0, 128, 64}, {12, 0, 128, 2}};

}  // namespace

double flop_peak(const device& where, bool is_single) {
    const heron_device_info& info = where.info();
    if (where.is_processor()) return is_single ? measured_peak<float>() : measured_peak<double>();
    if (where.backend() != "cuda") return 0;
    for (const multiply_adds& rate : cuda_rates)
        if (rate.major == info.major && rate.minor == info.minor)
            return 2e6 * info.clock_mhz * info.compute_units * (is_single ? rate.single : rate.twice);
    return 0;
}

}  // namespace heron::tools
