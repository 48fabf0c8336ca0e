#pragma once
// Chooses and launches the SpMV kernels for one row of the table of data types.
//
// CSR without transposition has five ways. Where rows are alike, which ANALYSE finds out or the second
// product of a matrix (known_rows.hpp), multiply_row_vectors is the fastest for long rows,
// multiply_row_blocks for few long rows and multiply_rows for short ones, unless ANALYSE found what takes the
// place of the columns (narrow.hpp); multiply_tiles takes any matrix. All but the narrow way are right for
// every matrix, so a plan that no longer fits costs time only.
#include "cuda/runtime/group_words.cuh"
#include "common/runtime/known_scalars.hpp"
#include "cuda/runtime/scan.hpp"

#include "cuda/runtime/scale_lines.cuh"
#include "common/spmv/columns.hpp"
#include "coo.cuh"
#include "formats.cuh"
#include "known_rows.hpp"
#include "narrow.hpp"
#include "rows.cuh"
#include "transposed.cuh"
#include "tuned.hpp"
#include "vectors.cuh"
#include <bit>
#include <memory>
#include <optional>

namespace heron::HERON_LEVEL {

struct csr_plan final : plan_of<csr_plan> {
    row_choice rows;
    narrow_plan narrow;
    void* memory = nullptr;  // the workspace that holds the cuts of the tiles, where multiply_tiles is used
    std::optional<plans::turned_pattern> by_columns;  // in that workspace
};

template <class VA, class VX, class VY, class CT, class OT, class IT>
class spmv_launcher {
    using operands = product<VA, VX, VY, CT, OT, IT>;
    using turned = plans::turned_spmv<cuda_device, CT, 512>;
    using scatter_operands = product<VA, VX, CT, CT, OT, IT>;
    static constexpr bool adds_into_y = std::is_same_v<VY, CT>;
    static constexpr int64_t least_starts = 9;
    // What the transposed product with a pattern is built for.
    static constexpr bool has_patterns = std::is_same_v<VA, CT> && std::is_same_v<VX, CT> && adds_into_y &&
                                         (sizeof(CT) == 4 || sizeof(CT) == 8) && !std::is_same_v<CT, i32> &&
                                         std::is_same_v<OT, i32> && std::is_same_v<IT, i32>;
    // What narrow products are built for.
    static constexpr bool may_be_narrow =
        std::is_same_v<VA, CT> && std::is_same_v<VX, CT> && adds_into_y && !std::is_same_v<CT, i32>;

  public:
    spmv_launcher(cuda_device& device, heron_phase phase, const heron_spmv_args& args,
                  heron_workspace& workspace)
        : device_(device), phase_(phase), args_(args), a_(args.a), workspace_(workspace) {}

    void apply() {
        const bool transposed = plans::is_transposed(args_.op);
        const bool deterministic = args_.reproducibility == HERON_DETERMINISTIC;
        if (a_.format == HERON_FORMAT_CSR) return transposed ? csr_transposed() : csr();
        if (a_.format == HERON_FORMAT_COO && (transposed || !deterministic)) return coo();
        if (a_.format == HERON_FORMAT_SELL) return transposed ? sell_scattered() : sell();
        if (a_.format == HERON_FORMAT_BSR && !transposed && a_.block_rows * a_.block_cols <= warp_size)
            return bsr_small();
        plans::spmv_plan<cuda_device, VA, VX, VY, CT, OT, IT, rest_of_products>(device_, phase_, args_,
                                                                                workspace_)
            .apply();
    }

  private:
    // CSR and SELL have kernels here for all operations.
    struct rest_of_products {
        static constexpr bool csr = false, sell = false;
    };

    // In the workspace. What any product without an analysis writes first lies where the first stamp of the
    // narrow columns is.
    struct csr_memory {
        tile_memory<CT> tiles;
        narrow_columns narrow;

        // Of measure_rows; read before starts are written, or written when they have been read.
        unsigned* most() const { return reinterpret_cast<unsigned*>(tiles.starts); }
    };

