// The slot of the triangular solves: finds the element type.
#include "tuned.hpp"
#include "common/runtime/slot.hpp"
#include "common/trisolve/block_pattern.hpp"

namespace heron::HERON_LEVEL::plans {

static void cuda_trisolve(cuda_device& device, heron_phase phase, const heron_trisolve_args& args,
                          heron_workspace& workspace) {
    if (has_block_rows(args.a))
        return visit_full(args.type,
                          [&]<class CT>(type<CT>) { tuned_trisolve<CT>(device, phase, args, workspace); });
    visit_trisolve(args, [&]<class CT, class ST>(type<CT>, type<ST>) {
        // Rows and elements are counted in 32 bits.
        if constexpr (sizeof(ST) == 4)
            tuned_trisolve<CT>(device, phase, args, workspace);
        else
            trisolve_plan<cuda_device, CT, ST>(device, phase, args, workspace).apply();
    });
}

}  // namespace heron::HERON_LEVEL::plans

namespace heron::HERON_LEVEL {

void override_trisolve(heron_backend& table) {
    table.trisolve =
        &slot<cuda_device, heron_trisolve_args, &plans::cuda_trisolve, operation_names::trisolve>;
}

}  // namespace heron::HERON_LEVEL
