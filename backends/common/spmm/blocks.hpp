#pragma once
// Products of BSR matrices with dense matrices on GPUs (blocks.h), in one launch.
#include "common/spmv/blocks.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family block_products{"spmm_blocks", "CT GROUP BLOCK ROWS PACK WIDE"};
#include "blocks.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

template <class Device, class CT>
class block_product {
  public:
    block_product(Device& device, const heron_spmm_args& args)
        : device_(device), args_(args), a_(args.a), columns_(args.c.cols) {}

    void run() { args_.b.order == HERON_ORDER_ROW ? across() : down(); }

  private:
    static constexpr int together = 32;
    static constexpr int group = 128;
    static constexpr int load = elements_of_load<CT>;

    // Of the loads and stores of the columns of B and C.
    bool has_wide_rows(const heron_dnmat& m) const {
        return m.order == HERON_ORDER_ROW && lies_at_loads(m.values) && m.ld % load == 0 &&
               columns_ % load == 0;
    }

    void across() {
        if (has_wide_rows(args_.b)) return across_of<load>();
        across_of<1>();
    }
    template <int wide>
    void across_of() {
        switch (constant_block(a_, lies_at_loads(a_.values))) {
            case 2: return launch_across<2, 2, wide>();
            case 3: return launch_across<3, 3, wide>();
            case 4: return launch_across<4, 4, wide>();
            case 8: return launch_across<8, (sizeof(CT) > 8 ? 4 : 8), wide>();
            default: return launch_across<0, 4, wide>();
        }
    }

    // A team's lanes lie across as many columns as there are, and share a block row if these are few.
    template <int block, int rows, int wide>
    void launch_across() {
        constexpr int pack = sizeof(CT) > 8 ? 2 : load;
        using program = kernels::spmm_block_rows<CT, group, block, rows, pack, wide>;
        int side_bits = 0, slot_bits = 0;
        while (pack << side_bits < columns_ && side_bits < 5) ++side_bits;
        const int64_t parts = quotient(a_.block_rows, rows);
        const int64_t tiles = quotient(columns_, pack << side_bits);
        const int64_t teams = block_rows() * parts;
        while (side_bits + slot_bits < 5 && (2 << slot_bits) < mean_blocks(a_) &&
               (teams * tiles) << (side_bits + slot_bits) < items_of_device)
            ++slot_bits;
        launch<program, at_once<typename program::multiply_across, block == 0 || block == 8 ? 4 : 6>>(
            quotient(teams, group >> (side_bits + slot_bits)) * tiles, parts, side_bits, slot_bits, tiles,
            has_wide_rows(args_.c), args_.b.ld);
    }

    void down() {
        constexpr int most = load;
        const heron_dnmat& b = args_.b;
        const int block = constant_block(a_, lies_at_loads(a_.values));
        const int wide = block % 2 != 0 || block == 0 ? 1 : block % most == 0 ? most : 2;
        const bool at_loads = wide == 1 || (lies_at_loads(b.values) && b.ld % wide == 0);
        switch (at_loads ? block : 0) {
            case 2: return down_of < 2, 1, most < 2 ? most : 2 > ();
            case 3: return down_of<3, 1, 1>();
            case 4: return down_of<4, 1, most>();
            case 8: return down_of<8, 2, most>();
            default: return down_of<0, 2, 1>();
        }
    }
    template <int block, int rows, int wide>
    void down_of() {
        // Every item reads its part of A for its columns alone.
        if (columns_ > 4) return launch_down<block, rows, wide, (sizeof(CT) > 8 ? 4 : 8)>();
        columns_ > 2 ? launch_down<block, rows, wide, 4>() : launch_down<block, rows, wide, 2>();
    }
    template <int block, int rows, int wide, int pack>
    void launch_down() {
        using program = kernels::spmm_block_rows<CT, group, block, rows, pack, wide>;
        const int64_t all_tiles = quotient(columns_, pack);
        int side_bits = 0, slot_bits = 0;
        while (1 << side_bits < all_tiles && group >> (side_bits + 1) >= together) ++side_bits;
        const int64_t parts = quotient(a_.block_rows, rows);
        const int64_t tiles = quotient(all_tiles, 1 << side_bits);
        const int64_t units = block_rows() * parts;
        while (slot_bits < 5 && (2 << slot_bits) < mean_blocks(a_) &&
               (units * all_tiles) << slot_bits < items_of_device / 2)
            ++slot_bits;
        launch<program, at_once<typename program::multiply_down, block == 8 ? 3 : 4>>(
            quotient(units << slot_bits, group >> side_bits) * tiles, parts, side_bits, slot_bits, tiles,
            false, args_.b.ld);
    }

    template <class Program, class Kernel>
    void launch(int64_t groups, int64_t parts, int side_bits, int slot_bits, int64_t tiles, bool c_is_wide,
                int64_t b_step) {
        const typename Program::product_teams teams{a_.base,
                                                    static_cast<int>(block_rows()),
                                                    static_cast<int>(a_.block_rows),
                                                    static_cast<int>(a_.block_cols),
                                                    a_.block_order == HERON_ORDER_ROW,
                                                    is_conjugated(args_.op),
                                                    static_cast<int>(parts),
                                                    side_bits,
                                                    slot_bits,
                                                    static_cast<int>(tiles),
                                                    c_is_wide};
        const scalar_argument<CT> alpha = as_argument<CT>(args_.alpha), beta = as_argument<CT>(args_.beta);
        const bool c_by_rows = args_.c.order == HERON_ORDER_ROW;
        device_.template launch_groups<Kernel>(
            kernels::block_products, groups, as<const int>(a_.offsets), as<const int>(a_.indices),
            as<const CT>(a_.values), teams, as<const CT>(args_.b.values), heron_index{b_step},
            as<CT>(args_.c.values), heron_index{c_by_rows ? args_.c.ld : 1},
            heron_index{c_by_rows ? 1 : args_.c.ld}, static_cast<int>(columns_), alpha.value, alpha.device,
            beta.value, beta.device);
    }

    static int64_t quotient(int64_t a, int64_t b) { return (a + b - 1) / b; }
    int64_t block_rows() const { return a_.rows / a_.block_rows; }

    Device& device_;
    const heron_spmm_args& args_;
    const heron_spmat& a_;
    const int64_t columns_;
};

// Whether the product goes this way, and then the product itself, which needs no workspace.
inline bool takes_blocks(const heron_spmm_args& args) {
    return multiplies_by_blocks(args.a, args.c.cols) && !is_transposed(args.op) && !args.conjugate_b &&
           has_one_type(args.a, args.compute_type) && args.b.type == args.a.type &&
           args.c.type == args.a.type && args.c.batch_count == 1;
}

template <class Device>
void multiply_by_blocks(Device& device, const heron_spmm_args& args) {
    visit_full(args.a.type, [&]<class CT>(type<CT>) { block_product<Device, CT>(device, args).run(); });
}

}  // namespace heron::HERON_LEVEL::plans
