// The SpMV slot: finds the row of the table of data types.
#include "blocks.hpp"
#include "tuned.hpp"
#include "common/runtime/slot.hpp"

namespace heron::HERON_LEVEL::plans {

static void cuda_spmv(early_cuda_device& device, heron_phase phase, const heron_spmv_args& args,
                      heron_workspace& workspace) {
    if (phase == HERON_PHASE_RUN && multiply_by_blocks(device, args)) return;
    visit_product(args.a.type, args.x.type, args.y.type, args.compute_type,
                  [&]<class VA, class VX, class VY, class CT>(type<VA>, type<VX>, type<VY>, type<CT>) {
                      tuned_spmv<VA, VX, VY, CT>(device, phase, args, workspace);
                  });
}

}  // namespace heron::HERON_LEVEL::plans

namespace heron::HERON_LEVEL {

void override_spmv(heron_backend& table) {
    table.spmv = &slot<early_cuda_device, heron_spmv_args, &plans::cuda_spmv, operation_names::spmv>;
}

}  // namespace heron::HERON_LEVEL
