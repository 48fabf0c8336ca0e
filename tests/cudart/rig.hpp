#pragma once
// Helpers of the runtime's tests.
#include "catch.hpp"
#include <cuda_runtime.h>
#include <chrono>
#include <vector>

// Error codes are checked one by one, so that none is left behind for the next test case.
inline void clear_last_error() { static_cast<void>(cudaGetLastError()); }

// Without waiting for the stream in any other way.
inline bool becomes_idle(cudaStream_t stream) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    cudaError_t status = cudaErrorNotReady;
    while (status == cudaErrorNotReady && std::chrono::steady_clock::now() < end)
        status = cudaStreamQuery(stream);
    return status == cudaSuccess;
}

template <class T>
T* device_array(size_t count) {
    void* p = nullptr;
    REQUIRE(cudaMalloc(&p, count * sizeof(T)) == cudaSuccess);
    REQUIRE(p != nullptr);
    return static_cast<T*>(p);
}

inline std::vector<int> counting(size_t count) {
    std::vector<int> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = static_cast<int>(i);
    return values;
}

inline std::vector<int> download(const int* p, size_t count) {
    std::vector<int> values(count, -1);
    REQUIRE(cudaMemcpy(values.data(), p, count * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
    return values;
}
