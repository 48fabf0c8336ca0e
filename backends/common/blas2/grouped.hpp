#pragma once
// Products and substitutions by groups, for GPUs.
#include "common/dialect/dialect_group.hpp"
#include "common/runtime/word.hpp"
#include "plan.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family blas2_bands_family{"blas2_update blas2_bands", "CT GROUP TEAM"};
inline constexpr kernel_family blas2_chain_family{"blas2_chain", "CT WT GROUP BLOCK"};
inline constexpr kernel_family blas2_gemv_family{"dense_batch_item blas2_update blas2_gemv",
                                                 "CT GROUP TEAM COLUMNS"};
inline constexpr kernel_family blas2_join_family{"blas2_update blas2_join", "CT GROUP"};
inline constexpr kernel_family blas2_strips_family{"dense_batch_item blas2_update blas2_strips", "CT GROUP"};
inline constexpr kernel_family blas2_symv_family{"blas2_update blas2_symv", "CT GROUP TILE"};
inline constexpr kernel_family blas2_trsv_family{"blas2_trsv", "CT BLOCK"};
inline constexpr kernel_family blas2_turned_family{"blas2_turned", "CT GROUP TILE"};
inline constexpr kernel_family blas2_wide_family{"dense_batch_item blas2_update blas2_wide",
                                                 "CT GROUP ITEMS"};
#include "bands.h"
#include "chain.h"
#include "gemv.h"
#include "join.h"
#include "strips.h"
#include "symv.h"
#include "trsv.h"
#include "turned.h"
#include "wide.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

inline constexpr int gemv_group = 256;

// How a product is shared out: by groups for tiles of the result, and by parts of the sums. Of the sizes
// alone, so that the sums have the same bits on every run.
struct gemv_shares {
    // tiles: of the results. useful: so many parts have something to do for each item. at_a_time: groups that
    // a multiprocessor has registers for.
    gemv_shares(int64_t tile_count, int64_t useful, int at_a_time) : tiles(tile_count) {
        // As many groups as are at work at a time on a large device. Fewer of these are enough to keep its
        // memory busy, and parts cost a launch.
        constexpr int64_t multiprocessors = 128, enough = 48;
        const int64_t wanted = tiles < enough * at_a_time ? multiprocessors * at_a_time / tiles : 1;
        const int64_t most = useful < wanted ? useful : wanted;
        parts = static_cast<int>(most < 1 ? 1 : most);
    }

    int64_t tiles;
    int parts;
};

// Sums of `parts` parts that lie `rows` apart, into y.
template <class CT, class Device, class Args>
void join_parts(Device& device, const Args& a, int64_t rows, int parts, const CT* partial) {
    constexpr int few = 8;
    const auto alpha = as_argument<CT>(a.alpha);
    const auto beta = as_argument<CT>(a.beta);
    if (parts <= few) return join_sums(device, rows, parts, partial, alpha, beta, a.y);
    using program = kernels::blas2_join_groups<CT, gemv_group>;
    device.template launch_groups<typename program::join_many>(
        kernels::blas2_join_family, (rows + program::OUTPUTS - 1) / program::OUTPUTS, heron_index{rows},
        int{parts}, partial, alpha.value, alpha.device, beta.value, beta.device, as<CT>(a.y.memory),
        heron_index{a.y.offset}, heron_index{a.y.inc});
}

// One kernel of a product, so many groups of it at once on a multiprocessor, and what joins the parts of its
// sums. `sizes` follow the number of parts among the arguments.
template <class Kernel, int groups, class CT, class Device, class... Sizes>
void gemv_by(Device& device, const kernel_family& family, heron_phase phase, const heron_gemv_args& a,
             const gemv_shares& shares, heron_workspace& workspace, Sizes... sizes) {
    const int64_t rows = is_transposed(a.op) ? a.n : a.m;
    workspace_layout layout(phase, workspace);
    CT* partial = nullptr;
    if (shares.parts > 1) partial = layout.template take<CT>(rows * shares.parts);
    if (phase != HERON_PHASE_RUN) return;
    if (shares.parts > 1) partial = device.temporary(partial, rows * shares.parts);
    const auto alpha = as_argument<CT>(a.alpha);
    const auto beta = as_argument<CT>(a.beta);
    device.template launch_groups<at_once<Kernel, groups>>(
        family, shares.tiles * shares.parts, heron_index{a.m}, heron_index{a.n}, int{shares.parts}, sizes...,
        int{is_conjugated(a.op)}, alpha.value, alpha.device, as<const CT>(a.a.memory),
        heron_index{a.a.offset}, heron_index{a.a.ld}, as<const CT>(a.x.memory), heron_index{a.x.offset},
        heron_index{a.x.inc}, partial, beta.value, beta.device, as<CT>(a.y.memory), heron_index{a.y.offset},
        heron_index{a.y.inc});
    if (shares.parts > 1) join_parts<CT>(device, a, rows, shares.parts, static_cast<const CT*>(partial));
}

