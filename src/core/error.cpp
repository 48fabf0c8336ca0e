#include "error.hpp"
#include "guard.hpp"
#include "log.hpp"
#include <new>

namespace heron::core {

std::string error::message(const public_function& function) const {
    std::string reason = reason_;
    if (const size_t place = mentioned_.role == role::none ? std::string::npos : reason.find('@');
        place != std::string::npos)
        reason.replace(place, 1, function.name_of(mentioned_));
    const std::string name = name_.empty() ? function.name_of(argument_) : name_;
    return name.empty() ? reason : name + ": " + reason;
}

void log_call(const public_function& function) noexcept {
    if (log_enabled(log_level::api)) log(log_level::api, function.name, "called");
}

heron_status log_current_exception(const public_function& function) noexcept {
    const auto failed = [&](heron_status status, const std::string& reason) {
        log(log_level::error, function.name, reason);
        return status;
    };
    try {
        try {
            throw;
        } catch (const error& e) {
            return failed(e.status(), e.message(function));
        } catch (const std::bad_alloc&) {
            return failed(HERON_ALLOC_FAILED, "out of host memory");
        } catch (const std::exception& e) {
            return failed(HERON_INTERNAL_ERROR, e.what());
        } catch (...) {
            return failed(HERON_INTERNAL_ERROR, "unknown exception");
        }
    } catch (...) {
        return HERON_ALLOC_FAILED;
    }
}

}  // namespace heron::core
