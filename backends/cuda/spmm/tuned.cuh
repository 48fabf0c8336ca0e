#pragma once
// Chooses and launches the SpMM kernels for one row of the table of data types.
//
// CSR, and COO whose rows ascend, are multiplied by rows; the offsets of COO are found once where ANALYSE is
// called. A transposed matrix is sorted by columns first, once likewise, and then multiplied by rows too. A B
// by columns is copied into rows, strip by strip where all of it would take more workspace than A warrants,
// unless an analysis finds that rows can read it as it is. Small products are launches more than work: B is
// read where it is, and what is not CSR is added to C element by element. What must be deterministic although
// it is transposed goes to the shared plan, and so do the matrices of blocks that blocks.hpp and
// small_blocks.hpp do not take.
#include "down.cuh"
#include "row_offsets.cuh"
#include "rows.cuh"
#include "scatter.cuh"
#include "tuned.hpp"
#include "turned.cuh"
#include "common/runtime/known_scalars.hpp"
#include "cuda/runtime/scan.hpp"
#include "cuda/spmv/coo.cuh"
#include "cuda/spmv/tiles.cuh"
#include "common/spmm/sorted_columns.hpp"
#include "common/spmm/strips.hpp"
#include <bit>
#include <memory>

namespace heron::HERON_LEVEL {

template <class VA, class VC, class CT, class OT, class IT>
class spmm_launcher {
    using product = spmm_product<VA, VC, CT, OT, IT>;
    using elements = spmm_elements<OT, IT>;
    using generic = plans::spmm_plan<cuda_device, VA, VC, CT, OT, IT>;
    static constexpr int width = vector_of<VA>::size;
    static constexpr bool adds_into_c = std::is_same_v<VC, CT>;
    static constexpr int most_lane_bits = 4;
    static constexpr int64_t places_of_group = 8;
    static constexpr int most_scatter_turns = 8;
    static constexpr int pair_columns = 2;
    static constexpr int64_t most_of_line = 512;  // additions that fall on one place of C

  public:
    spmm_launcher(cuda_device& device, heron_phase phase, const heron_spmm_args& args,
                  heron_workspace& workspace)
        : device_(device), phase_(phase), args_(args), a_(args.a), workspace_(workspace) {}

    void apply() {
        if (scatters_pair() || takes_few_additions(phase_ == HERON_PHASE_RUN && !has_pattern()))
            return scatter();
        if (is_pair() && takes_rows()) return csr_pair();
        if (fits() && takes_rows()) return csr();
        if constexpr (adds_into_c)
            if (fits() && takes_coo()) return coo();
        if (fits() && takes_columns()) return by_columns();
        generic(device_, phase_, args_, workspace_).apply();
    }

  private:
    // Of A's elements and C's columns.
    int64_t products() const { return a_.nnz * args_.c.cols * batches(); }

    // Where even one vector of each of B's rows is more than A warrants, A has so few elements that the
    // shared plan, which copies nothing, serves it better.
    bool fits() const { return !needs_turned_b() || bytes_for(strip_) <= strip_budget(); }

