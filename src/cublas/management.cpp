// Handles and their settings, versions, names of statuses.
#include "translate.hpp"
#include <cuda_runtime_api.h>
#include <cstdio>

using namespace heron;
using namespace heron::cublas;

namespace {

struct status_text {
    cublasStatus_t status;
    const char* name;
    const char* sentence;
};

constexpr status_text status_texts[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an unsupported value or parameter was passed to the function"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
     "the function requires a feature that the device lacks"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "device memory could not be mapped"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
     "the function failed to launch on the device"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
     "the functionality requested is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR",
     "an error was detected when checking the license"},
};

const status_text* find(cublasStatus_t status) {
    for (const status_text& text : status_texts)
        if (text.status == status) return &text;
    return nullptr;
}

bool is_math_mode(int mode) {
    switch (mode & ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) {
        case CUBLAS_DEFAULT_MATH:
        case CUBLAS_TENSOR_OP_MATH:
        case CUBLAS_PEDANTIC_MATH:
        case CUBLAS_TF32_TENSOR_OP_MATH:
        case CUBLAS_FP32_EMULATED_BF16X9_MATH:
        case CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH: return true;
        default: return false;
    }
}

// The address of a workspace that a program gives, documented by NVIDIA.
constexpr uintptr_t workspace_alignment = 256;

}  // namespace

cublasStatus_t cublasCreate_v2(cublasHandle_t* public_handle) {
    return guarded(__func__, [&] {
        core::required(public_handle, "handle");
        *public_handle = to_cublas(new handle);
    });
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t public_handle) {
    return guarded(__func__, [&] { delete &handle_of(public_handle); });
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
    return guarded(__func__, [&] { *core::required(version, "version") = CUBLAS_VERSION; });
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
    return guarded(__func__, [&] {
        core::required(value, "value");
        switch (type) {
            case MAJOR_VERSION: *value = CUBLAS_VER_MAJOR; return;
            case MINOR_VERSION: *value = CUBLAS_VER_MINOR; return;
            case PATCH_LEVEL: *value = CUBLAS_VER_PATCH; return;
        }
        core::invalid("type", "is not a library property");
    });
}

size_t cublasGetCudartVersion(void) { return CUDART_VERSION; }

const char* cublasGetStatusName(cublasStatus_t status) {
    const status_text* const text = find(status);
    return text ? text->name : "unrecognized status";
}

const char* cublasGetStatusString(cublasStatus_t status) {
    const status_text* const text = find(status);
    return text ? text->sentence : "unrecognized status";
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t public_handle, void* workspace, size_t bytes) {
    return guarded(__func__, [&] {
        core::context& c = context_of(public_handle);
        core::require(workspace || bytes == 0, "workspace", "is NULL");
        core::require(reinterpret_cast<uintptr_t>(workspace) % workspace_alignment == 0, "workspace",
                      "is not aligned to 256 bytes");
        c.set_workspace(workspace, bytes);
    });
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t public_handle, cudaStream_t stream) {
    return guarded(__func__, [&] {
        core::context& c = context_of(public_handle);
        c.set_stream(stream);
        c.set_workspace(nullptr, 0);
    });
}

cublasStatus_t cublasGetStream_v2(cublasHandle_t public_handle, cudaStream_t* stream) {
    return guarded(__func__, [&] {
        const core::context& c = context_of(public_handle);
        *core::required(stream, "streamId") = static_cast<cudaStream_t>(c.stream());
    });
}

cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t public_handle, cublasPointerMode_t* mode) {
    return guarded(__func__, [&] {
        const core::context& c = context_of(public_handle);
        *core::required(mode, "mode") = static_cast<cublasPointerMode_t>(c.pointer_mode());
    });
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t public_handle, cublasPointerMode_t mode) {
    return guarded(__func__, [&] {
        core::context& c = context_of(public_handle);
        core::require(mode == CUBLAS_POINTER_MODE_HOST || mode == CUBLAS_POINTER_MODE_DEVICE, "mode",
                      "is not a pointer mode");
        c.set_pointer_mode(static_cast<core::pointer_mode>(mode));
    });
}

cublasStatus_t cublasGetAtomicsMode(cublasHandle_t public_handle, cublasAtomicsMode_t* mode) {
    return guarded(__func__, [&] {
        const handle& h = handle_of(public_handle);
        *core::required(mode, "mode") = h.atomics_mode;
    });
}

cublasStatus_t cublasSetAtomicsMode(cublasHandle_t public_handle, cublasAtomicsMode_t mode) {
    return guarded(__func__, [&] {
        handle& h = handle_of(public_handle);
        core::require(mode == CUBLAS_ATOMICS_NOT_ALLOWED || mode == CUBLAS_ATOMICS_ALLOWED, "mode",
                      "is not an atomics mode");
        h.atomics_mode = mode;
    });
}

cublasStatus_t cublasGetMathMode(cublasHandle_t public_handle, cublasMath_t* mode) {
    return guarded(__func__, [&] {
        const handle& h = handle_of(public_handle);
        *core::required(mode, "mode") = h.math_mode;
    });
}

cublasStatus_t cublasSetMathMode(cublasHandle_t public_handle, cublasMath_t mode) {
    return guarded(__func__, [&] {
        handle& h = handle_of(public_handle);
        core::require(is_math_mode(mode), "mode", "is not a math mode");
        h.math_mode = mode;
    });
}

cublasStatus_t cublasGetSmCountTarget(cublasHandle_t public_handle, int* target) {
    return guarded(__func__, [&] {
        const handle& h = handle_of(public_handle);
        *core::required(target, "smCountTarget") = h.sm_count_target;
    });
}

cublasStatus_t cublasSetSmCountTarget(cublasHandle_t public_handle, int target) {
    return guarded(__func__, [&] {
        handle& h = handle_of(public_handle);
        core::require(target >= 0, "smCountTarget", "is negative");
        h.sm_count_target = target;
    });
}

void cublasXerbla(const char* name, int info) {
    std::fprintf(stderr, "On entry to %s parameter number %d had an illegal value\n", name ? name : "?",
                 info);
}
