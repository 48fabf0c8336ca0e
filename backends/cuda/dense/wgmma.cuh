#pragma once
// What a kernel with warp group products needs of compute capability 9.0, by PTX: bulk copies of tensors, the
// barriers in shared memory that they complete at, and products of tiles in shared memory. Without the
// features of sm_90a it all compiles to nothing.
#include <cuda.h>
#include <cstdint>
#include <cuda_runtime.h>

namespace heron::HERON_LEVEL::dense_cuda {

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define HERON_HAS_WGMMA 1
#else
#define HERON_HAS_WGMMA 0
#endif

static __device__ inline unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

#if HERON_HAS_WGMMA

// PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier". A phase ends when `count`
// threads have arrived and all bytes that were announced are here.
static __device__ inline void begin_barrier(uint64_t* barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count)
                 : "memory");
}
// Bulk copies and products see what the thread wrote to shared memory before.
static __device__ inline void show_to_async_proxy() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

static __device__ inline void arrive(uint64_t* barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
static __device__ inline void arrive_announcing(uint64_t* barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}
// Until the phase of this parity has ended.
static __device__ inline void wait_for_phase(uint64_t* barrier, unsigned parity) {
    unsigned has_ended = 0;
    do {
        asm volatile(
            "{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
            : "=r"(has_ended)
            : "r"(shared_address(barrier)), "r"(parity)
            : "memory");
    } while (!has_ended);
}

// PTX ISA, "cp.async.bulk.tensor": a box of the tensor from (x, y, z) on, zero beyond its ends.
static __device__ inline void copy_box(void* to, const CUtensorMap* map, int x, int y, int z,
                                       uint64_t* barrier) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
        "%4}], [%5];" ::"r"(shared_address(to)),
        "l"(map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier))
        : "memory");
}
static __device__ inline void prefetch_map(const CUtensorMap* map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions": registers and shared memory are ready for the
// products that follow.
static __device__ inline void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
static __device__ inline void commit_products() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int pending>
static __device__ inline void wait_for_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// PTX ISA, "setmaxnreg": all warps of a warp group come here.
template <int count>
static __device__ inline void take_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
}
template <int count>
static __device__ inline void leave_registers() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
}

#define HERON_INPUT "f16"
#define HERON_INPUT_NAME multiply_f16
#define HERON_INPUT_DEPTH "k16"
#define HERON_TURNS_256 ", %131, %132"
#define HERON_TURNS_128 ", %67, %68"
#include "wgmma_products.inc"
#define HERON_INPUT "bf16"
#define HERON_INPUT_NAME multiply_bf16
#define HERON_INPUT_DEPTH "k16"
#define HERON_TURNS_256 ", %131, %132"
#define HERON_TURNS_128 ", %67, %68"
#include "wgmma_products.inc"
#define HERON_INPUT "tf32"
#define HERON_INPUT_NAME multiply_tf32_groups
#define HERON_INPUT_DEPTH "k8"
#define HERON_TURNS_256 ""
#define HERON_TURNS_128 ""
#include "wgmma_products.inc"

#endif

// PTX ISA, "Matrix Descriptor Format" of wgmma: bits 0-13 the address, 16-29 the leading and 32-45 the stride
// dimension's byte offset, each divided by 16; bits 62-63 are 1 for 128-byte swizzling, whose pattern of 1024
// bytes begins at a multiple of 1024 here (bits 49-51 are 0). "Strides": by depth (K-major) the stride is
// between groups of 8 lines, and the leading one is not used; by lines (MN-major) the leading one is between
// blocks of 128 bytes of lines, and the stride between groups of 8 steps.
static __device__ inline uint64_t descriptor_of(unsigned address, unsigned leading, unsigned stride) {
    constexpr uint64_t swizzles_128_bytes = uint64_t{1} << 62;
    const auto field = [](unsigned bytes) { return static_cast<uint64_t>((bytes & 0x3ffff) >> 4); };
    return field(address) | field(leading) << 16 | field(stride) << 32 | swizzles_128_bytes;
}

}  // namespace heron::HERON_LEVEL::dense_cuda