// A matrix of at most so many MiB.
template <class CT>
bool is_within(int64_t megabytes, int64_t m, int64_t n) {
    return m <= (megabytes << 20) / static_cast<int64_t>(sizeof(CT)) / n;
}
// Elements that need nothing of each other: tiles of many rows wherever these keep a device busy.
template <class CT, class Visitor>
void visit_elements(int64_t m, int64_t n, const Visitor& visitor) {
    using few = kernels::blas2_wide_groups<CT, gemv_group, 4>;
    using many = kernels::blas2_wide_groups<CT, gemv_group, 32>;
    constexpr int64_t busy = 128, columns = many::UPDATES * many::SHARES;
    const int64_t tiles = (m + many::ROWS - 1) / many::ROWS * ((n + columns - 1) / columns);
    const bool has_many = m >= many::ROWS && tiles >= busy;
    has_many ? visitor(type<many>{}) : visitor(type<few>{});
}

template <class Program, class CT, class Device>
void gemv_rows_by(Device& device, heron_phase phase, const heron_gemv_args& a, heron_workspace& workspace) {
    constexpr bool is_large = Program::GROUP_ITEMS > gemv_group;
    // One large group has all registers; those of so many small ones at once hold all that their items have
    // on its way. Small ones have parts where an item has several turns in each.
    constexpr int at_a_time = is_large ? 1 : sizeof(CT) > 8 ? 4 : 3;
    constexpr int busy = is_large ? 1 : sizeof(CT) > 4 ? 3 : 4;
    constexpr int64_t shortest = (is_large ? Program::AHEAD : 32) * Program::SHARES;
    const gemv_shares shares((a.m + Program::ROWS - 1) / Program::ROWS, a.n / shortest, busy);
    gemv_by<typename Program::gemv_rows, at_a_time, CT>(device, kernels::blas2_wide_family, phase, a, shares,
                                                        workspace);
}

// Strips of rows for all multiprocessors of a large device at once: 128, of the sizes alone, so that the sums
// have the same bits on every run. They begin where what memory gives at a time does.
struct gemv_strips {
    template <class CT>
    gemv_strips(type<CT>, int64_t m) {
        constexpr int64_t multiprocessors = 128, sector = 32 / sizeof(CT);
        const int64_t sectors = (m + sector - 1) / sector;
        const int64_t of_strip = (sectors + multiprocessors - 1) / multiprocessors;
        packs = static_cast<int>(2 * of_strip);
        count = (sectors + of_strip - 1) / of_strip;
    }

    // Of 16 bytes, in a row of a strip's first column.
    int packs;
    int64_t count;
};

// What does not fit the second-level cache is read past it but for so many of `steps` steps: their elements
// are still there when the same matrix comes again, where of all in turn none would be.
template <class CT, class Device>
int kept_steps(const Device& device, int64_t m, int64_t n, int steps) {
    const double room = 0.6 * static_cast<double>(device.cache_bytes());
    const double bytes = static_cast<double>(m) * static_cast<double>(n) * sizeof(CT);
    return room < bytes ? static_cast<int>(steps * room / bytes) : steps;
}

// Where tiles of 16 rows are more than one turn, and where part of a matrix can be kept.
template <class CT, class Device>
bool takes_strips(const Device& device, int64_t m, int64_t n) {
    constexpr int64_t one_turn = 128 * 16, longest = 128 * 1024 / sizeof(CT), least_rows = 16;
    constexpr int all_steps = 256;
    const int64_t rows = gemv_strips(type<CT>{}, m).packs * (16 / static_cast<int64_t>(sizeof(CT)));
    const bool is_kept_in_part = kept_steps<CT>(device, m, n, all_steps) < all_steps;
    return m <= longest && (m > one_turn || (rows >= least_rows && is_kept_in_part));
}

