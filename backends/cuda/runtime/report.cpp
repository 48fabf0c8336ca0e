#include "report.hpp"
#include <cuda_runtime_api.h>
#include <array>
#include <atomic>
#include <mutex>
#include <tuple>
#include <utility>

namespace heron::HERON_LEVEL {
namespace {

// Never freed: kernels may write until the process ends.
class report_page {
  public:
    report_page() noexcept {
        void* page = nullptr;
        if (cudaHostAlloc(&page, words * sizeof(unsigned), cudaHostAllocPortable | cudaHostAllocMapped) !=
            cudaSuccess) {
            cudaGetLastError();
            return;
        }
        for (free_ = 0; free_ < words; ++free_) free_words_[free_] = static_cast<unsigned*>(page) + free_;
    }
    std::pair<unsigned*, unsigned> take() noexcept {
        const std::lock_guard lock(mutex_);
        if (free_ == 0) return {nullptr, 0};
        unsigned* const word = free_words_[--free_];
        stamp_ = stamp_ % last_stamp + 1;
        std::atomic_ref(*word).store(0, std::memory_order_relaxed);
        return {word, stamp_};
    }
    void give_back(unsigned* word) noexcept {
        const std::lock_guard lock(mutex_);
        free_words_[free_++] = word;
    }

  private:
    static constexpr size_t words = 1024;
    static constexpr unsigned last_stamp = 0x7fffffffu;
    std::mutex mutex_;
    std::array<unsigned*, words> free_words_{};
    size_t free_ = 0;
    unsigned stamp_ = 0;
};

report_page& page() noexcept {
    static report_page* const only = new report_page;
    return *only;
}

}  // namespace

device_report device_report::take() noexcept {
    device_report result;
    std::tie(result.word_, result.stamp_) = page().take();
    return result;
}

device_report::device_report(device_report&& other) noexcept
    : word_(std::exchange(other.word_, nullptr)), stamp_(other.stamp_) {}

device_report& device_report::operator=(device_report&& other) noexcept {
    std::swap(word_, other.word_);
    std::swap(stamp_, other.stamp_);
    return *this;
}

device_report::~device_report() {
    if (word_) page().give_back(word_);
}

std::optional<bool> device_report::answer() const noexcept {
    if (!word_) return std::nullopt;
    const unsigned seen = std::atomic_ref(*word_).load(std::memory_order_relaxed);
    if (seen >> 1 != stamp_) return std::nullopt;
    return (seen & 1u) != 0;
}

}  // namespace heron::HERON_LEVEL
