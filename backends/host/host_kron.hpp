#pragma once
// The host's tuned Kronecker products: every item stays in one core's cache from its first factor to its
// last.
#include <heron/backend.h>

namespace heron::HERON_LEVEL {

void fill_kron_slots(heron_backend& table);

}  // namespace heron::HERON_LEVEL
