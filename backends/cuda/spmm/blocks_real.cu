// SpMM of matrices of dense blocks in full precision.
#include "blocks_launch.cuh"

namespace heron::HERON_LEVEL {

template void multiply_blocks_of<f32, f32>(cuda_device&, const heron_spmm_args&);
template void multiply_blocks_of<f64, f64>(cuda_device&, const heron_spmm_args&);

}  // namespace heron::HERON_LEVEL
