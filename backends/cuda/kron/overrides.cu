// The slot of the Kronecker products: the tuned kernels where they apply, else the shared plan.
#include "tuned.hpp"
#include "common/runtime/slot.hpp"

namespace heron::HERON_LEVEL::plans {

static void cuda_kronmult(cuda_device& device, heron_phase phase, const heron_kronmult_args& args,
                          heron_workspace& workspace) {
    visit_full(args.type, [&]<class CT>(type<CT>) {
        if (!tuned_kronmult<CT>(device, phase, args, workspace))
            kron_plan<cuda_device, CT>(device, phase, args, workspace).apply();
    });
}

}  // namespace heron::HERON_LEVEL::plans

namespace heron::HERON_LEVEL {

void override_kron(heron_backend& table) {
    table.kronmult =
        &slot<cuda_device, heron_kronmult_args, &plans::cuda_kronmult, operation_names::kronmult>;
}

}  // namespace heron::HERON_LEVEL
