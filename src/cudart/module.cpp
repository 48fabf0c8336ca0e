// Code compiled by nvcc: kernels and variables are registered and known by name, launches are refused.
#include "module.hpp"
#include "runtime.hpp"
#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <memory>
#include <vector>

using namespace heron;
using namespace heron::cudart;

namespace {

struct managed_variable {
    void** host_pointer;  // where the program looks for the variable's address
    size_t bytes;
    int ordinal;  // of the device whose memory it has; -1: none yet
};

struct module {
    std::map<const void*, std::string> kernels;
    std::vector<managed_variable> managed_variables;
};

struct call_configuration {
    dim3 grid, block;
    size_t shared_memory;
    cudaStream_t stream;
};

thread_local std::vector<call_configuration> pushed_configurations;

class module_registry {
  public:
    // Lives until the process ends: programs unregister in their exit handlers.
    static module_registry& get() {
        static auto* const only = new module_registry;
        return *only;
    }

    void** add() {
        const std::lock_guard lock(mutex_);
        return reinterpret_cast<void**>(modules_.emplace_back(std::make_unique<module>()).get());
    }

    void remove(void** handle) {
        const std::lock_guard lock(mutex_);
        std::erase_if(modules_, [&](const auto& m) { return is(*m, handle); });
    }

    // f(module) while the registry is locked; nothing when the handle is unknown.
    template <class F>
    void with(void** handle, F&& f) {
        const std::lock_guard lock(mutex_);
        for (const auto& m : modules_)
            if (is(*m, handle)) f(*m);
    }

    template <class F>
    void for_each(F&& f) {
        const std::lock_guard lock(mutex_);
        for (const auto& m : modules_) f(*m);
    }

  private:
    static bool is(const module& m, void** handle) { return static_cast<const void*>(&m) == handle; }

    std::mutex mutex_;
    std::vector<std::unique_ptr<module>> modules_;
};

std::string demangled(const std::string& name) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
    return text ? text.get() : name;
}

// Empty when no module has registered the function.
std::string kernel_name(const void* host_function) {
    std::string name;
    module_registry::get().for_each([&](const module& m) {
        if (const auto found = m.kernels.find(host_function); found != m.kernels.end())
            name = demangled(found->second);
    });
    return name;
}

[[noreturn]] void refuse_kernel(const void* host_function) {
    require(host_function, cudaErrorInvalidDeviceFunction, "func: is NULL");
    const auto target = runtime::get().current();
    const std::string name = kernel_name(host_function);
    fail(cudaErrorNoKernelImageForDevice,
         fmt::format("{}: kernels compiled by nvcc cannot run here; Heron's runtime serves library calls "
                     "only, now on {} "
                     "({})",
                     name.empty() ? "func" : name, target->info.name, target->backend.name));
}

[[noreturn]] void refuse_variable(const void* symbol) {
    require(symbol, cudaErrorInvalidSymbol, "symbol: is NULL");
    runtime::get().current();
    fail(cudaErrorNoKernelImageForDevice,
         "symbol: variables of device code compiled by nvcc do not exist here, as the code cannot run");
}

// The initial values are inside the device code, which nothing here can read: the variables start as zero.
void give_memory(module& m) {
    for (managed_variable& variable : m.managed_variables) {
        if (variable.ordinal >= 0) continue;
        *variable.host_pointer =
            runtime::get().allocate(variable.bytes, HERON_MEMORY_MANAGED, cudaMemAttachGlobal);
        std::memset(*variable.host_pointer, 0, variable.bytes);
        variable.ordinal = runtime::get().current_ordinal();
    }
}

}  // namespace

void heron::cudart::forget_managed_variables(int ordinal) {
    module_registry::get().for_each([&](module& m) {
        for (managed_variable& variable : m.managed_variables) {
            if (variable.ordinal != ordinal) continue;
            *variable.host_pointer = nullptr;
            variable.ordinal = -1;
        }
    });
}

