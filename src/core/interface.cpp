#include "interface.hpp"
#include "core_interface.h"

const char* heron::core::interface_of_core() noexcept { return HERON_CORE_INTERFACE; }
