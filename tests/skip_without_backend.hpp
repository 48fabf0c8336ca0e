// For backend tests that do not stand on rig.hpp.
#pragma once

#include <heron/heron.h>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace heron::test {

inline std::string backend_under_test() {
    const char* const name = std::getenv("HERON_BACKEND");
    return name ? name : "host";
}

// Ends the program with status 77, which ctest counts as skipped, when that backend has no device here.
inline void skip_without_backend() {
    heron_handle probe = nullptr;
    const heron_status status = heron_create_on(backend_under_test().c_str(), 0, &probe);
    heron_destroy(probe);
    if (status != HERON_NOT_INITIALIZED) return;
    std::printf("skipped: %s cannot be used here\n", backend_under_test().c_str());
    std::fflush(stdout);
    std::_Exit(77);
}

}  // namespace heron::test