    csr_memory lay_out_csr(int64_t tiles) {
        static_assert(sizeof(int64_t) * least_starts >= sizeof(unsigned) * (row_candidates::count + 1));
        workspace_layout layout(phase_, workspace_);
        csr_memory memory{};
        memory.tiles.starts = layout.take<int64_t>(std::max<int64_t>(tiles + 1, least_starts));
        memory.tiles.heads = layout.take<CT>(tiles);
        memory.tiles.carries = layout.take<CT>(tiles);
        if (may_be_narrow && can_be_narrow(a_))
            memory.narrow = lay_out_narrow_columns(layout, a_, memory.tiles.starts);
        return memory;
    }

    void csr() {
        const int64_t tiles = tile_count(a_.rows, a_.nnz, tile_items<CT>);
        const csr_memory memory = lay_out_csr(tiles);
        if (phase_ == HERON_PHASE_ANALYSE) analyse(tiles, memory);
        if (phase_ != HERON_PHASE_RUN || a_.rows == 0) return;
        row_report report;
        const csr_plan* const plan = plan_of_this_workspace();
        if (plan && multiplies_narrow(*plan, memory.narrow)) return;
        const row_choice rows = plan ? plan->rows : choice_without_plan(report);
        if (rows.threads_per_row > 0 && has_aligned_quads())
            by_row_blocks(rows.threads_per_row);
        else if (rows.lanes_per_row > 0 && has_aligned_quads())
            by_row_vectors(rows.lanes_per_row);
        else if (rows.rows_per_tile > 0)
            by_rows(rows);
        else
            launch_tiles(device_, csr_operands(), one_column, tiles, plan != nullptr, memory.tiles);
        if (report.words) measure_for_later(memory.most(), report);
    }

    bool multiplies_narrow(const csr_plan& plan, const narrow_columns& columns) {
        if constexpr (may_be_narrow) {
            if (plan.narrow.kind == narrow_kind::none || !has_aligned_values()) return false;
            multiply_narrow<CT>(device_, args_, columns, plan.narrow);
            return true;
        }
        return false;
    }

    // Sums of one row in another order have other bits, so deterministic products always take the same way.
    row_choice choice_without_plan(row_report& report) {
        if (args_.reproducibility == HERON_DETERMINISTIC || a_.nnz == 0) return {};
        const auto kernel = reinterpret_cast<const void*>(&multiply_rows<VA, VX, VY, CT, OT, IT>);
        return known_rows::of_process().ask(
            {kernel, a_.offsets, a_.rows, a_.nnz, device_.number()}, report,
            [&](const unsigned* found) { return choice_of(found); },
            [&] { return !is_capturing(device_.stream()); });
    }

    void measure_for_later(unsigned* most, const row_report& report) {
        static_assert(row_candidates::count < known_rows::most_words);
        launch_measurement(most);
        device_.launch_blocks(report_rows, 1, warp_size, 0, static_cast<const unsigned*>(most), report.words,
                              known_rows::most_words, report.stamp);
    }

    const csr_plan* plan_of_this_workspace() const {
        const auto* const plan = plan_as<csr_plan>(workspace_.plan);
        return plan && plan->memory == workspace_.memory ? plan : nullptr;
    }

    bool has_aligned_values() const { return reinterpret_cast<uintptr_t>(a_.values) % quad<VA>::piece == 0; }
    bool has_aligned_quads() const {
        return reinterpret_cast<uintptr_t>(a_.indices) % quad<IT>::piece == 0 && has_aligned_values();
    }

    void by_row_vectors(int lanes) {
        const int64_t rows_per_block = block_threads / lanes;
        launch_early(device_, multiply_row_vectors<VA, VX, VY, CT, OT, IT>,
                     (a_.rows + rows_per_block - 1) / rows_per_block, block_threads, csr_operands(),
                     std::countr_zero(static_cast<unsigned>(lanes)));
    }

    void by_row_blocks(int threads) {
        launch_early(device_, multiply_row_blocks<VA, VX, VY, CT, OT, IT>, a_.rows, threads, csr_operands());
    }

    // Lanes for multiply_row_vectors, 0 if the rows are too short for it: four elements each cover most of a
    // row of mean length, but no more lanes than fill a 128-byte line with indices, or half of the device.
    int lanes_of_rows() const {
        constexpr int64_t shortest_mean = 12;
        constexpr int64_t lanes_of_line = 8;
        const int64_t mean = a_.nnz / a_.rows;
        if (mean < shortest_mean) return 0;
        const int64_t half = int64_t{1024} * device_.multiprocessors();
        const int64_t most = std::clamp<int64_t>(half / a_.rows, lanes_of_line, warp_size);
        return static_cast<int>(std::bit_floor(static_cast<uint64_t>(std::min(mean / quad<VA>::size, most))));
    }

