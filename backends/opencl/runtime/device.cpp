#include "device.hpp"
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

opencl_device::~opencl_device() {
    if (has_work_ && !queue_.owner_flushes()) queue_.flush();
    for (const auto& buffer : scratch_) queue_.device.scratch().give_back(buffer, last_);
    if (last_) clReleaseEvent(last_);
}

cl_mem opencl_device::take_scratch(size_t bytes) {
    scratch_.reserve(scratch_.size() + 1);
    scratch_.push_back(queue_.device.scratch().take(queue_.device.context(), bytes, queue_.ordering()));
    return scratch_.back()->memory;
}

void opencl_device::set_value(const kernel_instance& k, cl_uint index, const void* value, size_t size) {
    if (k.arguments.has(index, value, size)) return;
    check(clSetKernelArg(k.kernel, index, size, value), "clSetKernelArg");
    k.arguments.keep(index, value, size);
}

// On a caller's queue operands are memory objects. Elsewhere a NULL pointer goes as "no memory object", which
// OpenCL defines for every version; as an SVM address it is undefined.
void opencl_device::set_pointer(cl_kernel kernel, cl_uint index, const void* pointer) {
    if (queue_.adopted)
        check(clSetKernelArg(kernel, index, sizeof(cl_mem), pointer ? &pointer : nullptr), "clSetKernelArg");
    else if (pointer)
        check(clSetKernelArgSVMPointer(kernel, index, pointer), "clSetKernelArgSVMPointer");
    else
        check(clSetKernelArg(kernel, index, sizeof(cl_mem), nullptr), "clSetKernelArg");
}

// Drivers that need no list may refuse it.
static void list_blocks(cl_kernel kernel, const std::vector<void*>& blocks) {
    if (!blocks.empty())
        clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, blocks.size() * sizeof blocks[0],
                            blocks.data());
}

void opencl_device::enqueue(const kernel_instance& k, const size_t (&groups)[2], const size_t (&local)[2]) {
    if (follows_addresses_) list_blocks(k.kernel, all_blocks(queue_.index));
    const size_t global[] = {groups[0] * local[0], groups[1] * local[1]};
    const cl_uint dimensions = global[1] > 1 ? 2 : 1;
    cl_event done = nullptr;
    queue_.enqueue(
        k.name,
        [&](cl_command_queue commands, cl_uint count, const cl_event* waits, cl_event* event) {
            return clEnqueueNDRangeKernel(commands, k.kernel, dimensions, nullptr, global, local, count,
                                          waits, event);
        },
        scratch_.empty() ? nullptr : &done);
    has_work_ = true;
    if (!done) return;
    if (last_) clReleaseEvent(last_);
    last_ = done;
}

}  // namespace heron::opencl
