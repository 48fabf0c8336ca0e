#pragma once
// The largest team that workspaces have room for.
#include "team.hpp"

namespace heron::HERON_LEVEL {

// The same in all phases: how many threads OpenMP would take differs between those that call and changes with
// time.
inline int most_threads() {
    static const int count = [] {
        const int available = omp_get_num_procs();
        const int wanted = omp_get_max_threads();
        const int most = available > wanted ? available : wanted;
        return most < largest_team ? most : largest_team;
    }();
    return count;
}

}  // namespace heron::HERON_LEVEL
