#pragma once
// Products of BSR matrices on GPUs (blocks.h), for SpMV and SpMM.
#include "common/dialect/dialect_group.hpp"
#include "common/runtime/dispatch.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family block_products{"spmv_blocks", "CT GROUP PACK"};
#include "blocks.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// C := alpha*A*X + beta*C; element (i, j) of X is x[i*x_row + j*x_column], C likewise.
template <class CT>
struct block_product {
    const heron_spmat& a;
    bool conjugate;
    scalar_argument<CT> alpha, beta;
    const CT* x;
    heron_index x_row, x_column;
    CT* c;
    heron_index c_row, c_column;
    int64_t columns;
};

// Whether the matrix has what the kernels want: sizes and indices of 32 bits.
inline bool multiplies_by_blocks(const heron_spmat& a, int64_t columns) {
    return a.format == HERON_FORMAT_BSR && a.offset_type == HERON_INDEX_32 &&
           a.index_type == HERON_INDEX_32 && a.batch_count == 1 && a.rows * (columns / 16 + 1) < INT32_MAX &&
           a.nnz < INT32_MAX / a.block_cols && a.block_rows < INT32_MAX / a.block_cols;
}

inline bool has_one_type(const heron_spmat& a, heron_type compute_type) {
    const heron_type t = a.type;
    return t == compute_type &&
           (t == HERON_R_32F || t == HERON_R_64F || t == HERON_C_32F || t == HERON_C_64F);
}

template <class Device, class CT>
class block_multiplier {
  public:
    block_multiplier(Device& device, const block_product<CT>& product) : device_(device), p_(product) {}

    void run() { p_.columns > 2 ? choose_group<4>() : choose_group<1>(); }

  private:
    static constexpr int largest_group = 256;

    template <int pack>
    void choose_group() {
        constexpr int batch = pack > 1 ? 8 : 4;
        constexpr int most_sides = pack > 1 ? 8 : 1;  // of a group, times pack
        const heron_spmat& a = p_.a;
        int sides = 1;
        while (sides * pack < p_.columns && sides < most_sides) sides *= 2;
        const int64_t most_rows = largest_group / sides / (pack > 1 ? 1 : 4);
        const int rows = static_cast<int>(a.block_rows < most_rows ? a.block_rows : most_rows);
        // As many items for a row as it has batches of elements, unless there are many columns.
        const int64_t elements = a.nnz * a.block_rows * a.block_cols / a.rows;
        const int64_t wanted = pack > 1 ? 1 : (elements + batch - 1) / batch;
        int group = 32;
        while (group < rows * sides * wanted && group < largest_group) group *= 2;
        const int slots = group / (rows * sides);
        switch (group) {
            case 32: return launch<32, pack>(rows, sides, slots, batch);
            case 64: return launch<64, pack>(rows, sides, slots, batch);
            case 128: return launch<128, pack>(rows, sides, slots, batch);
            default: return launch<256, pack>(rows, sides, slots, batch);
        }
    }

    template <int group, int pack>
    void launch(int rows, int sides, int slots, int batch) {
        using program = kernels::spmv_blocks<CT, group, pack>;
        const heron_spmat& a = p_.a;
        const bool by_rows = a.block_order == HERON_ORDER_ROW;
        const int64_t parts = (a.block_rows + rows - 1) / rows;
        const int64_t width = int64_t{sides} * pack;
        const int64_t tiles = (p_.columns + width - 1) / width;
        const auto block_rows = static_cast<int>(a.block_rows);
        const auto block_cols = static_cast<int>(a.block_cols);
        const typename program::block_tiles shape{
            a.base, block_rows, block_cols, by_rows ? block_cols : 1, by_rows ? 1 : block_rows, p_.conjugate,
            rows,   sides,      slots,      p_.x_column == 1};
        device_.template launch_groups<typename program::multiply_blocks>(
            kernels::block_products, a.rows / a.block_rows * parts * tiles, as<const int>(a.offsets),
            as<const int>(a.indices), as<const CT>(a.values), shape, p_.x, p_.x_row, p_.x_column, p_.c,
            p_.c_row, p_.c_column, static_cast<int>(p_.columns), p_.alpha.value, p_.alpha.device,
            p_.beta.value, p_.beta.device,
            local_memory{static_cast<size_t>(slots * batch) * static_cast<size_t>(width) * sizeof(CT)});
    }

    Device& device_;
    const block_product<CT> p_;
};

// Whether the products go this way, and then the products themselves, which need no workspace.
inline bool takes_blocks(const heron_spmv_args& args) {
    return multiplies_by_blocks(args.a, 1) && !is_transposed(args.op) &&
           has_one_type(args.a, args.compute_type) && args.x.type == args.a.type &&
           args.y.type == args.a.type;
}
inline bool takes_blocks(const heron_spmm_args& args) {
    return multiplies_by_blocks(args.a, args.c.cols) && !is_transposed(args.op) && !args.conjugate_b &&
           has_one_type(args.a, args.compute_type) && args.b.type == args.a.type &&
           args.c.type == args.a.type && args.c.batch_count == 1;
}

template <class Device>
void multiply_by_blocks(Device& device, const heron_spmv_args& args) {
    visit_full(args.a.type, [&]<class CT>(type<CT>) {
        block_multiplier<Device, CT>(
            device, {args.a, is_conjugated(args.op), as_argument<CT>(args.alpha), as_argument<CT>(args.beta),
                     as<const CT>(args.x.values), 1, 1, as<CT>(args.y.values), 1, 1, 1})
            .run();
    });
}

template <class Device>
void multiply_by_blocks(Device& device, const heron_spmm_args& args) {
    const bool b_by_rows = args.b.order == HERON_ORDER_ROW;
    const bool c_by_rows = args.c.order == HERON_ORDER_ROW;
    visit_full(args.a.type, [&]<class CT>(type<CT>) {
        block_multiplier<Device, CT>(
            device,
            {args.a, is_conjugated(args.op), as_argument<CT>(args.alpha), as_argument<CT>(args.beta),
             as<const CT>(args.b.values), b_by_rows ? args.b.ld : 1, b_by_rows ? 1 : args.b.ld,
             as<CT>(args.c.values), c_by_rows ? args.c.ld : 1, c_by_rows ? 1 : args.c.ld, args.c.cols})
            .run();
    });
}

}  // namespace heron::HERON_LEVEL::plans
