#pragma once
#include "cuda/runtime/group_words.cuh"
#include "common/tridiag/teams.hpp"
#include "tuned.hpp"

namespace heron::HERON_LEVEL {

template <class CT>
void solve_tridiagonal(cuda_device& device, heron_phase phase, const heron_gtsv_args& args,
                       heron_workspace& workspace) {
    plans::team_solver<cuda_device, CT>(device).strided(phase, plans::systems_of(args), workspace);
}

template <class CT>
void solve_tridiagonal(cuda_device& device, heron_phase phase, const heron_gtsv_batch_args& args,
                       heron_workspace& workspace) {
    plans::team_solver<cuda_device, CT>(device).strided(phase, plans::systems_of(args), workspace);
}

template <class CT>
void solve_interleaved(cuda_device& device, const heron_gtsv_interleaved_args& args) {
    using solver = plans::team_solver<cuda_device, CT>;
    solver::prefers_teams(args) ? solver(device).interleaved(args) : solver(device).each(args);
}

}  // namespace heron::HERON_LEVEL
