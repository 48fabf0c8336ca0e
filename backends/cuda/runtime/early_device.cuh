#pragma once
// The plans' Device where a launch takes as long as what is launched: each kernel starts while the one before
// still works, and waits for its end before anything else.
#include "early_launch.cuh"
#include "common/runtime/slot.hpp"

namespace heron::HERON_LEVEL {

// No argument of these kernels is RESTRICT, so that no load is moved before the wait.
template <class Kernel, class... Args>
__global__ void run_items_early(int64_t count, Args... args) {
    begin_behind_kernel_before();
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t item = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; item < count;
         item += step)
        Kernel::run(item, args...);
}

template <class Kernel, class... Args>
__global__ void __launch_bounds__(Kernel::group) run_group_early(Args... args) {
    begin_behind_kernel_before();
    Kernel::run(args...);
}

template <class Kernel, class... Args>
__global__ void __launch_bounds__(Kernel::group, Kernel::groups_at_once)
    run_groups_at_once_early(Args... args) {
    begin_behind_kernel_before();
    Kernel::run(args...);
}

class early_device {
  public:
    static constexpr bool strided = cuda_device::strided;

    // device: NULL in the phase SIZE, which only computes.
    early_device(heron_queue* queue, cuda_device* device) : queue_(queue), device_(device) {}

    static void log_failure(const char* operation, const char* reason) noexcept {
        cuda_device::log_failure(operation, reason);
    }

    template <class Kernel, class... Args>
    void launch(const kernel_family&, int64_t count, Args... args) {
        if (count <= 0) return;
        constexpr int64_t block = 256;
        launch_early(*device_, run_items_early<Kernel, Args...>, (count + block - 1) / block, block, count,
                     args...);
    }

    // A kernel of the group dialect, none of whose arguments is local memory.
    template <class Kernel, class... Args>
    void launch_groups(const kernel_family&, int64_t groups, Args... args) {
        if constexpr (requires { Kernel::groups_at_once; })
            launch_early(*device_, run_groups_at_once_early<Kernel, Args...>, groups, Kernel::group, args...);
        else
            launch_early(*device_, run_group_early<Kernel, Args...>, groups, Kernel::group, args...);
    }

    template <class T>
    T* temporary(T* part, int64_t) {
        return part;
    }
    void follow_addresses() {}
    void read(void* to, const void* from, size_t bytes) { device_->read(to, from, bytes); }
    int64_t cache_bytes() const { return queue_->cache_bytes; }
    int multiprocessors() const { return device_->multiprocessors(); }

  private:
    heron_queue* queue_;
    cuda_device* device_;
};

// All that a cuda_device is, for operations that do more than launch.
class early_cuda_device : public cuda_device {
  public:
    using cuda_device::cuda_device;

    template <class Kernel, class... Args>
    void launch(const kernel_family&, int64_t count, Args... args) {
        if (count <= 0) return;
        constexpr int64_t block = 256;
        launch_early(*this, run_items_early<Kernel, Args...>, (count + block - 1) / block, block, count,
                     args...);
    }

    template <class Kernel, class... Args>
    void launch_groups(const kernel_family&, int64_t groups, Args... args) {
        with_placed(
            [&]<class... Placed>(size_t bytes, const Placed&... p) {
                if constexpr (requires { Kernel::groups_at_once; })
                    launch_early(*this, run_groups_at_once_early<Kernel, Placed...>, groups, Kernel::group,
                                 bytes, p...);
                else
                    launch_early(*this, run_group_early<Kernel, Placed...>, groups, Kernel::group, bytes,
                                 p...);
            },
            args...);
    }
};

// A slot whose SIZE phase does not ask which device is current.
template <class Args, auto f, const char* name>
heron_status early_slot(heron_queue* queue, heron_phase phase, const Args* args,
                        heron_workspace* workspace) noexcept {
    return guarded<early_device>(name, [&] {
        if (phase == HERON_PHASE_SIZE) {
            early_device device(queue, nullptr);
            return f(device, phase, *args, *workspace);
        }
        cuda_device current(queue);
        early_device device(queue, &current);
        f(device, phase, *args, *workspace);
    });
}

}  // namespace heron::HERON_LEVEL
