#pragma once
// From a plan to a slot of the plug-in's table.
#include "device.hpp"

namespace heron::HERON_LEVEL {

// Runs f and turns what it throws into a status; the reason goes to the core's log under the operation's
// name.
template <class Device, class F>
heron_status guarded(const char* operation, F&& f) noexcept {
    try {
        f();
        return HERON_SUCCESS;
    } catch (const plan_error& e) {
        Device::log_failure(operation, e.reason);
        return e.status;
    } catch (...) {
        Device::log_failure(operation, "unexpected exception in the plug-in");
        return HERON_INTERNAL_ERROR;
    }
}

// A slot of the table from a plan-shaped function: void f(Device&, heron_phase, const Args&,
// heron_workspace&).
template <class Device, class Args, auto f, const char* name>
heron_status slot(heron_queue* queue, heron_phase phase, const Args* args, heron_workspace* workspace) {
    return guarded<Device>(name, [&] {
        Device device(queue);
        f(device, phase, *args, *workspace);
    });
}

namespace operation_names {
#define HERON_OP(family, op) inline constexpr char op[] = #op;
#include <heron/ops.def>
#undef HERON_OP
}  // namespace operation_names

}  // namespace heron::HERON_LEVEL
