#pragma once
// From a plan to a slot of the plug-in's table.
#include "device.hpp"
#include "guard.hpp"

namespace heron::HERON_LEVEL {

// A slot of the table from a plan-shaped function: void f(Device&, heron_phase, const Args&,
// heron_workspace&).
template <class Device, class Args, auto f, const char* name>
heron_status slot(heron_queue* queue, heron_phase phase, const Args* args,
                  heron_workspace* workspace) noexcept {
    return guarded<Device>(name, [&] {
        Device device(queue);
        f(device, phase, *args, *workspace);
    });
}

// An operation that asks for no workspace, whatever its arguments.
inline void set_without_workspace(heron_backend& table, heron_slot operation) {
    table.without_workspace[operation / 64] |= uint64_t{1} << operation % 64;
}

namespace operation_names {
#define HERON_OP(family, op) inline constexpr char op[] = #op;
#include <heron/ops.def>
#undef HERON_OP
}  // namespace operation_names

}  // namespace heron::HERON_LEVEL
