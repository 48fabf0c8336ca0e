// The only file with CUB and Thrust, which take long to compile.
#include "scan.hpp"
#include "sort.hpp"
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

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

size_t add_with_cub(void* memory, size_t bytes, const i64* counts, int64_t n, i64* total,
                    cudaStream_t stream) {
    check(cub::DeviceReduce::Sum(memory, bytes, counts, total, n, stream));
    return bytes;
}

}  // namespace

size_t scan_workspace(int64_t n) {
    const size_t narrow = scan_with_cub<i32>(nullptr, 0, nullptr, n, 0, nullptr, nullptr);
    const size_t wide = scan_with_cub<i64>(nullptr, 0, nullptr, n, 0, nullptr, nullptr);
    return std::max({narrow, wide, add_with_cub(nullptr, 0, nullptr, n, nullptr, nullptr)});
}

void add_counts(cuda_device& device, void* memory, size_t bytes, const i64* counts, int64_t n, i64* total) {
    add_with_cub(memory, bytes, counts, n, total, device.stream());
}

void scan_counts(cuda_device& device, void* memory, size_t bytes, const i64* counts, int64_t n, int64_t base,
                 i32* out) {
    scan_with_cub(memory, bytes, counts, n, base, out, device.stream());
}
void scan_counts(cuda_device& device, void* memory, size_t bytes, const i64* counts, int64_t n, int64_t base,
                 i64* out) {
    scan_with_cub(memory, bytes, counts, n, base, out, device.stream());
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
