#pragma once
// Products and substitutions by groups, for GPUs.
#include "common/dialect/dialect_group.hpp"
#include "common/runtime/word.hpp"
#include "plan.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family blas2_chain_family{"blas2_chain", "CT WT GROUP BLOCK"};
inline constexpr kernel_family blas2_gemv_family{"blas2_gemv", "CT GROUP ROWS TEAM"};
inline constexpr kernel_family blas2_symv_family{"blas2_symv", "CT GROUP"};
inline constexpr kernel_family blas2_trsv_family{"blas2_trsv", "CT BLOCK"};
#include "chain.h"
#include "gemv.h"
#include "ger.h"
#include "join.h"
#include "symv.h"
#include "trsv.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

inline constexpr int blas2_group = 256;

// How a product is shared out: by groups for tiles of the result, and by parts of the sums. Of the sizes
// alone, so that the sums have the same bits on every run.
class gemv_shares {
  public:
    // Rows of a tile and items along a column, each of which a program is built for.
    static constexpr int few_rows = 8, some_rows = 32, many_rows = 64;
    static constexpr int short_team = 8, team = 32, long_team = blas2_group;

    gemv_shares(int64_t m, int64_t n, bool is_transposed, bool is_triangle = false)
        : transposed(is_transposed), triangle(is_triangle) {
        transposed ? by_columns(m, n) : by_rows(m, n);
    }

    bool transposed, triangle;
    int of_program;  // rows of a tile, or items of a team
    int64_t tiles;
    int parts;

  private:
    // As many groups as a large device has at work at a time.
    static constexpr int64_t groups_wanted = 1024;

    void by_rows(int64_t m, int64_t n) {
        // A small product is over before its parts could be joined.
        const bool is_small = m <= few_rows || (m * n <= int64_t{1} << 22 && n <= 4096);
        of_program = triangle ? some_rows : is_small ? few_rows : m <= some_rows ? some_rows : many_rows;
        // Two batches of each item.
        cut(m, n, of_program, is_small && !triangle ? 1024 : 16 * blas2_group / of_program);
    }
    void by_columns(int64_t m, int64_t n) {
        const bool is_long = m >= 1024 || (m >= 128 && n <= 4096);
        of_program = triangle ? team : is_long ? long_team : m <= 64 ? short_team : team;
        cut(n, m, blas2_group / of_program * 4, 16 * of_program);
    }
    void cut(int64_t outputs, int64_t length, int64_t outputs_of_group, int64_t shortest) {
        tiles = (outputs + outputs_of_group - 1) / outputs_of_group;
        const int64_t useful = length / shortest;
        const int64_t wanted = groups_wanted / tiles;
        const int64_t most = useful < wanted ? useful : wanted;
        parts = static_cast<int>(most < 1 ? 1 : most);
    }
};

// What both kernels of gemv.h make of a matrix, x and y.
template <class CT>
struct group_product {
    int64_t m, n;
    bool conjugate, unit;
    const heron_stored_matrix& a;
    const heron_vector_operand& x;
    const heron_vector_operand& y;
    scalar_argument<CT> alpha, beta;
};

template <class CT, int rows, int team, int triangle, class Device>
void launch_product(Device& device, const group_product<CT>& p, const gemv_shares& shares, CT* partial) {
    using program = kernels::blas2_gemv_groups<CT, blas2_group, rows, team, triangle>;
    const auto launch = [&]<class Kernel>(type<Kernel>) {
        device.template launch_groups<Kernel>(
            kernels::blas2_gemv_family, shares.tiles * shares.parts, heron_index{p.m}, heron_index{p.n},
            shares.parts, int{p.conjugate}, int{p.unit}, p.alpha.value, p.alpha.device,
            as<const CT>(p.a.memory), heron_index{p.a.offset}, heron_index{p.a.ld}, as<const CT>(p.x.memory),
            heron_index{p.x.offset}, heron_index{p.x.inc}, partial, p.beta.value, p.beta.device,
            as<CT>(p.y.memory), heron_index{p.y.offset}, heron_index{p.y.inc});
    };
    if (shares.transposed)
        launch(type<typename program::gemv_columns>{});
    else
        launch(type<typename program::gemv_rows>{});
}

// Rows and teams are named in pairs, so that a program has both kernels.
template <class CT, class Device>
void launch_gemv_groups(Device& device, const group_product<CT>& p, const gemv_shares& shares, CT* partial) {
    using s = gemv_shares;
    if (shares.of_program == (shares.transposed ? s::short_team : s::few_rows))
        launch_product<CT, s::few_rows, s::short_team, 0>(device, p, shares, partial);
    else if (shares.of_program == (shares.transposed ? s::team : s::some_rows))
        launch_product<CT, s::some_rows, s::team, 0>(device, p, shares, partial);
    else
        launch_product<CT, s::many_rows, s::long_team, 0>(device, p, shares, partial);
}

