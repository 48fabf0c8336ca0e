#pragma once
// The instruction set levels that this build of the host plug-in holds, and the best one that the CPU runs.
#include <heron/backend.h>

namespace heron::host {

struct level {
    const char* name;  // "x86-64-v3", "generic"
    bool (*runs_here)();
    void (*fill_slots)(heron_backend&);  // of the families that this level has
};

// Best level for this CPU, or the one that HERON_ISA names if the CPU runs it; null where it runs none.
// Decided once.
const level* chosen_level();

// Each slot by the chosen level or the best one below it that has its family.
void fill_slots(heron_backend& table);

heron_status plan_destroy(heron_plan* plan);

// Sends what a user should know to the core's log.
void log_hint(const char* subject, const char* message) noexcept;

}  // namespace heron::host
