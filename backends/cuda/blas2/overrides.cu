// A matrix and vectors on CUDA: by groups; the other operations are the shared plans.
#include "cuda/runtime/device.cuh"
#include "cuda/runtime/wide_words.cuh"
#include "common/blas2/grouped.hpp"
#include "common/blas2/trmv.hpp"
#include "common/runtime/slot.hpp"

namespace heron::HERON_LEVEL {

void override_blas2(heron_backend& table) {
    table.gemv =
        &slot<cuda_device, heron_gemv_args, &plans::gemv_by_groups<cuda_device, 1024>, operation_names::gemv>;
    table.gemv_batched = &slot<cuda_device, heron_gemv_batched_args,
                               &plans::gemv_batched_by_groups<cuda_device>, operation_names::gemv_batched>;
    table.geam =
        &slot<cuda_device, heron_geam_args, &plans::geam_by_groups<cuda_device>, operation_names::geam>;
    table.dgmm =
        &slot<cuda_device, heron_dgmm_args, &plans::dgmm_by_groups<cuda_device>, operation_names::dgmm>;
    table.ger = &slot<cuda_device, heron_ger_args, &plans::ger_by_groups<cuda_device>, operation_names::ger>;
    table.symv =
        &slot<cuda_device, heron_symv_args, &plans::symv_by_groups<cuda_device>, operation_names::symv>;
    table.trmv =
        &slot<cuda_device, heron_trmv_args, &plans::trmv_by_groups<cuda_device, 1024>, operation_names::trmv>;
    table.trsv =
        &slot<cuda_device, heron_trsv_args, &plans::trsv_by_chain<cuda_device>, operation_names::trsv>;
}

}  // namespace heron::HERON_LEVEL
