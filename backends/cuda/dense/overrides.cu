// The slots of the dense products: the tuned kernels, and the shared plan for what is stored in 16 bits and
// not for warp groups.
#include "tuned.hpp"
#include "common/runtime/slot.hpp"

namespace heron::HERON_LEVEL::plans {

static bool wants_tf32(heron_type type, heron_gemm_algorithm algorithm) {
    return type == HERON_R_32F && (algorithm == HERON_GEMM_TF32 || algorithm == HERON_GEMM_3XTF32);
}

static void cuda_gemm(cuda_device& device, heron_phase phase, const heron_gemm_args& args,
                      heron_workspace& workspace) {
    if (args.algorithm == HERON_GEMM_3M) return gemm_3m(device, phase, args, workspace, &cuda_gemm);
    if (wgmma_gemm(device, phase, args, workspace)) return;
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    if (wants_tf32(args.type, args.algorithm) && tf32_gemm(device, args)) return;
    visit_uniform(args.type, args.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        if constexpr (std::is_same_v<VT, CT>)
            tuned_gemm<CT>(device, args);
        else {
            refuse_study(args);
            launch_gemm<VT, CT>(device, args);
        }
    });
}

static void cuda_gemm_batched(cuda_device& device, heron_phase phase, const heron_gemm_batched_args& args,
                              heron_workspace& workspace) {
    if (wgmma_gemm_batched(device, phase, args, workspace)) return;
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    if (wants_tf32(args.type, args.algorithm) && tf32_gemm_batched(device, args)) return;
    visit_uniform(args.type, args.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        if constexpr (std::is_same_v<VT, CT>)
            tuned_gemm_batched<CT>(device, args);
        else
            launch_gemm_batched<VT, CT>(device, args);
    });
}

static void cuda_gemmt(cuda_device& device, heron_phase phase, const heron_gemmt_args& args,
                       heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(args.type, [&]<class CT>(type<CT>) { tuned_gemmt<CT>(device, args); });
}

}  // namespace heron::HERON_LEVEL::plans

namespace heron::HERON_LEVEL {

void override_dense(heron_backend& table) {
    table.gemm = &slot<cuda_device, heron_gemm_args, &plans::cuda_gemm, operation_names::gemm>;
    table.gemm_batched =
        &slot<cuda_device, heron_gemm_batched_args, &plans::cuda_gemm_batched, operation_names::gemm_batched>;
    table.gemmt = &slot<cuda_device, heron_gemmt_args, &plans::cuda_gemmt, operation_names::gemmt>;
    table.symm = &slot<cuda_device, heron_symm_args, &plans::cuda_symm, operation_names::symm>;
    table.trmm = &slot<cuda_device, heron_trmm_args, &plans::cuda_trmm, operation_names::trmm>;
    table.trsm = &slot<cuda_device, heron_trsm_args, &plans::cuda_trsm, operation_names::trsm>;
}

}  // namespace heron::HERON_LEVEL