    // Threads for multiply_row_blocks, two quads each, where all blocks are at work at once and no row is
    // much longer than the mean; 0 if the matrix is not one for it.
    int threads_of_rows(int64_t longest) const {
        constexpr int64_t shortest_mean = 128, longest_mean = 4096, longest_of_mean = 4;
        const int64_t mean = a_.nnz / a_.rows;
        if (mean < shortest_mean || mean > longest_mean || longest > longest_of_mean * mean) return 0;
        if (a_.rows > int64_t{8} * device_.multiprocessors()) return 0;
        const auto threads = static_cast<uint64_t>(mean / (2 * quad<VA>::size));
        return static_cast<int>(std::clamp<uint64_t>(std::bit_ceil(threads), warp_size, block_threads));
    }

    void by_rows(const row_choice& rows) {
        launch_early(device_, multiply_rows<VA, VX, VY, CT, OT, IT>, rows.blocks, block_threads,
                     csr_operands(), rows.rows_per_tile, row_shares{rows.lane_bits, rows.batch});
    }

    void find_starts(int64_t tiles, int64_t* starts) {
        launch_find_tiles<CT>(device_, list(), tiles, starts);
    }

    // Waits for the device, so it leaves no plan while the stream is captured; RUN does without.
    void analyse(int64_t tiles, const csr_memory& memory) {
        if (a_.rows == 0 || a_.nnz == 0 || is_capturing(device_.stream())) return;
        auto plan = std::make_unique<csr_plan>();
        plan->memory = workspace_.memory;
        unsigned found[row_candidates::count + 1] = {};
        launch_measurement(memory.most());
        device_.read(found, memory.most(), sizeof found);
        plan->rows = choice_of(found);
        if (plan->rows.rows_per_tile == 0)
            find_starts(tiles, memory.tiles.starts);
        else if (memory.narrow.front)
            plan->narrow = find_narrow_columns(device_, a_, args_.reproducibility, memory.narrow);
        workspace_.plan = plan.release();
    }

    void launch_measurement(unsigned* most) {
        constexpr int octet = 8;
        device_.fill(most, 0, (row_candidates::count + 1) * sizeof *most);
        device_.launch_blocks(measure_rows<OT>,
                              (a_.rows + octet * block_threads - 1) / (octet * block_threads), block_threads,
                              0, offsets(), a_.rows, row_candidates{}, most);
    }

    // Of what measure_rows has found.
    row_choice choice_of(const unsigned* found) {
        row_choice choice = choice_of_tiles(found);
        choice.threads_per_row = threads_of_rows(found[row_candidates::count]);
        return choice;
    }

    row_choice choice_of_tiles(const unsigned* found) {
        row_choice choice;
        constexpr int64_t longest_of_lane = 64;
        choice.rows_per_tile = rows_per_tile_of(found);
        if (choice.rows_per_tile == 0) return choice;
        choice.lanes_per_row = lanes_of_rows();
        // A lane's share of a row of mean length is cut into batches of one size.
        const int lanes = lanes_per_row(choice.rows_per_tile);
        const int64_t share = std::max<int64_t>((a_.nnz / a_.rows + lanes) / lanes, 1);
        const int64_t batches = (share + row_shares::most_batch<CT> - 1) / row_shares::most_batch<CT>;
        choice.lane_bits = std::countr_zero(static_cast<unsigned>(lanes));
        choice.batch = static_cast<int>((share + batches - 1) / batches);
        const int64_t row_tiles = (a_.rows + choice.rows_per_tile - 1) / choice.rows_per_tile;
        // In a small matrix its lanes would still be at a long row when all others have ended.
        const int of_row = choice.lanes_per_row > 0 ? choice.lanes_per_row : lanes;
        const int64_t longest = found[row_candidates::count];
        if (longest > longest_of_lane * of_row && row_tiles < int64_t{2} * device_.multiprocessors())
            return {};
        choice.blocks =
            std::min(row_tiles, device_.blocks_at_once(multiply_rows<VA, VX, VY, CT, OT, IT>, block_threads));
        return choice;
    }

