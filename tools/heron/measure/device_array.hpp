// Elements in the memory of a device, for benchmarks and stress.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "device.hpp"

namespace heron::tools {

template <class T>
class device_array {
  public:
    // Filled with bytes that are no small numbers.
    device_array(heron_handle on, std::size_t count)
        : on_(on), count_(count), memory_(on, std::max<std::size_t>(count, 1) * sizeof(T)) {
        constexpr unsigned char poison = 0xf1;
        if (count > 0) heron::tools::check(heron_fill(on, get(), poison, bytes()), "heron_fill");
    }
    device_array(heron_handle on, const std::vector<T>& values) : device_array(on, values.size()) {
        copy(on, get(), values.data());
    }
    device_array(const device& where, std::size_t count) : device_array(where.handle(), count) {}
    device_array(const device& where, const std::vector<T>& values) : device_array(where.handle(), values) {}

    T* get() const { return static_cast<T*>(memory_.get()); }
    std::size_t size() const { return count_; }
    void copy_from(const device_array& other) const { copy(on_, get(), other.get()); }
    // What it is when the work is done that was submitted before, to the stream of the handle.
    std::vector<T> download() const { return download(on_); }
    std::vector<T> download(heron_handle by) const {
        std::vector<T> values(count_);
        copy(by, values.data(), get());
        return values;
    }

  private:
    std::size_t bytes() const { return count_ * sizeof(T); }
    void copy(heron_handle by, void* to, const void* from) const {
        if (count_ > 0) heron::tools::check(heron_copy(by, to, from, bytes()), "heron_copy");
    }

    heron_handle on_;
    std::size_t count_;
    device_buffer memory_;
};

// What is wrong with numbers that have to be the expected ones in every bit; empty where nothing is.
template <class T>
std::string difference(const char* name, const std::vector<T>& expected, const std::vector<T>& found) {
    if (expected.size() != found.size()) return fmt::format("the {} are {}", name, found.size());
    const auto are_equal = [](const T& x, const T& y) { return std::memcmp(&x, &y, sizeof x) == 0; };
    const auto at = std::mismatch(expected.begin(), expected.end(), found.begin(), are_equal);
    if (at.first == expected.end()) return {};
    std::string values;
    if constexpr (std::is_arithmetic_v<T>) values = fmt::format(": {}, not {}", *at.second, *at.first);
    return fmt::format("the {} differ from number {} on{}", name, at.first - expected.begin(), values);
}
template <class T>
std::string difference(const char* name, const std::vector<T>& expected, const device_array<T>& array) {
    return difference(name, expected, array.download());
}

}  // namespace heron::tools
