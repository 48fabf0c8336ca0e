#pragma once
// How the library fails inside: one exception that carries the status, the argument at fault and the reason.
#include "argument.hpp"
#include <heron/types.h>
#include <exception>
#include <string>
#include <utility>

namespace heron::core {

// What an error is about: an argument by its role, or, in a facade, by its public name. A name also stands
// for what is no argument, such as an environment variable.
struct subject {
    constexpr subject(core::role r) : argument(r) {}
    constexpr subject(const core::argument& a) : argument(a) {}
    constexpr subject(const char* n) : name(n) {}

    core::argument argument{};
    const char* name = "";
};

class error : public std::exception {
  public:
    // '@' in the reason stands for the argument that it mentions.
    error(heron_status status, const subject& about, std::string reason, core::argument mentioned = {})
        : status_(status),
          argument_(about.argument),
          mentioned_(mentioned),
          name_(about.name),
          reason_(std::move(reason)) {}

    heron_status status() const noexcept { return status_; }
    const core::argument& argument() const noexcept { return argument_; }
    // The reason alone.
    const char* what() const noexcept override { return reason_.c_str(); }
    // "argument: reason" in the words of the function that failed.
    std::string message(const public_function& function) const;

  private:
    heron_status status_;
    core::argument argument_, mentioned_;
    std::string name_, reason_;
};

[[noreturn]] inline void invalid(const subject& about, std::string reason, argument mentioned = {}) {
    throw error(HERON_INVALID_VALUE, about, std::move(reason), mentioned);
}

// Apart, so that where it is not thrown little remains of it.
[[noreturn]] void invalid(const subject& about, const char* reason);

[[noreturn]] inline void not_supported(const subject& about, std::string reason, argument mentioned = {}) {
    throw error(HERON_NOT_SUPPORTED, about, std::move(reason), mentioned);
}

// What these are about becomes a subject where they fail: calls that need little time check much.
template <class About>
void require(bool condition, const About& about, const char* reason) {
    if (!condition) invalid(about, reason);
}

// The pointer, if it is not NULL.
template <class T, class About>
T* required(T* pointer, const About& about) {
    if (!pointer) invalid(about, "is NULL");
    return pointer;
}

}  // namespace heron::core
