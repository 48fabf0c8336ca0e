// The only file with CUB and Thrust, which take long to compile.
#include "scan.hpp"
#include "sort.hpp"
#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <atomic>
#include <bit>

namespace heron::HERON_LEVEL {

namespace {

// The counts, with a zero behind the last one, whose place gets the total.
struct count_or_zero {
    const i64* counts;
    int64_t n;
    __device__ i64 operator()(int64_t i) const { return i < n ? counts[i] : 0; }
};

template <class OT>
size_t scan_with_cub(void* memory, size_t bytes, const i64* counts, int64_t n, int64_t base, OT* out,
                     cudaStream_t stream) {
    const auto from =
        thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), count_or_zero{counts, n});
    check(cub::DeviceScan::ExclusiveScan(memory, bytes, from, out, ::cuda::std::plus<>{}, i64{base}, n + 1,
                                         stream));
    return bytes;
}

// One block is done with few counts before the second of CUB's two kernels has begun.
constexpr int64_t most_of_block = 1 << 14;
constexpr int block_threads = 1024;

template <class OT>
__global__ void __launch_bounds__(block_threads) scan_in_block(const i64* counts, int n, i64 base, OT* out) {
    constexpr int each = 8;
    using scan = cub::BlockScan<i64, block_threads>;
    __shared__ typename scan::TempStorage parts;
    i64 before = base;
    for (int first = 0; first <= n; first += block_threads * each) {
        const int own = first + static_cast<int>(threadIdx.x) * each;
        i64 count[each];
#pragma unroll
        for (int i = 0; i < each; ++i) count[i] = own + i < n ? counts[own + i] : 0;
        i64 all = 0;
        scan(parts).ExclusiveSum(count, count, all);
        // Every count has been read: out may be in their place.
#pragma unroll
        for (int i = 0; i < each; ++i)
            if (own + i <= n) out[own + i] = static_cast<OT>(before + count[i]);
        before += all;
        __syncthreads();
    }
}

template <class OT>
void scan_by_size(cuda_device& device, void* memory, size_t bytes, const i64* counts, int64_t n, int64_t base,
                  OT* out) {
    if (n < most_of_block)
        device.launch_blocks(scan_in_block<OT>, 1, block_threads, 0, counts, static_cast<int>(n), i64{base},
                             out);
    else
        scan_with_cub(memory, bytes, counts, n, base, out, device.stream());
}

size_t add_with_cub(void* memory, size_t bytes, const i64* counts, int64_t n, i64* total,
                    cudaStream_t stream) {
    check(cub::DeviceReduce::Sum(memory, bytes, counts, total, n, stream));
    return bytes;
}

size_t workspace_of_cub(int64_t n) {
    const size_t narrow = scan_with_cub<i32>(nullptr, 0, nullptr, n, 0, nullptr, nullptr);
    const size_t wide = scan_with_cub<i64>(nullptr, 0, nullptr, n, 0, nullptr, nullptr);
    return std::max({narrow, wide, add_with_cub(nullptr, 0, nullptr, n, nullptr, nullptr)});
}

}  // namespace

// What CUB asks for takes as long to find out as a launch: for few counts it is that of the next power of
// two, and known from then on.
size_t scan_workspace(int64_t n) {
    constexpr int devices = 16, widths = 21;
    static std::atomic<size_t> known[devices][widths];
    int device = 0;
    check(cudaGetDevice(&device));
    const int width = std::bit_width(static_cast<uint64_t>(n));
    if (device >= devices || width >= widths) return workspace_of_cub(n);
    std::atomic<size_t>& size = known[device][width];
    if (size == 0) size = workspace_of_cub((int64_t{1} << width) - 1);
    return size;
}

void add_counts(cuda_device& device, void* memory, size_t bytes, const i64* counts, int64_t n, i64* total) {
    add_with_cub(memory, bytes, counts, n, total, device.stream());
}

void scan_counts(cuda_device& device, void* memory, size_t bytes, const i64* counts, int64_t n, int64_t base,
                 i32* out) {
    scan_by_size(device, memory, bytes, counts, n, base, out);
}
void scan_counts(cuda_device& device, void* memory, size_t bytes, const i64* counts, int64_t n, int64_t base,
                 i64* out) {
    scan_by_size(device, memory, bytes, counts, n, base, out);
}

namespace {

template <class Value>
size_t sort_workspace_with_cub(int64_t count) {
    size_t bytes = 0;
    cub::DoubleBuffer<unsigned> keys;
    cub::DoubleBuffer<Value> values;
    check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values, static_cast<int>(count)));
    return bytes;
}

template <class Value, class Pair>
void sort_with_cub(cuda_device& device, void* memory, size_t bytes, array_pair& keys, Pair& values,
                   int64_t count, int bits) {
    cub::DoubleBuffer<unsigned> key_buffers(keys.current(), keys.other());
    cub::DoubleBuffer<Value> value_buffers(values.current(), values.other());
    check(cub::DeviceRadixSort::SortPairs(memory, bytes, key_buffers, value_buffers, static_cast<int>(count),
                                          0, bits, device.stream()));
    keys.at ^= key_buffers.selector;
    values.at ^= value_buffers.selector;
}

}  // namespace

size_t sort_workspace(int64_t count) { return sort_workspace_with_cub<unsigned>(count); }

void sort_pairs(cuda_device& device, void* memory, size_t bytes, array_pair& keys, array_pair& values,
                int64_t count, int bits) {
    sort_with_cub<unsigned>(device, memory, bytes, keys, values, count, bits);
}

size_t packed_sort_workspace(int64_t count) { return sort_workspace_with_cub<uint64_t>(count); }

void sort_packed(cuda_device& device, void* memory, size_t bytes, array_pair& keys, packed_pair& values,
                 int64_t count, int bits) {
    sort_with_cub<uint64_t>(device, memory, bytes, keys, values, count, bits);
}

}  // namespace heron::HERON_LEVEL
