#pragma once
// The facades share the core's C++ interface, which no build promises to the next.

namespace heron::core {

// Of the headers that libheron was built with: version and digest. An older libheron lacks this function.
const char* interface_of_core() noexcept;

}  // namespace heron::core
