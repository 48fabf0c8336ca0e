#include "levels.hpp"
#include "common/runtime/plan_record.hpp"
#include "processor.hpp"
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace heron {
#define HERON_HOST_LEVEL(space, name, test) \
    namespace space {                       \
    void fill_slots(heron_backend&);        \
    }
#include "levels.def"
#undef HERON_HOST_LEVEL
}  // namespace heron

namespace heron::host {
namespace {

// Best first.
const level levels[] = {
#define HERON_HOST_LEVEL(space, name, test) \
    {name, [] { return static_cast<bool>(test); }, &heron::space::fill_slots},
#include "levels.def"
#undef HERON_HOST_LEVEL
};

const level* choose() {
    if (const char* const wanted = std::getenv("HERON_ISA"); wanted && *wanted) {
        for (const level& l : levels)
            if (std::strcmp(l.name, wanted) == 0 && l.runs_here()) return &l;
        log_hint("HERON_ISA", "names no level that this processor runs and this build holds");
    }
    for (const level& l : levels)
        if (l.runs_here()) return &l;
    return nullptr;
}

}  // namespace

const level* chosen_level() {
    static const level* const chosen = choose();
    return chosen;
}

void fill_slots(heron_backend& table) {
    const level* const chosen = chosen_level();
    if (!chosen) return;
    for (const level* l = std::end(levels); l-- != chosen;) l->fill_slots(table);
}

heron_status plan_destroy(heron_plan* plan) {
    delete plan;
    return HERON_SUCCESS;
}

}  // namespace heron::host

heron_plan::~heron_plan() = default;
