// The CUDA operation table: the shared plans, or their specialisations for CUDA where an operation is tuned.
#include "../common/generic_table.hpp"
#include "cuda_device.cuh"
#include "cuda_table.hpp"

namespace heron::HERON_LEVEL {

void fill_slots(heron_backend& table) { fill_generic_slots<cuda_device>(table); }

}  // namespace heron::HERON_LEVEL
