// What the tests of clBLAS stand on: an OpenCL device, contexts, queues and buffers that release themselves,
// all level 3 functions of both generations behind one call, and a plain reference.
#pragma once

#include "catch.hpp"

#include <clAmdBlas.h>
#include <clBLAS.h>
#include <complex>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace heron::test::cl {

// The first OpenCL device. Ends the process with status 77, which ctest counts as skipped, when there is
// none.
cl_device_id device();

template <class Handle, cl_int (*release)(Handle)>
class owned {
  public:
    owned() = default;
    explicit owned(Handle handle) : handle_(handle) {}
    owned(owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    owned& operator=(owned&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~owned() {
        if (handle_) release(handle_);
    }
    Handle get() const { return handle_; }
    // For functions that write a handle.
    Handle* out() {
        if (handle_) release(std::exchange(handle_, nullptr));
        return &handle_;
    }

  private:
    Handle handle_ = nullptr;
};
using owned_context = owned<cl_context, clReleaseContext>;
using owned_queue = owned<cl_command_queue, clReleaseCommandQueue>;
using owned_buffer = owned<cl_mem, clReleaseMemObject>;
using owned_event = owned<cl_event, clReleaseEvent>;

owned_context make_context();
owned_queue make_queue(cl_context context, cl_command_queue_properties properties = 0);
owned_buffer make_buffer(cl_context context, const void* data, std::size_t bytes);
owned_event make_user_event(cl_context context);
bool is_complete(cl_event event);

template <class T>
owned_buffer upload(cl_context context, const std::vector<T>& values) {
    return make_buffer(context, values.data(), values.size() * sizeof(T));
}
// Waits for the events first.
template <class T>
std::vector<T> download(cl_command_queue queue, cl_mem memory, std::size_t count, cl_event after = nullptr) {
    std::vector<T> values(count);
    REQUIRE(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, count * sizeof(T), values.data(), after ? 1 : 0,
                                after ? &after : nullptr, nullptr) == CL_SUCCESS);
    return values;
}

enum class operation { gemm, trmm, trsm, syrk, syr2k, symm, hemm, herk, her2k };
enum class scalar { s, d, c, z };
// The functions clblas..., clAmdBlas...Ex (or the one without Ex where there is no Ex), and clAmdBlas...
// without offsets.
enum class generation { clblas, amd_with_offsets, amd };

const char* name_of(operation op);
bool is_hermitian(operation op);
bool is_triangular(operation op);
bool has_offsets(operation op, generation g);

struct arguments {
    int order = clblasColumnMajor, side = clblasLeft, uplo = clblasLower, trans_a = clblasNoTrans,
        trans_b = clblasNoTrans, diag = clblasNonUnit;
    std::size_t m = 0, n = 0, k = 0;
    std::complex<double> alpha{1, 0}, beta{0, 0};
    cl_mem a = nullptr, b = nullptr, c = nullptr;
    std::size_t off_a = 0, off_b = 0, off_c = 0, lda = 0, ldb = 0, ldc = 0;
    cl_uint queue_count = 0;
    cl_command_queue* queues = nullptr;
    cl_uint wait_count = 0;
    const cl_event* waits = nullptr;
    cl_event* events = nullptr;
};

// Hermitian operations need a complex scalar.
int run(generation g, operation op, scalar s, const arguments& args);

}  // namespace heron::test::cl
