#pragma once
// The operations of the plug-in table as values and types.
#include <heron/backend.h>
#include <type_traits>

namespace heron::core {

enum class operation {
#define HERON_OP(family, op) op,
#include <heron/ops.def>
#undef HERON_OP
};

template <operation op>
using operation_constant = std::integral_constant<operation, op>;

#define HERON_OP(family, op) \
    constexpr auto slot_of(operation_constant<operation::op>) { return &heron_backend::op; }
#include <heron/ops.def>
#undef HERON_OP

const char* name_of(operation op);

}  // namespace heron::core
