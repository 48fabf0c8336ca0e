#include "memory.hpp"
#include "common/runtime/allocation_registry.hpp"
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace heron::opencl {
namespace {

constexpr size_t host_alignment = 4096;

allocation_registry& allocations() {
    static allocation_registry& registry = *new allocation_registry;
    return registry;
}

// NVIDIA's driver fails allocations that two threads make at once, or one while another frees.
std::mutex& allocator() {
    static std::mutex& mutex = *new std::mutex;
    return mutex;
}

// Without fine-grained buffers, memory of the host is ordinary memory: copy takes it, kernels do not.
bool is_svm(const device& d, heron_memory kind) {
    return kind != HERON_MEMORY_HOST || d.traits().is_fine_grained;
}

void* allocate_host(size_t bytes) {
    return std::aligned_alloc(host_alignment, (bytes + host_alignment - 1) / host_alignment * host_alignment);
}

void* allocate_svm(device& d, size_t bytes, heron_memory kind) {
    const bool fine = kind == HERON_MEMORY_DEVICE ? d.traits().is_unified : true;
    const cl_svm_mem_flags flags = CL_MEM_READ_WRITE | (fine ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0);
    const cl_context context = d.context();
    const std::lock_guard lock(allocator());
    return clSVMAlloc(context, flags, bytes, 0);
}

void free_block(device& d, heron_memory kind, void* pointer) {
    if (!is_svm(d, kind)) return std::free(pointer);
    const cl_context context = d.context();
    const std::lock_guard lock(allocator());
    clSVMFree(context, pointer);
}

struct place {
    bool is_device = false;   // shared virtual memory
    bool is_pageable = true;  // neither device memory nor HERON_MEMORY_HOST
};

place place_of(const heron_queue& queue, const void* address) {
    void* base = nullptr;
    size_t bytes = 0;
    heron_memory kind{};
    int owner = 0;
    if (!find_owner(address, &base, &bytes, &kind, &owner)) return {};
    if (!is_svm(device_at(owner), kind)) return {false, false};
    if (owner != queue.index) fail(HERON_INVALID_VALUE, "the memory belongs to another OpenCL device");
    return {true, false};
}

void svm_copy(heron_queue& queue, void* destination, const void* source, size_t bytes, bool wait) {
    check(clEnqueueSVMMemcpy(queue.submit().commands(), wait ? CL_TRUE : CL_FALSE, destination, source, bytes,
                             0, nullptr, nullptr),
          "clEnqueueSVMMemcpy");
}

// The widest pattern that address and size allow: some drivers fill one pattern per work-item.
size_t pattern_size(const void* destination, size_t bytes) {
    const auto bits = reinterpret_cast<uintptr_t>(destination) | bytes;
    return bits % 16 == 0 ? 16 : bits % 4 == 0 ? 4 : 1;
}

}  // namespace

void* allocate(int index, size_t bytes, heron_memory kind) {
    device& d = device_at(index);
    if (bytes == 0) return nullptr;
    if (kind == HERON_MEMORY_MANAGED && !d.traits().is_fine_grained)
        fail(HERON_NOT_SUPPORTED,
             d.traits().name + " has no fine-grained shared virtual memory for managed memory");
    void* const p = is_svm(d, kind) ? allocate_svm(d, bytes, kind) : allocate_host(bytes);
    if (!p)
        fail(HERON_ALLOC_FAILED, "no memory for " + std::to_string(bytes) +
                                     " bytes (largest single allocation " +
                                     std::to_string(d.traits().largest_allocation) + ")");
    try {
        allocations().add(p, bytes, kind, index);
    } catch (...) {
        free_block(d, kind, p);
        throw;
    }
    return p;
}

void release(void* pointer) {
    if (!pointer) return;
    void* base = nullptr;
    size_t bytes = 0;
    heron_memory kind{};
    int index = 0;
    if (!find_owner(pointer, &base, &bytes, &kind, &index) || base != pointer)
        fail(HERON_INVALID_VALUE, "the address was not allocated here or is already free");
    device& d = device_at(index);
    d.finish();
    if (!allocations().remove(pointer)) fail(HERON_INVALID_VALUE, "the address is already free");
    free_block(d, kind, pointer);
}

bool find_owner(const void* pointer, void** base, size_t* bytes, heron_memory* kind, int* device) {
    return allocations().find(pointer, base, bytes, kind, device);
}

std::vector<void*> all_blocks(int index) {
    std::vector<void*> blocks;
    allocations().each(index, [&](void* base, heron_memory kind) {
        if (is_svm(device_at(index), kind)) blocks.push_back(base);
    });
    return blocks;
}

void copy(heron_queue& queue, void* destination, const void* source, size_t bytes) {
    if (bytes == 0 || destination == source) return;
    const place to = place_of(queue, destination);
    const place from = place_of(queue, source);
    if (to.is_device || from.is_device)
        return svm_copy(queue, destination, source, bytes, to.is_pageable || from.is_pageable);
    queue.finish();
    std::memmove(destination, source, bytes);
}

void fill(heron_queue& queue, void* destination, unsigned char byte, size_t bytes) {
    if (bytes == 0) return;
    if (place_of(queue, destination).is_device) return fill_on_device(queue, destination, byte, bytes);
    queue.finish();
    std::memset(destination, byte, bytes);
}

void copy_on_device(heron_queue& queue, void* destination, const void* source, size_t bytes) {
    if (bytes > 0) svm_copy(queue, destination, source, bytes, false);
}

void fill_on_device(heron_queue& queue, void* destination, unsigned char byte, size_t bytes) {
    if (bytes == 0) return;
    unsigned char pattern[16];
    std::memset(pattern, byte, sizeof pattern);
    check(clEnqueueSVMMemFill(queue.submit().commands(), destination, pattern,
                              pattern_size(destination, bytes), bytes, 0, nullptr, nullptr),
          "clEnqueueSVMMemFill");
}

void read(heron_queue& queue, void* host, const void* source, size_t bytes) {
    if (bytes == 0) return;
    void* const window = bytes <= pinned_window::bytes ? queue.window() : nullptr;
    svm_copy(queue, window ? window : host, source, bytes, true);
    if (window) std::memcpy(host, window, bytes);
}

void write(heron_queue& queue, void* destination, const void* host, size_t bytes) {
    if (bytes > 0) svm_copy(queue, destination, host, bytes, true);
}

}  // namespace heron::opencl
