#pragma once
// Triangular solves of BSR matrices on GPUs, in one launch (blocks.h). The order of the block rows is that of
// the rows of a CSR matrix with an element for each block.
#include "common/dialect/dialect_group.hpp"
#include "common/runtime/word.hpp"
#include "block_pattern.hpp"
#include "order.hpp"
#include "plan.hpp"
#include <algorithm>
#include <limits>

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family block_solves{"trisolve_rows trisolve_blocks", "CT WT GROUP TEAMS"};
#include "blocks.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// The blocks of op(A): those of the matrix, or gathered ones; their order, if there is one.
struct ordered_blocks {
    const int* offsets;
    const int* columns;
    const int* sources;  // NULL: as the columns
    const int* records;  // row, begin, end and one more
    const row_schedule* schedule;
    heron_index base;
};

// Right-hand sides of one launch.
constexpr int64_t widest_block_solve = 64;

// Memory of the solves: n rows of `width` elements, and what goes before.
template <class CT>
struct block_solve_memory {
    block_solve_memory(workspace_layout& layout, const heron_trisolve_args& args)
        : width(args.b.cols < 1                    ? 1
                : args.b.cols < widest_block_solve ? args.b.cols
                                                   : widest_block_solve),
          bytes(control_bytes + static_cast<size_t>(args.a.rows * width) * sizeof(CT)),
          control(layout.take<char>(static_cast<int64_t>(bytes))) {}

    int64_t width;
    size_t bytes;
    char* control;  // and, behind it, the solutions

    static constexpr size_t control_bytes = 256;
};

// with_teams: whether 32 neighbouring items run in step.
template <class Device, class CT, bool with_teams>
class block_solver {
  public:
    // width: of the analysis, for which there is room.
    block_solver(Device& device, const heron_trisolve_args& args, const ordered_blocks& blocks, char* control,
                 int64_t width, CT* staged)
        : device_(device), args_(args), blocks_(blocks), control_(control), width_(width), staged_(staged) {}

    void run() {
        element_steps b_steps = steps_of(args_.b);
        const element_steps c_steps = steps_of(args_.c);
        const CT* b = as<const CT>(args_.b.values);
        CT* const c = as<CT>(args_.c.values);
        if (must_stage(args_)) {
            device_.template launch<kernels::stage_right_side<CT, i32>>(
                kernels::trisolve, args_.a.rows * args_.c.cols, heron_index{args_.c.cols}, b, b_steps.row,
                b_steps.column, staged_);
            b = staged_;
            b_steps = {args_.c.cols, 1};
        }
        for (int64_t first = 0; first < args_.c.cols; first += width_) {
            const int64_t left = args_.c.cols - first;
            solve(b + first * b_steps.column, b_steps, c + first * c_steps.column, c_steps,
                  left < width_ ? left : width_);
        }
    }

  private:
    using word = typename word_of<CT>::type;
    template <int group>
    using program = kernels::trisolve_blocks<CT, word, group, with_teams ? group / 32 : 1>;
    using sizes = program<32>;
    // Teams on a compute unit: how many rows are at work beside each other matters most.
    static constexpr int teams_at_once = sizeof(CT) > 8 ? 12 : 20;

    // How a group of items is divided, and how large it must be.
    struct division {
        int rows, sides, slots, group;

        int strips() const { return (rows + sizes::strip - 1) / sizes::strip; }
    };
    division division_for(int64_t right_sides) const {
        constexpr int largest_group = 128;
        division d{};
        d.sides = power_of_two(right_sides, sizes::most_sides);
        const int64_t size = args_.a.block_rows;
        d.rows = static_cast<int>(std::min<int64_t>(size, sizes::most_rows));
        const int items = d.sides * d.strips();
        // As many items for a strip as it has batches of columns in a triangle.
        const int64_t columns = args_.a.nnz * size * size / args_.a.rows / 2;
        const int64_t slots = (columns + sizes::batch - 1) / sizes::batch;
        d.group = sizes::lanes;
        while (d.group < items * slots && d.group < largest_group) d.group *= 2;
        while (d.group < items) d.group *= 2;
        d.slots = d.group / items;
        return d;
    }
    static int power_of_two(int64_t wanted, int most) {
        int result = 1;
        while (result < wanted && result < most) result *= 2;
        return result;
    }

