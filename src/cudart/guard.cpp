#include "guard.hpp"
#include <atomic>
#include <new>

namespace heron::cudart {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

std::atomic<cudaError_t> fault = cudaSuccess;

cudaError_t note(const char* function, cudaError_t status, const char* reason) noexcept {
    // Not an error but an answer, and one that programs ask for in a loop.
    if (status == cudaErrorNotReady) return status;
    last_error = status;
    core::log(core::log_level::error, function, reason);
    return status;
}

}  // namespace

cudaError_t to_cuda(heron_status status) noexcept {
    switch (status) {
        case HERON_SUCCESS: return cudaSuccess;
        case HERON_NOT_INITIALIZED: return cudaErrorNoDevice;
        case HERON_ALLOC_FAILED:
        case HERON_INSUFFICIENT_RESOURCES: return cudaErrorMemoryAllocation;
        case HERON_INVALID_VALUE: return cudaErrorInvalidValue;
        case HERON_ARCH_MISMATCH:
        case HERON_MATRIX_TYPE_NOT_SUPPORTED:
        case HERON_NOT_SUPPORTED: return cudaErrorNotSupported;
        case HERON_MAPPING_ERROR: return cudaErrorMapBufferObjectFailed;
        case HERON_EXECUTION_FAILED: return cudaErrorLaunchFailure;
        default: return cudaErrorUnknown;
    }
}

cudaError_t note_current_exception(const char* function) noexcept {
    try {
        throw;
    } catch (const failure& e) {
        return note(function, e.status(), e.what());
    } catch (const core::error& e) {
        const cudaError_t status = to_cuda(e.status());
        if (status == cudaErrorLaunchFailure) fault = status;
        return note(function, status, e.message({function, {}, {}}).c_str());
    } catch (const std::bad_alloc&) {
        return note(function, cudaErrorMemoryAllocation, "out of host memory");
    } catch (const std::exception& e) {
        return note(function, cudaErrorUnknown, e.what());
    } catch (...) {
        return note(function, cudaErrorUnknown, "unknown exception");
    }
}

cudaError_t refuse_core() noexcept { return last_error = cudaErrorInitializationError; }

cudaError_t peek_last_error() noexcept { return fault != cudaSuccess ? fault.load() : last_error; }

cudaError_t take_last_error() noexcept {
    const cudaError_t error = peek_last_error();
    last_error = cudaSuccess;
    return error;
}

cudaError_t device_fault() noexcept { return fault; }

void clear_device_fault() noexcept { fault = cudaSuccess; }

}  // namespace heron::cudart

cudaError_t cudaGetLastError() { return heron::cudart::take_last_error(); }
cudaError_t cudaPeekAtLastError() { return heron::cudart::peek_last_error(); }