    bool is_transposed() const { return plans::is_transposed(args_.op); }
    bool takes_rows() const { return a_.format == HERON_FORMAT_CSR && !is_transposed(); }
    // What an analysis leaves of COO or of a transposed matrix.
    bool has_pattern() const {
        return row_offsets_plan::of(workspace_) || sorted_columns_plan::of(workspace_);
    }
    // Whether C gets so few additions that the product by rows would take longer; alone, where A would be
    // sorted or its offsets found for it, it takes longer than after an analysis. A group of lanes adds up
    // the elements of a row of COO that it has. What SIZE, which does not know whether there will be an
    // analysis, has no workspace for must be added up in both cases.
    bool takes_few_additions(bool alone) const {
        constexpr int64_t most = int64_t{1} << 20;
        const bool by_rows = a_.format == HERON_FORMAT_COO && !is_transposed();
        const bool by_columns =
            (a_.format == HERON_FORMAT_CSR || a_.format == HERON_FORMAT_COO) && is_transposed();
        if (!adds_into_c || !(by_rows || by_columns) || args_.reproducibility == HERON_DETERMINISTIC)
            return false;
        if (a_.nnz == 0 || !fits_scatter() || has_many_elements()) return false;
        const int64_t additions = products() * parts_of<CT>::count;
        if (by_columns) return additions <= most;
        if (additions / std::clamp<int64_t>(mean_of_line(), 1, run_of_scatter()) > most) return false;
        return (alone && args_.b.order == HERON_ORDER_ROW) || products() <= 4 * most;
    }
    // Two columns of more elements than those are multiplied as in SpMV, in fewer launches than by shares,
    // whose groups are single lanes then. Where there are so many that launches no longer count, shares read
    // fewer bytes.
    bool is_pair() const {
        constexpr int64_t most = int64_t{1} << 22;
        return !is_transposed() && args_.c.cols == pair_columns && batches() == 1 && !args_.conjugate_b &&
               has_many_elements() && products() <= most;
    }
    bool scatters_pair() const {
        return is_pair() && adds_into_c && a_.format == HERON_FORMAT_COO &&
               args_.reproducibility != HERON_DETERMINISTIC;
    }
    int64_t mean_of_line() const { return a_.nnz / std::max<int64_t>(args_.c.rows, 1); }
    // For atomic additions one by one: in all, or that fall on one row of C.
    bool has_many_elements() const {
        constexpr int64_t most = 200'000;
        return a_.nnz > most || mean_of_line() > most_of_line;
    }
    // Rows, columns and elements are counted in 32 bits.
    bool fits_scatter() const {
        constexpr int64_t most = INT32_MAX / 16;
        return a_.rows <= most && a_.cols <= most && a_.nnz <= warp_size * most;
    }
    // Unsorted rows are added up in C itself.
    bool takes_coo() const {
        return a_.format == HERON_FORMAT_COO && !is_transposed() && a_.nnz > 0 && batches() == 1;
    }
    // Rows become indices.
    bool takes_columns() const {
        const bool fits = sizeof(IT) == 8 || a_.rows <= INT32_MAX;
        return (a_.format == HERON_FORMAT_CSR || takes_coo_columns()) && is_transposed() &&
               args_.reproducibility != HERON_DETERMINISTIC && fits && a_.offsets_stride == 0 &&
               a_.indices_stride == 0;
    }
    // COO that gets few additions is faster through the shared plan, which takes no workspace.
    bool takes_coo_columns() const {
        constexpr int64_t few_additions = int64_t{1} << 20;
        return a_.format == HERON_FORMAT_COO && adds_into_c && a_.nnz > 0 &&
               products() * parts_of<CT>::count > few_additions && bytes_for(strip_) <= strip_budget();
    }
    // Whether atomic additions to C take less time than sorting A for this product alone, which counts and
    // places each element by one.
    bool adds_rather_than_sorts() const {
        constexpr int64_t most_bytes_apart = int64_t{1} << 24, most_bytes = int64_t{1} << 25;
        constexpr int64_t few = 8;
        const int64_t columns = args_.c.cols;
        const bool is_apart = args_.c.order != HERON_ORDER_ROW;
        const bool has_few_bytes =
            products() * int64_t{sizeof(CT)} <= (is_apart ? most_bytes_apart : most_bytes);
        // Lanes that have elements add up what falls on one place.
        const bool has_few_columns =
            a_.format == HERON_FORMAT_COO ? columns < few : is_apart && columns * parts_of<CT>::count < few;
        return adds_into_c && ((has_few_bytes && !has_many_elements()) || has_few_columns);
    }

    // Whether two columns of C get the products of a transposed CSR one by one in less time than by columns
    // that are known, unless so many fall on one place that they wait for each other.
    bool adds_pair() const {
        return adds_into_c && a_.format == HERON_FORMAT_CSR && args_.c.cols == pair_columns &&
               args_.c.order != HERON_ORDER_ROW && batches() == 1 && fits_scatter();
    }

    void csr() {
        workspace_layout layout(phase_, workspace_);
        take_operands(layout);
        auto* const found = layout.take<columns_found>(1);
        if (phase_ == HERON_PHASE_ANALYSE && may_go_down()) return measure(found);
        if (phase_ != HERON_PHASE_RUN) return;
        const product p = operands(as<const OT>(a_.offsets), indices(), nullptr);
        if (rows_go_down()) return go_down(p);
        multiply(p, {});
    }

    bool rows_go_down() const {
        const auto* const plan = plan_as<spmm_rows_plan>(workspace_.plan);
        return plan && shape_.columns <= plan->columns_down && may_go_down();
    }