template <int group, class CT, class Device>
void gemv_by_strips(Device& device, heron_phase phase, const heron_gemv_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    using program = kernels::blas2_strips_groups<CT, group>;
    const gemv_strips strips(type<CT>{}, a.m);
    const auto alpha = as_argument<CT>(a.alpha);
    const auto beta = as_argument<CT>(a.beta);
    device.template launch_groups<at_once<typename program::gemv_strips, 1>>(
        kernels::blas2_strips_family, strips.count, heron_index{a.m}, heron_index{a.n}, int{strips.packs},
        kept_steps<CT>(device, a.m, a.n, program::STEPS), int{is_conjugated(a.op)}, alpha.value, alpha.device,
        as<const CT>(a.a.memory), heron_index{a.a.offset}, heron_index{a.a.ld}, as<const CT>(a.x.memory),
        heron_index{a.x.offset}, heron_index{a.x.inc}, beta.value, beta.device, as<CT>(a.y.memory),
        heron_index{a.y.offset}, heron_index{a.y.inc});
}

// Tall matrices by tiles of 256 rows. Large ones by strips, where the largest groups of a device take these.
// Others, and long rows, by large groups for 32 rows, or 16 where these are all or keep more of a device
// busy: their sums are often whole. Small ones by groups for 16 bytes of 4 items.
template <class CT, int large_group, class Device>
void gemv_rows_by_groups(Device& device, heron_phase phase, const heron_gemv_args& a,
                         heron_workspace& workspace) {
    constexpr int pack = 16 / sizeof(CT);
    constexpr int64_t tall = 128 * 256, long_row = 8192, some_rows = 512, many_rows = 96 * 32;
    const auto run = [&]<class Program>(type<Program>) {
        gemv_rows_by<Program, CT>(device, phase, a, workspace);
    };
    if (a.m >= tall) return run(type<kernels::blas2_wide_groups<CT, gemv_group, 256 / pack>>{});
    if (is_within<CT>(8, a.m, a.n) && a.n < long_row)
        return run(type<kernels::blas2_wide_groups<CT, gemv_group, 4>>{});
    if constexpr (large_group > gemv_group)
        if (takes_strips<CT>(device, a.m, a.n))
            return gemv_by_strips<large_group, CT>(device, phase, a, workspace);
    if (a.m >= many_rows || (a.m > 16 && a.m < some_rows))
        run(type<kernels::blas2_wide_groups<CT, large_group, 32 / pack>>{});
    else
        run(type<kernels::blas2_wide_groups<CT, large_group, 16 / pack>>{});
}

// Of the groups of a product with a transposed matrix those that read what is worth a cache's room, as
// kept_steps; all where so little is beyond it that much stays there anyway.
template <class CT, bool knows_cache, class Device>
int kept_columns(const Device& device, const heron_gemv_args& a, int steps) {
    constexpr int64_t cache_megabytes = 40;
    if constexpr (knows_cache)
        if (!is_within<CT>(cache_megabytes, a.m, a.n)) return kept_steps<CT>(device, a.m, a.n, steps);
    return steps;
}

template <class CT, int team, int columns, bool knows_cache, class Device>
void gemv_columns_by_groups(Device& device, heron_phase phase, const heron_gemv_args& a,
                            heron_workspace& workspace) {
    using program = kernels::blas2_gemv_groups<CT, gemv_group, team, columns>;
    // Where a whole group goes down a column parts are what keeps a device busy; elsewhere few are worth it.
    constexpr int64_t shortest = (team < gemv_group ? 4 : 1) * program::DEPTH * program::STEP;
    // Their registers hold what an item has of all of its columns.
    constexpr bool is_large = columns > 1 || sizeof(CT) > sizeof(real_of<CT>);
    constexpr int at_a_time = is_large ? 3 : 4;
    const gemv_shares shares((a.n + program::WIDTH - 1) / program::WIDTH, a.m / shortest, at_a_time);
    gemv_by<typename program::gemv_columns, at_a_time, CT>(
        device, kernels::blas2_gemv_family, phase, a, shares, workspace,
        kept_columns<CT, knows_cache>(device, a, program::STEPS));
}

