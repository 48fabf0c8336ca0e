// SpMV with fewer bytes than the matrix has, computed in single precision complex.
#include "narrow.cuh"

namespace heron::HERON_LEVEL {

template void multiply_narrow<c32>(cuda_device&, const heron_spmv_args&, const narrow_columns&,
                                   const narrow_plan&);

}  // namespace heron::HERON_LEVEL
