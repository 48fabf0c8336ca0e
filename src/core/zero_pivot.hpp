#pragma once
// Where an operation with pivots tells the host of a zero among them.
#include "kept_memory.hpp"

namespace heron::core {

// A heron_zero_pivot in device memory that belongs to one analysis.
class zero_pivot_cell {
  public:
    // Its device address for work of this context. Without a zero pivot when it is new on this device.
    heron_zero_pivot* on(context& c);
    // What the work so far has found. Waits for the context's stream; does not allocate.
    heron_zero_pivot read(context& c) const;

  private:
    kept_memory memory_;
};

// Writes the number of the first zero pivot, counted from base, or -1 to position, in the handle's pointer
// mode, and throws ZERO_PIVOT where there is one. Waits for the context's stream.
void report_zero_pivot(context& c, const zero_pivot_cell& cell, int base, int32_t* position);

}  // namespace heron::core