    void solve(const CT* b, element_steps b_steps, CT* c, element_steps c_steps, int64_t sides) {
        device_.fill(
            control_, 0xff,
            block_solve_memory<CT>::control_bytes + static_cast<size_t>(args_.a.rows * width_) * sizeof(CT));
        const division d = division_for(sides);
        switch (d.group) {
            case 32: return launch<32>(d, b, b_steps, c, c_steps, sides);
            case 64: return launch<64>(d, b, b_steps, c, c_steps, sides);
            default: return launch<128>(d, b, b_steps, c, c_steps, sides);
        }
    }

    template <int group>
    void launch(const division& d, const CT* b, element_steps b_steps, CT* c, element_steps c_steps,
                int64_t sides) {
        const heron_spmat& a = args_.a;
        const int64_t parts = (a.block_rows + d.rows - 1) / d.rows;
        const int64_t tiles = (sides + d.sides - 1) / d.sides;
        const scalar_argument<CT> alpha = as_argument<CT>(args_.alpha);
        const bool is_lower = (a.fill == HERON_FILL_LOWER) != is_transposed(args_.op);
        const bool by_rows = (a.block_order == HERON_ORDER_ROW) != is_transposed(args_.op);
        const auto size = static_cast<int>(a.block_rows);
        // Units that groups of a large device have at work at a time (trisolve-20).
        constexpr int full_device = 640, never = std::numeric_limits<int>::max();
        constexpr int teams = group / sizes::lanes;
        const bool has_teams = with_teams && d.strips() <= sizes::team_strips;
        const int team_sides =
            has_teams ? power_of_two(sides, sizes::lanes / power_of_two(d.strips(), sizes::team_strips)) : 1;
        const int padded = d.strips() * sizes::strip;
        // With teams groups draw tickets until none are left. As many are there as work at a time, and as
        // teams need if these do.
        constexpr int64_t at_work = 4096;
        const int64_t rows = a.rows / size * parts;
        const int64_t of_teams = rows * ((sides + team_sides - 1) / team_sides) / teams + 1;
        const int64_t groups =
            teams > 1 && with_teams ? std::min(std::max(of_teams, at_work), rows * tiles) : rows * tiles;
        const typename program<group>::block_shape shape{blocks_.base,
                                                         static_cast<int>(a.rows / size),
                                                         size,
                                                         static_cast<u32>((uint64_t{1} << 32) / size + 1),
                                                         by_rows ? size : 1,
                                                         by_rows ? 1 : size,
                                                         is_lower,
                                                         a.diag == HERON_DIAG_UNIT,
                                                         is_conjugated(args_.op),
                                                         d.rows,
                                                         d.sides,
                                                         d.slots,
                                                         team_sides,
                                                         sizes::lanes / (team_sides * d.strips()),
                                                         has_teams ? full_device : never};
        device_.template launch_groups<at_once<typename program<group>::solve_blocks, teams_at_once / teams>>(
            kernels::block_solves, groups, blocks_.offsets, blocks_.columns, blocks_.sources, blocks_.records,
            blocks_.schedule, shape, as<const CT>(a.values), static_cast<const CT*>(args_.diagonal),
            alpha.value, alpha.device, b, b_steps.row, b_steps.column, c, c_steps.row, c_steps.column,
            static_cast<int>(sides), heron_index{width_},
            reinterpret_cast<word*>(control_ + block_solve_memory<CT>::control_bytes),
            reinterpret_cast<int*>(control_),
            local_memory{static_cast<size_t>(padded * padded * (has_teams ? teams : 1)) * sizeof(CT)});
    }

    Device& device_;
    const heron_trisolve_args& args_;
    const ordered_blocks blocks_;
    char* const control_;
    const int64_t width_;
    CT* const staged_;
};

}  // namespace heron::HERON_LEVEL::plans
