#include "rig.hpp"
#include "pocl_below.hpp"
#include <cstdlib>
#include <iostream>

namespace heron::test::cl {
namespace {

template <class T>
T number(std::complex<double> z) {
    return static_cast<T>(z.real());
}
template <>
FloatComplex number<FloatComplex>(std::complex<double> z) {
    return floatComplex(static_cast<float>(z.real()), static_cast<float>(z.imag()));
}
template <>
DoubleComplex number<DoubleComplex>(std::complex<double> z) {
    return doubleComplex(z.real(), z.imag());
}

#define TAIL x.queue_count, x.queues, x.wait_count, x.waits, x.events
#define WITH_OFFSET(x, o) x.o, x.off_##o, x.ld##o
#define WITHOUT_OFFSET(x, o) x.o, x.ld##o

#define NAME_OF(letter, name) clblas##letter##name
#define OF(letter, name) NAME_OF(letter, name)
#define E(name) static_cast<clblas##name>
#define EX(name) name
#define AT(o) WITH_OFFSET(x, o)
int run_clblas(operation op, scalar s, const arguments& x) {
#include "generation.inc"
}
#undef AT
#undef EX
#undef E
#undef OF
#undef NAME_OF

#define NAME_OF(letter, name) clAmdBlas##letter##name
#define OF(letter, name) NAME_OF(letter, name)
#define E(name) static_cast<clAmdBlas##name>
#define EX(name) name##Ex
#define AT(o) WITH_OFFSET(x, o)
int run_amd_with_offsets(operation op, scalar s, const arguments& x) {
#include "generation.inc"
}
#undef AT
#undef EX
#undef E
#undef OF
#undef NAME_OF

#define NAME_OF(letter, name) clAmdBlas##letter##name
#define OF(letter, name) NAME_OF(letter, name)
#define E(name) static_cast<clAmdBlas##name>
#define EX(name) name
#define AT(o) WITHOUT_OFFSET(x, o)
int run_amd(operation op, scalar s, const arguments& x) {
#include "generation.inc"
}
#undef AT
#undef EX
#undef E
#undef OF
#undef NAME_OF

[[noreturn]] void skip(const char* reason) {
    std::cerr << "skipped: " << reason << '\n';
    std::exit(77);
}

void skip_where_compilers_fail(cl_device_id device) {
    cl_device_type type = 0;
    char driver[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver - 1, driver, nullptr);
    if (!(type & CL_DEVICE_TYPE_GPU) && is_too_new_for_these_kernels(driver))
        skip("the device's compiler cannot compile these kernels for GPUs");
}

cl_device_id find_device() {
    cl_uint count = 0;
    cl_platform_id platform = nullptr;
    cl_device_id found = nullptr;
    if (clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || count == 0 ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &found, nullptr) != CL_SUCCESS)
        skip("there is no OpenCL device");
    skip_where_compilers_fail(found);
    return found;
}

}  // namespace

cl_device_id device() {
    static cl_device_id const found = find_device();
    return found;
}

owned_context make_context() {
    cl_device_id const id = device();
    cl_int code = CL_SUCCESS;
    owned_context made(clCreateContext(nullptr, 1, &id, nullptr, nullptr, &code));
    REQUIRE(code == CL_SUCCESS);
    return made;
}

owned_queue make_queue(cl_context context, cl_command_queue_properties properties) {
    cl_int code = CL_SUCCESS;
    owned_queue made(clCreateCommandQueue(context, device(), properties, &code));
    REQUIRE(code == CL_SUCCESS);
    return made;
}

owned_buffer make_buffer(cl_context context, const void* data, std::size_t bytes) {
    cl_int code = CL_SUCCESS;
    owned_buffer made(clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                                     const_cast<void*>(data), &code));
    REQUIRE(code == CL_SUCCESS);
    return made;
}

owned_event make_user_event(cl_context context) {
    cl_int code = CL_SUCCESS;
    owned_event made(clCreateUserEvent(context, &code));
    REQUIRE(code == CL_SUCCESS);
    return made;
}

bool is_complete(cl_event event) {
    cl_int state = CL_QUEUED;
    REQUIRE(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr) ==
            CL_SUCCESS);
    REQUIRE(state >= 0);
    return state == CL_COMPLETE;
}

const char* name_of(operation op) {
    static constexpr const char* names[] = {"gemm", "trmm", "trsm", "syrk", "syr2k",
                                            "symm", "hemm", "herk", "her2k"};
    return names[static_cast<int>(op)];
}

bool is_hermitian(operation op) {
    return op == operation::hemm || op == operation::herk || op == operation::her2k;
}

bool is_triangular(operation op) { return op == operation::trmm || op == operation::trsm; }

bool has_offsets(operation op, generation g) {
    return g != generation::amd || is_hermitian(op) || op == operation::symm;
}

int run(generation g, operation op, scalar s, const arguments& args) {
    if (g == generation::clblas) return run_clblas(op, s, args);
    return g == generation::amd ? run_amd(op, s, args) : run_amd_with_offsets(op, s, args);
}

}  // namespace heron::test::cl
