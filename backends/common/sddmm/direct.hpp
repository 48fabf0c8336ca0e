#pragma once
// SDDMM in one launch that copies nothing, by groups, for GPUs: for small problems, which are over before
// copies would be made, for short inner products, and where little is read that is not used.
#include "common/dialect/dialect_group.hpp"
#include "packing.hpp"
#include "plan.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family sddmm_directly{"sddmm_sample sddmm_places sddmm_direct",
                                              "VX VC CT IT GROUP WIDE"};
#include "places.h"
#include "direct.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

template <class Device, class VX, class VC, class CT, class IT>
class direct_sddmm {
  public:
    direct_sddmm(Device& device, int64_t multiprocessors, const heron_sddmm_args& args)
        : device_(device), multiprocessors_(multiprocessors), args_(args) {}

    void apply() {
        constexpr int wide = std::is_same_v<VX, CT> ? int{piece_size<VX>} : 1;
        is_whole(args_.a) && is_whole(args_.b) ? launch<wide>() : launch<1>();
    }

  private:
    static constexpr int group_size = 256;

    bool is_whole(const heron_sddmm_vectors& v) const {
        return has_pieces<VX>(v, args_.k) && !is_misaligned<VX>(v, args_.k);
    }

    template <int wide>
    void launch() {
        using kernel = typename kernels::sddmm_direct<VX, VC, CT, IT, group_size, wide>::sample_directly;
        const heron_spmat& c = args_.c;
        const bool is_coo = c.format == HERON_FORMAT_COO;
        const auto parts = static_cast<int>(args_.k / wide);
        const int lane_bits = lane_bits_for(parts);
        const int64_t elements_of_group = group_size >> lane_bits;
        const int64_t groups = (elements_of(c) + elements_of_group - 1) / elements_of_group;
        const auto alpha = as_argument<CT>(args_.alpha);
        const auto beta = as_argument<CT>(args_.beta);
        device_.template launch_groups<kernel>(
            kernels::sddmm_directly, groups * c.batch_count, matrix(),
            is_coo ? nullptr : as<const u32>(c.offsets), is_coo ? as<const IT>(c.row_indices) : nullptr,
            as<const IT>(c.indices), as<VC>(c.values), heron_index{c.values_stride}, static_cast<int>(groups),
            lane_bits, as<const VX>(args_.a.values), vectors<kernel>(args_.a), as<const VX>(args_.b.values),
            vectors<kernel>(args_.b), parts, alpha.value, alpha.device, beta.value, beta.device);
    }

    kernels::sampled_matrix matrix() const {
        const heron_spmat& c = args_.c;
        const bool has_blocks = c.format == HERON_FORMAT_BSR;
        kernels::sampled_matrix m{};
        m.offsets_stride = c.offsets_stride;
        m.indices_stride = c.indices_stride;
        m.count = static_cast<int>(elements_of(c));
        m.block_rows = has_blocks ? static_cast<int>(c.block_rows) : 1;
        m.block_cols = has_blocks ? static_cast<int>(c.block_cols) : 1;
        m.lines = static_cast<int>(c.rows / m.block_rows);
        m.has_wide_offsets = c.offset_type == HERON_INDEX_64;
        m.base = c.base;
        m.by_rows = c.block_order == HERON_ORDER_ROW;
        m.lines_of_block = static_cast<f32>(m.lines) / static_cast<f32>(c.nnz);
        return m;
    }

    template <class Kernel>
    static auto vectors(const heron_sddmm_vectors& v) {
        return typename Kernel::program::sampled_vectors{v.vector_step, v.element_step, v.batch_stride,
                                                         int{v.conjugate}};
    }

    // Eight items read a line of a vector that is contiguous.
    int lane_bits_for(int64_t parts) const {
        const int bits = lane_bits_of(args_.c.batch_count * elements_of(args_.c), parts, multiprocessors_);
        const bool are_contiguous = args_.a.element_step == 1 && args_.b.element_step == 1;
        return are_contiguous && parts >= 8 ? std::max(bits, 3) : bits;
    }

    Device& device_;
    const int64_t multiprocessors_;
    const heron_sddmm_args& args_;
};

// Sizes that its kernels count in 32 bits.
inline bool direct_sddmm_counts(const heron_sddmm_args& args) {
    constexpr int64_t most = INT32_MAX / 16;
    const heron_spmat& c = args.c;
    const int64_t block_size = c.format == HERON_FORMAT_BSR ? c.block_rows * c.block_cols : 1;
    return args.k <= most && block_size <= most && c.nnz * block_size * c.batch_count <= 8 * most &&
           c.rows <= INT32_MAX / 2 && c.cols <= INT32_MAX / 2;
}

}  // namespace heron::HERON_LEVEL::plans
