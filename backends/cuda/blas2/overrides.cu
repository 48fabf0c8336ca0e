// A matrix and vectors on CUDA: by groups; the other operations are the shared plans.
#include "cuda/runtime/early_device.cuh"
#include "cuda/runtime/wide_words.cuh"
#include "common/blas2/grouped.hpp"
#include "common/blas2/trmv.hpp"

namespace heron::HERON_LEVEL {

void override_blas2(heron_backend& table) {
    table.gemv =
        &early_slot<heron_gemv_args, &plans::gemv_by_groups<early_device, 1024>, operation_names::gemv>;
    table.gemv_batched =
        &early_slot<heron_gemv_batched_args, &plans::gemv_batched_by_groups<early_device, 1024>,
                    operation_names::gemv_batched>;
    table.geam = &early_slot<heron_geam_args, &plans::geam_by_groups<early_device>, operation_names::geam>;
    table.dgmm = &early_slot<heron_dgmm_args, &plans::dgmm_by_groups<early_device>, operation_names::dgmm>;
    table.ger = &early_slot<heron_ger_args, &plans::ger_by_groups<early_device>, operation_names::ger>;
    table.symv = &early_slot<heron_symv_args, &plans::symv_by_groups<early_device>, operation_names::symv>;
    table.trmv =
        &early_slot<heron_trmv_args, &plans::trmv_by_groups<early_device, 1024>, operation_names::trmv>;
    table.trsv = &early_slot<heron_trsv_args, &plans::trsv_by_chain<early_device>, operation_names::trsv>;
}

}  // namespace heron::HERON_LEVEL
