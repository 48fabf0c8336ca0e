#pragma once
// Words in memory of the host that kernels write. They are few, and cost a lot to get: a process gets a page
// of them once and lends them.
#include "relaxed_capture.hpp"
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

namespace heron::HERON_LEVEL {

// Places of `words` words each. A place is lent again, maybe before a kernel of its last user ran: what a
// kernel writes there has the stamp of the loan.
template <class Word, size_t words, size_t places, uint32_t last_stamp>
class stamped_page {
  public:
    static stamped_page& get() noexcept {
        static auto* const only = new stamped_page;
        return *only;
    }

    // A place of zeros, or NULL. Its stamp is not 0.
    Word* take(uint32_t& stamp) noexcept {
        const std::lock_guard lock(mutex_);
        if (free_ == 0) return nullptr;
        Word* const place = free_places_[--free_];
        stamp = stamp_ = stamp_ == last_stamp ? 1 : stamp_ + 1;
        for (size_t i = 0; i < words; ++i) std::atomic_ref(place[i]).store(0, std::memory_order_relaxed);
        return place;
    }
    void give_back(Word* place) noexcept {
        const std::lock_guard lock(mutex_);
        free_places_[free_++] = place;
    }

  private:
    // Never freed: kernels may write until the process ends.
    stamped_page() noexcept {
        const relaxed_capture allocating;
        void* page = nullptr;
        if (cudaHostAlloc(&page, places * words * sizeof(Word),
                          cudaHostAllocPortable | cudaHostAllocMapped) != cudaSuccess) {
            cudaGetLastError();
            return;
        }
        for (free_ = 0; free_ < places; ++free_)
            free_places_[free_] = static_cast<Word*>(page) + free_ * words;
    }

    std::mutex mutex_;
    std::array<Word*, places> free_places_{};
    size_t free_ = 0;
    uint32_t stamp_ = 0;
};

}  // namespace heron::HERON_LEVEL
