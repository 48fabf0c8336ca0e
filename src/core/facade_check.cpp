#include "facade_check.hpp"
#include "interface.hpp"
#include "core_interface.h"
#include <heron/heron.h>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

namespace heron::core {

[[gnu::weak]] const char* interface_of_core() noexcept;

namespace {

const char* file_of(const void* function) {
    Dl_info info{};
    return dladdr(function, &info) && info.dli_fname ? info.dli_fname : "libheron.so.0";
}

}  // namespace

// Logging is the core's, so that it cannot serve here.
bool check_core() noexcept {
    const char* const found = interface_of_core ? interface_of_core() : "an older one";
    if (std::strcmp(found, HERON_CORE_INTERFACE) == 0) return true;
    std::fprintf(stderr,
                 "heron: %s is of build %s and refuses to work with %s, which is of another build (%s); "
                 "install both from one build\n",
                 file_of(reinterpret_cast<const void*>(&check_core)), HERON_CORE_INTERFACE,
                 file_of(reinterpret_cast<const void*>(&heron_version)), found);
    return false;
}

}  // namespace heron::core
