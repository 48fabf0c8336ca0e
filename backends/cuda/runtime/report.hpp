#pragma once
// An answer of yes or no that a kernel gives and the host reads without waiting for the device.
#include <cstdint>
#include <optional>

namespace heron::HERON_LEVEL {

// Words of the host's memory that kernels write are few, and cost a lot to get: a process gets them once and
// lends them.
class device_report {
  public:
    // None.
    device_report() = default;
    // A word that is free, or none.
    static device_report take() noexcept;

    device_report(device_report&& other) noexcept;
    device_report& operator=(device_report&& other) noexcept;
    ~device_report();

    explicit operator bool() const { return word_ != nullptr; }
    // Where a kernel stores what: the words are used again, maybe before a kernel of their last user ran.
    unsigned* address() const { return word_; }
    unsigned value(bool answer) const { return stamp_ << 1 | static_cast<unsigned>(answer); }
    // Nothing until the kernel has run.
    std::optional<bool> answer() const noexcept;

  private:
    unsigned* word_ = nullptr;
    unsigned stamp_ = 0;
};

}  // namespace heron::HERON_LEVEL
