#pragma once
// The host's tuned SpMM.
#include <heron/backend.h>

namespace heron::HERON_LEVEL {

void fill_spmm_slot(heron_backend& table);

}  // namespace heron::HERON_LEVEL
