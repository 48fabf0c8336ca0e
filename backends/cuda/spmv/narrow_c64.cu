// SpMV with columns of 16 bits in double precision complex.
#include "narrow.cuh"

namespace heron::HERON_LEVEL {

template void multiply_narrow<c64>(cuda_device&, const heron_spmv_args&, const narrow_columns&,
                                   const narrow_plan&);
template int64_t narrow_blocks_at_once<c64>(cuda_device&, heron_index_type);

}  // namespace heron::HERON_LEVEL
