// A driver for NVIDIA's GPUs that does not build programs with PTX in them. Programs whose launch shapes
// count on the lanes of a warp cannot do without; others are built without PTX.
//
// This program's own OpenCL functions come before the loader's: they make a GPU of NVIDIA's of the device.
#define CL_TARGET_OPENCL_VERSION 200
#include "rig.hpp"
#include <CL/cl.h>
#include <cstring>
#include <dlfcn.h>
#include <set>

using namespace heron::test;

namespace {

template <class F>
F* real(const char* name, F*) {
    static void* const loader = dlopen("libOpenCL.so.1", RTLD_NOW);
    return loader ? reinterpret_cast<F*>(dlsym(loader, name)) : nullptr;
}

std::set<cl_program> with_ptx;

template <class T>
cl_int answer(T value, size_t size, void* to, size_t* needed) {
    if (to && size < sizeof value) return CL_INVALID_VALUE;
    if (to) std::memcpy(to, &value, sizeof value);
    if (needed) *needed = sizeof value;
    return CL_SUCCESS;
}

}  // namespace

extern "C" {

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void* to, size_t* needed) {
    constexpr cl_device_info compute_capability_major = 0x4000;
    switch (what) {
        case CL_DEVICE_TYPE: return answer<cl_device_type>(CL_DEVICE_TYPE_GPU, size, to, needed);
        case CL_DEVICE_VENDOR_ID: return answer<cl_uint>(0x10de, size, to, needed);
        case compute_capability_major: return answer<cl_uint>(9, size, to, needed);
        default: return real("clGetDeviceInfo", &clGetDeviceInfo)(device, what, size, to, needed);
    }
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint parts, const char** texts,
                                     const size_t* lengths, cl_int* error) {
    const cl_program program =
        real("clCreateProgramWithSource", &clCreateProgramWithSource)(context, parts, texts, lengths, error);
    with_ptx.erase(program);
    if (std::strstr(texts[0], "#define HERON_PTX ")) with_ptx.insert(program);
    return program;
}

cl_int clBuildProgram(cl_program program, cl_uint devices, const cl_device_id* list, const char* options,
                      void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
    if (with_ptx.count(program)) return CL_BUILD_PROGRAM_FAILURE;
    return real("clBuildProgram", &clBuildProgram)(program, devices, list, options, notify, data);
}
}

TEST_CASE("kernels of single items are built without PTX") {
    const device_array<float> y(std::vector<float>{1, 2, 3});
    const device_array<int> indices(std::vector<int>{2, 0});
    const device_array<float> values(std::vector<float>{0, 0});
    cusparse();
    REQUIRE(cusparseLoggerSetLevel(3) == CUSPARSE_STATUS_SUCCESS);
    const log_capture log;
    cusparseSpVecDescr_t x = nullptr;
    cusparseDnVecDescr_t dense = nullptr;
    expect(cusparseCreateSpVec(&x, 3, 2, indices.data(), values.data(), CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    expect(cusparseCreateDnVec(&dense, 3, y.data(), CUDA_R_32F));
    expect(cusparseGather(cusparse(), dense, x));
    expect(cusparseDestroySpVec(x));
    expect(cusparseDestroyDnVec(dense));
    CHECK(values.download() == std::vector<float>{3, 1});
    CHECK(log.contains("rebuilding without PTX"));
    REQUIRE(cusparseLoggerSetLevel(1) == CUSPARSE_STATUS_SUCCESS);
}

TEST_CASE("kernels of groups are not") {
    const device_array<float> lower(std::vector<float>{0, 1, 1}), main(std::vector<float>{4, 4, 4}),
        upper(std::vector<float>{1, 1, 0}), x(std::vector<float>{5, 6, 5});
    std::size_t bytes = 0;
    expect(cusparseSgtsv2_bufferSizeExt(cusparse(), 3, 1, lower.data(), main.data(), upper.data(), x.data(),
                                        3, &bytes));
    const device_array<char> buffer(std::vector<char>(bytes + 1));
    const log_capture log;
    CHECK(cusparseSgtsv2(cusparse(), 3, 1, lower.data(), main.data(), upper.data(), x.data(), 3,
                         buffer.data()) == CUSPARSE_STATUS_INTERNAL_ERROR);
    CHECK(log.contains("tridiag_teams kernels failed: CL_BUILD_PROGRAM_FAILURE"));
    CHECK(x.download() == std::vector<float>{5, 6, 5});
}
