// The two runtimes side by side: version nodes, and the structs that CUDA 11, 12 and 13 programs expect, with
// nothing written beyond them.
#include "catch.hpp"
#include <cuda_runtime_api.h>
#include <cuda12_abi.h>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>

namespace {

class library {
  public:
    explicit library(int version)
        : node_("libcudart.so." + std::to_string(version)),
          handle_(dlopen((std::string(HERON_CUDART_DIR "/") + node_).c_str(), RTLD_NOW | RTLD_LOCAL)) {
        REQUIRE(handle_ != nullptr);
    }
    ~library() { dlclose(handle_); }
    library(const library&) = delete;
    library& operator=(const library&) = delete;

    // The symbol at the node of the library's own name; null when it is not there.
    template <class F>
    F* find(const char* name) const {
        return reinterpret_cast<F*>(dlvsym(handle_, name, node_.c_str()));
    }

  private:
    std::string node_;
    void* handle_;
};

using properties_call = cudaError_t(void*, int);

// How many bytes of a large buffer the call has written, counted to the last one that differs from a pattern.
size_t bytes_written(properties_call* get, std::vector<unsigned char>& buffer) {
    size_t last = 0;
    std::vector<unsigned char> other(2048, 0x00);
    buffer.assign(2048, 0xa5);
    REQUIRE(get(buffer.data(), 0) == cudaSuccess);
    REQUIRE(get(other.data(), 0) == cudaSuccess);
    for (size_t i = 0; i < buffer.size(); ++i)
        if (buffer[i] != 0xa5 || other[i] != 0x00) last = i + 1;
    return last;
}

template <class Properties>
Properties as(const std::vector<unsigned char>& buffer) {
    Properties p;
    std::memcpy(&p, buffer.data(), sizeof p);
    return p;
}

}  // namespace

TEST_CASE("libcudart.so.13") {
    const library cudart(13);
    int version = 0;
    CHECK(cudart.find<cudaError_t(int*)>("cudaRuntimeGetVersion")(&version) == cudaSuccess);
    CHECK(version / 1000 == 13);
    CHECK(cudart.find<void>("cudaGetDeviceProperties_v2") == nullptr);
    CHECK(cudart.find<void>("cudaThreadSynchronize") == nullptr);
    std::vector<unsigned char> buffer;
    CHECK(bytes_written(cudart.find<properties_call>("cudaGetDeviceProperties"), buffer) ==
          sizeof(cudaDeviceProp));
    const auto p = as<cudaDeviceProp>(buffer);
    CHECK(p.warpSize == 32);
    CHECK(p.multiProcessorCount > 0);
    CHECK(p.maxThreadsPerMultiProcessor == 2048);
}

TEST_CASE("libcudart.so.12") {
    const library cudart(12);
    int version = 0;
    CHECK(cudart.find<cudaError_t(int*)>("cudaRuntimeGetVersion")(&version) == cudaSuccess);
    CHECK(version / 1000 == 12);
    std::vector<unsigned char> buffer;

    SECTION("properties of CUDA 12") {
        CHECK(bytes_written(cudart.find<properties_call>("cudaGetDeviceProperties_v2"), buffer) ==
              sizeof(cudaDeviceProp_v12));
        const auto p = as<cudaDeviceProp_v12>(buffer);
        CHECK(p.warpSize == 32);
        CHECK(p.multiProcessorCount > 0);
        CHECK(p.maxThreadsPerMultiProcessor == 2048);
        CHECK(p.hostRegisterSupported == 1);
        CHECK(p.computeMode == cudaComputeModeDefault);
        CHECK(p.memoryPoolsSupported == 1);
    }
    SECTION("properties of CUDA 11") {
        CHECK(bytes_written(cudart.find<properties_call>("cudaGetDeviceProperties"), buffer) == 728);
        const auto p = as<cudaDeviceProp_v12>(buffer);
        CHECK(p.warpSize == 32);
        CHECK(p.maxThreadsPerMultiProcessor == 2048);
    }
    SECTION("attributes of a pointer") {
        const auto get = cudart.find<cudaError_t(void*, const void*)>("cudaPointerGetAttributes");
        std::vector<unsigned char> attributes(sizeof(cudaPointerAttributes), 0xa5);
        CHECK(get(attributes.data(), &version) == cudaSuccess);
        CHECK(as<cudaPointerAttributes_v12>(attributes).device == cudaInvalidDeviceId);
        for (size_t i = sizeof(cudaPointerAttributes_v12); i < attributes.size(); ++i)
            CHECK(attributes[i] == 0xa5);
    }
    SECTION("names that CUDA 13 has dropped") {
        CHECK(cudart.find<cudaError_t()>("cudaThreadSynchronize")() == cudaSuccess);
        CHECK(cudart.find<cudaError_t()>("cudaThreadExit")() == cudaSuccess);
    }
    SECTION("hints about managed memory with a device by number") {
        const auto prefetch =
            cudart.find<cudaError_t(const void*, size_t, int, cudaStream_t)>("cudaMemPrefetchAsync");
        const auto allocate = cudart.find<cudaError_t(void**, size_t, unsigned)>("cudaMallocManaged");
        void* p = nullptr;
        if (allocate(&p, 64, cudaMemAttachGlobal) != cudaSuccess) return;
        CHECK(prefetch(p, 64, 0, nullptr) == cudaSuccess);
        CHECK(prefetch(p, 64, cudaCpuDeviceId, nullptr) == cudaSuccess);
        CHECK(prefetch(p, 64, 99, nullptr) == cudaErrorInvalidDevice);
        const auto advise =
            cudart.find<cudaError_t(const void*, size_t, cudaMemoryAdvise, int)>("cudaMemAdvise");
        CHECK(advise(p, 64, cudaMemAdviseSetPreferredLocation, 0) == cudaSuccess);
        CHECK(advise(p, 64, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId) == cudaSuccess);
        CHECK(advise(p, 64, cudaMemAdviseSetPreferredLocation, 99) == cudaErrorInvalidDevice);
        CHECK(cudart.find<cudaError_t(void*)>("cudaFree")(p) == cudaSuccess);
    }
}
