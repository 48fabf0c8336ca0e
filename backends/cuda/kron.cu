// The slot of the Kronecker products: the tuned kernels where they apply, else the shared plan.
#include "kron_tuned.hpp"

namespace heron::HERON_LEVEL::plans {

template <>
void kronmult<cuda_device>(cuda_device& device, heron_phase phase, const heron_kronmult_args& args,
                           heron_workspace& workspace) {
    visit_full(args.type, [&]<class CT>(type<CT>) {
        if (!tuned_kronmult<CT>(device, phase, args, workspace))
            kron_plan<cuda_device, CT>(device, phase, args, workspace).apply();
    });
}

}  // namespace heron::HERON_LEVEL::plans
