#include "version.hpp"
#include "core/log.hpp"
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>
#include <cstdlib>

namespace heron::cusparse {
namespace {

// 10000 was that of CUDA 10.0; before, the version was the toolkit's (8000).
constexpr long least = 1000, most = 99999;

int read_version() noexcept {
    const char* const text = std::getenv("HERON_CUSPARSE_VERSION");
    if (!text || !*text) return CUSPARSE_VERSION;
    char* end = nullptr;
    const long version = std::strtol(text, &end, 10);
    if (*end == '\0' && version >= least && version <= most) return static_cast<int>(version);
    core::log(core::log_level::error, "HERON_CUSPARSE_VERSION", "is not a version such as 12603");
    return CUSPARSE_VERSION;
}

}  // namespace

int reported_version() noexcept {
    static const int version = read_version();
    return version;
}

}  // namespace heron::cusparse
