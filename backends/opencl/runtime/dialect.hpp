#pragma once
// Kernel text of the shared dialect as OpenCL C.
#include <string>

namespace heron::opencl {

// HERON_TYPES(...) and HERON_PROGRAM(...) disappear. HERON_KERNEL(name, args) { becomes a __kernel
// heron_<name> whose first argument is the number of items and whose body runs for each item below it,
// HERON_GROUP_KERNEL(name, items, args) one for groups of so many items. OpenCL C 1.2 has no variadic macros,
// so this is done on the text.
std::string to_opencl_c(const std::string& dialect_text);

// Whether the text needs the words of the group dialect.
bool has_group_kernels(const std::string& dialect_text);

}  // namespace heron::opencl
