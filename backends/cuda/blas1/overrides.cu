// Dense vectors on CUDA: long ones by groups, and the shared plans, whose sums by groups want CUDA's words.
#include "cuda/runtime/group_words.cuh"
#include "cuda/runtime/small_launch.cuh"
#include "common/blas1/grouped.hpp"

namespace heron::HERON_LEVEL {

void override_blas1(heron_backend& table) {
    using namespace operation_names;
    table.vector_copy =
        &small_slot<heron_vector_copy_args, &plans::copy_by_groups<small_launch_device>, vector_copy>;
    table.vector_swap =
        &small_slot<heron_vector_swap_args, &plans::vector_swap<small_launch_device>, vector_swap>;
    table.scal = &small_slot<heron_scal_args, &plans::scal_by_groups<small_launch_device>, scal>;
    table.axpy = &small_slot<heron_axpy_args, &plans::axpy_by_groups<small_launch_device>, axpy>;
    table.dot = &small_slot<heron_dot_args, &plans::dot<small_launch_device>, dot>;
    table.nrm2 = &small_slot<heron_nrm2_args, &plans::nrm2<small_launch_device>, nrm2>;
    table.asum = &small_slot<heron_asum_args, &plans::asum<small_launch_device>, asum>;
    table.iamax = &small_slot<heron_iamax_args, &plans::iamax<small_launch_device>, iamax>;
    table.plane_rot = &small_slot<heron_plane_rot_args, &plans::plane_rot<small_launch_device>, plane_rot>;
    table.rotg = &small_slot<heron_rotg_args, &plans::rotg<small_launch_device>, rotg>;
    table.rotm = &small_slot<heron_rotm_args, &plans::rotm<small_launch_device>, rotm>;
    table.rotmg = &small_slot<heron_rotmg_args, &plans::rotmg<small_launch_device>, rotmg>;
}

}  // namespace heron::HERON_LEVEL