// What a row of a product with a band consists of.
struct band_rows {
    int64_t rows, size, before, behind, upper;
    int sides, transposed, conjugate, conjugate_turned, real_diagonal;
};

template <class CT, class Device, class Args>
void launch_band(Device& device, const Args& a, const band_rows& r) {
    constexpr int team = 16;
    using program = kernels::blas2_bands_groups<CT, gemv_group, team>;
    const auto alpha = as_argument<CT>(a.alpha);
    const auto beta = as_argument<CT>(a.beta);
    device.template launch_groups<typename program::band_rows>(
        kernels::blas2_bands_family, (r.rows + program::TEAMS - 1) / program::TEAMS, heron_index{r.rows},
        heron_index{r.size}, heron_index{r.before}, heron_index{r.behind}, int{r.sides}, int{r.transposed},
        int{r.conjugate}, int{r.conjugate_turned}, int{r.real_diagonal}, alpha.value, alpha.device,
        as<const CT>(a.a.memory), heron_index{a.a.offset}, heron_index{a.a.ld}, heron_index{r.upper},
        as<const CT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc}, beta.value, beta.device,
        as<CT>(a.y.memory), heron_index{a.y.offset}, heron_index{a.y.inc});
}

template <class Device>
void gbmv_by_groups(Device& device, heron_phase phase, const heron_gemv_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    const int turned = is_transposed(a.op), conjugate = is_conjugated(a.op);
    const band_rows rows{turned ? a.n : a.m,
                         turned ? a.m : a.n,
                         turned ? a.a.upper : a.a.lower,
                         turned ? a.a.lower : a.a.upper,
                         a.a.upper,
                         0,
                         turned,
                         conjugate,
                         conjugate,
                         0};
    visit_full(a.type, [&]<class CT>(type<CT>) { launch_band<CT>(device, a, rows); });
}

template <class Device>
void sbmv_by_groups(Device& device, heron_phase phase, const heron_symv_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    const bool lower = a.fill == HERON_FILL_LOWER;
    const int64_t band = triangle_band(a.a, a.n);
    const band_rows rows{a.n,
                         a.n,
                         band,
                         band,
                         lower ? 0 : band,
                         lower ? 1 : 2,
                         0,
                         a.hermitian && a.conjugate,
                         a.hermitian && !a.conjugate,
                         a.hermitian};
    visit_full(a.type, [&]<class CT>(type<CT>) { launch_band<CT>(device, a, rows); });
}

// Whether a warp for each column has as much on its way as memory needs: of a matrix beyond the cache
// few columns have not (blas-24, blas-25), and in f32, where they are short, already before.
template <class CT>
bool keeps_memory_busy(int64_t m, int64_t n) {
    constexpr int64_t cache_megabytes = sizeof(CT) > 4 ? 40 : 32, few_columns = 3072;
    return n >= few_columns || is_within<CT>(cache_megabytes, m, n);
}

// As many items down a column as find something there, but few columns by a warp each. Of many columns each
// warp has several, since all that is done but once for a column then costs more than its elements. Long
// columns are for whole groups, so that x, which does not stay near, is read once for several columns.
//
// large_group: items of the largest groups of a device.
template <class Device, int large_group = gemv_group>
void gemv_by_groups(Device& device, heron_phase phase, const heron_gemv_args& a, heron_workspace& workspace) {
    if (a.a.storage == HERON_STORAGE_BANDED) return gbmv_by_groups(device, phase, a, workspace);
    constexpr int64_t many_columns = 16384;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        constexpr int64_t pack = 16 / sizeof(CT);
        constexpr int many = sizeof(CT) > 4 ? 4 : 8;
        constexpr bool knows_cache = large_group > gemv_group;
        const int64_t packs = (a.m + pack - 1) / pack;
        if (!is_transposed(a.op))
            gemv_rows_by_groups<CT, large_group>(device, phase, a, workspace);
        else if (packs <= (a.n >= many_columns ? 16 : 8))
            gemv_columns_by_groups<CT, 4, many, knows_cache>(device, phase, a, workspace);
        else if (packs <= 512 && a.n >= many_columns)
            gemv_columns_by_groups<CT, 16, 4, knows_cache>(device, phase, a, workspace);
        else if (packs <= 2048 && keeps_memory_busy<CT>(a.m, a.n))
            gemv_columns_by_groups<CT, 32, 1, knows_cache>(device, phase, a, workspace);
        else
            gemv_columns_by_groups<CT, gemv_group, 4, knows_cache>(device, phase, a, workspace);
    });
}

