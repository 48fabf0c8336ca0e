#pragma once
// The floor of every backend: a table whose operation slots all run the shared plans on Device. A backend
// starts from it and overrides the slots that it has tuned. Each family is compiled in a file of its own
// (generic_family.hpp), so that a family without plans does not link.
#include "slot.hpp"

namespace heron::HERON_LEVEL {

enum class family {
#define HERON_FAMILY(name) name,
#include "families.def"
#undef HERON_FAMILY
};

// Fills the slots of one family.
template <class Device, family wanted>
void fill_family_slots(heron_backend& table);

template <class Device>
void fill_generic_slots(heron_backend& table) {
#define HERON_FAMILY(name) fill_family_slots<Device, family::name>(table);
#include "families.def"
#undef HERON_FAMILY
}

}  // namespace heron::HERON_LEVEL
