// The slot of the triangular solves: finds the element type.
#include "trisolve_tuned.hpp"

namespace heron::HERON_LEVEL::plans {

template <>
void trisolve<cuda_device>(cuda_device& device, heron_phase phase, const heron_trisolve_args& args,
                           heron_workspace& workspace) {
    visit_trisolve(args, [&]<class CT, class ST>(type<CT>, type<ST>) {
        // Rows and elements are counted in 32 bits.
        if constexpr (sizeof(ST) == 4)
            tuned_trisolve<CT>(device, phase, args, workspace);
        else
            trisolve_plan<cuda_device, CT, ST>(device, phase, args, workspace).apply();
    });
}

}  // namespace heron::HERON_LEVEL::plans
