#pragma once
// The order of the rows of a triangle (common/trisolve/order.hpp) on OpenCL.
#include "opencl/runtime/device.hpp"

#include "common/trisolve/order.hpp"

namespace heron::opencl {

// PoCL's code for several items that meet in the conditions of loops, as those of find_levels do, never ends.
template <class F>
void visit_order_groups(const opencl_device& device, F&& f) {
    const int64_t clearing = 2 * int64_t{device.traits().compute_units};
    if (device.traits().nvidia_major > 0)
        f(plans::order_groups<1024, 128>{clearing});
    else
        f(plans::order_groups<256, 1>{clearing});
}

}  // namespace heron::opencl
