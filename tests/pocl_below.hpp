// Kernels for GPUs that newer compilers of PoCL, for processors, end the process on or get wrong.
#pragma once

#include <cstdlib>

namespace heron::test {

// HERON_TEST_POCL_BELOW=5: whether a processor's driver, "5.0+debian", is of this version or a newer one.
inline bool is_too_new_for_these_kernels(const char* driver) {
    const char* const below = std::getenv("HERON_TEST_POCL_BELOW");
    return below && *below && std::atof(driver) >= std::atof(below);
}

}  // namespace heron::test
