#pragma once
// Memory for the pointer APIs: shared virtual memory, whose addresses kernels take as they are, interior ones
// too.
#include "queue.hpp"
#include <vector>

namespace heron::opencl {

void* allocate(int device, size_t bytes, heron_memory kind);
// Waits for the device first, since work that is under way may use the memory. NULL is accepted.
void release(void* pointer);
bool find_owner(const void* pointer, void** base, size_t* bytes, heron_memory* kind, int* device);

// The start of every block of the device's shared virtual memory.
std::vector<void*> all_blocks(int device);

// Ordered on the queue; host memory and device memory in any combination, as heron_backend.copy promises.
void copy(heron_queue& queue, void* destination, const void* source, size_t bytes);
void fill(heron_queue& queue, void* destination, unsigned char byte, size_t bytes);

// Device memory on both sides; never waits.
void copy_on_device(heron_queue& queue, void* destination, const void* source, size_t bytes);
void fill_on_device(heron_queue& queue, void* destination, unsigned char byte, size_t bytes);
// Wait for the device.
void read(heron_queue& queue, void* host, const void* source, size_t bytes);
void write(heron_queue& queue, void* destination, const void* host, size_t bytes);

}  // namespace heron::opencl
