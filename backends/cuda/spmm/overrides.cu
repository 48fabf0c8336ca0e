// The SpMM slot: finds the row of the table of data types.
#include "blocks.hpp"
#include "common/runtime/slot.hpp"
#include "small_blocks.hpp"
#include "tuned.hpp"

namespace heron::HERON_LEVEL::plans {

// A tile of the kernels for dense blocks is 64 columns wide: of small blocks and few columns lanes make
// better use of the device (bsr-4 of the results).
static bool has_few_columns(const heron_spmm_args& args) {
    return args.a.block_rows == 8 && args.c.cols < 32;
}

static void cuda_spmm(early_cuda_device& device, heron_phase phase, const heron_spmm_args& args,
                      heron_workspace& workspace) {
    if (phase == HERON_PHASE_RUN && has_few_columns(args) && multiply_by_blocks(device, args)) return;
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
    table.spmm = &slot<early_cuda_device, heron_spmm_args, &plans::cuda_spmm, operation_names::spmm>;
}

}  // namespace heron::HERON_LEVEL
