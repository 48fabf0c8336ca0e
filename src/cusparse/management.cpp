// Handle, version, errors, stream and pointer mode.
#include "translate.hpp"
#include "version.hpp"
#include <iterator>

using namespace heron;
using namespace heron::cusparse;

namespace {

struct status_text {
    const char* name;
    const char* sentence;
};

// Indexed by cusparseStatus_t.
constexpr status_text status_texts[] = {
    {"CUSPARSE_STATUS_SUCCESS", "success"},
    {"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
    {"CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
    {"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
    {"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
    {"CUSPARSE_STATUS_MAPPING_ERROR", "texture memory mapping error"},
    {"CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
    {"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
    {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
    {"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
    {"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
    {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"},
};

const status_text* find(cusparseStatus_t status) {
    const auto i = static_cast<unsigned>(status);
    return i < std::size(status_texts) ? &status_texts[i] : nullptr;
}

}  // namespace

cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
    return guarded(__func__, [&] {
        core::required(handle, "handle");
        *handle = reinterpret_cast<cusparseHandle_t>(new core::context);
    });
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
    return guarded(__func__, [&] { destroy<core::context>(handle); });
}

cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int* version) {
    return guarded(__func__, [&] {
        context_of(handle);
        *core::required(version, "version") = reported_version();
    });
}

cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int* value) {
    return guarded(__func__, [&] {
        core::required(value, "value");
        switch (type) {
            case MAJOR_VERSION: *value = reported_version() / 1000; return;
            case MINOR_VERSION: *value = reported_version() % 1000 / 100; return;
            case PATCH_LEVEL: *value = reported_version() % 100; return;
        }
        core::invalid("type", "is not a library property");
    });
}

const char* cusparseGetErrorName(cusparseStatus_t status) {
    const status_text* const text = find(status);
    return text ? text->name : "unrecognized error code";
}

const char* cusparseGetErrorString(cusparseStatus_t status) {
    const status_text* const text = find(status);
    return text ? text->sentence : "unrecognized error code";
}

cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
    return guarded(__func__, [&] { context_of(handle).set_stream(stream); });
}

cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t* stream) {
    return guarded(__func__, [&] {
        const core::context& c = context_of(handle);
        *core::required(stream, "streamId") = static_cast<cudaStream_t>(c.stream());
    });
}

cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode) {
    return guarded(__func__, [&] {
        const core::context& c = context_of(handle);
        *core::required(mode, "mode") = static_cast<cusparsePointerMode_t>(c.pointer_mode());
    });
}

cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
    return guarded(__func__, [&] {
        core::context& c = context_of(handle);
        core::require(mode == CUSPARSE_POINTER_MODE_HOST || mode == CUSPARSE_POINTER_MODE_DEVICE, "mode",
                      "is not a pointer mode");
        c.set_pointer_mode(static_cast<core::pointer_mode>(mode));
    });
}
