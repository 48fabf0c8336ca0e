#pragma once
#include <heron/types.h>

namespace heron::core {

// "HERON_INVALID_VALUE", and a sentence; "unrecognized error code" for other numbers.
const char* status_name(heron_status status) noexcept;
const char* status_string(heron_status status) noexcept;

}  // namespace heron::core
