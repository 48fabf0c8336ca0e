#include "driver_launch.hpp"
#include <cstdlib>

namespace heron::cuda {
namespace {

template <class F>
F* driver_function(const char* name) noexcept {
    void* address = nullptr;
    cudaDriverEntryPointQueryResult found{};
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion(name, &address, 12000, cudaEnableDefault, &found);
    if (error != cudaSuccess || found != cudaDriverEntryPointSuccess) {
        cudaGetLastError();
        return nullptr;
    }
    return reinterpret_cast<F*>(address);
}

struct driver {
    using launch_plainly = CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                    unsigned, CUstream, void**, void**);
    using launch_with_attributes = CUresult(const CUlaunchConfig*, CUfunction, void**, void**);

    launch_plainly* plainly = driver_function<launch_plainly>("cuLaunchKernel");
    launch_with_attributes* with_attributes = driver_function<launch_with_attributes>("cuLaunchKernelEx");
};

const driver& the_driver() noexcept {
    static const driver functions;
    return functions;
}

}  // namespace

int launch_way() noexcept {
    static const int way = [] {
        const char* const text = std::getenv("HERON_TRY_LAUNCH");
        return text ? std::atoi(text) : 0;
    }();
    return way;
}

CUfunction driver_kernel(const void* kernel) noexcept {
    cudaKernel_t handle = nullptr;
    if (!the_driver().plainly || cudaGetKernel(&handle, kernel) != cudaSuccess) {
        cudaGetLastError();
        return nullptr;
    }
    return reinterpret_cast<CUfunction>(handle);
}

bool launch_by_driver(CUfunction kernel, unsigned blocks, unsigned threads, unsigned shared_bytes,
                      cudaStream_t stream, void** arguments, bool early) noexcept {
    const driver& d = the_driver();
    if (!kernel || !d.plainly) return false;
    if (!early || !d.with_attributes)
        return d.plainly(kernel, blocks, 1, 1, threads, 1, 1, shared_bytes, stream, arguments, nullptr) ==
               CUDA_SUCCESS;
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = 1;
    CUlaunchConfig config{};
    config.gridDimX = blocks;
    config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = threads;
    config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = shared_bytes;
    config.hStream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return d.with_attributes(&config, kernel, arguments, nullptr) == CUDA_SUCCESS;
}

}  // namespace heron::cuda
