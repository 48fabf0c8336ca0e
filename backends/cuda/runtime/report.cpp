#include "report.hpp"
#include "stamped_page.hpp"
#include <atomic>
#include <utility>

namespace heron::HERON_LEVEL {
namespace {

// The answer is below the stamp.
using report_page = stamped_page<unsigned, 1, 1024, 0x7fffffffu>;

}  // namespace

device_report device_report::take() noexcept {
    device_report result;
    result.word_ = report_page::get().take(result.stamp_);
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
    if (word_) report_page::get().give_back(word_);
}

std::optional<bool> device_report::answer() const noexcept {
    if (!word_) return std::nullopt;
    const unsigned seen = std::atomic_ref(*word_).load(std::memory_order_relaxed);
    if (seen >> 1 != stamp_) return std::nullopt;
    return (seen & 1u) != 0;
}

}  // namespace heron::HERON_LEVEL
