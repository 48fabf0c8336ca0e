// SpMM of matrices of dense blocks from f16 storage.
#include "blocks_launch.cuh"

namespace heron::HERON_LEVEL {

template void multiply_blocks_of<f16, f16>(cuda_device&, const heron_spmm_args&);
template void multiply_blocks_of<f16, f32>(cuda_device&, const heron_spmm_args&);

}  // namespace heron::HERON_LEVEL