    // Rows per tile for multiply_rows: as many as fit a stage everywhere; 0 where that leaves most of a stage
    // empty.
    int rows_per_tile_of(const unsigned* found) const {
        using tile = row_tile<VA, IT>;
        constexpr int octet = 8;
        const row_candidates candidates;
        const unsigned longest = std::max(found[row_candidates::count], 1u);
        // Rows of one length fit more exactly than any candidate says.
        int best = static_cast<int>(std::min<unsigned>(tile::usable / longest, tile::most_rows));
        if (best > octet) best = best / octet * octet;
        for (int c = 0; c < row_candidates::count; ++c)
            if (found[c] <= static_cast<unsigned>(tile::usable)) best = std::max(best, candidates.rows[c]);
        const double mean = static_cast<double>(a_.nnz) / static_cast<double>(a_.rows);
        const bool fills = best * (mean + 1) >= 0.4 * tile::usable || best == tile::most_rows;
        return fills ? best : 0;
    }

    void csr_transposed() {
        if constexpr (has_patterns)
            if (turned::serves(a_) && !has_few_elements()) return csr_with_pattern();
        csr_scattered();
    }

    void csr_with_pattern() {
        if (phase_ == HERON_PHASE_SIZE) return size_of_patterns();
        if (phase_ == HERON_PHASE_ANALYSE) return analyse_columns();
        const csr_plan* const plan = plan_of_this_workspace();
        if (plan && plan->by_columns) return with_pattern().run(*plan->by_columns);
        csr_scattered();
    }

    // One workspace serves all ways.
    void size_of_patterns() {
        with_pattern();
        const size_t bytes = workspace_.size;
        csr_scattered();
        workspace_.size = std::max(workspace_.size, bytes);
    }

    // Waits for the device, so it leaves no plan while the stream is captured.
    void analyse_columns() {
        if (is_capturing(device_.stream())) return;
        const std::optional<plans::turned_pattern> found = with_pattern().analyse();
        if (!found) return csr_scattered();
        auto plan = std::make_unique<csr_plan>();
        plan->memory = workspace_.memory;
        plan->by_columns = found;
        workspace_.plan = plan.release();
    }

    // 160 KiB of local memory for the columns of a tile. Warps that merge short rows in registers are faster
    // than additions of single precision in shared memory.
    turned with_pattern() {
        constexpr int map_words = 40 * 1024;
        return {device_,
                phase_,
                args_,
                workspace_,
                {map_words, 1, false, sizeof(CT) == 4, int64_t{device_.multiprocessors()}}};
    }

    void csr_scattered() {
        workspace_layout layout(phase_, workspace_);
        const int64_t tiles = tile_count(a_.rows, a_.nnz, tile_items<CT>);
        auto* const starts = layout.take<int64_t>(tiles + 1);
        CT* const out = accumulator(layout);
        if (phase_ == HERON_PHASE_ANALYSE && tiles > 0 && !is_capturing(device_.stream())) {
            auto plan = std::make_unique<csr_plan>();
            plan->memory = workspace_.memory;
            find_starts(tiles, starts);
            workspace_.plan = plan.release();
        }
        if (phase_ != HERON_PHASE_RUN) return;
        const bool has_starts = plan_of_this_workspace() || tiles == 0;
        const scalar_argument<CT> scale = adds_into_y ? beta_ : scalar_argument<CT>{CT{}, nullptr};
        if (fits_a_block()) {
            scatter_at_once(out, scale);
            return finish(out);
        }
        const bool scales = !is_known_one(scale);
        if (has_few_elements()) {
            scale_sums(out, scale);
            scatter_one_by_one(out, !scales);
            return finish(out);
        }
        if (has_starts && is_known_zero(scale)) {
            clear(out);
        } else if (scales || !has_starts) {
            const int64_t threads = std::max(args_.y.size, has_starts ? 0 : (tiles + 1) * warp_size);
            launch_early(device_, prepare_transposed<CT, OT>, (threads + block_threads - 1) / block_threads,
                         block_threads, out, args_.y.size, scale, list(), tiles,
                         has_starts ? nullptr : starts);
        }
        launch_early(device_, scatter_tiles<VA, VX, CT, OT, IT>, tiles, block_threads, scattered(out, 0),
                     starts);
        finish(out);
    }