// What follows the sizes among the arguments of kernels for batches.
template <class Kernel, class CT, class Device, class... Sizes>
void launch_batch(Device& device, const kernel_family& family, const heron_gemv_batched_args& a,
                  int64_t groups, Sizes... sizes) {
    const auto alpha = as_argument<CT>(a.alpha);
    const auto beta = as_argument<CT>(a.beta);
    device.template launch_groups<Kernel>(
        family, groups, heron_index{a.m}, heron_index{a.n}, sizes..., int{is_conjugated(a.op)}, alpha.value,
        alpha.device, as<CT>(a.a.base), a.a.list, dense_kind(a.a), heron_index{a.a.stride},
        heron_index{a.a.list_step}, heron_index{a.lda}, as<CT>(a.x.base), a.x.list, dense_kind(a.x),
        heron_index{a.x.stride}, heron_index{a.x.list_step}, heron_index{a.x_offset}, heron_index{a.x_inc},
        beta.value, beta.device, as<CT>(a.y.base), a.y.list, dense_kind(a.y), heron_index{a.y.stride},
        heron_index{a.y.list_step}, heron_index{a.y_offset}, heron_index{a.y_inc});
}

// Of the groups of a batch those that read what is worth a cache's room, as kept_steps; all where so little
// of the batch has room that nothing is gained (blas-22).
template <class CT, bool knows_cache, class Device>
int kept_groups(const Device& device, const heron_gemv_batched_args& a, int steps) {
    if constexpr (knows_cache) {
        const int kept = kept_steps<CT>(device, a.m * a.count, a.n, steps);
        if (kept >= steps / 8 * 3) return kept;
    }
    return steps;
}

// By kernels for which the `packs` or teams of an item are numbered together with those of the others,
// `at_a_time` of them in a group.
template <class Kernel, class CT, class Device, class... Sizes>
void launch_numbered(Device& device, const kernel_family& family, const heron_gemv_batched_args& a,
                     int64_t packs, int64_t at_a_time, Sizes... sizes) {
    launch_batch<Kernel, CT>(device, family, a, (packs * a.count + at_a_time - 1) / at_a_time,
                             static_cast<u32>(packs), heron_index{a.count}, sizes...);
}

// An item has 16 bytes of rows alone where these are items enough; else several share the columns.
template <class CT, bool knows_cache, class Device>
void gemv_rows_of_batch(Device& device, const heron_gemv_batched_args& a) {
    constexpr int64_t pack = 16 / sizeof(CT), many = 65536, some = 8192;
    const int64_t packs = (a.m + pack - 1) / pack;
    const auto run = [&]<class Program>(type<Program>) {
        // The registers of so many groups at once hold all that their items have on its way.
        constexpr int at_a_time = sizeof(CT) > 8 ? 4 : sizeof(real_of<CT>) > 4 ? 2 : 3;
        launch_numbered<at_once<typename Program::gemv_rows_batch, at_a_time>, CT>(
            device, kernels::blas2_wide_family, a, packs, Program::GROUP_ITEMS / Program::SHARES,
            kept_groups<CT, knows_cache>(device, a, Program::STEPS));
    };
    if (packs * a.count >= many)
        run(type<kernels::blas2_wide_groups<CT, gemv_group, gemv_group>>{});
    else if (packs * a.count >= some)
        run(type<kernels::blas2_wide_groups<CT, gemv_group, 32>>{});
    else
        run(type<kernels::blas2_wide_groups<CT, gemv_group, 4>>{});
}

