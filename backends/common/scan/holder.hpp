#pragma once
// Which range holds an element, for the texts of other families: their programs begin with scan_holder.
#include "common/runtime/dispatch.hpp"

namespace heron::HERON_LEVEL::kernels {
#include "holder.h"
}  // namespace heron::HERON_LEVEL::kernels
