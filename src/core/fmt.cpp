// The one source of a library that fmt is compiled in. The others see what fmt/format.h declares, and take a
// quarter of the time to compile.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

namespace {

using format_function = std::string (*)(fmt::string_view, fmt::format_args);
[[gnu::used]] const format_function compiled_here = &fmt::vformat;

}  // namespace
