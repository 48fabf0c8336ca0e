#pragma once
// A device whose launches cost less: by the driver, and before the kernel before has ended.
#include "device.cuh"
#include "driver_launch.hpp"
#include "common/runtime/slot.hpp"

namespace heron::HERON_LEVEL {

// The next kernel may start where this one has begun to: all that came before this one has ended by then. No
// argument is RESTRICT here, so that no load is moved before.
static __device__ inline void begin_behind() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

template <class Kernel, class... Args>
__global__ void run_items_behind(int64_t count, Args... args) {
    begin_behind();
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t item = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; item < count;
         item += step)
        Kernel::run(item, args...);
}

template <class Kernel, class... Args>
__global__ void __launch_bounds__(Kernel::group) run_group_behind(Args... args) {
    begin_behind();
    Kernel::run(args...);
}

template <class Kernel, class... Args>
__global__ void __launch_bounds__(Kernel::group, Kernel::groups_at_once)
    run_groups_at_once_behind(Args... args) {
    begin_behind();
    Kernel::run(args...);
}

// The driver's handle of a kernel, looked up once.
template <auto kernel>
CUfunction handle_of_kernel() {
    static const CUfunction handle = cuda::driver_kernel(reinterpret_cast<const void*>(kernel));
    return handle;
}

class small_launch_device {
  public:
    static constexpr bool strided = cuda_device::strided;

    // device: NULL in the phase SIZE, which only computes.
    small_launch_device(heron_queue* queue, cuda_device* device) : queue_(queue), device_(device) {}

    static void log_failure(const char* operation, const char* reason) noexcept {
        cuda_device::log_failure(operation, reason);
    }

    template <class T>
    T* temporary(T* part, int64_t) {
        return part;
    }
    void follow_addresses() {}
    void fill(void* p, unsigned char byte, size_t bytes) { device_->fill(p, byte, bytes); }
    void read(void* to, const void* from, size_t bytes) { device_->read(to, from, bytes); }
    cudaStream_t stream() const { return queue_->stream; }
    int multiprocessors() const { return queue_->multiprocessors; }
    int64_t cache_bytes() const { return queue_->cache_bytes; }

    template <class Kernel, class... Args>
    void launch(const kernel_family&, int64_t count, Args... args) {
        if (count <= 0) return;
        constexpr int64_t block = 256;
        launch_way<&run_items<Kernel, Args...>, &run_items_behind<Kernel, Args...>>(
            (count + block - 1) / block, block, count, args...);
    }

    // None of these kernels has an argument that is local memory.
    template <class Kernel, class... Args>
    void launch_groups(const kernel_family&, int64_t groups, Args... args) {
        if constexpr (requires { Kernel::groups_at_once; })
            launch_way<&run_groups_at_once<Kernel, Args...>, &run_groups_at_once_behind<Kernel, Args...>>(
                groups, Kernel::group, args...);
        else
            launch_way<&run_group<Kernel, Args...>, &run_group_behind<Kernel, Args...>>(groups, Kernel::group,
                                                                                         args...);
    }

  private:
    template <auto plain, auto behind, class... Args>
    void launch_way(int64_t blocks, int64_t threads, Args... args) {
        if (blocks <= 0) return;
        const int way = cuda::launch_way();
        if (way == 0) return device_->launch_blocks(plain, blocks, threads, 0, args...);
        const auto grid = static_cast<unsigned>(std::min<int64_t>(blocks, INT32_MAX));
        const bool early = way >= 2 && queue_->has_clusters && !cuda::is_capturing(stream());
        void* pointers[] = {&args...};
        if (way == 2) {
            if (!early) return device_->launch_blocks(plain, blocks, threads, 0, args...);
            cudaLaunchAttribute attribute{};
            attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
            attribute.val.programmaticStreamSerializationAllowed = 1;
            cudaLaunchConfig_t config{};
            config.gridDim = dim3(grid);
            config.blockDim = dim3(static_cast<unsigned>(threads));
            config.stream = stream();
            config.attrs = &attribute;
            config.numAttrs = 1;
            return check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(behind), pointers));
        }
        const CUfunction handle = early ? handle_of_kernel<behind>() : handle_of_kernel<plain>();
        if (!cuda::launch_by_driver(handle, grid, static_cast<unsigned>(threads), 0, stream(), pointers,
                                    early))
            device_->launch_blocks(plain, blocks, threads, 0, args...);
    }

    heron_queue* queue_;
    cuda_device* device_;
};

// A slot whose SIZE phase does not ask which device is current.
template <class Args, auto f, const char* name>
heron_status small_slot(heron_queue* queue, heron_phase phase, const Args* args,
                        heron_workspace* workspace) noexcept {
    return guarded<small_launch_device>(name, [&] {
        if (phase == HERON_PHASE_SIZE && cuda::launch_way() > 0) {
            small_launch_device device(queue, nullptr);
            return f(device, phase, *args, *workspace);
        }
        cuda_device current(queue);
        small_launch_device device(queue, &current);
        f(device, phase, *args, *workspace);
    });
}

}  // namespace heron::HERON_LEVEL
