#pragma once
// Values of long rows whose columns are known. A block sums up to `most` elements of a row of C, one row of B
// after the other, so that every element is summed in the order of A's elements. A bitmap of the columns and
// the number of elements before each of its words say where a column's sum is.
#include "values.cuh"

namespace heron::HERON_LEVEL {

// An element of A, and the part of its row of B that a block needs.
template <class CT>
struct factor_of_row {
    CT a;
    int64_t begin;
    int length;
};

constexpr int factors_at_once = 128;  // at most a block's threads

template <class CT>
static __host__ __device__ size_t long_row_bytes(int most, int words) {
    return factors_at_once * sizeof(factor_of_row<CT>) + most * sizeof(CT) +
           static_cast<size_t>(words) * (sizeof(unsigned) + sizeof(uint16_t));
}

template <class VT, class CT, class OT, class IT>
__global__ void multiply_long_rows(const __grid_constant__ sparse_product<VT, CT, OT, IT> p, row_list list,
                                   const unsigned long long* unordered, int most, int parts_per_row,
                                   int words) {
    constexpr int ahead = 4;
    extern __shared__ int4 shared_quads[];
    auto* const factors = reinterpret_cast<factor_of_row<CT>*>(shared_quads);
    CT* const sums = reinterpret_cast<CT*>(factors + factors_at_once);
    column_places<IT> places{reinterpret_cast<unsigned*>(sums + most)};
    places.before = reinterpret_cast<uint16_t*>(places.bits + words);
    if (*unordered) return;
    const CT alpha = p.alpha_now();
    const CT beta = p.beta_now();
    const bool adds = !equal(alpha, CT{});
    const int thread = threadIdx.x, threads = blockDim.x;
    const int* const rows = list.rows();
    const int64_t tasks = static_cast<int64_t>(list.size()) * parts_per_row;
    for (int64_t task = blockIdx.x; task < tasks; task += gridDim.x) {
        const int64_t row = rows[task / parts_per_row];
        const int64_t first = p.offsets[row] + task % parts_per_row * most;
        const int64_t left = p.offsets[row + 1] - first;
        if (left <= 0) continue;
        const int length = left < most ? static_cast<int>(left) : most;
        const bool is_whole = p.offsets[row + 1] - p.offsets[row] == length;
        for (int k = thread; k < length; k += threads) sums[k] = CT{};
        places.find(p.columns + first, length, static_cast<IT>(p.base));
        const IT origin = static_cast<IT>(places.low + static_cast<IT>(p.b.base));
        const auto value_at = [&](int64_t l) { return p.b_values[p.b_permutation ? p.b_permutation[l] : l]; };
        const auto add = [&](CT a, IT index, VT b) {
            const int k = places.place_of(static_cast<int>(index - origin));
            sums[k] = mad(a, p.b_value(b), sums[k]);
        };
        const int64_t end = p.a.begin(row + 1);
        for (int64_t start = p.a.begin(row); adds && start < end; start += factors_at_once) {
            const int count = end - start < factors_at_once ? static_cast<int>(end - start) : factors_at_once;
            __syncthreads();
            if (thread < factors_at_once) {
                factor_of_row<CT> f{CT{}, 0, 0};
                if (thread < count) {
                    const int64_t inner = p.a.column(start + thread);
                    int64_t from = p.b.begin(inner), to = p.b.begin(inner + 1);
                    if (!is_whole) {
                        from = lower_bound(p.b, from, to, static_cast<int64_t>(places.begins_at));
                        to = lower_bound(p.b, from, to, static_cast<int64_t>(places.high) + 1);
                    }
                    f = {p.a_at(start + thread), from, static_cast<int>(to - from)};
                }
                factors[thread] = f;
            }
            __syncthreads();
            for (int t = 0; t < count; t += ahead) {
                IT indices[ahead];
                VT values[ahead];
#pragma unroll
                for (int u = 0; u < ahead; ++u) {
                    const factor_of_row<CT>& f = factors[t + u];
                    const int64_t l = thread < f.length ? f.begin + thread : 0;
                    indices[u] = p.b.indices[l];
                    values[u] = value_at(l);
                }
#pragma unroll
                for (int u = 0; u < ahead; ++u) {
                    const factor_of_row<CT>& f = factors[t + u];
                    if (thread < f.length) add(f.a, indices[u], values[u]);
                    for (int l = thread + threads; l < f.length; l += threads)
                        add(f.a, p.b.indices[f.begin + l], value_at(f.begin + l));
                    __syncthreads();
                }
            }
        }
        for (int k = thread; k < length; k += threads) p.write(first + k, sums[k], alpha, beta);
        __syncthreads();
    }
}

}  // namespace heron::HERON_LEVEL
