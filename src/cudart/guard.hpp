#pragma once
// How a runtime call fails: an exception with CUDA's status inside, one guard at the edge that turns it into
// the status, one log line and the thread's last error.
#include "api.hpp"
#include "core/error.hpp"
#include "core/facade_check.hpp"
#include "core/log.hpp"
#include "core/recorded_call.hpp"
#include <exception>
#include <string>
#include <utility>

namespace heron::cudart {

class failure : public std::exception {
  public:
    failure(cudaError_t status, std::string reason) : status_(status), reason_(std::move(reason)) {}
    cudaError_t status() const noexcept { return status_; }
    const char* what() const noexcept override { return reason_.c_str(); }

  private:
    cudaError_t status_;
    std::string reason_;
};

[[noreturn]] inline void fail(cudaError_t status, std::string reason) {
    throw failure(status, std::move(reason));
}

inline void require(bool condition, cudaError_t status, const char* reason) {
    if (!condition) fail(status, reason);
}

// The pointer, if it is not NULL.
template <class T>
T* required(T* pointer, const char* argument) {
    if (!pointer) fail(cudaErrorInvalidValue, std::string(argument) + ": is NULL");
    return pointer;
}

cudaError_t to_cuda(heron_status status) noexcept;

// Called while an exception is being handled: logs it, makes it the thread's last error and returns its
// status.
cudaError_t note_current_exception(const char* function) noexcept;

// Makes cudaErrorInitializationError the thread's last error and returns it.
cudaError_t refuse_core() noexcept;

// The last error of this thread, and the same with the error cleared unless it is one that nothing but a
// reset cures.
cudaError_t peek_last_error() noexcept;
cudaError_t take_last_error() noexcept;

// The error after which the device is unusable, or cudaSuccess; and its cure.
cudaError_t device_fault() noexcept;
void clear_device_fault() noexcept;

template <class F>
cudaError_t guarded(const char* function, F&& f) noexcept {
    if (!core::fits_core()) return refuse_core();
    if (core::log_enabled(core::log_level::api)) core::log(core::log_level::api, function, "called");
    const core::log_scope scope;
    core::recorded_call record(function);
    cudaError_t status = cudaSuccess;
    try {
        std::forward<F>(f)();
    } catch (...) {
        status = note_current_exception(function);
    }
    if (status == cudaSuccess || status == cudaErrorNotReady) record.succeeded();
    return status;
}

}  // namespace heron::cudart
