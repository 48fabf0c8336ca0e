#pragma once
// The host's tuned triangular solves.
#include <heron/backend.h>

namespace heron::HERON_LEVEL {

void fill_trisolve_slots(heron_backend& table);

}  // namespace heron::HERON_LEVEL
