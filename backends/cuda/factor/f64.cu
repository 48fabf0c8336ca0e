// Incomplete factorisations in double precision.
#include "tuned.cuh"

namespace heron::HERON_LEVEL {

template void tuned_factor<f64, plans::factor_kind::lu>(cuda_device&, heron_phase, const heron_factor_args&,
                                                        heron_workspace&);
template void tuned_factor<f64, plans::factor_kind::cholesky>(cuda_device&, heron_phase,
                                                              const heron_factor_args&, heron_workspace&);

}  // namespace heron::HERON_LEVEL
