#include "jit.hpp"
#include "queue.hpp"
#include "common/runtime/device.hpp"
#include <cuda.h>
#include <cstring>
#include <dlfcn.h>

namespace heron::cuda {
namespace {

// plan_error holds no text of its own: this lives until the thread's next failure.
[[noreturn]] void fail(heron_status status, const std::string& reason) {
    thread_local char text[2048];
    text[0] = '\0';
    std::strncat(text, reason.c_str(), sizeof text - 1);
    throw plan_error{status, text};
}

// A shared library that may be absent, by the names that it has had, the newest first.
class optional_library {
  public:
    explicit optional_library(std::initializer_list<const char*> names) {
        for (const char* name : names)
            if (!handle_) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        name_ = *names.begin();
    }

    template <class F>
    void find(F*& function, const char* name) const {
        if (!handle_)
            fail(HERON_NOT_SUPPORTED,
                 std::string(name_) + " cannot be loaded: it is part of the CUDA toolkit");
        function = reinterpret_cast<F*>(dlsym(handle_, name));
        if (!function) fail(HERON_NOT_SUPPORTED, std::string(name_) + " has no function " + name);
    }

  private:
    void* handle_ = nullptr;
    const char* name_ = "";
};

// The functions of NVRTC that are used; 0 is success.
struct nvrtc {
    using program = void*;
    int (*create)(program*, const char* text, const char* name, int headers, const char* const*,
                  const char* const*);
    int (*destroy)(program*);
    int (*compile)(program, int count, const char* const* options);
    int (*log_size)(program, size_t*);
    int (*log)(program, char*);
    int (*cubin_size)(program, size_t*);
    int (*cubin)(program, char*);
    int (*lto_size)(program, size_t*);
    int (*lto)(program, char*);

    static const nvrtc& get() {
        static const nvrtc loaded;
        return loaded;
    }

  private:
    nvrtc() {
        const optional_library library{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
        library.find(create, "nvrtcCreateProgram");
        library.find(destroy, "nvrtcDestroyProgram");
        library.find(compile, "nvrtcCompileProgram");
        library.find(log_size, "nvrtcGetProgramLogSize");
        library.find(log, "nvrtcGetProgramLog");
        library.find(cubin_size, "nvrtcGetCUBINSize");
        library.find(cubin, "nvrtcGetCUBIN");
        library.find(lto_size, "nvrtcGetLTOIRSize");
        library.find(lto, "nvrtcGetLTOIR");
    }
};

// The same of nvJitLink.
struct jit_link {
    using handle = void*;
    static constexpr int lto_ir = 3;
    int (*create)(handle*, uint32_t count, const char* const* options);
    int (*destroy)(handle*);
    int (*add)(handle, int kind, const void* data, size_t size, const char* name);
    int (*complete)(handle);
    int (*cubin_size)(handle, size_t*);
    int (*cubin)(handle, void*);
    int (*log_size)(handle, size_t*);
    int (*log)(handle, char*);

    static const jit_link& get() {
        static const jit_link loaded;
        return loaded;
    }

  private:
    jit_link() {
        const optional_library library{"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"};
        library.find(create, "nvJitLinkCreate");
        library.find(destroy, "nvJitLinkDestroy");
        library.find(add, "nvJitLinkAddData");
        library.find(complete, "nvJitLinkComplete");
        library.find(cubin_size, "nvJitLinkGetLinkedCubinSize");
        library.find(cubin, "nvJitLinkGetLinkedCubin");
        library.find(log_size, "nvJitLinkGetErrorLogSize");
        library.find(log, "nvJitLinkGetErrorLog");
    }
};

class compilation {
  public:
    compilation(const std::string& text, std::initializer_list<std::string> options) : api_(nvrtc::get()) {
        if (api_.create(&program_, text.c_str(), "operators.cu", 0, nullptr, nullptr) != 0)
            fail(HERON_INTERNAL_ERROR, "nvrtcCreateProgram failed");
        std::vector<const char*> arguments;
        for (const std::string& option : options) arguments.push_back(option.c_str());
        if (api_.compile(program_, static_cast<int>(arguments.size()), arguments.data()) == 0) return;
        const std::string words = log();
        api_.destroy(&program_);
        fail(HERON_INVALID_VALUE, "the operators do not compile: " + words);
    }
    ~compilation() { api_.destroy(&program_); }
    compilation(const compilation&) = delete;
    compilation& operator=(const compilation&) = delete;

    std::vector<char> cubin() const { return result(api_.cubin_size, api_.cubin); }
    std::vector<char> lto_ir() const { return result(api_.lto_size, api_.lto); }

  private:
    std::vector<char> result(int (*size_of)(nvrtc::program, size_t*),
                             int (*get)(nvrtc::program, char*)) const {
        size_t size = 0;
        if (size_of(program_, &size) != 0 || size == 0) fail(HERON_INTERNAL_ERROR, "NVRTC made no code");
        std::vector<char> code(size);
        if (get(program_, code.data()) != 0) fail(HERON_INTERNAL_ERROR, "NVRTC gave no code");
        return code;
    }