    // By the tiles of SpMV.
    void csr_pair() {
        const int64_t tiles = tile_count(a_.rows, a_.nnz, tile_items<CT>);
        workspace_layout layout(phase_, workspace_);
        tile_memory<CT> memory{};
        memory.starts = layout.take<int64_t>(tiles + 1);
        memory.heads = layout.take<CT>(pair_columns * tiles);
        memory.carries = layout.take<CT>(pair_columns * tiles);
        auto* const found = layout.take<columns_found>(1);
        if (phase_ == HERON_PHASE_ANALYSE && may_go_down()) return measure(found);
        if (phase_ != HERON_PHASE_RUN) return;
        const auto* const offsets = as<const OT>(a_.offsets);
        if (rows_go_down()) return go_down(operands(offsets, indices(), nullptr));
        launch_tiles(device_, columns_of_vectors<VC, OT>(offsets, beta_), steps_of_pair(), tiles, false,
                     memory);
    }

    // Whether B would be copied although it and C are by columns.
    bool may_go_down() const {
        return needs_turned_b() && args_.b.order != HERON_ORDER_ROW && args_.c.order != HERON_ORDER_ROW;
    }

    // Waits for the device, so it leaves no plan while the stream is captured; RUN does without.
    void measure(columns_found* found) {
        if (cuda::is_capturing(device_.stream())) return;
        auto plan = std::make_unique<spmm_rows_plan>();
        plan->columns_down = columns_down(as<const OT>(a_.offsets), found);
        workspace_.plan = plan.release();
    }

    int64_t columns_down(const OT* offsets, columns_found* found) {
        device_.fill(found, 0, sizeof *found);
        device_.launch_blocks(measure_columns<VA, OT, IT>, device_.multiprocessors(), spmm_threads, 0,
                              offsets, indices(), a_.rows, int64_t{a_.base}, found);
        columns_found of_matrix{};
        device_.read(&of_matrix, found, sizeof of_matrix);
        return of_matrix.columns_down(sizeof(VA));
    }

    void go_down(const product& p) {
        if (shape_.columns <= few_down_columns)
            launch_down<few_down_columns>(p);
        else
            launch_down<down_columns<CT>>(p);
    }

    template <int columns>
    void launch_down(const product& p) {
        const int64_t parts = (shape_.rows + spmm_threads - 1) / spmm_threads;
        device_.launch_blocks(multiply_down<columns, VA, VC, CT, OT, IT>,
                              parts * tiles_of(shape_.columns, columns) * batches(), spmm_threads, 0, p,
                              batches());
    }

    // As in the shared plan: offsets are found, and a matrix that is not sorted is added up by atomic
    // operations. Of one that an analysis found sorted the offsets are there; where they were overwritten,
    // they are found again for a product that adds nothing up in C.
    void coo() {
        workspace_layout layout(phase_, workspace_);
        const row_offsets<OT> rows(layout, a_);
        auto* const found = layout.take<columns_found>(1);
        take_operands(layout);
        if (phase_ == HERON_PHASE_ANALYSE) return analyse_coo(rows, found);
        if (phase_ == HERON_PHASE_SIZE) return;
        const auto* const plan = row_offsets_plan::of(workspace_);
        const bool goes_down = plan && shape_.columns <= plan->columns_down && may_go_down();
        const bool may_add = plan && !goes_down && args_.reproducibility != HERON_DETERMINISTIC;
        if (!may_add) find_offsets(rows, plan);
        product p = operands(rows.offsets, indices(), nullptr);
        if (goes_down) return go_down(p);
        if (may_add)
            p.guard = {nullptr, rows.front, rows.back, plan->stamp};
        else if (!plan)
            p.guard.flag = rows.unsorted;
        multiply(p, {nullptr, row_indices(), indices(), a_.rows, a_.base});
    }

    void find_offsets(const row_offsets<OT>& rows, const row_offsets_plan* plan) {
        is_pattern_new_ = true;
        spmm_guard made{};
        if (plan)
            made = {nullptr, rows.front, rows.back, plan->stamp};
        else
            device_.fill(rows.unsorted, 0, sizeof *rows.unsorted);
        // Most launches with a plan do nothing.
        const int64_t most_blocks = plan ? int64_t{8} * device_.multiprocessors() : INT64_MAX;
        device_.launch_blocks(find_row_offsets<VA, VC, CT, OT, IT>,
                              std::min(blocks_for(std::max(a_.rows + 1, a_.nnz)), most_blocks), spmm_threads,
                              0, row_indices(), a_.rows, a_.nnz, int64_t{a_.base}, rows, made);
    }

