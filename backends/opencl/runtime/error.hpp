#pragma once
// OpenCL error codes as statuses of Heron, and the way to the core's log.
#include "common/runtime/device.hpp"
#include "api.hpp"
#include <string>

namespace heron::opencl {

enum class log_level { error = 1, hint = 3, info = 4 };

void set_services(const heron_host_services* services);
void log(log_level level, const char* operation, const char* message) noexcept;

// "CL_OUT_OF_RESOURCES"; "unknown OpenCL error" for codes of extensions.
const char* error_name(cl_int code);
heron_status status_of(cl_int code);

// Throw plan_error. Its reason lives until the next failure of this thread.
[[noreturn]] void fail(heron_status status, const std::string& reason);
[[noreturn]] void fail(cl_int code, const std::string& call);

inline void check(cl_int code, const char* call) {
    if (code != CL_SUCCESS) fail(code, call);
}

}  // namespace heron::opencl
