#pragma once
// The one place where exceptions become statuses, at the edge of every C API.
#include "error.hpp"
#include "log.hpp"
#include <new>

namespace heron::core {

// Runs f and returns Status(HERON_SUCCESS), or the status and one error line for what it threw.
template <class Status, class F>
Status guard(const char* function, F&& f) noexcept {
    const auto failed = [&](heron_status status, const char* reason) {
        log(log_level::error, function, reason);
        return static_cast<Status>(status);
    };
    if (log_enabled(log_level::api)) log(log_level::api, function, "called");
    const log_scope scope;
    try {
        f();
        return static_cast<Status>(HERON_SUCCESS);
    } catch (const error& e) {
        return failed(e.status(), e.what());
    } catch (const std::bad_alloc&) {
        return failed(HERON_ALLOC_FAILED, "out of host memory");
    } catch (const std::exception& e) {
        return failed(HERON_INTERNAL_ERROR, e.what());
    } catch (...) {
        return failed(HERON_INTERNAL_ERROR, "unknown exception");
    }
}

}  // namespace heron::core
