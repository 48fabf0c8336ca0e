#pragma once
// The plans' Device on the CPU: an element kernel is a loop over contiguous ranges, one per thread.
#include "common/runtime/device.hpp"
#include "queue.hpp"
#include <omp.h>

namespace heron::HERON_LEVEL {

class host_device {
  public:
    static constexpr bool strided = false;

    explicit host_device(heron_queue* queue) : queue_(*queue) {}

    static void log_failure(const char* operation, const char* reason) noexcept {
        host::log_error(operation, reason);
    }

    // Asked for only where there is enough to do for several.
    int threads() const { return queue_.threads > 0 ? queue_.threads : omp_get_max_threads(); }
    const host::packing_memory& packing() const { return queue_.packing; }

    template <class Kernel, class... Args>
    void launch(const kernel_family&, int64_t count, Args... args) {
        const auto run_items = [=](int64_t begin, int64_t end) {
            for (int64_t item = begin; item < end; ++item) Kernel::run(item, args...);
        };
        const int team = count < smallest_parallel_count ? 1 : threads();
        // OpenMP takes longer to begin with one thread than few items take.
        if (team == 1) return run_items(0, count);
#pragma omp parallel num_threads(team)
        {
            const int64_t member = omp_get_thread_num(), members = omp_get_num_threads();
            run_items(count * member / members, count * (member + 1) / members);
        }
    }

    template <class T>
    T* temporary(T* part, int64_t) {
        return part;
    }
    void follow_addresses() {}

    void fill(void* p, unsigned char byte, size_t bytes) { __builtin_memset(p, byte, bytes); }
    void copy(void* to, const void* from, size_t bytes) { __builtin_memmove(to, from, bytes); }
    void read(void* to, const void* from, size_t bytes) { __builtin_memcpy(to, from, bytes); }
    void write(void* to, const void* from, size_t bytes) { __builtin_memcpy(to, from, bytes); }

  private:
    // Below this many items a thread team costs more than it gains.
    static constexpr int64_t smallest_parallel_count = 512;
    const heron_queue& queue_;
};

}  // namespace heron::HERON_LEVEL
