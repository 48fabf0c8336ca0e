#ifndef HERON_TESTS_CAPTURED_STREAM_HPP
#define HERON_TESTS_CAPTURED_STREAM_HPP

// A CUDA stream of a program's own, whose work can become a graph.
#include "catch.hpp"

#include <cuda_runtime_api.h>
#include <cstdio>
#include <cstdlib>
#include <functional>

inline void expect(cudaError_t actual) {
    INFO(cudaGetErrorString(actual));
    REQUIRE(actual == cudaSuccess);
}

// Status 77 tells ctest that the test was skipped.
inline void skip_without_device() {
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) return;
    std::puts("no CUDA device");
    std::exit(77);
}

class captured_stream {
  public:
    captured_stream() {
        skip_without_device();
        expect(cudaStreamCreate(&stream_));
    }
    ~captured_stream() { cudaStreamDestroy(stream_); }
    captured_stream(const captured_stream&) = delete;
    captured_stream& operator=(const captured_stream&) = delete;

    cudaStream_t get() const { return stream_; }
    void wait() const { expect(cudaStreamSynchronize(stream_)); }

    // Everything that f submits becomes a graph.
    cudaGraphExec_t capture(const std::function<void()>& f) const {
        expect(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        f();
        cudaGraph_t graph = nullptr;
        expect(cudaStreamEndCapture(stream_, &graph));
        cudaGraphExec_t executable = nullptr;
        expect(cudaGraphInstantiate(&executable, graph, 0));
        expect(cudaGraphDestroy(graph));
        return executable;
    }
    void replay(cudaGraphExec_t graph) const {
        expect(cudaGraphLaunch(graph, stream_));
        wait();
    }

  private:
    cudaStream_t stream_ = nullptr;
};

#endif