template <class CT, int rows, class Device>
void launch_join(Device& device, int64_t n, int parts, const CT* partial, scalar_argument<CT> alpha,
                 scalar_argument<CT> beta, const heron_vector_operand& y) {
    device.template launch_groups<typename kernels::blas2_join_groups<CT, blas2_group, rows>::join_parts>(
        kernels::blas2_join_family, (n + rows - 1) / rows, heron_index{n}, int{parts}, partial, alpha.value,
        alpha.device, beta.value, beta.device, as<CT>(y.memory), heron_index{y.offset}, heron_index{y.inc});
}

// Sums of `parts` parts that lie n apart, into y.
template <class CT, class Device>
void join_by_groups(Device& device, int64_t n, int parts, const CT* partial, scalar_argument<CT> alpha,
                    scalar_argument<CT> beta, const heron_vector_operand& y) {
    parts > 32 ? launch_join<CT, 8>(device, n, parts, partial, alpha, beta, y)
               : launch_join<CT, 32>(device, n, parts, partial, alpha, beta, y);
}

template <class Device>
void gemv_by_groups(Device& device, heron_phase phase, const heron_gemv_args& a, heron_workspace& workspace) {
    if (a.a.storage != HERON_STORAGE_FULL) return gemv(device, phase, a, workspace);
    const gemv_shares shares(a.m, a.n, is_transposed(a.op));
    const int64_t rows = shares.transposed ? a.n : a.m;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        workspace_layout layout(phase, workspace);
        CT* partial = nullptr;
        if (shares.parts > 1) partial = layout.template take<CT>(rows * shares.parts);
        if (phase != HERON_PHASE_RUN) return;
        if (shares.parts > 1) partial = device.temporary(partial, rows * shares.parts);
        const group_product<CT> p{a.m,
                                  a.n,
                                  is_conjugated(a.op),
                                  false,
                                  a.a,
                                  a.x,
                                  a.y,
                                  as_argument<CT>(a.alpha),
                                  as_argument<CT>(a.beta)};
        launch_gemv_groups<CT>(device, p, shares, partial);
        if (shares.parts > 1) join_by_groups<CT>(device, rows, shares.parts, partial, p.alpha, p.beta, a.y);
    });
}

// The product of a triangle goes to parts, even to one: x is written when all of it has been read.
template <class Device>
void trmv_by_groups(Device& device, heron_phase phase, const heron_trmv_args& a, heron_workspace& workspace) {
    if (a.a.storage != HERON_STORAGE_FULL) return trmv(device, phase, a, workspace);
    const gemv_shares shares(a.n, a.n, is_transposed(a.op), true);
    visit_full(a.type, [&]<class CT>(type<CT>) {
        workspace_layout layout(phase, workspace);
        CT* partial = layout.template take<CT>(a.n * shares.parts);
        if (phase != HERON_PHASE_RUN) return;
        partial = device.temporary(partial, a.n * shares.parts);
        using s = gemv_shares;
        const scalar_argument<CT> one{scalar_value<CT>(1, 0), nullptr}, zero{scalar_value<CT>(0, 0), nullptr};
        const group_product<CT> p{a.n, a.n, is_conjugated(a.op), a.diag == HERON_DIAG_UNIT, a.a, a.x, a.x,
                                  one, zero};
        if (a.fill == HERON_FILL_LOWER)
            launch_product<CT, s::some_rows, s::team, 1>(device, p, shares, partial);
        else
            launch_product<CT, s::some_rows, s::team, 2>(device, p, shares, partial);
        join_by_groups<CT>(device, a.n, shares.parts, partial, one, zero, a.x);
    });
}

template <class CT, int rows, class Device>
void launch_ger(Device& device, const heron_ger_args& a) {
    using kernel = typename kernels::blas2_ger_groups<CT, blas2_group, rows>::ger_tiles;
    constexpr int64_t columns = blas2_group / rows * 8;
    const int64_t row_tiles = (a.m + rows - 1) / rows;
    const auto alpha = as_argument<CT>(a.alpha);
    device.template launch_groups<kernel>(
        kernels::blas2_ger_family, row_tiles * ((a.n + columns - 1) / columns), heron_index{a.m},
        heron_index{a.n}, static_cast<int>(row_tiles), alpha.value, alpha.device, int{a.conjugate_x},
        as<const CT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc}, int{a.conjugate_y},
        as<const CT>(a.y.memory), heron_index{a.y.offset}, heron_index{a.y.inc}, as<CT>(a.a.memory),
        heron_index{a.a.offset}, heron_index{a.a.ld});
}