    void clear(CT* out) { device_.fill(out, 0, static_cast<size_t>(args_.y.size) * sizeof *out); }

    // So few that additions of single elements are over sooner than tiles of them are there (spmv-18).
    bool has_few_elements() const {
        constexpr int64_t most = INT32_MAX / 2;
        return a_.nnz <= int64_t{4096} * device_.multiprocessors() && a_.rows <= most && a_.cols <= most;
    }

    // So few that a second launch would take longer than one block does for all of it.
    bool fits_a_block() const {
        constexpr int64_t most_elements = 2048, most_places = 16384;
        return has_few_elements() && a_.nnz > 0 && a_.nnz <= most_elements && args_.y.size <= most_places;
    }

    void scatter_one_by_one(CT* out, bool is_first) {
        constexpr int threads = 64;
        auto p = few(out);
        p.share(warp_size, device_.multiprocessors(), 1);
        p.is_first = is_first;
        launch_early(device_, scatter_few<IT, VA, VX, CT>, p.blocks_of_item(threads), threads, p);
    }

    // In one block, which scales before.
    void scatter_at_once(CT* out, const scalar_argument<CT>& scale) {
        constexpr int warps = few_threads / warp_size;
        auto p = few(out);
        p.share(warp_size, device_.multiprocessors(), 1);
        p.turns = (p.tiles + warps - 1) / warps;
        p.is_first = true;
        p.scales = !is_known_one(scale);
        p.beta = scale;
        launch_early(device_, scatter_few<IT, VA, VX, CT>, 1, few_threads, p);
    }

    few_elements<VA, VX, CT> few(CT* out) const {
        few_elements<VA, VX, CT> p{};
        p.set_matrix(a_, 1);
        p.values = values();
        p.x = x();
        p.out = out;
        p.size = args_.y.size;
        p.to_columns = plans::is_transposed(args_.op);
        p.conjugate = conjugated();
        p.alpha = alpha_;
        return p;
    }

    void coo() {
        workspace_layout layout(phase_, workspace_);
        CT* const out = accumulator(layout);
        if (phase_ != HERON_PHASE_RUN) return;
        const scalar_argument<CT> scale = adds_into_y ? beta_ : scalar_argument<CT>{CT{}, nullptr};
        if (fits_a_block()) {
            scatter_at_once(out, scale);
            return finish(out);
        }
        scale_sums(out, scale);
        const bool transposed = plans::is_transposed(args_.op);
        const auto* const to = as<const IT>(transposed ? a_.indices : a_.row_indices);
        const auto* const from = as<const IT>(transposed ? a_.row_indices : a_.indices);
        const product<VA, VX, CT, CT, IT, IT> p{nullptr, from,    values(),     x() - a_.base, out, a_.rows,
                                                a_.nnz,  a_.base, conjugated(), alpha_,        {}};
        launch_scatter_coo(device_, p, to, one_column, is_known_one(scale));
        finish(out);
    }

    void scale_sums(CT* out, const scalar_argument<CT>& scale) {
        const int64_t size = args_.y.size;
        if (!is_known_one(scale)) launch_scale_lines(device_, out, {1, size, size, 1, 0}, scale);
    }

    void sell() {
        workspace_layout(phase_, workspace_);
        if (phase_ == HERON_PHASE_RUN) launch_slices(multiply_slices<VA, VX, VY, CT, OT, IT>, csr_operands());
    }

    void sell_scattered() {
        workspace_layout layout(phase_, workspace_);
        CT* const out = accumulator(layout);
        if (phase_ != HERON_PHASE_RUN) return;
        const scalar_argument<CT> scale = adds_into_y ? beta_ : scalar_argument<CT>{CT{}, nullptr};
        scale_sums(out, scale);
        launch_slices(scatter_slices<VA, VX, CT, OT, IT>, scattered(out, 0), int{is_known_one(scale)});
        finish(out);
    }

