#pragma once
// The host's tuned sparse products.
#include <heron/backend.h>

namespace heron::HERON_LEVEL {

void fill_spgemm_slots(heron_backend& table);

}  // namespace heron::HERON_LEVEL
