// The SpMV slot: finds the row of the table of data types.
#include "spmv_tuned.hpp"

namespace heron::HERON_LEVEL::plans {

template <>
void spmv<cuda_device>(cuda_device& device, heron_phase phase, const heron_spmv_args& args,
                       heron_workspace& workspace) {
    visit_product(args.a.type, args.x.type, args.y.type, args.compute_type,
                  [&]<class VA, class VX, class VY, class CT>(type<VA>, type<VX>, type<VY>, type<CT>) {
                      tuned_spmv<VA, VX, VY, CT>(device, phase, args, workspace);
                  });
}

}  // namespace heron::HERON_LEVEL::plans
