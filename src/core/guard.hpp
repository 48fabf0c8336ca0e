#pragma once
// The one place where exceptions become statuses, at the edge of every C API.
#include "error.hpp"
#include "log.hpp"
#include "recorded_call.hpp"
#include <exception>
#include <new>
#include <utility>

namespace heron::core {

inline void log_call(const public_function& function) noexcept {
    if (log_enabled(log_level::api)) log(log_level::api, function.name, "called");
}

// Log what failed and return the status for it.
heron_status log_failure(const public_function& function, const error& e) noexcept;
heron_status log_failure(const public_function& function, heron_status status, const char* reason) noexcept;

// Runs f and returns the status of what it threw, with one error line, or HERON_SUCCESS. Exceptions are
// caught in the facade itself: where each library carries a C++ runtime of its own, libheron's does not know
// of one that another library handles.
template <class F>
heron_status logged(const public_function& function, F&& f) noexcept {
    try {
        f();
        return HERON_SUCCESS;
    } catch (const error& e) {
        return log_failure(function, e);
    } catch (const std::bad_alloc&) {
        return log_failure(function, HERON_ALLOC_FAILED, "out of host memory");
    } catch (const std::exception& e) {
        return log_failure(function, HERON_INTERNAL_ERROR, e.what());
    } catch (...) {
        return log_failure(function, HERON_INTERNAL_ERROR, "unknown exception");
    }
}

template <class Status, class F>
Status guard(const public_function& function, F&& f) noexcept {
    log_call(function);
    const log_scope scope;
    recorded_call record(function.name);
    const heron_status status = logged(function, std::forward<F>(f));
    if (status == HERON_SUCCESS) record.succeeded();
    return static_cast<Status>(status);
}

}  // namespace heron::core
