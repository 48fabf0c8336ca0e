#ifndef HERON_TESTS_CUSPARSE_SESSION_HPP
#define HERON_TESTS_CUSPARSE_SESSION_HPP

// Functions of cuSPARSE on a CUDA stream of a program's own, and arrays on its device.
#include "captured_stream.hpp"

#include <cusparse.h>
#include <vector>

inline void expect(cusparseStatus_t actual) {
    INFO(cusparseGetErrorString(actual));
    REQUIRE(actual == CUSPARSE_STATUS_SUCCESS);
}

template <class T>
class device_array {
  public:
    explicit device_array(std::size_t size) : size_(size) {
        expect(cudaMalloc(reinterpret_cast<void**>(&data_), (size + 1) * sizeof(T)));
    }
    explicit device_array(const std::vector<T>& values) : device_array(values.size()) { *this = values; }
    ~device_array() { cudaFree(data_); }
    device_array(const device_array&) = delete;

    device_array& operator=(const std::vector<T>& values) {
        expect(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
        return *this;
    }
    std::vector<T> read() const {
        std::vector<T> values(size_);
        expect(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }
    T* data() const { return data_; }

  private:
    std::size_t size_;
    T* data_ = nullptr;
};

// A cuSPARSE handle on a stream of its own.
class session : public captured_stream {
  public:
    session() {
        expect(cusparseCreate(&handle_));
        expect(cusparseSetStream(handle_, get()));
    }
    ~session() { cusparseDestroy(handle_); }

    cusparseHandle_t handle() const { return handle_; }

  private:
    cusparseHandle_t handle_ = nullptr;
};

#endif
