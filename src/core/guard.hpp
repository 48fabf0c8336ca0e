#pragma once
// The one place where exceptions become statuses, at the edge of every C API.
#include "argument.hpp"
#include "log.hpp"
#include <heron/types.h>

namespace heron::core {

// The log line of a call, and of the exception that is being handled, with the status for it.
void log_call(const public_function& function) noexcept;
heron_status log_current_exception(const public_function& function) noexcept;

// Runs f and returns Status(HERON_SUCCESS), or the status and one error line for what it threw.
template <class Status, class F>
Status guard(const public_function& function, F&& f) noexcept {
    log_call(function);
    const log_scope scope;
    try {
        f();
        return static_cast<Status>(HERON_SUCCESS);
    } catch (...) {
        return static_cast<Status>(log_current_exception(function));
    }
}

}  // namespace heron::core
