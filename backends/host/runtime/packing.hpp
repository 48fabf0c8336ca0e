#pragma once
// Memory for packed panels of dense matrices. It is address space that a queue reserves when it is made, so
// that running an operation allocates nothing; pages become memory when they are first written.
#include <cstddef>

namespace heron::host {

class packing_memory {
  public:
    static constexpr size_t own_bytes = size_t{1} << 20;     // per thread
    static constexpr size_t shared_bytes = size_t{4} << 20;  // for all of them
    // The kernels read a little ahead of what they use.
    static constexpr size_t slack = 4096;

    packing_memory() = default;
    ~packing_memory() { release(); }
    packing_memory(const packing_memory&) = delete;
    packing_memory& operator=(const packing_memory&) = delete;

    // Makes room for so many threads, unless there is; false when there is no address space left.
    bool reserve(int threads) noexcept;

    // 0: nothing is reserved.
    int threads() const { return threads_; }
    void* shared() const { return base_; }
    void* own(int thread) const {
        return base_ + shared_bytes + slack + static_cast<size_t>(thread) * (own_bytes + slack);
    }

  private:
    void release() noexcept;

    char* base_ = nullptr;
    size_t bytes_ = 0;
    int threads_ = 0;
};

}  // namespace heron::host