template <class CT, class Device>
void gemv_columns_of_batch(Device& device, const heron_gemv_batched_args& a) {
    const int64_t packs = a.m / (16 / static_cast<int64_t>(sizeof(CT)));
    // The registers of so many groups at once hold all that their items have on its way.
    constexpr bool is_double = sizeof(real_of<CT>) > 4;
    constexpr int group = is_double ? gemv_group / 2 : gemv_group;
    constexpr int at_a_time = sizeof(CT) > 8 ? 4 : is_double ? 5 : 3, several = 4;
    const auto run = [&]<class Program>(type<Program>) {
        constexpr int64_t columns = Program::WIDTH / Program::TEAMS;
        launch_numbered<at_once<typename Program::gemv_columns_batch, at_a_time>, CT>(
            device, kernels::blas2_gemv_family, a, (a.n + columns - 1) / columns, Program::TEAMS);
    };
    // Of so many columns there are warps enough with several of them each.
    constexpr int64_t many = 16384;
    if (packs <= 16)
        run(type<kernels::blas2_gemv_groups<CT, group, 4, several>>{});
    else if (packs <= (a.n * a.count >= many ? 512 : 128))
        run(type<kernels::blas2_gemv_groups<CT, group, 16, several>>{});
    else
        run(type<kernels::blas2_gemv_groups<CT, group, 32, 1>>{});
}

// Strips of the rows of a few large items: as gemv_strips 128 of all, of the sizes alone.
struct batch_strips {
    template <class CT>
    batch_strips(type<CT>, const heron_gemv_batched_args& a) {
        constexpr int64_t multiprocessors = 128, sector = 32 / sizeof(CT);
        const int64_t sectors = (a.m + sector - 1) / sector;
        const int64_t wanted = multiprocessors / a.count;
        const int64_t of_strip = wanted > 0 ? (sectors + wanted - 1) / wanted : sectors;
        packs = 2 * of_strip;
        each = (sectors + of_strip - 1) / of_strip;
        count = each * a.count;
    }

    // Nearly all multiprocessors have one, and a strip enough rows and columns for a group.
    template <class CT, int group>
    bool serve(const heron_gemv_batched_args& a) const {
        constexpr int64_t enough = 112, most = 128, pack = 16 / sizeof(CT), least_rows = 16;
        return count >= enough && count <= most && packs * pack >= least_rows && packs <= group / 8 &&
               a.n * packs >= group && !is_within<CT>(8, a.m * a.count, a.n);
    }

    int64_t packs, each, count;
};

// Of one type; others are the shared plan's. large_group: items of the largest groups of a device.
template <class Device, int large_group = gemv_group>
void gemv_batched_by_groups(Device& device, heron_phase phase, const heron_gemv_batched_args& a,
                            heron_workspace& workspace) {
    constexpr int64_t most = int64_t{1} << 31;
    constexpr bool is_large = large_group > gemv_group;
    const bool has_one_type = a.type == a.compute_type && a.type == a.y_type;
    if (!has_one_type || a.count > most / (a.m > a.n ? a.m : a.n))
        return gemv_batched(device, phase, a, workspace);
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    if (has_addresses(a.a) || has_addresses(a.x) || has_addresses(a.y)) device.follow_addresses();
    visit_full(a.type, [&]<class CT>(type<CT>) {
        if (is_transposed(a.op)) return gemv_columns_of_batch<CT>(device, a);
        if constexpr (is_large) {
            using program = kernels::blas2_strips_groups<CT, large_group>;
            const batch_strips strips(type<CT>{}, a);
            if (strips.serve<CT, large_group>(a))
                return launch_batch<at_once<typename program::gemv_strips_batch, 1>, CT>(
                    device, kernels::blas2_strips_family, a, strips.count, static_cast<int>(strips.packs),
                    static_cast<int>(strips.each),
                    kept_steps<CT>(device, a.m * a.count, a.n, program::STEPS));
        }
        gemv_rows_of_batch<CT, is_large>(device, a);
    });
}

// What kernels of elements get: tiles of rows and columns, in the order of their arguments behind the sizes.
template <class Kernel, class Program, class Device, class... Args>
void launch_tiles(Device& device, int64_t m, int64_t n, Args... args) {
    constexpr int64_t columns = Program::UPDATES * Program::SHARES;
    const int64_t tiles = (m + Program::ROWS - 1) / Program::ROWS * ((n + columns - 1) / columns);
    device.template launch_groups<Kernel>(kernels::blas2_wide_family, tiles, heron_index{m}, heron_index{n},
                                          args...);
}

