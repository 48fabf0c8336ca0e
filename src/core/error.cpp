#include "error.hpp"
#include "guard.hpp"
#include "log.hpp"

namespace heron::core {

std::string error::message(const public_function& function) const {
    std::string reason = reason_;
    if (const size_t place = mentioned_.role == role::none ? std::string::npos : reason.find('@');
        place != std::string::npos)
        reason.replace(place, 1, function.name_of(mentioned_));
    const std::string name = name_.empty() ? function.name_of(argument_) : name_;
    return name.empty() ? reason : name + ": " + reason;
}

void watched_call::begin(const char* name) noexcept {
    log_call(name);
    new (&watch_) watch(name);
    is_watched_ = true;
}

void watched_call::end() noexcept { watch_.~watch(); }

void invalid(const subject& about, const char* reason) { invalid(about, std::string(reason)); }

heron_status log_failure(const public_function& function, const error& e) noexcept {
    try {
        log(log_level::error, function.name, e.message(function));
        return e.status();
    } catch (...) {
        return HERON_ALLOC_FAILED;
    }
}

heron_status log_failure(const public_function& function, heron_status status, const char* reason) noexcept {
    log(log_level::error, function.name, reason);
    return status;
}

}  // namespace heron::core
