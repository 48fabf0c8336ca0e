// The slots of the dense products: the tuned kernels, and the shared plan for what is stored in 16 bits.
#include "dense_tuned.hpp"

namespace heron::HERON_LEVEL::plans {

static bool wants_tf32(heron_type type, heron_gemm_algorithm algorithm) {
    return type == HERON_R_32F && (algorithm == HERON_GEMM_TF32 || algorithm == HERON_GEMM_3XTF32);
}

template <>
void gemm<cuda_device>(cuda_device& device, heron_phase phase, const heron_gemm_args& args,
                       heron_workspace& workspace) {
    if (args.algorithm == HERON_GEMM_3M) return gemm_3m(device, phase, args, workspace, &gemm<cuda_device>);
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

template <>
void gemm_batched<cuda_device>(cuda_device& device, heron_phase phase, const heron_gemm_batched_args& args,
                               heron_workspace& workspace) {
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

template <>
void gemmt<cuda_device>(cuda_device& device, heron_phase phase, const heron_gemmt_args& args,
                        heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(args.type, [&]<class CT>(type<CT>) { tuned_gemmt<CT>(device, args); });
}

}  // namespace heron::HERON_LEVEL::plans
