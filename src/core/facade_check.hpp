#pragma once
// Compiled into every facade: whether the libheron that it found is the one that it was built with.

namespace heron::core {

// Looks, and writes to standard error why it does not fit.
bool check_core() noexcept;

// False when it is another one: then nothing of the core may be called, and every call of the facade answers
// that it is not initialised. The first call writes the reason to standard error. Each facade has its own.
[[gnu::visibility("hidden")]] inline bool fits_core() noexcept {
    static const bool fits = check_core();
    return fits;
}

}  // namespace heron::core
