#pragma once
// The plans' Device on CUDA: an element kernel is one thread per item.
#include "common/runtime/device.hpp"
#include "queue.hpp"
#include <algorithm>
#include <cstdint>
#include <tuple>

namespace heron::HERON_LEVEL {

inline void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    cudaGetLastError();
    throw plan_error{status_of(error), cudaGetErrorString(error)};
}

template <class Kernel, class... Args>
__global__ void run_items(int64_t count, Args... args) {
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t item = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; item < count;
         item += step)
        Kernel::run(item, args...);
}

// Where a block has the local memory of a group kernel's argument.
struct placed_memory {
    template <class T>
    __device__ operator T*() const {
        extern __shared__ uint4 group_memory[];
        return reinterpret_cast<T*>(group_memory + quads_before);
    }
    unsigned quads_before;
};

template <class Kernel, class... Args>
__global__ void __launch_bounds__(Kernel::group) run_group(Args... args) {
    Kernel::run(args...);
}

template <class Kernel, class... Args>
__global__ void __launch_bounds__(Kernel::group, Kernel::groups_at_once) run_groups_at_once(Args... args) {
    Kernel::run(args...);
}

class cuda_device {
  public:
    static constexpr bool strided = true;

    explicit cuda_device(heron_queue* queue) : queue_(queue), scope_(queue->device) { check(scope_.error()); }

    static void log_failure(const char* operation, const char* reason) noexcept {
        log_error(operation, reason);
    }

    template <class Kernel, class... Args>
    void launch(const kernel_family&, int64_t count, Args... args) {
        if (count <= 0) return;
        constexpr int64_t block = 256;
        launch_blocks(run_items<Kernel, Args...>, (count + block - 1) / block, block, 0, count, args...);
    }

    // A kernel of the group dialect.
    template <class Kernel, class... Args>
    void launch_groups(const kernel_family&, int64_t groups, Args... args) {
        with_placed(
            [&]<class... Placed>(size_t bytes, const Placed&... p) {
                if constexpr (requires { Kernel::groups_at_once; })
                    launch_blocks(run_groups_at_once<Kernel, Placed...>, groups, Kernel::group, bytes, p...);
                else
                    launch_blocks(run_group<Kernel, Placed...>, groups, Kernel::group, bytes, p...);
            },
            args...);
    }

    // A kernel that strides over what the grid does not cover: the number of blocks may be cut to what CUDA
    // allows. A kernel with more than shared_without_asking bytes of dynamic shared memory declares
    // declared_at_most bytes beside them at most.
    template <class... Args>
    void launch_blocks(void (*kernel)(Args...), int64_t blocks, int64_t threads, size_t shared_bytes,
                       std::type_identity_t<Args>... args) {
        if (blocks <= 0) return;
        const auto address = reinterpret_cast<const void*>(kernel);
        allow_shared(address, shared_bytes);
        const auto grid = static_cast<unsigned>(std::min<int64_t>(blocks, INT32_MAX));
        void* pointers[] = {&args...};
        check(cudaLaunchKernel(address, dim3(grid), dim3(static_cast<unsigned>(threads)), pointers,
                               shared_bytes, stream()));
    }

    bool can_launch_together() const {
        int can = 0;
        check(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, number()));
        return can != 0;
    }

    // Blocks that wait for each other, at most as many as blocks_at_once: all are at work at a time, or none.
    template <class... Args>
    void launch_together(void (*kernel)(Args...), int64_t blocks, int64_t threads, size_t shared_bytes,
                         std::type_identity_t<Args>... args) {
        const auto address = reinterpret_cast<const void*>(kernel);
        allow_shared(address, shared_bytes);
        void* pointers[] = {&args...};
        check(cudaLaunchCooperativeKernel(address, dim3(static_cast<unsigned>(blocks)),
                                          dim3(static_cast<unsigned>(threads)), pointers, shared_bytes,
                                          stream()));
    }

    // How many blocks of a kernel the whole device works on at a time.
    template <class... Args>
    int64_t blocks_at_once(void (*kernel)(Args...), int threads, size_t shared_bytes = 0) {
        const auto address = reinterpret_cast<const void*>(kernel);
        allow_shared(address, shared_bytes);
        int per_multiprocessor = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, address, threads,
                                                            shared_bytes));
        return int64_t{std::max(per_multiprocessor, 1)} * multiprocessors();
    }

    template <class T>
    T* temporary(T* part, int64_t) {
        return part;
    }
    void follow_addresses() {}

    void fill(void* p, unsigned char byte, size_t bytes) {
        if (bytes) check(cudaMemsetAsync(p, byte, bytes, stream()));
    }
    void copy(void* to, const void* from, size_t bytes) {
        if (bytes) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream()));
    }
    // While the stream is captured this becomes a node of the graph, which is legal for pageable memory too.
    void read(void* to, const void* from, size_t bytes) {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream()));
        if (!is_capturing(stream())) check(cudaStreamSynchronize(stream()));
    }
    void write(void* to, const void* from, size_t bytes) {
        if (bytes) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream()));
    }

    cudaStream_t stream() const { return queue_->stream; }
    int number() const { return queue_->device; }
    int multiprocessors() const { return queue_->multiprocessors; }
    // Of the second-level cache.
    int64_t cache_bytes() const { return queue_->cache_bytes; }

    const cuda::gemm_choices& gemm_choices() {
        if (!queue_->choices) queue_->choices = cuda::choices_for(number());
        return *queue_->choices;
    }

    // Memory of the queue's own, none where a graph would keep its address.
    size_t scratch_bytes() const { return is_capturing(stream()) ? 0 : queue_->scratch.size; }

    // All of it for what the stream gets before return_scratch.
    void* borrow_scratch() {
        scratch_memory& s = queue_->scratch;
        if (!s.is_in_order) check(cudaStreamWaitEvent(stream(), s.used, 0));
        s.is_in_order = true;
        return s.bytes;
    }
    void return_scratch() { check(cudaEventRecord(queue_->scratch.used, stream())); }

    bool has_clusters() const { return queue_->has_clusters; }

    // Bytes of shared memory that a block can have, those that its kernel declares among them.
    int shared_bytes() const { return queue_->shared_bytes; }
    static constexpr int declared_at_most = 1024;
    static constexpr int shared_without_asking = 48 * 1024 - declared_at_most;

  protected:
    // Calls f with the bytes of local memory that are asked for, and with the arguments of which each local
    // memory has its place.
    template <class F, class... Args>
    static void with_placed(F&& f, const Args&... args) {
        size_t bytes = 0;
        const std::tuple placed{place(args, bytes)...};
        std::apply([&](const auto&... p) { f(bytes, p...); }, placed);
    }

  private:
    template <class T>
    static T place(const T& argument, size_t&) {
        return argument;
    }
    static placed_memory place(local_memory memory, size_t& bytes) {
        const placed_memory placed{static_cast<unsigned>(bytes / sizeof(uint4))};
        bytes += (memory.bytes + sizeof(uint4) - 1) / sizeof(uint4) * sizeof(uint4);
        return placed;
    }

    // Always the same limit for a kernel: another thread may be about to launch it with more.
    void allow_shared(const void* kernel, size_t bytes) {
        if (bytes <= shared_without_asking) return;
        const int most = std::max(static_cast<int>(bytes), shared_bytes() - declared_at_most);
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    }

    heron_queue* queue_;
    current_device scope_;
};

}  // namespace heron::HERON_LEVEL
