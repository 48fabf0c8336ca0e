// The SpMM slot: finds the row of the table of data types.
#include "blocks.hpp"
#include "common/runtime/slot.hpp"
#include "small_blocks.hpp"
#include "tuned.hpp"

namespace heron::HERON_LEVEL::plans {

static void cuda_spmm(cuda_device& device, heron_phase phase, const heron_spmm_args& args,
                      heron_workspace& workspace) {
    if (phase == HERON_PHASE_RUN && takes_blocked(args)) return multiply_blocked(device, args);
    if (phase == HERON_PHASE_RUN && multiply_by_blocks(device, args)) return;
    visit_spmm(args.a.type, args.c.type, args.compute_type,
               [&]<class VA, class VC, class CT>(type<VA>, type<VC>, type<CT>) {
                   tuned_spmm<VA, VC, CT>(device, phase, args, workspace);
               });
}

}  // namespace heron::HERON_LEVEL::plans

namespace heron::HERON_LEVEL {

void override_spmm(heron_backend& table) {
    table.spmm = &slot<cuda_device, heron_spmm_args, &plans::cuda_spmm, operation_names::spmm>;
}

}  // namespace heron::HERON_LEVEL
