// What sources call, for programs that are not built yet.
#pragma once

#include <string>

#include "installed.hpp"
#include "needs.hpp"

namespace heron::tools {

// Of the C, C++, CUDA and Fortran files below a folder, or of one file.
program_needs needs_of_sources(const std::string& path, const installed_libraries& installed);

// The text with comments and strings blanked.
std::string without_comments(std::string text, bool is_fortran);

}  // namespace heron::tools
