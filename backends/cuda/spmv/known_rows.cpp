#include "known_rows.hpp"
#include <cuda_runtime_api.h>
#include <algorithm>
#include <atomic>

namespace heron::cuda {

void known_rows::prepare() noexcept {
    const std::lock_guard lock(mutex_);
    if (words_) return;
    constexpr size_t bytes = most * (most_words + 1) * sizeof(unsigned);
    void* page = nullptr;
    if (cudaHostAlloc(&page, bytes, cudaHostAllocPortable | cudaHostAllocMapped) != cudaSuccess) {
        cudaGetLastError();
        return;
    }
    words_ = static_cast<unsigned*>(page);
    std::fill_n(words_, most * (most_words + 1), 0u);
}

// The one of the pattern, or the one that was not used for the longest time, for it.
known_rows::record& known_rows::record_of(const pattern& p) noexcept {
    const auto same =
        std::find_if(records_.begin(), records_.end(), [&](const record& r) { return r.of == p; });
    if (same != records_.end()) return *same;
    record& oldest =
        *std::min_element(records_.begin(), records_.end(),
                          [](const record& a, const record& b) { return a.last_use < b.last_use; });
    oldest = record{};
    oldest.of = p;
    return oldest;
}

bool known_rows::has_arrived(const record& r) const noexcept {
    return std::atomic_ref(words_of(r)[most_words]).load(std::memory_order_acquire) == r.stamp;
}

row_report known_rows::begin(record& r) noexcept {
    r.state = progress::measuring;
    r.stamp = ++stamps_;
    return {words_of(r), r.stamp};
}

}  // namespace heron::cuda
