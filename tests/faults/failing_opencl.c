/* OpenCL that fails. Preloaded, it hands every call on to the ICD loader; those of a kind that a test has
 * chosen fail when it wants it, and objects and blocks of shared virtual memory are counted while they live.
 */
#define CL_TARGET_OPENCL_VERSION 200
#include "failing_kinds.h"
#include <CL/cl.h>
#include <dlfcn.h>
#include <stddef.h>

#define REAL(name) ((__typeof__(&name))real(#name))

static void* real(const char* name) {
    static void* loader;
    if (!loader) loader = dlopen("libOpenCL.so.1", RTLD_NOW);
    return loader ? dlsym(loader, name) : NULL;
}

static void* made(void* object) {
    if (object) count(1);
    return object;
}

static void* refused(cl_int code, cl_int* error) {
    if (error) *error = code;
    return NULL;
}

static cl_int released(cl_int code) {
    if (code == CL_SUCCESS) count(-1);
    return code;
}

static cl_int retained(cl_int code) {
    if (code == CL_SUCCESS) count(1);
    return code;
}

/* A command that may have made an event. */
static cl_int enqueued(cl_int code, const cl_event* event) {
    if (code == CL_SUCCESS && event) count(1);
    return code;
}

/* memory */

void* clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t bytes, cl_uint alignment) {
    return fails("memory") ? NULL : made(REAL(clSVMAlloc)(context, flags, bytes, alignment));
}
void clSVMFree(cl_context context, void* block) {
    if (block) count(-1);
    REAL(clSVMFree)(context, block);
}
cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void* host, cl_int* error) {
    if (fails("memory")) return refused(CL_MEM_OBJECT_ALLOCATION_FAILURE, error);
    return made(REAL(clCreateBuffer)(context, flags, bytes, host, error));
}
cl_int clReleaseMemObject(cl_mem memory) { return released(REAL(clReleaseMemObject)(memory)); }

/* programs */

cl_program clCreateProgramWithSource(cl_context context, cl_uint parts, const char** texts,
                                     const size_t* lengths, cl_int* error) {
    if (fails("programs")) return refused(CL_OUT_OF_RESOURCES, error);
    return made(REAL(clCreateProgramWithSource)(context, parts, texts, lengths, error));
}
cl_program clCreateProgramWithBinary(cl_context context, cl_uint devices, const cl_device_id* list,
                                     const size_t* lengths, const unsigned char** binaries, cl_int* states,
                                     cl_int* error) {
    if (fails("programs")) return refused(CL_INVALID_BINARY, error);
    return made(REAL(clCreateProgramWithBinary)(context, devices, list, lengths, binaries, states, error));
}
cl_int clBuildProgram(cl_program program, cl_uint devices, const cl_device_id* list, const char* options,
                      void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
    return fails("programs") ? CL_BUILD_PROGRAM_FAILURE
                             : REAL(clBuildProgram)(program, devices, list, options, notify, data);
}
cl_int clReleaseProgram(cl_program program) { return released(REAL(clReleaseProgram)(program)); }

/* kernels */

cl_kernel clCreateKernel(cl_program program, const char* name, cl_int* error) {
    return fails("kernels") ? refused(CL_OUT_OF_RESOURCES, error)
                            : made(REAL(clCreateKernel)(program, name, error));
}
cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
                                size_t size, void* value, size_t* needed) {
    return fails("kernels") ? CL_OUT_OF_RESOURCES
                            : REAL(clGetKernelWorkGroupInfo)(kernel, device, what, size, value, needed);
}
cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
    return fails("kernels") ? CL_OUT_OF_RESOURCES : REAL(clSetKernelArg)(kernel, index, size, value);
}
cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void* value) {
    return fails("kernels") ? CL_OUT_OF_RESOURCES : REAL(clSetKernelArgSVMPointer)(kernel, index, value);
}
cl_int clReleaseKernel(cl_kernel kernel) { return released(REAL(clReleaseKernel)(kernel)); }

/* launches */

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t* offset, const size_t* global, const size_t* local, cl_uint waits,
                              const cl_event* list, cl_event* event) {
    if (fails("launches")) return CL_OUT_OF_RESOURCES;
    return enqueued(
        REAL(clEnqueueNDRangeKernel)(queue, kernel, dimensions, offset, global, local, waits, list, event),
        event);
}

/* copies */

cl_int clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool wait, void* to, const void* from, size_t bytes,
                          cl_uint waits, const cl_event* list, cl_event* event) {
    if (fails("copies")) return CL_OUT_OF_RESOURCES;
    return enqueued(REAL(clEnqueueSVMMemcpy)(queue, wait, to, from, bytes, waits, list, event), event);
}
cl_int clEnqueueSVMMemFill(cl_command_queue queue, void* to, const void* pattern, size_t size, size_t bytes,
                           cl_uint waits, const cl_event* list, cl_event* event) {
    if (fails("copies")) return CL_OUT_OF_RESOURCES;
    return enqueued(REAL(clEnqueueSVMMemFill)(queue, to, pattern, size, bytes, waits, list, event), event);
}

/* waits */

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint waits, const cl_event* list,
                                   cl_event* event) {
    if (fails("waits")) return CL_OUT_OF_RESOURCES;
    return enqueued(REAL(clEnqueueMarkerWithWaitList)(queue, waits, list, event), event);
}
cl_int clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint waits, const cl_event* list,
                                    cl_event* event) {
    if (fails("waits")) return CL_OUT_OF_RESOURCES;
    return enqueued(REAL(clEnqueueBarrierWithWaitList)(queue, waits, list, event), event);
}
cl_int clWaitForEvents(cl_uint count_of_events, const cl_event* list) {
    return fails("waits") ? CL_OUT_OF_RESOURCES : REAL(clWaitForEvents)(count_of_events, list);
}
cl_int clFinish(cl_command_queue queue) {
    return fails("waits") ? CL_OUT_OF_RESOURCES : REAL(clFinish)(queue);
}
cl_int clRetainEvent(cl_event event) { return retained(REAL(clRetainEvent)(event)); }
cl_int clReleaseEvent(cl_event event) { return released(REAL(clReleaseEvent)(event)); }

/* queues and contexts */

cl_context clCreateContext(const cl_context_properties* properties, cl_uint devices, const cl_device_id* list,
                           void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* data,
                           cl_int* error) {
    if (fails("queues")) return refused(CL_OUT_OF_RESOURCES, error);
    return made(REAL(clCreateContext)(properties, devices, list, notify, data, error));
}
cl_int clRetainContext(cl_context context) { return retained(REAL(clRetainContext)(context)); }
cl_int clReleaseContext(cl_context context) { return released(REAL(clReleaseContext)(context)); }
cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                    const cl_queue_properties* properties, cl_int* error) {
    if (fails("queues")) return refused(CL_OUT_OF_RESOURCES, error);
    return made(REAL(clCreateCommandQueueWithProperties)(context, device, properties, error));
}
cl_int clRetainCommandQueue(cl_command_queue queue) { return retained(REAL(clRetainCommandQueue)(queue)); }
cl_int clReleaseCommandQueue(cl_command_queue queue) { return released(REAL(clReleaseCommandQueue)(queue)); }
