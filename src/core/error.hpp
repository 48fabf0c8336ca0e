#pragma once
// How the library fails inside: one exception that carries the status, the argument at fault and the reason.
#include <heron/types.h>
#include <exception>
#include <string>
#include <utility>

namespace heron::core {

class error : public std::exception {
  public:
    error(heron_status status, std::string argument, std::string reason)
        : status_(status), message_(argument.empty() ? std::move(reason) : argument + ": " + reason) {}

    heron_status status() const noexcept { return status_; }
    // "argument: reason"
    const char* what() const noexcept override { return message_.c_str(); }

  private:
    heron_status status_;
    std::string message_;
};

[[noreturn]] inline void invalid(std::string argument, std::string reason) {
    throw error(HERON_INVALID_VALUE, std::move(argument), std::move(reason));
}

[[noreturn]] inline void not_supported(std::string argument, std::string reason) {
    throw error(HERON_NOT_SUPPORTED, std::move(argument), std::move(reason));
}

inline void require(bool condition, const char* argument, const char* reason) {
    if (!condition) invalid(argument, reason);
}

// The pointer, if it is not NULL.
template <class T>
T* required(T* pointer, const char* argument) {
    if (!pointer) invalid(argument, "is NULL");
    return pointer;
}

}  // namespace heron::core
