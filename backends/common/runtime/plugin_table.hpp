#pragma once
// A plug-in's table.
#include "guard.hpp"

namespace heron {

// The table of the functions that are static members of Entries, each behind the guard, and of the operations
// that fill_slots sets. Entries::log is what the guard logs to.
template <class Entries>
heron_backend make_table(const char* name, void (*fill_slots)(heron_backend&)) {
    heron_backend table{};
    table.abi = HERON_BACKEND_ABI;
    table.size = sizeof table;
    table.name = name;
    table.version = HERON_PLUGIN_VERSION;
#define HERON_ENTRY(entry) \
    table.entry = &table_entry<typename Entries::log, table_names::entry, &Entries::entry>::call;
#define HERON_OPTIONAL_ENTRY(entry) \
    if constexpr (requires { &Entries::entry; }) HERON_ENTRY(entry)
#include "table_entries.def"
#undef HERON_OPTIONAL_ENTRY
#undef HERON_ENTRY
    fill_slots(table);
    return table;
}

}  // namespace heron
