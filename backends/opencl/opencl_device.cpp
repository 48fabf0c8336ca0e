#include "opencl_device.hpp"
#include <sstream>

namespace heron::opencl {

program_key make_program_key(const kernel_family& family, const char* const* names, size_t count) {
    program_key key{family.name, {}};
    std::istringstream parameters(family.types);
    std::string parameter;
    for (size_t i = 0; i < count && parameters >> parameter; ++i)
        key.definitions += "#define " + parameter + " " + names[i] + "\n";
    return key;
}

void opencl_device::build(const program_key& key) {
    try {
        queue_.device.programs().get(key);
    } catch (const plan_error& e) {
        if (e.status != HERON_INTERNAL_ERROR) throw;
        throw plan_error{HERON_INVALID_VALUE, e.reason};
    }
}

const void* opencl_device::identity_of(const program_key& key) {
    static std::mutex mutex;
    static std::map<program_key, char> identities;
    const std::lock_guard lock(mutex);
    return &identities.try_emplace(key).first->second;
}

// A NULL pointer goes as "no memory object", which OpenCL defines for every version; as an SVM address it is
// undefined.
void opencl_device::set_pointer(cl_kernel kernel, cl_uint index, const void* pointer) {
    if (pointer)
        check(clSetKernelArgSVMPointer(kernel, index, pointer), "clSetKernelArgSVMPointer");
    else
        check(clSetKernelArg(kernel, index, sizeof(cl_mem), nullptr), "clSetKernelArg");
}

// Drivers that need no list may refuse it.
static void list_blocks(cl_kernel kernel, const std::vector<void*>& blocks) {
    if (!blocks.empty())
        clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, blocks.size() * sizeof blocks[0], blocks.data());
}

void opencl_device::enqueue(const kernel_instance& k, size_t groups, size_t local_size) {
    has_work_ = true;
    if (follows_addresses_) list_blocks(k.kernel, all_blocks(queue_.index));
    const size_t global_size = groups * local_size;
    const cl_int code = clEnqueueNDRangeKernel(queue_.submit().commands(), k.kernel, 1, nullptr, &global_size,
                                               &local_size, 0, nullptr, nullptr);
    if (code != CL_SUCCESS) fail(code, std::string("clEnqueueNDRangeKernel(") + k.name + ")");
}

}  // namespace heron::opencl
