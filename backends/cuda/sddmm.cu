// The SDDMM slot: finds the row of the table of data types.
#include "sddmm_tuned.hpp"

namespace heron::HERON_LEVEL::plans {

template <>
void sddmm<cuda_device>(cuda_device& device, heron_phase phase, const heron_sddmm_args& args,
                        heron_workspace& workspace) {
    visit_sddmm(args.a.type, args.c.type, args.compute_type,
                [&]<class VX, class VC, class CT>(type<VX>, type<VC>, type<CT>) {
                    tuned_sddmm<VX, VC, CT>(device, phase, args, workspace);
                });
}

}  // namespace heron::HERON_LEVEL::plans