template <class Device>
void ger_by_groups(Device& device, heron_phase phase, const heron_ger_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        const auto alpha = as_argument<CT>(a.alpha);
        visit_elements<CT>(a.m, a.n, [&]<class Program>(type<Program>) {
            launch_tiles<typename Program::ger_tiles, Program>(
                device, a.m, a.n, alpha.value, alpha.device, int{a.conjugate_x}, as<const CT>(a.x.memory),
                heron_index{a.x.offset}, heron_index{a.x.inc}, int{a.conjugate_y}, as<const CT>(a.y.memory),
                heron_index{a.y.offset}, heron_index{a.y.inc}, as<CT>(a.a.memory), heron_index{a.a.offset},
                heron_index{a.a.ld});
        });
    });
}

template <class Device>
void dgmm_by_groups(Device& device, heron_phase phase, const heron_dgmm_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        visit_elements<CT>(a.m, a.n, [&]<class Program>(type<Program>) {
            launch_tiles<typename Program::dgmm_tiles, Program>(
                device, a.m, a.n, int{a.side == HERON_SIDE_LEFT}, as<const CT>(a.a.memory),
                heron_index{a.a.offset}, heron_index{a.a.ld}, as<const CT>(a.x.memory),
                heron_index{a.x.offset}, heron_index{a.x.inc}, as<CT>(a.c.memory), heron_index{a.c.offset},
                heron_index{a.c.ld});
        });
    });
}

template <class Device>
void geam_by_groups(Device& device, heron_phase phase, const heron_geam_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    const bool turned_a = is_transposed(a.op_a), turned_b = is_transposed(a.op_b);
    visit_full(a.type, [&]<class CT>(type<CT>) {
        const auto alpha = as_argument<CT>(a.alpha);
        const auto beta = as_argument<CT>(a.beta);
        if (!turned_a && !turned_b)
            return visit_elements<CT>(a.m, a.n, [&]<class Program>(type<Program>) {
                launch_tiles<typename Program::geam_tiles, Program>(
                    device, a.m, a.n, alpha.value, alpha.device, as<const CT>(a.a.memory),
                    heron_index{a.a.offset}, heron_index{a.a.ld}, int{is_conjugated(a.op_a)}, beta.value,
                    beta.device, as<const CT>(a.b.memory), heron_index{a.b.offset}, heron_index{a.b.ld},
                    int{is_conjugated(a.op_b)}, as<CT>(a.c.memory), heron_index{a.c.offset},
                    heron_index{a.c.ld});
            });
        constexpr int tile = sizeof(CT) > 4 ? 32 : 64;
        using program = kernels::blas2_turned_groups<CT, gemv_group, tile>;
        device.template launch_groups<typename program::geam_turned>(
            kernels::blas2_turned_family, (a.m + tile - 1) / tile * ((a.n + tile - 1) / tile),
            heron_index{a.m}, heron_index{a.n}, alpha.value, alpha.device, as<const CT>(a.a.memory),
            heron_index{a.a.offset}, heron_index{a.a.ld}, int{turned_a}, int{is_conjugated(a.op_a)},
            beta.value, beta.device, as<const CT>(a.b.memory), heron_index{a.b.offset}, heron_index{a.b.ld},
            int{turned_b}, int{is_conjugated(a.op_b)}, as<CT>(a.c.memory), heron_index{a.c.offset},
            heron_index{a.c.ld});
    });
}

// What an item has of a tile is on its way at once.
template <class CT>
inline constexpr int symv_tile = sizeof(CT) > 8 ? 32 : 64;

// In one launch, which reads each stored element twice.
template <class CT, class Device>
void symv_by_rows(Device& device, const heron_symv_args& a) {
    using program = kernels::blas2_symv_groups<CT, gemv_group, symv_tile<CT>>;
    const auto alpha = as_argument<CT>(a.alpha);
    const auto beta = as_argument<CT>(a.beta);
    device.template launch_groups<typename program::symv_rows>(
        kernels::blas2_symv_family, (a.n + program::ROWS - 1) / program::ROWS, heron_index{a.n},
        int{a.fill == HERON_FILL_LOWER}, int{a.hermitian}, int{a.conjugate}, alpha.value, alpha.device,
        storage_code(a.a), as<const CT>(a.a.memory), heron_index{a.a.offset}, heron_index{a.a.ld},
        as<const CT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc}, beta.value, beta.device,
        as<CT>(a.y.memory), heron_index{a.y.offset}, heron_index{a.y.inc});
}

