#pragma once
// The operation slots of the table, filled by the files that nvcc compiles.
#include <heron/backend.h>

namespace heron::cuda {

void fill_slots(heron_backend& table);

}  // namespace heron::cuda
