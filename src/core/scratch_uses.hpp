#pragma once
// Tells whether what an operation left in its handle's scratch is still there.
#include <cstdint>

namespace heron::core {

// How often a scratch was used or freed, of all handles. What was the last to be written into one is there as
// long as this stays the same, but not in memory that the caller has given.
uint64_t scratch_uses();

}  // namespace heron::core
