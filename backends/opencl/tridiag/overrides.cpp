// Tridiagonal systems on OpenCL: by teams of items on GPUs, by one item each on processors.
#include "opencl/runtime/device.hpp"
#include "opencl/runtime/kernels.hpp"
#include "common/runtime/slot.hpp"
#include "common/tridiag/plan.hpp"
#include "common/tridiag/teams.hpp"

namespace heron::opencl {
namespace {

template <class CT>
using team_solver = plans::team_solver<opencl_device, CT>;

bool takes_teams(const opencl_device& device) {
    constexpr size_t largest_group = 256;
    return takes_gpu_kernels("tridiag", device.traits().is_gpu) &&
           device.traits().largest_group >= largest_group;
}

template <class Args>
void solve_strided(opencl_device& device, heron_phase phase, const Args& args, heron_workspace& workspace) {
    visit_full(args.type, [&]<class CT>(type<CT>) {
        team_solver<CT>(device).strided(phase, plans::systems_of(args), workspace);
    });
}

void solve(opencl_device& device, heron_phase phase, const heron_gtsv_args& args,
           heron_workspace& workspace) {
    takes_teams(device) ? solve_strided(device, phase, args, workspace)
                        : plans::gtsv(device, phase, args, workspace);
}

void solve_batch(opencl_device& device, heron_phase phase, const heron_gtsv_batch_args& args,
                 heron_workspace& workspace) {
    takes_teams(device) ? solve_strided(device, phase, args, workspace)
                        : plans::gtsv_batch(device, phase, args, workspace);
}

void solve_interleaved(opencl_device& device, heron_phase phase, const heron_gtsv_interleaved_args& args,
                       heron_workspace& workspace) {
    visit_full(args.type, [&]<class CT>(type<CT>) {
        using solver = team_solver<CT>;
        if (phase == HERON_PHASE_RUN && takes_teams(device)) {
            if (!solver::prefers_teams(args) && device.traits().local_bytes >= solver::most_kept)
                return solver(device).each(args);
            if (solver::serves_interleaved(args)) return solver(device).interleaved(args);
        }
        plans::gtsv_interleaved(device, phase, args, workspace);
    });
}

}  // namespace

void override_tridiag(heron_backend& table) {
    table.gtsv = &slot<opencl_device, heron_gtsv_args, &solve, operation_names::gtsv>;
    table.gtsv_batch = &slot<opencl_device, heron_gtsv_batch_args, &solve_batch, operation_names::gtsv_batch>;
    table.gtsv_interleaved = &slot<opencl_device, heron_gtsv_interleaved_args, &solve_interleaved,
                                   operation_names::gtsv_interleaved>;
}

}  // namespace heron::opencl