    template <class Operands, class... More>
    void launch_slices(void (*kernel)(Operands, int64_t, int, More...), const Operands& p, More... more) {
        if (a_.rows == 0) return;
        const int bits = share_bits_of_slices();
        // Few rows are spread over all multiprocessors.
        constexpr int64_t fewest_threads = 64;
        const int64_t threads = a_.rows << bits < block_threads * int64_t{device_.multiprocessors()}
                                    ? fewest_threads
                                    : block_threads;
        const int64_t rows_of_block = threads >> bits;
        const int64_t blocks = (a_.rows + rows_of_block - 1) / rows_of_block;
        launch_early(device_, kernel, blocks, threads, p, a_.slice_size, bits, more...);
    }

    // Threads per row: what fills the device, as long as each has a few elements and a warp's rows are
    // neighbours.
    int share_bits_of_slices() const {
        constexpr int most_bits = 3;
        constexpr int64_t least_elements = elements_of_slice_batch<CT> / 2;
        const int64_t threads = int64_t{2048} * device_.multiprocessors();
        const int64_t width = a_.values_size / a_.rows;
        int bits = 0;
        while (bits < most_bits && a_.rows << bits < threads && width >> (bits + 1) >= least_elements) ++bits;
        return bits;
    }

    void bsr_small() {
        workspace_layout(phase_, workspace_);
        if (phase_ != HERON_PHASE_RUN) return;
        const int64_t block_rows = a_.rows / a_.block_rows;
        const small_blocks shape{static_cast<int>(a_.block_rows), static_cast<int>(a_.block_cols),
                                 a_.block_order == HERON_ORDER_ROW};
        launch_early(device_, multiply_small_blocks<VA, VX, VY, CT, OT, IT>,
                     (block_rows + block_warps - 1) / block_warps, block_threads, csr_operands(), shape,
                     block_rows);
    }

    // Where atomic additions go: y itself, or a workspace of compute type for a y of another type.
    CT* accumulator(workspace_layout& layout) {
        if constexpr (adds_into_y)
            return y();
        else
            return layout.take<CT>(args_.y.size);
    }

    // alpha is in the sums already.
    void finish(const CT* out) {
        if constexpr (!adds_into_y) {
            const scalar_argument<CT> unit{scalar_value<CT>(1, 0), nullptr};
            device_.launch<kernels::finish<VA, VX, VY, CT, OT, IT>>(
                kernels::spmv, args_.y.size, out, y(), unit.value, unit.device, beta_.value, beta_.device);
        }
    }

    operands csr_operands() const {
        return {offsets(), indices(), values(),     x() - a_.base, y(),  a_.rows,
                a_.nnz,    a_.base,   conjugated(), alpha_,        beta_};
    }
    scatter_operands scattered(CT* out, int64_t x_shift) const {
        return {offsets(), indices(), values(),     x() - x_shift, out, a_.rows,
                a_.nnz,    a_.base,   conjugated(), alpha_,        {}};
    }
    merged_list<OT> list() const { return {offsets(), a_.rows, a_.nnz, a_.base}; }

    const OT* offsets() const { return as<const OT>(a_.offsets); }
    const IT* indices() const { return as<const IT>(a_.indices); }
    const VA* values() const { return as<const VA>(a_.values); }
    const VX* x() const { return as<const VX>(args_.x.values); }
    VY* y() const { return as<VY>(args_.y.values); }
    int conjugated() const { return plans::is_conjugated(args_.op); }

    cuda_device& device_;
    const heron_phase phase_;
    const heron_spmv_args& args_;
    const heron_spmat& a_;
    heron_workspace& workspace_;
    const scalar_argument<CT> alpha_ = as_argument<CT>(args_.alpha);
    const scalar_argument<CT> beta_ = as_argument<CT>(args_.beta);
};

template <class VA, class VX, class VY, class CT>
void tuned_spmv(cuda_device& device, heron_phase phase, const heron_spmv_args& args,
                heron_workspace& workspace) {
    // COO has no offsets: any index width that pairs with its indices will do.
    const heron_index_type offset_type =
        args.a.format == HERON_FORMAT_COO ? HERON_INDEX_64 : args.a.offset_type;
    visit_offsets_and_indices(offset_type, args.a.index_type, [&]<class OT, class IT>(type<OT>, type<IT>) {
        spmv_launcher<VA, VX, VY, CT, OT, IT>(device, phase, args, workspace).apply();
    });
}

}  // namespace heron::HERON_LEVEL
