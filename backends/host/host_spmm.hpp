#pragma once
// The host's tuned SpMM.
#include <heron/backend.h>

namespace heron::HERON_LEVEL {

// Overrides the slot of SpMM. A product with one column is handed to the table's SpMV, so that must be there.
void fill_spmm_slot(heron_backend& table);

}  // namespace heron::HERON_LEVEL
