#pragma once
// The host's tuned dense products and triangular solves.
#include <heron/backend.h>

namespace heron::HERON_LEVEL {

void fill_dense_slots(heron_backend& table);

}  // namespace heron::HERON_LEVEL
