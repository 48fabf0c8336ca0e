#pragma once
// Numbers by which a plan recognises what its analysis left in a caller's workspace.
#include <atomic>
#include <cstdint>

namespace heron::HERON_LEVEL {

// Never the same again, and unlikely to lie in memory by chance.
inline uint64_t next_pattern_stamp() {
    static std::atomic<uint64_t> last{0x1e3779b97f4a7c15u};
    return ++last;
}

}  // namespace heron::HERON_LEVEL
