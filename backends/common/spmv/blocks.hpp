#pragma once
// Products of BSR matrices with vectors on GPUs (blocks.h), in one launch.
#include "common/dialect/dialect_group.hpp"
#include "common/runtime/dispatch.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family block_vector_products{"spmv_blocks", "CT GROUP BLOCK PACK WIDE BY_ROWS"};
#include "blocks.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// Elements in the 16 bytes that an item can load at once.
template <class CT>
inline constexpr int elements_of_load = 16 / static_cast<int>(sizeof(CT));

inline bool lies_at_loads(const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; }

// Whether the matrix has what the kernels want: indices of 32 bits, and so few rows that they count in these.
inline bool multiplies_by_blocks(const heron_spmat& a, int64_t columns) {
    return a.format == HERON_FORMAT_BSR && a.offset_type == HERON_INDEX_32 &&
           a.index_type == HERON_INDEX_32 && a.batch_count == 1 && a.rows * (columns / 16 + 1) < INT32_MAX &&
           a.block_rows < INT32_MAX / a.block_cols;
}

inline bool has_one_type(const heron_spmat& a, heron_type compute_type) {
    const heron_type t = a.type;
    return t == compute_type &&
           (t == HERON_R_32F || t == HERON_R_64F || t == HERON_C_32F || t == HERON_C_64F);
}

// The constant size of blocks that kernels are built for, or 0. Even ones want to lie where they can be
// loaded by 16 bytes.
inline int constant_block(const heron_spmat& a, bool at_loads) {
    if (a.block_rows != a.block_cols) return 0;
    const int64_t size = a.block_rows;
    return size == 3 || (at_loads && (size == 2 || size == 4 || size == 8)) ? static_cast<int>(size) : 0;
}

inline double mean_blocks(const heron_spmat& a) {
    return a.rows == 0
               ? 0
               : static_cast<double>(a.nnz) * static_cast<double>(a.block_rows) / static_cast<double>(a.rows);
}

// Items that fill a large GPU. Where there are more anyhow, teams need not be larger than one turn wants.
inline constexpr int64_t items_of_device = 200'000;

template <class Device, class CT>
class block_vector_product {
  public:
    block_vector_product(Device& device, const heron_spmv_args& args)
        : device_(device), args_(args), a_(args.a) {}

    void run() { a_.block_order == HERON_ORDER_ROW ? choose_block<1>() : choose_block<0>(); }

  private:
    static constexpr int together = 32;
    static constexpr int group = 128;
    // Registers for all loads of a lane's turns.
    static constexpr int groups_at_once = sizeof(CT) > 8 ? 6 : 8;
    static constexpr int load = elements_of_load<CT>;

    template <int by_rows>
    void choose_block() {
        const bool at_loads = lies_at_loads(a_.values) && (!by_rows || lies_at_loads(args_.x.values));
        switch (constant_block(a_, at_loads)) {
            case 2: return constant < by_rows, 2, load < 2 ? load : 2 > ();
            case 3: return constant<by_rows, 3, 3, 1>();
            case 4: return constant<by_rows, 4, load>();
            // Two elements where a block has more of them than there are lanes together.
            case 8: return constant < by_rows, 8, load == 1 ? 2 : load, load > ();
            default: break;
        }
        const int64_t length = by_rows ? a_.block_cols : a_.block_rows;
        at_loads&& length % load == 0 ? any<by_rows, load>() : any<by_rows, 1>();
    }

    template <int by_rows, int block, int pack, int wide = pack>
    void constant() {
        constexpr int lanes = block * block / pack;
        int bits = 0;
        while (1 << bits < lanes) ++bits;
        const double mean = mean_blocks(a_);
        const auto slots = [&] { return (1 << bits) / lanes; };
        using program = kernels::spmv_blocks<CT, group, block, pack, wide, by_rows>;
        while (1 << bits < together && slots() * program::turns < mean) ++bits;
        while (1 << bits < together && slots() < mean && block_rows() << bits < items_of_device) ++bits;
        launch<program>(shape(bits, 1, slots(), block, block / pack));
    }

    // The lines of a block, as it is stored, and the pieces of a line are divided so that few lanes idle.
    template <int by_rows, int pack>
    void any() {
        const int64_t all_lines = by_rows ? a_.block_rows : a_.block_cols;
        const int64_t all_pieces = (by_rows ? a_.block_cols : a_.block_rows) / pack;
        const int pieces = share(all_pieces, together);
        const int lines = share(all_lines, together / pieces);
        const int64_t parts = by_rows ? quotient(all_lines, lines) : quotient(all_pieces, pieces);
        launch<kernels::spmv_blocks<CT, group, 0, pack, pack, by_rows>>(
            shape(5, parts, together / (pieces * lines), lines, pieces));
    }

    struct division {
        int team_bits;
        int64_t parts;
        int slots, lines, pieces;
    };
    static division shape(int team_bits, int64_t parts, int slots, int lines, int pieces) {
        return {team_bits, parts, slots, lines, pieces};
    }
    static int64_t quotient(int64_t a, int64_t b) { return (a + b - 1) / b; }
    // As few at a time, of `most` at most, as take `count` in the fewest turns.
    static int share(int64_t count, int64_t most) {
        return static_cast<int>(quotient(count, quotient(count, most)));
    }
    int64_t block_rows() const { return a_.rows / a_.block_rows; }

    template <class Program>
    void launch(const division& d) {
        const typename Program::block_teams teams{a_.base,
                                                  static_cast<int>(block_rows()),
                                                  static_cast<int>(a_.block_rows),
                                                  static_cast<int>(a_.block_cols),
                                                  is_conjugated(args_.op),
                                                  d.team_bits,
                                                  static_cast<int>(d.parts),
                                                  d.slots,
                                                  d.lines,
                                                  d.pieces};
        const scalar_argument<CT> alpha = as_argument<CT>(args_.alpha), beta = as_argument<CT>(args_.beta);
        device_.template launch_groups<at_once<typename Program::multiply_vector, groups_at_once>>(
            kernels::block_vector_products, quotient(block_rows() * d.parts, group >> d.team_bits),
            as<const int>(a_.offsets), as<const int>(a_.indices), as<const CT>(a_.values), teams,
            as<const CT>(args_.x.values), as<CT>(args_.y.values), alpha.value, alpha.device, beta.value,
            beta.device);
    }

    Device& device_;
    const heron_spmv_args& args_;
    const heron_spmat& a_;
};

// Whether the product goes this way, and then the product itself, which needs no workspace.
inline bool takes_blocks(const heron_spmv_args& args) {
    return multiplies_by_blocks(args.a, 1) && !is_transposed(args.op) &&
           has_one_type(args.a, args.compute_type) && args.x.type == args.a.type &&
           args.y.type == args.a.type;
}

template <class Device>
void multiply_by_blocks(Device& device, const heron_spmv_args& args) {
    visit_full(args.a.type,
               [&]<class CT>(type<CT>) { block_vector_product<Device, CT>(device, args).run(); });
}

}  // namespace heron::HERON_LEVEL::plans
