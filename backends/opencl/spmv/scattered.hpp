#pragma once
// Which groups add up products where they fall (common/spmv/scatter.h): several teams where lanes run in
// step.
#include "opencl/runtime/device.hpp"
#include "common/spmv/scatter.hpp"

namespace heron::opencl {

constexpr int64_t most_bytes_of_sums = 32 * 1024;

inline plans::scatter_policy scatter_policy_of(const device_traits& traits) {
    constexpr int64_t bytes_of_lanes = 8 * 1024;
    return {int64_t{traits.compute_units},
            std::min(most_bytes_of_sums, static_cast<int64_t>(traits.local_bytes) - bytes_of_lanes)};
}

// Calls f with the product.
template <class VA, class VX, class CT, class OT, class IT, class F>
void with_scattered_product(opencl_device& device, const plans::scattered_operands<VX, CT>& p, F&& f) {
    constexpr int group = 256, lone_team = 32;
    const plans::scatter_policy policy = scatter_policy_of(device.traits());
    if (device.traits().is_nvidia_gpu())
        f(plans::scattered_product<opencl_device, VA, VX, CT, OT, IT, group>(device, p, policy));
    else
        f(plans::scattered_product<opencl_device, VA, VX, CT, OT, IT, lone_team>(device, p, policy));
}

// Whether a device is one for it.
inline bool takes_scattered_products(const device_traits& traits) {
    constexpr size_t least_group = 32;
    constexpr uint64_t least_local_bytes = 24 * 1024;
    return traits.largest_group >= least_group && traits.local_bytes >= least_local_bytes;
}

}  // namespace heron::opencl
