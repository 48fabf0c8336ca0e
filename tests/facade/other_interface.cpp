// libheron as another build of it would be.
#include "../../src/core/interface.hpp"

const char* heron::core::interface_of_core() noexcept { return "0.0.9-other"; }