void** __cudaRegisterFatBinary(void*) {
    void** handle = nullptr;
    guarded(__func__, [&] { handle = module_registry::get().add(); });
    return handle;
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
    guarded(__func__, [&] { module_registry::get().remove(handle); });
}

char __cudaInitModule(void** handle) {
    const cudaError_t status = guarded(__func__, [&] { module_registry::get().with(handle, give_memory); });
    return status == cudaSuccess ? 1 : 0;
}

void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* device_name, int,
                            uint3*, uint3*, dim3*, dim3*, int*) {
    guarded(__func__, [&] {
        module_registry::get().with(handle, [&](module& m) {
            m.kernels[host_function] = device_name ? device_name : "unnamed kernel";
        });
    });
}

// Device variables can be reached by kernels and symbol copies only, and there are none.
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}

void __cudaRegisterHostVar(void**, const char*, char*, size_t) {}

void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*, const char*, int, size_t size, int,
                              int) {
    guarded(__func__, [&] {
        module_registry::get().with(handle, [&](module& m) {
            m.managed_variables.push_back({host_pointer, size, -1});
        });
    });
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_memory, cudaStream_t stream) {
    return guarded(__func__, [&] { pushed_configurations.push_back({grid, block, shared_memory, stream}); });
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_memory, void* stream) {
    return guarded(__func__, [&] {
        required(grid, "gridDim");
        required(block, "blockDim");
        required(shared_memory, "sharedMem");
        required(stream, "stream");
        require(!pushed_configurations.empty(), cudaErrorMissingConfiguration,
                "the launch has no configuration");
        const call_configuration top = pushed_configurations.back();
        pushed_configurations.pop_back();
        *grid = top.grid;
        *block = top.block;
        *shared_memory = top.shared_memory;
        *static_cast<cudaStream_t*>(stream) = top.stream;
    });
}

// A kernel's handle is its host function.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
    return guarded(__func__, [&] {
        *required(kernel, "kernel") = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host_function));
    });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3, dim3, void**, size_t, cudaStream_t) {
    return guarded("cudaLaunchKernel", [&] { refuse_kernel(kernel); });
}

cudaError_t cudaLaunchKernel(const void* function, dim3, dim3, void**, size_t, cudaStream_t) {
    return guarded(__func__, [&] { refuse_kernel(function); });
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3, dim3, void**, size_t, cudaStream_t) {
    return guarded(__func__, [&] { refuse_kernel(function); });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
    return guarded(__func__, [&] {
        required(attributes, "attr");
        refuse_kernel(function);
    });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
    return guarded(__func__, [&] { refuse_kernel(function); });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
    return guarded(__func__, [&] { refuse_kernel(function); });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute, int) {
    return guarded(__func__, [&] { refuse_kernel(function); });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int, size_t) {
    return guarded(__func__, [&] {
        required(blocks, "numBlocks");
        refuse_kernel(function);
    });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                   int size, size_t shared_memory, unsigned) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, size, shared_memory);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void* function, void**) {
    return guarded(__func__, [&] { refuse_kernel(function); });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void*, size_t, size_t, cudaMemcpyKind) {
    return guarded(__func__, [&] { refuse_variable(symbol); });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void*, size_t, size_t, cudaMemcpyKind,
                                    cudaStream_t) {
    return guarded(__func__, [&] { refuse_variable(symbol); });
}

cudaError_t cudaMemcpyFromSymbol(void*, const void* symbol, size_t, size_t, cudaMemcpyKind) {
    return guarded(__func__, [&] { refuse_variable(symbol); });
}

cudaError_t cudaMemcpyFromSymbolAsync(void*, const void* symbol, size_t, size_t, cudaMemcpyKind,
                                      cudaStream_t) {
    return guarded(__func__, [&] { refuse_variable(symbol); });
}

cudaError_t cudaGetSymbolAddress(void**, const void* symbol) {
    return guarded(__func__, [&] { refuse_variable(symbol); });
}

cudaError_t cudaGetSymbolSize(size_t*, const void* symbol) {
    return guarded(__func__, [&] { refuse_variable(symbol); });
}
