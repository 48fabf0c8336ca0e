// The SDDMM slot: finds the row of the table of data types.
#include "tuned.hpp"
#include "common/runtime/slot.hpp"

namespace heron::HERON_LEVEL::plans {

static void cuda_sddmm(cuda_device& device, heron_phase phase, const heron_sddmm_args& args,
                       heron_workspace& workspace) {
    visit_sddmm(args.a.type, args.c.type, args.compute_type,
                [&]<class VX, class VC, class CT>(type<VX>, type<VC>, type<CT>) {
                    tuned_sddmm<VX, VC, CT>(device, phase, args, workspace);
                });
}

}  // namespace heron::HERON_LEVEL::plans

namespace heron::HERON_LEVEL {

void override_sddmm(heron_backend& table) {
    table.sddmm = &slot<cuda_device, heron_sddmm_args, &plans::cuda_sddmm, operation_names::sddmm>;
}

}  // namespace heron::HERON_LEVEL
