// The only file with CUB, which takes long to compile.
#include "device_sort.hpp"
#include <cub/device/device_radix_sort.cuh>

namespace heron::HERON_LEVEL {

size_t sort_workspace(int64_t count) {
    size_t bytes = 0;
    cub::DoubleBuffer<unsigned> keys, values;
    check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values, static_cast<int>(count)));
    return bytes;
}

void sort_pairs(cuda_device& device, void* memory, size_t bytes, array_pair& keys, array_pair& values,
                int64_t count, int bits) {
    cub::DoubleBuffer<unsigned> key_buffers(keys.current(), keys.other());
    cub::DoubleBuffer<unsigned> value_buffers(values.current(), values.other());
    check(cub::DeviceRadixSort::SortPairs(memory, bytes, key_buffers, value_buffers, static_cast<int>(count),
                                          0, bits, device.stream()));
    keys.at ^= key_buffers.selector;
    values.at ^= value_buffers.selector;
}

}  // namespace heron::HERON_LEVEL
