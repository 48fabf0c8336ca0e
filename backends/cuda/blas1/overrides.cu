// Dense vectors on CUDA: long ones by groups, and the shared plans, whose sums by groups want CUDA's words.
#include "cuda/runtime/group_words.cuh"
#include "cuda/runtime/early_device.cuh"
#include "common/blas1/grouped.hpp"

namespace heron::HERON_LEVEL {

void override_blas1(heron_backend& table) {
    using namespace operation_names;
    table.vector_copy =
        &early_slot<heron_vector_copy_args, &plans::copy_by_groups<early_device, c64>, vector_copy>;
    table.vector_swap = &early_slot<heron_vector_swap_args, &plans::vector_swap<early_device>, vector_swap>;
    table.scal = &early_slot<heron_scal_args, &plans::scal_by_groups<early_device>, scal>;
    table.axpy = &early_slot<heron_axpy_args, &plans::axpy_by_groups<early_device>, axpy>;
    table.dot = &early_slot<heron_dot_args, &plans::dot<early_device>, dot>;
    table.nrm2 = &early_slot<heron_nrm2_args, &plans::nrm2<early_device>, nrm2>;
    table.asum = &early_slot<heron_asum_args, &plans::asum<early_device>, asum>;
    table.iamax = &early_slot<heron_iamax_args, &plans::iamax<early_device>, iamax>;
    table.plane_rot = &early_slot<heron_plane_rot_args, &plans::plane_rot<early_device>, plane_rot>;
    table.rotg = &early_slot<heron_rotg_args, &plans::rotg<early_device>, rotg>;
    table.rotm = &early_slot<heron_rotm_args, &plans::rotm<early_device>, rotm>;
    table.rotmg = &early_slot<heron_rotmg_args, &plans::rotmg<early_device>, rotmg>;
}

}  // namespace heron::HERON_LEVEL
