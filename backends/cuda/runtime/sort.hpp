#pragma once
// Stable sorting of 32-bit keys with 32-bit values on the device, fewer than 2^31 of them.
#include "device.cuh"

namespace heron::HERON_LEVEL {

// Two arrays that a sort writes in turn. `at` says which one holds the content.
struct array_pair {
    unsigned* arrays[2];
    int at = 0;
    unsigned* current() const { return arrays[at]; }
    unsigned* other() const { return arrays[1 - at]; }
};

// The same of 64-bit values.
struct packed_pair {
    uint64_t* arrays[2];
    int at = 0;
    uint64_t* current() const { return arrays[at]; }
    uint64_t* other() const { return arrays[1 - at]; }
};

// Workspace for sorting `count` pairs.
size_t sort_workspace(int64_t count);

// Sorts by the lowest `bits` bits of the keys; equal keys keep their order.
void sort_pairs(cuda_device& device, void* memory, size_t bytes, array_pair& keys, array_pair& values,
                int64_t count, int bits);

// The same with values of 64 bits.
size_t packed_sort_workspace(int64_t count);
void sort_packed(cuda_device& device, void* memory, size_t bytes, array_pair& keys, packed_pair& values,
                 int64_t count, int bits);

}  // namespace heron::HERON_LEVEL
