// What is known of a device and of the library, for `heron info` and the heads of reports.
#pragma once

#include <heron/heron.h>

#include <string>

#include "report.hpp"

namespace heron::tools {

std::string library_version();  // of the Heron library in this process, such as "0.1.0"

record device_record(const heron_device_info& info);

// "32 MiB", "140 GiB".
std::string size_text(std::uint64_t bytes);

}  // namespace heron::tools
