#pragma once
// Single numbers that the host waits for.

namespace heron::HERON_LEVEL::plans {

// *to := *from, of the device. Waits, unless the queue is being captured. A backend that hands over a number
// sooner than by read overloads this for its device and types.
template <class Device, class T>
void read_number(Device& device, T* to, const T* from) {
    device.read(to, from, sizeof *to);
}

}  // namespace heron::HERON_LEVEL::plans