    // Waits for the device, as measure does.
    void analyse_coo(const row_offsets<OT>& rows, columns_found* found) {
        if (cuda::is_capturing(device_.stream())) return;
        find_offsets(rows, nullptr);
        int unsorted = 0;
        device_.read(&unsorted, rows.unsorted, sizeof unsorted);
        if (unsorted) return;
        auto plan = std::make_unique<row_offsets_plan>(workspace_,
                                                       may_go_down() ? columns_down(rows.offsets, found) : 0);
        device_.launch_blocks(set_stamps, 1, 1, 0, rows.front, rows.back, plan->stamp);
        workspace_.plan = plan.release();
    }

    // A transposed matrix.
    void by_columns() {
        workspace_layout layout(phase_, workspace_);
        const sorted_columns<cuda_device, OT, IT> sorted(layout, a_);
        take_operands(layout);
        if (phase_ == HERON_PHASE_SIZE) return;
        // A plan is for matrices that can be multiplied without it: the caller may overwrite the workspace.
        const auto* const known = adds_into_c ? sorted_columns_plan::of(workspace_) : nullptr;
        if (phase_ == HERON_PHASE_RUN && !known && adds_rather_than_sorts()) return add_to_columns();
        if (!known || phase_ == HERON_PHASE_ANALYSE) {
            sort(sorted);
            if (phase_ == HERON_PHASE_ANALYSE) return leave_plan(sorted);
        }
        if (known && adds_pair() && known->longest <= most_of_line) return scatter();
        product p = operands(sorted.offsets, sorted.rows, sorted.positions);
        p.shape.base = 0;
        if (known) p.guard = {nullptr, sorted.front, sorted.back, known->stamp};
        const bool is_coo = a_.format == HERON_FORMAT_COO;
        multiply(p,
                 {is_coo ? nullptr : as<const OT>(a_.offsets), indices(), row_indices(), a_.rows, a_.base});
    }

    void add_to_columns() {
        if (fits_scatter()) return scatter();
        generic(device_, phase_, args_, workspace_).apply();
    }

