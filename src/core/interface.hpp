#pragma once
// The facades share the core's C++ interface, which no build promises to the next.

namespace heron::core {

// Version and digest of the headers that libheron was built with. A libheron older than this function lacks it.
const char* interface_of_core() noexcept;

}  // namespace heron::core
