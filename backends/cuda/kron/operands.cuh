#pragma once
// What kernels of Kronecker products are told about operands, factors and scalars, and one factor's turn in
// registers.
#include "common/kron/plan.hpp"
#include "cuda/runtime/intrinsics.cuh"

namespace heron::HERON_LEVEL::kron_cuda {

constexpr int most_modes = 8;
// Of a block.
constexpr int most_threads = 512;

__host__ __device__ constexpr int power(int n, int d) { return d == 0 ? 1 : n * power(n, d - 1); }
__host__ __device__ constexpr bool is_power_of_two(int n) { return (n & (n - 1)) == 0; }

// A heron_batch_operand as kernels take it.
struct operand {
    const void* base;
    const void* list;
    int64_t stride, list_step;
    int kind;  // 0 strided, 1 addresses, 2 and 3 indices of 32 and 64 bits
};

template <class CT>
static __device__ inline CT* locate(const operand& o, int64_t k) {
    if (o.kind == 1) return reinterpret_cast<CT*>(static_cast<const int64_t*>(o.list)[k * o.list_step]);
    if (o.kind == 2) k = static_cast<const int32_t*>(o.list)[k * o.list_step];
    if (o.kind == 3) k = static_cast<const int64_t*>(o.list)[k * o.list_step];
    return static_cast<CT*>(const_cast<void*>(o.base)) + k * o.stride;
}

// A scalar of the host or, where there is an address, of the device.
template <class CT>
struct kron_scalar {
    CT value;
    const CT* device;

    __device__ CT get() const { return device ? *device : value; }
};

struct factor_operand {
    operand a;
    int64_t row_step, column_step;
    int conjugate;
};

template <class CT, int N>
constexpr int fused_modes = plans::kron_fused_modes(sizeof(CT), N);
template <class CT, int N>
constexpr int fibres_at_once = plans::kron_fibres_at_once(sizeof(CT), N);
template <class CT, int N>
constexpr int column_step = plans::kron_column_step(sizeof(CT), N);
template <class CT, int N, int G>
constexpr bool keeps_factors = plans::kron_keeps_factors(sizeof(CT), N, G);

// One factor's turn on a fibre over several modes: `apart` is the distance of neighbours in its mode.
template <class CT, int N, int length>
static __device__ inline void turn(const CT (&a)[N * N], CT (&v)[length], int apart) {
#pragma unroll
    for (int f = 0; f < length / N; ++f) {
        const int first = f / apart * (apart * N) + f % apart;
        CT sum[N];
#pragma unroll
        for (int i = 0; i < N; ++i) {
            sum[i] = mul(a[i], v[first]);
#pragma unroll
            for (int j = 1; j < N; ++j) sum[i] = mad(a[j * N + i], v[first + j * apart], sum[i]);
        }
#pragma unroll
        for (int i = 0; i < N; ++i) v[first + i * apart] = sum[i];
    }
}

template <class T>
static __device__ inline T from_lane(T value, int lane) {
    return __shfl_sync(0xffffffffu, value, lane);
}

static __device__ inline int64_t share(int64_t count, int64_t part, int64_t parts) {
    return count / parts * part + count % parts * part / parts;
}

}  // namespace heron::HERON_LEVEL::kron_cuda