    // Few columns get a lane each, so that a group's run is long: it adds up more before it adds to C.
    int scatter_columns() const { return args_.c.cols > warp_size ? scatter_width : 1; }
    int scatter_lane_bits() const {
        const int64_t lanes = (args_.c.cols + scatter_columns() - 1) / scatter_columns();
        return std::countr_zero(std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(lanes, 1, 32))));
    }
    // Elements of a group's run, at most.
    int64_t run_of_scatter() const { return int64_t{1} << scatter_lane_bits(); }

    void scatter() {
        workspace_layout(phase_, workspace_);
        if (phase_ != HERON_PHASE_RUN) return;
        if constexpr (adds_into_c) {
            if (!is_known_one(beta_)) scale();
            if (scatters_pair()) return scatter_pair();
            spmm_scattering<VA, CT> p{};
            p.set_matrix(a_, batches());
            p.values = values();
            p.b = b();
            p.c = c();
            p.shape = shape_;
            p.alpha = alpha_;
            p.to_columns = is_transposed();
            p.is_first = !is_scaled_;
            const bool lanes_have_elements = is_transposed() && args_.c.order != HERON_ORDER_ROW;
            lanes_have_elements ? scatter_by_elements(p) : scatter_by_groups(p);
        }
    }

    void scatter_by_groups(spmm_scattering<VA, CT>& p) {
        p.lane_bits = scatter_lane_bits();
        p.columns = scatter_columns() << p.lane_bits;
        p.column_tiles = static_cast<int>(tiles_of(shape_.columns, p.columns));
        p.share(elements_of_warp(p), device_.multiprocessors(), most_scatter_turns);
        const auto kernel = scatter_columns() == 1 ? scatter_elements<1, IT, VA, CT>
                                                   : scatter_elements<scatter_width, IT, VA, CT>;
        launch_scatter(kernel, p);
    }

    // As many columns at a time as leave each warp that the device can hold some of the work.
    void scatter_by_elements(spmm_scattering<VA, CT>& p) {
        constexpr int64_t least_columns = 4, most_columns = 32;
        p.share(warp_size, device_.multiprocessors(), most_scatter_turns);
        const int64_t warps = int64_t{32} * device_.multiprocessors();
        p.columns = static_cast<int>(
            std::clamp(p.tiles * batches() * shape_.columns / warps, least_columns, most_columns));
        p.column_tiles = static_cast<int>(tiles_of(shape_.columns, p.columns));
        launch_scatter(scatter_elements_down<IT, VA, CT>, p);
    }

    template <class Kernel>
    void launch_scatter(Kernel kernel, const spmm_scattering<VA, CT>& p) {
        const int64_t blocks = p.blocks_of_item(scatter_threads) * p.column_tiles * batches();
        launch_early(device_, kernel, blocks, scatter_threads, p);
    }

    // By one element per lane.
    void scatter_pair() {
        launch_scatter_coo(device_, columns_of_vectors<CT, IT>(nullptr, scalar_argument<CT>{}), row_indices(),
                           steps_of_pair(), !is_scaled_);
    }

    // As SpMV has them.
    template <class To, class Offset>
    heron::HERON_LEVEL::product<VA, VA, To, CT, Offset, IT> columns_of_vectors(
        const Offset* offsets, const scalar_argument<CT>& beta) const {
        return {offsets,
                indices(),
                values(),
                b() - a_.base * shape_.b_row_step,
                c(),
                a_.rows,
                a_.nnz,
                a_.base,
                shape_.conjugate_a,
                alpha_,
                beta};
    }
    column_steps<pair_columns> steps_of_pair() const {
        return {shape_.b_row_step, shape_.b_column_step, shape_.c_row_step, shape_.c_column_step};
    }

    void scale() {
        const bool is_down = shape_.c_row_step == 1;
        dense_lines lines{is_down ? shape_.columns : shape_.rows, is_down ? shape_.rows : shape_.columns,
                          is_down ? shape_.c_column_step : shape_.c_row_step, batches(), shape_.c_stride};
        lines.join_lines();
        // So few a memset clears in less time than a kernel and one that starts beside it take.
        constexpr int64_t few = 4096;
        const bool is_one_line = lines.lines * batches() == 1;
        if (is_known_zero(beta_) && is_one_line && lines.length <= few)
            return device_.fill(c(), 0, static_cast<size_t>(lines.length) * sizeof(CT));
        launch_scale_lines(device_, c(), lines, beta_);
        is_scaled_ = true;
    }

    // Short runs as long as these keep few warps busy: one element for each group at least.
    int elements_of_warp(const spmm_scattering<VA, CT>& p) const {
        const int64_t warps = int64_t{16} * device_.multiprocessors();
        const int64_t even = p.count * p.column_tiles * batches() / warps;
        return static_cast<int>(
            std::clamp<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(even, 1))),
                                warp_size >> p.lane_bits, warp_size));
    }

    // Waits for the device.
    int64_t longest_column(const sorted_columns<cuda_device, OT, IT>& sorted) {
        auto* const longest = reinterpret_cast<unsigned long long*>(sorted.counts);
        device_.fill(longest, 0, sizeof *longest);
        device_.launch_blocks(find_longest_column<OT>,
                              std::min<int64_t>(blocks_for(a_.cols), device_.multiprocessors()), spmm_threads,
                              0, static_cast<const OT*>(sorted.offsets), a_.cols, longest);
        unsigned long long found = 0;
        device_.read(&found, longest, sizeof found);
        return static_cast<int64_t>(found);
    }

    void leave_plan(const sorted_columns<cuda_device, OT, IT>& sorted) {
        if (!adds_into_c) return;
        auto plan = std::make_unique<sorted_columns_plan>(workspace_);
        device_.launch_blocks(set_stamps, 1, 1, 0, sorted.front, sorted.back, plan->stamp);
        if (adds_pair() && !cuda::is_capturing(device_.stream())) plan->longest = longest_column(sorted);
        workspace_.plan = plan.release();
    }

    void sort(const sorted_columns<cuda_device, OT, IT>& s) {
        is_pattern_new_ = true;
        const places_by_column<OT, IT> places{s.offsets, reinterpret_cast<unsigned long long*>(s.counts),
                                              s.rows, s.positions};
        device_.fill(s.counts, 0, static_cast<size_t>(a_.cols + 1) * sizeof *s.counts);
        count(places.counts, s.front);
        s.scan.apply(device_, s.counts, 0, s.offsets);
        const bool is_coo = a_.format == HERON_FORMAT_COO;
        if (has_crowded_columns())
            device_.launch_blocks(sort_crowded_columns<OT, IT>, blocks_for_crowded(), spmm_threads, 0,
                                  is_coo ? nullptr : as<const OT>(a_.offsets), row_indices(), indices(),
                                  a_.rows, a_.nnz, int64_t{a_.base}, static_cast<int>(a_.cols), places);
        else if (is_coo)
            device_.launch_blocks(sort_coo_columns<OT, IT>, blocks_for(a_.nnz), spmm_threads, 0,
                                  row_indices(), indices(), a_.nnz, int64_t{a_.base}, places);
        else
            device_.launch_blocks(sort_columns<OT, IT>, blocks_for(a_.nnz / sorted_per_thread() + 1),
                                  spmm_threads, 0, as<const OT>(a_.offsets), indices(), a_.rows, a_.nnz,
                                  a_.base, sorted_per_thread(), places);
    }

    void count(unsigned long long* counts, uint64_t* front) {
        if (has_crowded_columns())
            device_.launch_blocks(count_crowded_columns<IT>, blocks_for_crowded(), spmm_threads, 0, indices(),
                                  a_.nnz, int64_t{a_.base}, static_cast<int>(a_.cols), counts, front);
        else
            device_.launch_blocks(count_columns<IT>, blocks_for(a_.nnz), spmm_threads, 0, indices(), a_.nnz,
                                  a_.base, counts, front);
    }

    // Whether additions to a column's counter would wait for each other.
    bool has_crowded_columns() const {
        constexpr int64_t crowd = 128;
        return a_.cols > 0 && a_.cols <= most_crowded_columns && a_.nnz / a_.cols >= crowd;
    }
    int64_t blocks_for_crowded() const {
        constexpr int64_t elements = 4 * spmm_threads;
        return std::clamp<int64_t>(a_.nnz / elements, 1, int64_t{2} * device_.multiprocessors());
    }

    int sorted_per_thread() const {
        const int64_t threads = int64_t{2048} * device_.multiprocessors();
        return static_cast<int>(std::clamp<int64_t>(a_.nnz / threads, 1, most_sorted_per_thread));
    }

    static int64_t blocks_for(int64_t threads) { return (threads + spmm_threads - 1) / spmm_threads; }

    // B by rows, unless it is usable as it is, and the shares.
    void take_operands(workspace_layout& layout) {
        const spmm_shares_layout sizes = layout_of_shares();
        if (needs_turned_b()) turned_b_ = layout.take<VA>(sizes.packed_rows * strip_);
        const int64_t count = most_shares(strip_);
        shares_.same_pattern = sizes.patterns == 1;
        shares_.stride = strip_;
        shares_.places = layout.take<spmm_place>((count + 1) * sizes.patterns);
        shares_.heads = layout.take<CT>(count * batches() * strip_);
        shares_.tails = layout.take<CT>(count * batches() * strip_);
        shares_.split_count = layout.take<unsigned long long>(1);
        shares_.split = layout.take<int64_t>(count * batches());
    }

    spmm_shares_layout layout_of_shares() const {
        return {args_, needs_turned_b(), sizeof(VA), sizeof(CT), sizeof(spmm_place)};
    }
    int64_t patterns() const { return layout_of_shares().patterns; }
    int64_t b_items() const { return layout_of_shares().packed_items; }
    int64_t most_shares(int64_t strip) const {
        return std::max(shares_for(false, strip).count, shares_for(true, strip).count);
    }
    int64_t strip_budget() const {
        const int64_t most = spmm_strip_budget<VA, OT, IT>(a_, is_transposed());
        return a_.format == HERON_FORMAT_COO && is_transposed()
                   ? most + sparse_bytes<VA, OT, IT>(a_) - sorted_bytes()
                   : most;
    }
    // Of the pattern by columns.
    int64_t sorted_bytes() const {
        return a_.nnz * int64_t{sizeof(IT) + sizeof(OT)} +
               (a_.cols + 1) * int64_t{sizeof(OT) + sizeof(int64_t)};
    }
    // Of workspace, for strips of so many columns.
    int64_t bytes_for(int64_t strip) const { return layout_of_shares().bytes(most_shares(strip), strip); }

    // Tiles of at most 256 bytes of B's rows: narrower ones stay in the caches, wider ones read A less often.
    static int lane_bits(int64_t strip) {
        const int64_t vectors = strip / width;
        constexpr int64_t most = int64_t{1} << most_lane_bits;
        return std::countr_zero(std::bit_ceil(static_cast<uint64_t>(std::min(vectors, most))));
    }

    // The largest shares that fit a block's shared memory; the same for SIZE and RUN. A row costs more where
    // C goes through the tile, which holds all rows of a share. Small products are cut finer, into as many
    // blocks as are at work at once, but not below a few places for each group of lanes.
    spmm_shares<CT> shares_for(bool has_tile, int64_t strip) const {
        spmm_shares<CT> shares = shares_;
        shares.size = !has_tile && lane_bits(strip) == most_lane_bits ? 4096 : 2048;
        shares.row_cost = has_tile ? 8 : 4;
        shares.slack = 32;
        const int bits = lane_bits(strip);
        const int64_t items = tiles_of(strip, tile_columns<VA>(bits)) * batches();
        const int64_t at_once = int64_t{blocks_wanted<VA, CT>()} * device_.multiprocessors();
        const int64_t places = a_.nnz + shares.row_cost * args_.c.rows;
        const int64_t even = places / std::max<int64_t>(at_once / std::max<int64_t>(items, 1), 1) + 1;
        shares.size = static_cast<int>(std::clamp<int64_t>(
            tiles_of(even, warp_size) * warp_size, places_of_group * (spmm_threads >> bits), shares.size));
        while (division_for(shares, has_tile, strip).bytes > shared_limit(has_tile)) shares.size /= 2;
        shares.count = spmm_shares<CT>::count_for(args_.c.rows, a_.nnz, shares.size, shares.row_cost);
        return shares;
    }
    // Three blocks with a tile of double complex elements fill a multiprocessor's shared memory; without a
    // tile they may start early.
    static constexpr int64_t shared_limit(bool has_tile) {
        if (sizeof(CT) < 16) return 64 * 1024;
        return has_tile ? 75 * 1024 : int64_t{cuda_device::shared_without_asking};
    }
    static spmm_division division_for(const spmm_shares<CT>& shares, bool has_tile, int64_t strip) {
        return spmm_division::make<VA, CT, IT>(shares, lane_bits(strip), has_tile);
    }

    static int64_t tiles_of(int64_t columns, int64_t columns_of_tile) {
        return (columns + columns_of_tile - 1) / columns_of_tile;
    }

    bool has_whole_vectors() const {
        return args_.b.order == HERON_ORDER_ROW && args_.b.ld % width == 0 && args_.c.cols % width == 0;
    }
    // Depends on nothing that may change between SIZE and RUN: alignment is looked at later. Small products
    // read other layouts where they are.
    bool needs_turned_b() const {
        constexpr int64_t few_by_rows = int64_t{1} << 22, few_by_columns = int64_t{3} << 18;
        return !has_whole_vectors() &&
               products() > (args_.b.order == HERON_ORDER_ROW ? few_by_rows : few_by_columns);
    }

    product operands(const OT* offsets, const IT* indices, const OT* positions) {
        product p{};
        p.offsets = offsets;
        p.indices = indices;
        p.values = values();
        p.positions = positions;
        p.nnz = a_.nnz;
        p.b = b();
        p.c = c();
        p.shape = shape_;
        p.alpha = alpha_;
        p.beta = beta_;
        p.b_is_aligned = has_whole_vectors() && is_aligned(p.b, 16) && args_.b.batch_stride % width == 0 &&
                         is_near(args_.b.ld);
        p.c_is_aligned = args_.c.order == HERON_ORDER_ROW && is_aligned(p.c, 16) &&
                         args_.c.cols % width == 0 && args_.c.ld * int64_t(sizeof(VC)) % 16 == 0 &&
                         args_.c.batch_stride * int64_t(sizeof(VC)) % 16 == 0;
        return p;
    }

    static bool is_near(int64_t ld) { return ld <= INT32_MAX / int64_t(sizeof(VA)); }
    static bool is_aligned(const void* p, size_t bytes) {
        return reinterpret_cast<uintptr_t>(p) % bytes == 0;
    }

    // Where the product is guarded, `left` is what is added up if the guard says so.
    void multiply(const product& all, const elements& left) {
        if (shape_.rows == 0) return;
        for (int64_t first = 0; first < shape_.columns; first += strip_) {
            product p = all;
            p.shape.columns = std::min(strip_, shape_.columns - first);
            p.c += first * shape_.c_column_step;
            p.b += first * shape_.b_column_step;
            if (turned_b_) turn_b(p);
            multiply_by_shares(p, left);
        }
    }

    void multiply_by_shares(product p, const elements& left) {
        spmm_shares<CT> shares = shares_for(!p.c_is_aligned, strip_);
        const spmm_division division = division_for(shares, !p.c_is_aligned, strip_);
        const int64_t blocks = shares.count * tiles_of(p.shape.columns, division.columns) * batches();
        const int64_t most_blocks = int64_t{8} * device_.multiprocessors();
        constexpr int warps = spmm_threads / warp_size;
        // Where nearly all blocks are at work at once, it costs less that each looks for its own share.
        shares.are_found = blocks > most_blocks;
        p.only_b_is_new = turned_b_ && !is_pattern_new_ && !shares.are_found;
        if (shares.are_found)
            device_.launch_blocks(find_places<CT, OT>, ((shares.count + 1) * patterns() + warps - 1) / warps,
                                  spmm_threads, 0, shares, p.offsets, p.shape.offsets_stride, p.shape.rows,
                                  p.nnz, p.shape.base, batches(), p.guard);
        launch_early(device_, multiply_shares<VA, VC, CT, OT, IT>, blocks, spmm_threads,
                     static_cast<size_t>(division.bytes), p, shares, division, batches());
        if (shares.count > 1 || p.guard.is_needed())
            launch_early(device_, join_rows<VA, VC, CT, OT, IT>,
                         std::min(shares.count * batches(), most_blocks), spmm_threads, p, shares, batches(),
                         left);
    }

    void turn_b(product& p) {
        const int64_t tiles = turned_tiles<VA>(args_.b.rows, strip_) * b_items();
        launch_early(device_, turn_dense<VA>, tiles, turn_threads, p.b, args_.b.rows, p.shape.columns,
                     shape_.b_row_step, shape_.b_column_step, args_.b.batch_stride, turned_b_, strip_,
                     b_items());
        p.b = turned_b_;
        p.shape.b_row_step = strip_;
        p.shape.b_column_step = 1;
        p.shape.b_stride = b_items() == 1 ? 0 : args_.b.rows * strip_;
        p.b_is_aligned = is_near(strip_);
    }

    int64_t batches() const { return args_.c.batch_count; }
    const IT* row_indices() const { return as<const IT>(a_.row_indices); }
    const IT* indices() const { return as<const IT>(a_.indices); }
    const VA* values() const { return as<const VA>(a_.values); }
    const VA* b() const { return as<const VA>(args_.b.values); }
    VC* c() const { return as<VC>(args_.c.values); }

    cuda_device& device_;
    heron_phase phase_;
    const heron_spmm_args& args_;
    const heron_spmat& a_;
    heron_workspace& workspace_;
    kernels::spmm_shape shape_ = plans::shape_of(args_);
    scalar_argument<CT> alpha_ = as_argument<CT>(args_.alpha);
    scalar_argument<CT> beta_ = as_argument<CT>(args_.beta);
    VA* turned_b_ = nullptr;
    bool is_scaled_ = false;       // C, by the kernel before
    bool is_pattern_new_ = false;  // made by kernels before
    spmm_shares<CT> shares_{};
    // Columns of B and C at a time; the same in all phases.
    const int64_t strip_ = spmm_strip_columns(args_.c.cols, width, strip_budget(),
                                              [this](int64_t strip) { return bytes_for(strip); });
};

template <class VA, class VC, class CT>
void tuned_spmm(cuda_device& device, heron_phase phase, const heron_spmm_args& args,
                heron_workspace& workspace) {
    visit_offsets_and_indices(plans::spmm_offset_type(args.a), args.a.index_type,
                              [&]<class OT, class IT>(type<OT>, type<IT>) {
                                  spmm_launcher<VA, VC, CT, OT, IT>(device, phase, args, workspace).apply();
                              });
}

}  // namespace heron::HERON_LEVEL
