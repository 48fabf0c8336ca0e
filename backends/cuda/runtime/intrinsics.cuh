#pragma once
// What the kernels need of the hardware and CUDA C++ has no plain name for.
#include <cstdint>
#include <cuda_runtime.h>

namespace heron::HERON_LEVEL {

// Loads what is used once: it leaves the caches before anything else does.
template <class T>
static __device__ inline T load_streaming(const T* p) {
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
    T value;
    if constexpr (sizeof(T) == 1) {
        const auto word = __ldcs(reinterpret_cast<const signed char*>(p));
        __builtin_memcpy(&value, &word, sizeof value);
    } else if constexpr (sizeof(T) == 2) {
        const auto word = __ldcs(reinterpret_cast<const short*>(p));
        __builtin_memcpy(&value, &word, sizeof value);
    } else if constexpr (sizeof(T) == 4) {
        const auto word = __ldcs(reinterpret_cast<const int*>(p));
        __builtin_memcpy(&value, &word, sizeof value);
    } else if constexpr (sizeof(T) == 8) {
        const auto word = __ldcs(reinterpret_cast<const long long*>(p));
        __builtin_memcpy(&value, &word, sizeof value);
    } else {
        const auto word = __ldcs(reinterpret_cast<const int4*>(p));
        __builtin_memcpy(&value, &word, sizeof value);
    }
    return value;
}

// Loads what other threads will use too, from memory that no kernel of this launch writes.
template <class T>
static __device__ inline T load_shared_by_many(const T* p) {
    T value;
    if constexpr (sizeof(T) == 1) {
        const auto word = __ldg(reinterpret_cast<const signed char*>(p));
        __builtin_memcpy(&value, &word, sizeof value);
    } else if constexpr (sizeof(T) == 2) {
        const auto word = __ldg(reinterpret_cast<const short*>(p));
        __builtin_memcpy(&value, &word, sizeof value);
    } else if constexpr (sizeof(T) == 4) {
        const auto word = __ldg(reinterpret_cast<const int*>(p));
        __builtin_memcpy(&value, &word, sizeof value);
    } else if constexpr (sizeof(T) == 8) {
        const auto word = __ldg(reinterpret_cast<const long long*>(p));
        __builtin_memcpy(&value, &word, sizeof value);
    } else {
        const auto word = __ldg(reinterpret_cast<const int4*>(p));
        __builtin_memcpy(&value, &word, sizeof value);
    }
    return value;
}

// Of what other blocks write or read meanwhile.
static __device__ inline unsigned load_relaxed(const unsigned* p) {
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}
static __device__ inline void store_relaxed(unsigned* p, unsigned value) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}
// Loads without a branch, so that several are on their way at a time. What is not wanted stays as it is.
static __device__ inline void load_relaxed_if(bool wanted, const unsigned* p, unsigned& value) {
    asm volatile(
        "{.reg .pred q; setp.ne.s32 q, %1, 0;\n"
        "@q ld.relaxed.gpu.global.u32 %0, [%2];}"
        : "+r"(value)
        : "r"(static_cast<int>(wanted)), "l"(p)
        : "memory");
}
static __device__ inline void load_relaxed_if(bool wanted, const uint64_t* p, uint64_t& value) {
    asm volatile(
        "{.reg .pred q; setp.ne.s32 q, %1, 0;\n"
        "@q ld.relaxed.gpu.global.u64 %0, [%2];}"
        : "+l"(value)
        : "r"(static_cast<int>(wanted)), "l"(p)
        : "memory");
}

// Starts to bring the line of an address into the second-level cache.
static __device__ inline void prefetch_line(const void* p) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}

// Copies 4, 8 or 16 bytes, aligned to that, from global to shared memory without waiting.
template <int bytes>
static __device__ inline void copy_async(void* shared, const void* global) {
    static_assert(bytes == 4 || bytes == 8 || bytes == 16);
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    if constexpr (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(bytes)
                     : "memory");
}

// The same only if `is_there`, without a branch.
template <int bytes>
static __device__ inline void copy_async_if(bool is_there, void* shared, const void* global) {
    static_assert(bytes == 4 || bytes == 8 || bytes == 16);
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    const auto condition = static_cast<unsigned>(is_there);
    if constexpr (bytes == 16)
        asm volatile(
            "{.reg .pred p; setp.ne.u32 p, %2, 0; @p cp.async.cg.shared.global [%0], [%1], 16;}" ::"r"(to),
            "l"(global), "r"(condition)
            : "memory");
    else
        asm volatile(
            "{.reg .pred p; setp.ne.u32 p, %2, 0; @p cp.async.ca.shared.global [%0], [%1], %3;}" ::"r"(to),
            "l"(global), "r"(condition), "n"(bytes)
            : "memory");
}

// Copies the first `valid` of 4, 8 or 16 bytes; the rest becomes zero.
template <int bytes>
static __device__ inline void copy_async_or_zero(void* shared, const void* global, int valid) {
    static_assert(bytes == 4 || bytes == 8 || bytes == 16);
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    if constexpr (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(valid)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(global), "n"(bytes),
                     "r"(valid)
                     : "memory");
}

// Closes the group of copies that the thread has started since the last call.
static __device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most `pending` of the thread's latest groups are under way.
template <int pending>
static __device__ inline void wait_for_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// All threads of a cluster's blocks meet here, and see what the others have written.
static __device__ inline void meet_cluster() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

// What block `rank` of the cluster has where this block has *shared.
template <class T>
static __device__ inline const T* in_block(const T* shared, int rank) {
    const T* there = shared;
#if __CUDA_ARCH__ >= 900
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(shared), "r"(rank));
#endif
    return there;
}

}  // namespace heron::HERON_LEVEL
