// The SpMM slot: finds the row of the table of data types.
#include "spmm_blocks.hpp"
#include "spmm_tuned.hpp"

namespace heron::HERON_LEVEL::plans {

template <>
void spmm<cuda_device>(cuda_device& device, heron_phase phase, const heron_spmm_args& args,
                       heron_workspace& workspace) {
    if (phase == HERON_PHASE_RUN && takes_blocked(args)) return multiply_blocked(device, args);
    visit_spmm(args.a.type, args.c.type, args.compute_type,
               [&]<class VA, class VC, class CT>(type<VA>, type<VC>, type<CT>) {
                   tuned_spmm<VA, VC, CT>(device, phase, args, workspace);
               });
}

}  // namespace heron::HERON_LEVEL::plans
