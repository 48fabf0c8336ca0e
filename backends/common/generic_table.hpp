#pragma once
// The floor of every backend: a table whose operation slots all run the shared plans on Device. A backend starts from it
// and overrides the slots that it has tuned. An operation without a plan does not compile.
#include "plans/convert.hpp"
#include "plans/kron.hpp"
#include "plans/spmv.hpp"
#include "plans/vector.hpp"

namespace heron::HERON_LEVEL {

// Runs f and turns what it throws into a status; the reason goes to the core's log under the operation's name.
template <class Device, class F> heron_status guarded(const char* operation, F&& f) noexcept {
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

// A slot of the table from a plan-shaped function: void f(Device&, heron_phase, const Args&, heron_workspace&).
template <class Device, class Args, auto f, const char* name>
heron_status slot(heron_queue* queue, heron_phase phase, const Args* args, heron_workspace* workspace) {
    return guarded<Device>(name, [&] {
        Device device(queue);
        f(device, phase, *args, *workspace);
    });
}

namespace operation_names {
#define HERON_OP(op) inline constexpr char op[] = #op;
#include <heron/ops.def>
#undef HERON_OP
}  // namespace operation_names

template <class Device> void fill_generic_slots(heron_backend& table) {
#define HERON_OP(op) table.op = &slot<Device, heron_##op##_args, &plans::op<Device>, operation_names::op>;
#include <heron/ops.def>
#undef HERON_OP
}

}  // namespace heron::HERON_LEVEL
