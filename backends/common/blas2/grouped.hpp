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
#include "symv.h"
#include "trsv.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// How a product is shared out: by groups for tiles of the result, and by parts of the sums. Of the sizes
// alone, so that the sums have the same bits on every run.
struct gemv_shares {
    static constexpr int group = 256, rows_of_tile = 64, columns_of_team = 4;
    static constexpr int short_team = 32, long_team = group;

    explicit gemv_shares(const heron_gemv_args& a) : transposed(is_transposed(a.op)), is_long(a.m >= 2048) {
        const int64_t outputs = transposed ? a.n : a.m;
        const int64_t length = transposed ? a.m : a.n;
        const int64_t team = is_long ? long_team : short_team;
        const int64_t outputs_of_group = transposed ? group / team * columns_of_team : rows_of_tile;
        tiles = (outputs + outputs_of_group - 1) / outputs_of_group;
        // Twice what is at work at a time on a large device, and something to do for each item.
        constexpr int64_t groups_wanted = 2048;
        const int64_t shortest = transposed ? 16 * team : 64;
        const int64_t useful = length / shortest;
        const int64_t wanted = groups_wanted / tiles;
        const int64_t most = useful < wanted ? useful : wanted;
        parts = static_cast<int>(most < 1 ? 1 : most);
    }

    bool transposed, is_long;
    int64_t tiles;
    int parts;
};

template <class CT, int team, class Device>
void launch_gemv_groups(Device& device, const heron_gemv_args& a, const gemv_shares& shares, CT* partial) {
    using program = kernels::blas2_gemv_groups<CT, gemv_shares::group, gemv_shares::rows_of_tile, team>;
    const auto alpha = as_argument<CT>(a.alpha);
    const auto beta = as_argument<CT>(a.beta);
    const auto launch = [&]<class Kernel>(type<Kernel>) {
        device.template launch_groups<Kernel>(
            kernels::blas2_gemv_family, shares.tiles * shares.parts, heron_index{a.m}, heron_index{a.n},
            shares.parts, int{is_conjugated(a.op)}, alpha.value, alpha.device, as<const CT>(a.a.memory),
            heron_index{a.a.offset}, heron_index{a.a.ld}, as<const CT>(a.x.memory), heron_index{a.x.offset},
            heron_index{a.x.inc}, partial, beta.value, beta.device, as<CT>(a.y.memory),
            heron_index{a.y.offset}, heron_index{a.y.inc});
    };
    if (shares.transposed)
        launch(type<typename program::gemv_columns>{});
    else
        launch(type<typename program::gemv_rows>{});
}

// Sums of `parts` parts that lie `rows` apart, into y.
template <class CT, class Device, class Args>
void join_parts(Device& device, const Args& a, int64_t rows, int parts, const CT* partial) {
    const auto alpha = as_argument<CT>(a.alpha);
    const auto beta = as_argument<CT>(a.beta);
    device.template launch<kernels::blas2_join<CT>>(
        kernels::blas2, rows, heron_index{rows}, int{parts}, partial, alpha.value, alpha.device, beta.value,
        beta.device, as<CT>(a.y.memory), heron_index{a.y.offset}, heron_index{a.y.inc});
}

template <class Device>
void gemv_by_groups(Device& device, heron_phase phase, const heron_gemv_args& a, heron_workspace& workspace) {
    if (a.a.storage != HERON_STORAGE_FULL) return gemv(device, phase, a, workspace);
    const gemv_shares shares(a);
    const int64_t rows = shares.transposed ? a.n : a.m;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        workspace_layout layout(phase, workspace);
        CT* partial = nullptr;
        if (shares.parts > 1) partial = layout.template take<CT>(rows * shares.parts);
        if (phase != HERON_PHASE_RUN) return;
        if (shares.parts > 1) partial = device.temporary(partial, rows * shares.parts);
        if (shares.transposed && shares.is_long)
            launch_gemv_groups<CT, gemv_shares::long_team>(device, a, shares, partial);
        else
            launch_gemv_groups<CT, gemv_shares::short_team>(device, a, shares, partial);
        if (shares.parts > 1) join_parts<CT>(device, a, rows, shares.parts, static_cast<const CT*>(partial));
    });
}

template <class Device>
void symv_by_groups(Device& device, heron_phase phase, const heron_symv_args& a, heron_workspace& workspace) {
    if (a.a.storage == HERON_STORAGE_BANDED) return symv(device, phase, a, workspace);
    constexpr int group = 256, tile = 32;
    // Small blocks keep a device busy with small matrices; large ones leave fewer sums.
    const int width = a.n <= 8192 ? 2 : a.n <= 32768 ? 4 : 8;
    const int blocks = static_cast<int>((a.n + width * tile - 1) / (width * tile));
    visit_full(a.type, [&]<class CT>(type<CT>) {
        workspace_layout layout(phase, workspace);
        CT* partial = layout.template take<CT>(a.n * blocks);
        if (phase != HERON_PHASE_RUN) return;
        partial = device.temporary(partial, a.n * blocks);
        const auto alpha = as_argument<CT>(a.alpha);
        using kernel = typename kernels::blas2_symv_groups<CT, group>::symv_blocks;
        device.template launch_groups<kernel>(
            kernels::blas2_symv_family, int64_t{blocks} * blocks, heron_index{a.n}, int{blocks}, int{width},
            int{a.fill == HERON_FILL_LOWER}, int{a.hermitian}, int{a.conjugate}, alpha.value, alpha.device,
            storage_code(a.a), as<const CT>(a.a.memory), heron_index{a.a.offset}, heron_index{a.a.ld},
            as<const CT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc}, partial);
        join_parts<CT>(device, a, a.n, blocks, static_cast<const CT*>(partial));
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
