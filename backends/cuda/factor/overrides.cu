// The slots of the incomplete factorisations: finds the element type.
#include "tuned.hpp"
#include "common/runtime/slot.hpp"

namespace heron::HERON_LEVEL::plans {

template <factor_kind kind>
static void cuda_factor(cuda_device& device, heron_phase phase, const heron_factor_args& args,
                        heron_workspace& workspace) {
    visit_full(args.a.type,
               [&]<class CT>(type<CT>) { tuned_factor<CT, kind>(device, phase, args, workspace); });
}

}  // namespace heron::HERON_LEVEL::plans

namespace heron::HERON_LEVEL {

void override_factor(heron_backend& table) {
    table.ilu0 = &slot<cuda_device, heron_ilu0_args, &plans::cuda_factor<plans::factor_kind::lu>,
                       operation_names::ilu0>;
    table.ic0 = &slot<cuda_device, heron_ic0_args, &plans::cuda_factor<plans::factor_kind::cholesky>,
                      operation_names::ic0>;
}

}  // namespace heron::HERON_LEVEL
