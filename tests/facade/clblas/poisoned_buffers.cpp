// Loaded before OpenCL: buffers that are made without contents hold NaNs, so that what a kernel leaves unset
// shows in every result that depends on it.
#include <CL/cl.h>
#include <dlfcn.h>
#include <vector>

extern "C" CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
                                                          void* contents, cl_int* code) {
    static const auto make = reinterpret_cast<decltype(&clCreateBuffer)>(dlsym(RTLD_NEXT, "clCreateBuffer"));
    if (contents) return make(context, flags, size, contents, code);
    std::vector<unsigned char> poison(size, 0xff);
    return make(context, flags | CL_MEM_COPY_HOST_PTR, size, poison.data(), code);
}
