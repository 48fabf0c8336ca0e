// The CUDA operation table: the shared plans, then the tuned operations.
#include "../common/generic_table.hpp"
#include "cuda_device.cuh"
#include "cuda_table.hpp"

namespace heron::HERON_LEVEL {

void fill_slots(heron_backend& table) { fill_generic_slots<cuda_device>(table); }

}  // namespace heron::HERON_LEVEL
