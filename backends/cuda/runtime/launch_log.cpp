// Which kernels the plug-in has and which of them a process has launched, appended to the file
// HERON_LAUNCH_LOG when the process ends: lines of "kernel NAME" and "launched NAME", mangled. A part of
// builds with HERON_CUDA_LAUNCH_LOG alone, which are linked so that the functions of the CUDA runtime that
// compilers and we call for that are these (ld's --wrap).
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>

namespace {

struct launch_log {
    std::mutex mutex;
    std::unordered_map<const void*, std::string> names;  // by the host's address of a kernel
    std::set<std::string> launched;

    ~launch_log() {
        const char* const file = std::getenv("HERON_LAUNCH_LOG");
        std::FILE* const out = file ? std::fopen(file, "a") : nullptr;
        if (!out) return;
        std::string text;
        for (const auto& [address, name] : names) text += "kernel " + name + "\n";
        for (const std::string& name : launched) text += "launched " + name + "\n";
        // At once, since several processes may end together.
        std::setvbuf(out, nullptr, _IOFBF, text.size() + 1);
        std::fputs(text.c_str(), out);
        std::fclose(out);
    }
    // Small calls of such a build are timed, too: the kernel of the call before is not looked up again.
    void launch(const void* kernel) {
        static thread_local const void* last = nullptr;
        if (kernel == last) return;
        last = kernel;
        const std::lock_guard lock(mutex);
        const auto found = names.find(kernel);
        if (found != names.end()) launched.insert(found->second);
    }
};

// Kernels are registered before other objects of the library are made.
launch_log& the_log() {
    static launch_log log;
    return log;
}

}  // namespace

extern "C" {

void __real___cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*,
                                   int*);
void __wrap___cudaRegisterFunction(void** binary, const char* kernel, char* device, const char* name,
                                   int limit, uint3* thread, uint3* block, dim3* block_size, dim3* grid_size,
                                   int* warp) {
    {
        const std::lock_guard lock(the_log().mutex);
        the_log().names.emplace(kernel, name);
    }
    __real___cudaRegisterFunction(binary, kernel, device, name, limit, thread, block, block_size, grid_size,
                                  warp);
}

// What <<<>>> becomes asks for it once, when the kernel is first launched.
cudaError_t __real___cudaGetKernel(cudaKernel_t*, const void*);
cudaError_t __wrap___cudaGetKernel(cudaKernel_t* handle, const void* kernel) {
    the_log().launch(kernel);
    return __real___cudaGetKernel(handle, kernel);
}

cudaError_t __real_cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t __wrap_cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                    size_t shared, cudaStream_t stream) {
    the_log().launch(kernel);
    return __real_cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

cudaError_t __real_cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t __wrap_cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                               size_t shared, cudaStream_t stream) {
    the_log().launch(kernel);
    return __real_cudaLaunchCooperativeKernel(kernel, grid, block, arguments, shared, stream);
}

cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**);
cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t* how, const void* kernel, void** arguments) {
    the_log().launch(kernel);
    return __real_cudaLaunchKernelExC(how, kernel, arguments);
}

}  // extern "C"