    std::string log() const {
        size_t size = 0;
        if (api_.log_size(program_, &size) != 0) return {};
        std::string words(size, '\0');
        return api_.log(program_, words.data()) == 0 ? words : std::string();
    }

    const nvrtc& api_;
    nvrtc::program program_ = nullptr;
};

class linking {
  public:
    explicit linking(int architecture) : api_(jit_link::get()) {
        const std::string target = "-arch=sm_" + std::to_string(architecture);
        const char* const options[] = {target.c_str(), "-lto"};
        if (api_.create(&link_, 2, options) != 0) fail(HERON_INTERNAL_ERROR, "nvJitLinkCreate failed");
    }
    ~linking() { api_.destroy(&link_); }
    linking(const linking&) = delete;
    linking& operator=(const linking&) = delete;

    void add(const lto_input& input) const {
        require(api_.add(link_, jit_link::lto_ir, input.data, input.size, input.name));
    }

    std::vector<char> complete() const {
        require(api_.complete(link_));
        size_t size = 0;
        require(api_.cubin_size(link_, &size));
        std::vector<char> code(size);
        require(api_.cubin(link_, code.data()));
        return code;
    }

  private:
    void require(int result) const {
        if (result == 0) return;
        size_t size = 0;
        std::string words;
        if (api_.log_size(link_, &size) == 0 && size > 0) {
            words.resize(size);
            if (api_.log(link_, words.data()) != 0) words.clear();
        }
        fail(HERON_INVALID_VALUE, "the operators do not link: " + words);
    }

    const jit_link& api_;
    jit_link::handle link_ = nullptr;
};

// A function of the driver, found through the runtime: the plug-in must load on machines without libcuda.
template <class F>
F* driver_function(const char* name) {
    void* address = nullptr;
    cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion(name, &address, 12000, cudaEnableDefault, &found);
#else
    const cudaError_t error = cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &found);
#endif
    if (error != cudaSuccess || found != cudaDriverEntryPointSuccess) {
        cudaGetLastError();
        fail(HERON_NOT_SUPPORTED, std::string("the driver has no function ") + name);
    }
    return reinterpret_cast<F*>(address);
}

void require(CUresult result, const char* call) {
    if (result != CUDA_SUCCESS)
        fail(HERON_EXECUTION_FAILED,
             std::string(call) + " failed with error " + std::to_string(static_cast<int>(result)));
}

std::string architecture_option(int architecture) {
    return "--gpu-architecture=sm_" + std::to_string(architecture);
}

}  // namespace

std::vector<char> compile_to_cubin(const std::string& text, int architecture) {
    return compilation(text, {architecture_option(architecture), "--std=c++17"}).cubin();
}

std::vector<char> compile_to_lto_ir(const std::string& text, int architecture) {
    const std::initializer_list<std::string> options = {architecture_option(architecture), "--std=c++17",
                                                        "--relocatable-device-code=true", "-dlto"};
    return compilation(text, options).lto_ir();
}

std::vector<char> link_lto_ir(const std::vector<lto_input>& inputs, int architecture) {
    const linking link(architecture);
    for (const lto_input& input : inputs) link.add(input);
    return link.complete();
}

jit_kernel load_kernel(const std::vector<char>& cubin, const char* name) {
    // Makes the runtime's context current for the driver.
    cudaFree(nullptr);
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    require(driver_function<CUresult(CUmodule*, const void*)>("cuModuleLoadData")(&module, cubin.data()),
            "cuModuleLoadData");
    require(driver_function<CUresult(CUfunction*, CUmodule, const char*)>("cuModuleGetFunction")(
                &function, module, name),
            "cuModuleGetFunction");
    return {function, module};
}

void set_global(jit_kernel kernel, const char* name, const void* data, size_t size, void* stream) {
    CUdeviceptr address = 0;
    size_t bytes = 0;
    const CUresult found = driver_function<CUresult(CUdeviceptr*, size_t*, CUmodule, const char*)>(
        "cuModuleGetGlobal")(&address, &bytes, static_cast<CUmodule>(kernel.module), name);
    if (found == CUDA_ERROR_NOT_FOUND)
        fail(HERON_INVALID_VALUE, std::string("the code has no variable ") + name);
    require(found, "cuModuleGetGlobal");
    if (bytes != size)
        fail(HERON_INVALID_VALUE,
             std::string(name) + " has " + std::to_string(bytes) + " bytes, not " + std::to_string(size));
    require(driver_function<CUresult(CUstream)>("cuStreamSynchronize")(static_cast<CUstream>(stream)),
            "cuStreamSynchronize");
    require(driver_function<CUresult(CUdeviceptr, const void*, size_t)>("cuMemcpyHtoD")(address, data, size),
            "cuMemcpyHtoD");
}

void launch_kernel(jit_kernel kernel, unsigned blocks, unsigned threads, void* stream, void** arguments) {
    using launch = CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                            CUstream, void**, void**);
    static launch* const run = driver_function<launch>("cuLaunchKernel");
    require(run(static_cast<CUfunction>(kernel.function), blocks, 1, 1, threads, 1, 1, 0,
                static_cast<CUstream>(stream), arguments, nullptr),
            "cuLaunchKernel");
}

}  // namespace heron::cuda