// In two, which reads it once.
template <class CT, class Device>
void symv_by_blocks(Device& device, heron_phase phase, const heron_symv_args& a, heron_workspace& workspace) {
    constexpr int tile = symv_tile<CT>;
    // Small blocks keep a device busy with small matrices; large ones leave fewer sums.
    const int width = a.n <= 16384 ? 1 : a.n <= 65536 ? 2 : 4;
    const int blocks = static_cast<int>((a.n + width * tile - 1) / (width * tile));
    workspace_layout layout(phase, workspace);
    CT* partial = layout.template take<CT>(a.n * blocks);
    if (phase != HERON_PHASE_RUN) return;
    partial = device.temporary(partial, a.n * blocks);
    const auto alpha = as_argument<CT>(a.alpha);
    using kernel = typename kernels::blas2_symv_groups<CT, gemv_group, tile>::symv_blocks;
    device.template launch_groups<kernel>(
        kernels::blas2_symv_family, int64_t{blocks} * blocks, heron_index{a.n}, int{blocks}, int{width},
        int{a.fill == HERON_FILL_LOWER}, int{a.hermitian}, int{a.conjugate}, alpha.value, alpha.device,
        storage_code(a.a), as<const CT>(a.a.memory), heron_index{a.a.offset}, heron_index{a.a.ld},
        as<const CT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc}, partial);
    join_parts<CT>(device, a, a.n, blocks, static_cast<const CT*>(partial));
}

template <class Device>
void symv_by_groups(Device& device, heron_phase phase, const heron_symv_args& a, heron_workspace& workspace) {
    if (a.a.storage == HERON_STORAGE_BANDED) return sbmv_by_groups(device, phase, a, workspace);
    constexpr int64_t few_rows = 1024;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        if (a.n > few_rows) return symv_by_blocks<CT>(device, phase, a, workspace);
        workspace_layout(phase, workspace);
        if (phase == HERON_PHASE_RUN) symv_by_rows<CT>(device, a);
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

template <class Kernel, class CT, class Device>
void launch_chain(Device& device, const heron_trsv_args& a, int64_t blocks, CT* memory) {
    device.template launch_groups<Kernel>(
        kernels::blas2_chain_family, blocks, heron_index{a.n}, is_lower(a), int{is_transposed(a.op)},
        int{is_conjugated(a.op)}, int{a.diag == HERON_DIAG_UNIT}, storage_code(a.a), as<const CT>(a.a.memory),
        heron_index{a.a.offset}, heron_index{a.a.ld}, triangle_band(a.a, a.n), as<CT>(a.x.memory),
        heron_index{a.x.offset}, heron_index{a.x.inc}, memory);
}

// All of it in one launch, for devices on which groups may wait for others that came before.
template <class Device>
void trsv_by_chain(Device& device, heron_phase phase, const heron_trsv_args& a, heron_workspace& workspace) {
    visit_full(a.type, [&]<class CT>(type<CT>) {
        using word = typename word_of<CT>::type;
        // A triangle that is alone in local memory, and of several what a group has of its block in
        // registers.
        constexpr int alone = sizeof(CT) > 8 ? 32 : 64, block = sizeof(CT) > sizeof(real_of<CT>) ? 32 : 64;
        using one = kernels::blas2_chain_groups<CT, word, gemv_group, alone>;
        using several = kernels::blas2_chain_groups<CT, word, gemv_group, block>;
        const int64_t blocks = (a.n + block - 1) / block;
        const int64_t room = a.n > alone ? blocks * block + several::CONTROL : 0;
        workspace_layout layout(phase, workspace);
        CT* memory = nullptr;
        if (room > 0) memory = layout.template take<CT>(room);
        if (phase != HERON_PHASE_RUN) return;
        if (room == 0) return launch_chain<typename one::chain_alone, CT>(device, a, 1, memory);
        memory = device.temporary(memory, room);
        device.template launch<kernels::blas2_unset<CT>>(kernels::blas2, room, memory);
        launch_chain<typename several::chain_blocks, CT>(device, a, blocks, memory);
    });
}

}  // namespace heron::HERON_LEVEL::plans
