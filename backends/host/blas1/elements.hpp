#pragma once
#include <heron/backend.h>

namespace heron::HERON_LEVEL {

// The slots of level 1 that work on every element by itself.
void override_blas1_elements(heron_backend& table);

}  // namespace heron::HERON_LEVEL
