// What heron check writes.
#pragma once

#include <string>

#include "measure/report.hpp"
#include "verdict.hpp"

namespace heron::tools {

// all_functions: also those that are provided everywhere.
std::string check_text(const std::string& what, const check_result& result, bool all_functions);
record check_record(const std::string& what, const check_result& result, const std::string& backend);

}  // namespace heron::tools
