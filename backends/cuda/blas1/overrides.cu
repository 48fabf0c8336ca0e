// Dense vectors on CUDA: long ones by groups, and the shared plans, whose sums by groups want CUDA's words.
#include "cuda/runtime/device.cuh"
#include "cuda/runtime/group_words.cuh"
#include "common/blas1/grouped.hpp"
#include "common/runtime/slot.hpp"

namespace heron::HERON_LEVEL {

void override_blas1(heron_backend& table) {
    using namespace operation_names;
    table.vector_copy =
        &slot<cuda_device, heron_vector_copy_args, &plans::copy_by_groups<cuda_device>, vector_copy>;
    table.vector_swap =
        &slot<cuda_device, heron_vector_swap_args, &plans::vector_swap<cuda_device>, vector_swap>;
    table.scal = &slot<cuda_device, heron_scal_args, &plans::scal_by_groups<cuda_device>, scal>;
    table.axpy = &slot<cuda_device, heron_axpy_args, &plans::axpy_by_groups<cuda_device>, axpy>;
    table.dot = &slot<cuda_device, heron_dot_args, &plans::dot<cuda_device>, dot>;
    table.nrm2 = &slot<cuda_device, heron_nrm2_args, &plans::nrm2<cuda_device>, nrm2>;
    table.asum = &slot<cuda_device, heron_asum_args, &plans::asum<cuda_device>, asum>;
    table.iamax = &slot<cuda_device, heron_iamax_args, &plans::iamax<cuda_device>, iamax>;
    table.plane_rot = &slot<cuda_device, heron_plane_rot_args, &plans::plane_rot<cuda_device>, plane_rot>;
    table.rotg = &slot<cuda_device, heron_rotg_args, &plans::rotg<cuda_device>, rotg>;
    table.rotm = &slot<cuda_device, heron_rotm_args, &plans::rotm<cuda_device>, rotm>;
    table.rotmg = &slot<cuda_device, heron_rotmg_args, &plans::rotmg<cuda_device>, rotmg>;
}

}  // namespace heron::HERON_LEVEL
