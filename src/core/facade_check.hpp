#pragma once
// Compiled into every facade: whether the libheron that it found is the one that it was built with.

namespace heron::core {

// False when it is another one: then nothing of the core may be called, and every call of the facade answers
// that it is not initialised. The first call writes the reason to standard error.
bool fits_core() noexcept;

}  // namespace heron::core
