// The slots of tridiagonal solves, by threads that share systems, and of pentadiagonal ones by the shared
// plan.
#include "tuned.hpp"
#include "common/runtime/slot.hpp"
#include "common/tridiag/plan.hpp"

namespace heron::HERON_LEVEL {
namespace {

// Threads that solve a system each go through all of its rows: as many multiprocessors as can be take part.
struct thinly_spread {
    cuda_device& device;

    template <class Kernel, class... Args>
    void launch(const kernel_family&, int64_t count, Args... args) {
        constexpr int64_t block = 32;
        device.launch_blocks(run_items<Kernel, Args...>, (count + block - 1) / block, block, 0, count,
                             args...);
    }
};

template <class Args>
void strided(cuda_device& device, heron_phase phase, const Args& args, heron_workspace& workspace) {
    visit_full(args.type, [&]<class CT>(type<CT>) { solve_tridiagonal<CT>(device, phase, args, workspace); });
}

void interleaved(cuda_device& device, heron_phase phase, const heron_gtsv_interleaved_args& args,
                 heron_workspace& workspace) {
    const workspace_layout layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(args.type, [&]<class CT>(type<CT>) { solve_interleaved<CT>(device, args); });
}

void pentadiagonal(cuda_device& device, heron_phase phase, const heron_gpsv_interleaved_args& args,
                   heron_workspace& workspace) {
    thinly_spread spread{device};
    plans::gpsv_interleaved(spread, phase, args, workspace);
}

}  // namespace

void override_tridiag(heron_backend& table) {
    table.gtsv = &slot<cuda_device, heron_gtsv_args, &strided<heron_gtsv_args>, operation_names::gtsv>;
    table.gtsv_batch = &slot<cuda_device, heron_gtsv_batch_args, &strided<heron_gtsv_batch_args>,
                             operation_names::gtsv_batch>;
    table.gtsv_interleaved =
        &slot<cuda_device, heron_gtsv_interleaved_args, &interleaved, operation_names::gtsv_interleaved>;
    table.gpsv_interleaved =
        &slot<cuda_device, heron_gpsv_interleaved_args, &pentadiagonal, operation_names::gpsv_interleaved>;
}

}  // namespace heron::HERON_LEVEL
