#pragma once
// Pools for allocation in stream order. They hold no memory back: what is freed goes to the backend at once,
// so a pool is a device, a limit and an account of what is in use.
#include "guard.hpp"
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace heron::cudart {

class memory_pool : public std::enable_shared_from_this<memory_pool> {
  public:
    // largest = 0: no limit.
    memory_pool(int ordinal, size_t largest) : ordinal_(ordinal), largest_(largest) {}

    int ordinal() const { return ordinal_; }
    // Books the bytes until the last copy of the result is gone.
    std::shared_ptr<void> share(size_t bytes);

    int reuse(cudaMemPoolAttr attribute) const;
    void set_reuse(cudaMemPoolAttr attribute, int value);
    uint64_t bytes(cudaMemPoolAttr attribute) const;
    void set_bytes(cudaMemPoolAttr attribute, uint64_t value);

  private:
    const int ordinal_;
    const size_t largest_;
    mutable std::mutex mutex_;
    uint64_t used_ = 0, most_used_ = 0, release_threshold_ = 0;
    std::map<cudaMemPoolAttr, int> reuse_;
};

// The pools of the process. A device has a default pool from the start, and one that cudaMallocAsync uses.
class memory_pools {
  public:
    static memory_pools& get();

    std::shared_ptr<memory_pool> default_of(int ordinal);
    std::shared_ptr<memory_pool> current_of(int ordinal);
    void set_current(int ordinal, cudaMemPool_t pool);
    cudaMemPool_t create(int ordinal, size_t largest);
    void destroy(cudaMemPool_t pool);
    std::shared_ptr<memory_pool> find(cudaMemPool_t pool);

  private:
    std::recursive_mutex mutex_;
    std::map<int, std::shared_ptr<memory_pool>> defaults_, currents_;
    std::map<const void*, std::shared_ptr<memory_pool>> pools_;
};

}  // namespace heron::cudart
