#pragma once
// A kernel that starts while the one before it still works, and first does what needs nothing of that one.
#include "device.cuh"

namespace heron::HERON_LEVEL {

// By the kernel before: the next one may start once all of its blocks have come here.
static __device__ inline void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// By every warp of the next one, also where it reads nothing: waits until the kernel before is over. What
// that kernel wrote must be read through the address that comes back, so that no load is moved before.
template <class T>
static __device__ inline const T* after_kernel_before(const T* written) {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" : "+l"(written)::"memory");
#endif
    return written;
}

// By every thread of a kernel before anything else: waits until the kernel before is over. All that came
// before that one has ended by then, too: only behind this does a kernel let the next one start, which waits
// for this one alone.
static __device__ inline void begin_behind_kernel_before() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
    let_next_kernel_start();
}

// Launches a kernel that waits by one of these. Where a device cannot, in a graph, and for more shared
// memory than a block has without asking, it starts when the one before is over.
template <class... Args>
void launch_early(cuda_device& device, void (*kernel)(Args...), int64_t blocks, int64_t threads,
                  size_t shared_bytes, std::type_identity_t<Args>... args) {
    if (!device.has_clusters() || is_capturing(device.stream()) ||
        shared_bytes > cuda_device::shared_without_asking)
        return device.launch_blocks(kernel, blocks, threads, shared_bytes, args...);
    if (blocks <= 0) return;
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(std::min<int64_t>(blocks, INT32_MAX)));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = shared_bytes;
    config.stream = device.stream();
    config.attrs = &early;
    config.numAttrs = 1;
    void* pointers[] = {&args...};
    check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), pointers));
}

template <class... Args>
void launch_early(cuda_device& device, void (*kernel)(Args...), int64_t blocks, int64_t threads,
                  std::type_identity_t<Args>... args) {
    launch_early(device, kernel, blocks, threads, size_t{0}, args...);
}

}  // namespace heron::HERON_LEVEL
