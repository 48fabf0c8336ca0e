// What a report compares functions with.
#pragma once

#include <string>

namespace heron::tools {

// Bytes a second that the memory of a backend's device moves; of the default backend where the name is empty.
// Takes some tenths of a second. Throws std::runtime_error.
double memory_limit(const std::string& backend);

}  // namespace heron::tools
