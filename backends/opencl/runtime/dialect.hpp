#pragma once
// Kernel text of the shared dialect as OpenCL C.
#include <string>

namespace heron::opencl {

// HERON_TYPES(...) disappears, and HERON_KERNEL(name, args) { becomes a __kernel heron_<name> whose first
// argument is the number of items and whose body runs for each item below it. OpenCL C 1.2 has no variadic
// macros, so this is done on the text.
std::string to_opencl_c(const std::string& dialect_text);

}  // namespace heron::opencl
