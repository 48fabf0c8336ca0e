#pragma once
// Included by the generated file of each family, after the family's plans. An operation of the family without
// a plan does not link.
#include "generic_table.hpp"

namespace heron::HERON_LEVEL {

namespace plans {
#define HERON_OP(family, op) \
    template <class D>       \
    void op(D&, heron_phase, const heron_##op##_args&, heron_workspace&);
#include <heron/ops.def>
#undef HERON_OP
}  // namespace plans

template <class Device, family wanted>
void fill_family_slots(heron_backend& table) {
#define HERON_SLOT(op) &slot<Device, heron_##op##_args, &plans::op<Device>, operation_names::op>
#define HERON_OP(name, op) \
    if constexpr (wanted == family::name) table.op = HERON_SLOT(op);
#include <heron/ops.def>
#undef HERON_OP
#undef HERON_SLOT
}

}  // namespace heron::HERON_LEVEL