template <class Device>
void ger_by_groups(Device& device, heron_phase phase, const heron_ger_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        if (a.m <= 8)
            launch_ger<CT, 8>(device, a);
        else if (a.m < 1024)
            launch_ger<CT, 32>(device, a);
        else
            launch_ger<CT, 128>(device, a);
    });
}

template <class Device>
void symv_by_groups(Device& device, heron_phase phase, const heron_symv_args& a, heron_workspace& workspace) {
    if (a.a.storage == HERON_STORAGE_BANDED) return symv(device, phase, a, workspace);
    visit_full(a.type, [&]<class CT>(type<CT>) {
        constexpr int tile = sizeof(CT) <= 8 ? 64 : 32;
        // Small blocks keep a device busy with small matrices; large ones leave fewer sums.
        const int width = a.n <= 16384 ? 1 : a.n <= 32768 ? 2 : 4;
        const int blocks = static_cast<int>((a.n + width * tile - 1) / (width * tile));
        const int folded = (blocks + 1) / 2;
        workspace_layout layout(phase, workspace);
        CT* partial = layout.template take<CT>(a.n * blocks);
        if (phase != HERON_PHASE_RUN) return;
        partial = device.temporary(partial, a.n * blocks);
        const auto alpha = as_argument<CT>(a.alpha);
        using kernel = typename kernels::blas2_symv_groups<CT, blas2_group, tile>::symv_blocks;
        device.template launch_groups<kernel>(
            kernels::blas2_symv_family, int64_t{folded} * (2 * folded + 1), heron_index{a.n}, int{blocks},
            int{folded}, int{width}, int{a.fill == HERON_FILL_LOWER}, int{a.hermitian}, int{a.conjugate},
            alpha.value, alpha.device, storage_code(a.a), as<const CT>(a.a.memory), heron_index{a.a.offset},
            heron_index{a.a.ld}, as<const CT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc},
            partial);
        join_by_groups<CT>(device, a.n, blocks, static_cast<const CT*>(partial), alpha,
                           as_argument<CT>(a.beta), a.y);
    });
}

// Blocks of unknowns by a group each, and between them what these contribute to the rows that are left.
template <class Device>
void trsv_by_groups(Device& device, heron_phase phase, const heron_trsv_args& a, heron_workspace& workspace) {
    constexpr int block = 32;
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        const heron_index band = triangle_band(a.a, a.n);
        const auto solve = [&](int64_t first, int64_t end) {
            using kernel = typename kernels::blas2_trsv_groups<CT, block>::trsv_block;
            device.template launch_groups<kernel>(
                kernels::blas2_trsv_family, 1, heron_index{a.n}, heron_index{first},
                static_cast<int>(end - first), is_lower(a), int{is_transposed(a.op)},
                int{is_conjugated(a.op)}, int{a.diag == HERON_DIAG_UNIT}, storage_code(a.a),
                as<const CT>(a.a.memory), heron_index{a.a.offset}, heron_index{a.a.ld}, band,
                as<CT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc});
        };
        const auto rest = [&](int64_t rows, int64_t count, int64_t first, int64_t end) {
            subtract_block<CT>(device, a, rows, count, first, end);
        };
        substitute(a, block, solve, rest);
    });
}

// All of it in one launch, for devices on which groups may wait for others that came before.
template <class Device>
void trsv_by_chain(Device& device, heron_phase phase, const heron_trsv_args& a, heron_workspace& workspace) {
    visit_full(a.type, [&]<class CT>(type<CT>) {
        // What a group has of its block stays in registers.
        constexpr int group = 256, block = sizeof(CT) > 8 ? 32 : 64;
        using program = kernels::blas2_chain_groups<CT, typename word_of<CT>::type, group, block>;
        const int64_t blocks = (a.n + block - 1) / block;
        const int64_t room = blocks > 1 ? blocks * block + program::CONTROL : 0;
        workspace_layout layout(phase, workspace);
        CT* memory = nullptr;
        if (room > 0) memory = layout.template take<CT>(room);
        if (phase != HERON_PHASE_RUN) return;
        if (room > 0) memory = device.temporary(memory, room);
        device.template launch<kernels::blas2_unset<CT>>(kernels::blas2, room, memory);
        device.template launch_groups<typename program::chain_blocks>(
            kernels::blas2_chain_family, blocks, heron_index{a.n}, is_lower(a), int{is_transposed(a.op)},
            int{is_conjugated(a.op)}, int{a.diag == HERON_DIAG_UNIT}, storage_code(a.a),
            as<const CT>(a.a.memory), heron_index{a.a.offset}, heron_index{a.a.ld}, triangle_band(a.a, a.n),
            as<CT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc}, memory);
    });
}

}  // namespace heron::HERON_LEVEL::plans
