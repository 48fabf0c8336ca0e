#pragma once
// Host memory for the length of a scope. The standard containers would be merged across the host's
// instruction set levels.
#include "device.hpp"
#include <new>

namespace heron::HERON_LEVEL {

template <class T>
class host_array {
  public:
    host_array() = default;
    // Not initialised.
    explicit host_array(int64_t size) : data_(new (std::nothrow) T[static_cast<size_t>(size)]), size_(size) {
        if (!data_) throw plan_error{HERON_ALLOC_FAILED, "out of host memory"};
    }
    host_array(int64_t size, T value) : host_array(size) {
        for (int64_t k = 0; k < size; ++k) data_[k] = value;
    }
    ~host_array() { delete[] data_; }
    host_array(host_array&& other) noexcept : data_(other.data_), size_(other.size_) {
        other.data_ = nullptr;
        other.size_ = 0;
    }
    host_array& operator=(host_array&& other) noexcept {
        T* const data = data_;
        const int64_t size = size_;
        data_ = other.data_;
        size_ = other.size_;
        other.data_ = data;
        other.size_ = size;
        return *this;
    }
    host_array(const host_array&) = delete;

    T& operator[](int64_t k) { return data_[k]; }
    const T& operator[](int64_t k) const { return data_[k]; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    int64_t size() const { return size_; }
    size_t bytes() const { return static_cast<size_t>(size_) * sizeof(T); }

  private:
    T* data_ = nullptr;
    int64_t size_ = 0;
};

}  // namespace heron::HERON_LEVEL
