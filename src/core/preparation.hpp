#pragma once
// What repeated products gain by the analysis that they may do without, for the hints of reports. A report
// runs nothing of its own on the side, which would change what the program does: it tells what benchmarks
// have measured, and which result says so (tools/bench/results).
#include "operation.hpp"
#include <heron/types.h>
#include <cstdint>

namespace heron::core {

enum class device_class : uint8_t { one_core, several_cores, opencl_processor, opencl_gpu, cuda };

struct preparation_gain {
    double typical, least, most;  // times as fast
    const char* device;           // that it was measured on
    const char* result;
};

struct repeated_product {
    operation slot;
    heron_operation op;
    const heron_spmat& a;
    int64_t columns;  // of the result
};
// NULL where the analysis leaves no plan for it, or none that makes such products a tenth faster on average.
const preparation_gain* gain_of_preparation(device_class where, const repeated_product& product);

}  // namespace heron::core
