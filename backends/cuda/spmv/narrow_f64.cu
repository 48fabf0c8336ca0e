// SpMV with columns of 16 bits in double precision.
#include "narrow.cuh"

namespace heron::HERON_LEVEL {

template void multiply_narrow<f64>(cuda_device&, const heron_spmv_args&, const narrow_columns&,
                                   const narrow_plan&);
template int64_t narrow_blocks_at_once<f64>(cuda_device&, heron_index_type);

}  // namespace heron::HERON_LEVEL
