#pragma once
// Kernels compiled at run time. NVRTC and nvJitLink are part of the CUDA toolkit, not of the driver: they are
// looked for when they are first needed, and the plug-in works without them.
#include <string>
#include <vector>

namespace heron::cuda {

// A text in CUDA C++, compiled for `architecture` (90 for sm_90), to machine code, or to LTO-IR that is then
// linked. Throw plan_error: NOT_SUPPORTED where a library is missing, INVALID_VALUE with the compiler's or
// linker's words where the text or the code is wrong.
std::vector<char> compile_to_cubin(const std::string& text, int architecture);
std::vector<char> compile_to_lto_ir(const std::string& text, int architecture);

struct lto_input {
    const char* name;
    const void* data;
    size_t size;
};
std::vector<char> link_lto_ir(const std::vector<lto_input>& inputs, int architecture);

// A kernel of a module of the current context; the module is never unloaded.
struct jit_kernel {
    void* function = nullptr;  // a CUfunction
    void* module = nullptr;    // a CUmodule
};
jit_kernel load_kernel(const std::vector<char>& cubin, const char* name);

// Copies host memory to a variable of the kernel's module, behind all work on the stream, and waits for it.
// Throws INVALID_VALUE where there is no variable of the name, or it has another size.
void set_global(jit_kernel kernel, const char* name, const void* data, size_t size, void* stream);

// One thread per item as far as the grid goes.
void launch_kernel(jit_kernel kernel, unsigned blocks, unsigned threads, void* stream, void** arguments);

}  // namespace heron::cuda
