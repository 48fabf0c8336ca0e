// SpVV: blocks sum shares of the elements, and where there are several one sums what they found. Who adds
// what depends on the number of elements and on the device alone, so the result is bitwise reproducible.
#include "common/vector/plan.hpp"
#include "cuda/runtime/early_launch.cuh"
#include "common/runtime/slot.hpp"
#include "cuda/runtime/warp.cuh"

namespace heron::HERON_LEVEL {
namespace {

constexpr int dot_threads = 256;
constexpr int dot_unroll = 4;
constexpr int most_dot_blocks = 1024;

template <class VT, class CT, class IT>
struct dot_operands {
    const IT* indices;
    const VT* values;
    int64_t nnz;
    const VT* y_shifted;
    bool conjugates;

    __device__ CT product(int64_t k) const {
        const CT x = load<CT>(load_shared_by_many(values + k));
        return mul(conjugates ? conj(x) : x,
                   load<CT>(load_shared_by_many(y_shifted + load_shared_by_many(indices + k))));
    }
};

// The sum is returned to the first thread.
template <class CT>
__device__ CT sum_over_block(CT v) {
    __shared__ words<CT> of_warp[dot_threads / warp_size];
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    v = sum_over_lanes(v, warp_size);
    if (lane == 0) of_warp[warp] = to_words(v);
    __syncthreads();
    if (warp != 0) return v;
    constexpr int warps = dot_threads / warp_size;
    return sum_over_lanes(from_words<CT>(of_warp[lane % warps]), warps);
}

template <class VT, class CT, class IT>
__global__ void __launch_bounds__(dot_threads) dot_blocks(dot_operands<VT, CT, IT> p, CT* partial) {
    begin_behind_kernel_before();
    const int64_t step = static_cast<int64_t>(gridDim.x) * dot_threads;
    CT sums[dot_unroll] = {};
    int64_t k = static_cast<int64_t>(blockIdx.x) * dot_threads + threadIdx.x;
    for (; k + (dot_unroll - 1) * step < p.nnz; k += dot_unroll * step)
        for (int j = 0; j < dot_unroll; ++j) sums[j] = add(sums[j], p.product(k + j * step));
    for (; k < p.nnz; k += step) sums[0] = add(sums[0], p.product(k));
    for (int j = 1; j < dot_unroll; ++j) sums[0] = add(sums[0], sums[j]);
    const CT sum = sum_over_block(sums[0]);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

template <class CT>
__global__ void __launch_bounds__(dot_threads) dot_total(const CT* partial, int count, CT* result) {
    begin_behind_kernel_before();
    CT sum{};
    for (int k = threadIdx.x; k < count; k += dot_threads) sum = add(sum, partial[k]);
    sum = sum_over_block(sum);
    if (threadIdx.x == 0) *result = sum;
}

template <class VT, class CT, class IT>
void dot(cuda_device& device, const heron_spvv_args& a, CT* partial, CT* result) {
    const dot_operands<VT, CT, IT> operands{as<const IT>(a.x.indices), as<const VT>(a.x.values), a.x.nnz,
                                            as<const VT>(a.y.values) - a.x.base,
                                            plans::is_conjugated(a.op) != 0};
    constexpr int64_t share = dot_threads * dot_unroll;
    const int64_t blocks = std::clamp<int64_t>(
        (a.x.nnz + share - 1) / share, 1, std::min<int64_t>(4 * device.multiprocessors(), most_dot_blocks));
    launch_early(device, dot_blocks<VT, CT, IT>, blocks, dot_threads, operands,
                 blocks == 1 ? result : partial);
    if (blocks > 1)
        launch_early(device, dot_total<CT>, 1, dot_threads, static_cast<const CT*>(partial),
                     static_cast<int>(blocks), result);
}

}  // namespace

namespace plans {

static void cuda_spvv(cuda_device& device, heron_phase phase, const heron_spvv_args& a,
                      heron_workspace& workspace) {
    visit_dot(a.x.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        workspace_layout layout(phase, workspace);
        CT* const partial = layout.template take<CT>(most_dot_blocks);
        CT* const total = layout.template take<CT>(1);
        if (phase != HERON_PHASE_RUN) return;
        CT* const result = a.result_on_device ? as<CT>(a.result) : total;
        visit_index(a.x.index_type, [&]<class IT>(type<IT>) { dot<VT, CT, IT>(device, a, partial, result); });
        if (!a.result_on_device) device.read(a.result, total, sizeof(CT));
    });
}

// Elements of 16 bytes that are loaded and stored at once.
struct alignas(16) whole128 {
    int64_t low, high;
};

template <class RT, class IT, bool gathers>
__global__ void __launch_bounds__(256)
    move_elements(int64_t nnz, const IT* __restrict__ indices, int64_t base, const RT* __restrict__ from,
                  RT* __restrict__ to) {
    const int64_t k = static_cast<int64_t>(blockIdx.x) * 256 + threadIdx.x;
    if (k >= nnz) return;
    if constexpr (gathers) {
        to[k] = from[static_cast<int64_t>(indices[k]) - base];
    } else {
        const RT x = from[k];
        to[static_cast<int64_t>(indices[k]) - base] = x;
    }
}

static void cuda_gather(cuda_device& device, heron_phase phase, const heron_gather_args& a,
                        heron_workspace& workspace) {
    if (a.y.type != HERON_C_64F) return gather(device, phase, a, workspace);
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_index(a.x.index_type, [&]<class IT>(type<IT>) {
        device.launch_blocks(move_elements<whole128, IT, true>, (a.x.nnz + 255) / 256, 256, 0, a.x.nnz,
                             as<const IT>(a.x.indices), int64_t{a.x.base}, as<const whole128>(a.y.values),
                             as<whole128>(a.x.values));
    });
}

static void cuda_scatter(cuda_device& device, heron_phase phase, const heron_scatter_args& a,
                         heron_workspace& workspace) {
    if (a.y.type != HERON_C_64F) return scatter(device, phase, a, workspace);
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_index(a.x.index_type, [&]<class IT>(type<IT>) {
        device.launch_blocks(move_elements<whole128, IT, false>, (a.x.nnz + 255) / 256, 256, 0, a.x.nnz,
                             as<const IT>(a.x.indices), int64_t{a.x.base}, as<const whole128>(a.x.values),
                             as<whole128>(a.y.values));
    });
}

}  // namespace plans

void override_vector(heron_backend& table) {
    table.gather = &slot<cuda_device, heron_gather_args, &plans::cuda_gather, operation_names::gather>;
    table.scatter = &slot<cuda_device, heron_scatter_args, &plans::cuda_scatter, operation_names::scatter>;
    table.spvv = &slot<cuda_device, heron_spvv_args, &plans::cuda_spvv, operation_names::spvv>;
}

}  // namespace heron::HERON_LEVEL
