// SpMM of matrices of dense blocks from bf16 storage.
#include "blocks_launch.cuh"

namespace heron::HERON_LEVEL {

template void multiply_blocks_of<bf16, bf16>(cuda_device&, const heron_spmm_args&);
template void multiply_blocks_of<bf16, f32>(cuda_device&, const heron_spmm_args&);

}  // namespace heron::HERON_LEVEL
