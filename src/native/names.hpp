#pragma once
// What the native API calls the arguments of the core's calls.
#include "core/error.hpp"
#include "core/guard.hpp"

namespace heron::core {

extern const argument_names native_names;

// Structs are arguments here, and a part is one of their fields.
inline public_function native(const char* function, argument_names own = {}) {
    return {function, own, native_names, "."};
}

}  // namespace heron::core
