#pragma once
// The transposed product of a CSR matrix and a vector on GPUs with what ANALYSE has found out about the
// columns: columns.h finds it out, turned.h multiplies.
#include "common/dialect/dialect_group.hpp"
#include "common/runtime/dispatch.hpp"
#include "common/runtime/pattern_stamp.hpp"
#include "common/scan/plan.hpp"
#include "common/vector/plan.hpp"
#include <algorithm>
#include <optional>

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family column_search{"spmv_columns", "GROUP"};
inline constexpr kernel_family turned_products{"spmv_turned", "CT GROUP"};
#include "columns.h"
#include "turned.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// What suits a device.
struct column_policy {
    int map_words;            // of local memory, 32 columns each
    int most_passes;          // in which a tile fills them
    bool gathers_wide_tiles;  // short columns also where the tiles' columns lie far apart
    bool leaves_short_rows;   // of up to 32 elements to who knows no columns, if these are long
    int64_t compute_units;
};

enum class turned_kind { by_columns, by_tiles, by_rows };

// What ANALYSE leaves on the host.
struct turned_pattern {
    turned_kind kind{};
    int64_t stamp = 0;
    uint32_t most_columns = 0;  // of a tile
};

// GROUP: items that take a tile. The workspace has either short columns with their elements in order, or
// tiles with their columns.
template <class Device, class CT, int GROUP>
class turned_spmv {
  public:
    turned_spmv(Device& device, heron_phase phase, const heron_spmv_args& args, heron_workspace& workspace,
                const column_policy& policy)
        : device_(device), phase_(phase), args_(args), a_(args.a), policy_(policy) {
        lay_out_tiles({phase, workspace});
        const size_t bytes = workspace.size;
        lay_out_columns({phase, workspace});
        if (phase == HERON_PHASE_SIZE) workspace.size = std::max(bytes, workspace.size);
    }

    // Whether there is anything to find out, as far as sizes tell. Fewer elements are soon scattered.
    static bool serves(const heron_spmat& a) {
        constexpr int64_t fewest_elements = 1 << 16;
        return a.nnz >= fewest_elements && a.nnz < INT32_MAX && a.rows > 0 && a.cols > 0;
    }

    // Waits for the device. Nothing if the matrix gains nothing.
    std::optional<turned_pattern> analyse() {
        const std::optional<turned_kind> kind = find_kind();
        if (!kind) return {};
        const turned_pattern found{*kind, static_cast<int64_t>(next_pattern_stamp()),
                                   totals_found_.most_columns};
        const bool by_columns = *kind == turned_kind::by_columns;
        search<typename searches::set_stamps>(1, by_columns ? columns_.front : tiles_.front,
                                              by_columns ? columns_.back : tiles_.back,
                                              heron_index{found.stamp});
        return found;
    }

    void run(const turned_pattern& found) {
        if (found.kind == turned_kind::by_columns)
            gather(found);
        else
            scatter(found);
    }

  private:
    using searches = kernels::spmv_columns<GROUP>;
    using products = kernels::spmv_turned<CT, GROUP>;
    static constexpr int64_t part = searches::part;
    static constexpr int64_t tile = searches::tile;
    static constexpr int64_t items = searches::items;
    // The columns of tiles, as a share of their elements, from which on nothing is gained by adding up within
    // tiles.
    static constexpr double most_columns_per_element = 0.85;
    static constexpr int64_t longest_row = 256;  // so that a place in it fits a byte
    static constexpr int64_t longest_column = 64;
    // As columns.h counts them.
    struct tile_totals {
        uint32_t columns, most_columns, is_unfit, longest_row, longest_column;
    };

    static int64_t quotient_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
    int64_t tile_count() const { return quotient_up(a_.nnz, tile); }
    int64_t part_count() const { return quotient_up(a_.nnz, part); }
    int64_t start_words() const { return quotient_up(a_.nnz, 32); }
    int64_t most_columns() const {
        return static_cast<int64_t>(most_columns_per_element * static_cast<double>(a_.nnz)) + 64;
    }

    void lay_out_tiles(workspace_layout layout) {
        totals_ = layout.take<tile_totals>(1);
        tiles_.front = layout.take<i64>(1);
        tiles_.places = layout.take<u16>(a_.nnz);
        tiles_.starts = layout.take<u32>(start_words());
        tiles_.columns = layout.take<i32>(most_columns());
        tiles_.column_begins = layout.take<u32>(tile_count());
        tiles_.column_counts = layout.take<u32>(tile_count());
        tiles_.listed = layout.take<i32>(a_.rows);
        tiles_.part_ranks = layout.take<i32>(part_count());
        tiles_.back = layout.take<i64>(1);
        if (phase_ == HERON_PHASE_RUN) return;
        row_counts_ = layout.take<i64>(a_.rows + 1);
        row_scan_.emplace(layout, a_.rows);
    }

    void lay_out_columns(workspace_layout layout) {
        layout.take<tile_totals>(1);
        columns_.front = layout.take<i64>(1);
        columns_.offsets = layout.take<i32>(a_.cols + 1);
        columns_.rows = layout.take<i32>(a_.nnz);
        columns_.places = layout.take<u8>(a_.nnz);
        columns_.back = layout.take<i64>(1);
        if (phase_ == HERON_PHASE_RUN) return;
        column_counts_ = layout.take<i64>(a_.cols + 1);
        next_ = layout.take<i32>(a_.cols + 1);
        column_scan_.emplace(layout, a_.cols);
    }

    std::optional<turned_kind> find_kind() {
        constexpr int64_t longest_mean = 12;
        constexpr uint32_t short_row = 32;
        const bool has_tiles = find_tiles();
        const uint32_t longest = totals_found_.longest_row;
        const bool is_short = a_.nnz <= longest_mean * a_.cols && longest <= longest_row;
        const bool may_gather = is_short && (has_tiles || policy_.gathers_wide_tiles);
        if (may_gather && find_columns()) return turned_kind::by_columns;
        if (has_tiles && policy_.leaves_short_rows && longest <= short_row) return {};
        // What was tried has written over it.
        if (may_gather) find_tiles();
        rank_rows();
        return has_tiles ? turned_kind::by_tiles : turned_kind::by_rows;
    }

    // False if the matrix gains nothing.
    bool find_tiles() {
        device_.fill(totals_, 0, sizeof *totals_);
        search<typename searches::mark_rows>(quotient_up(a_.rows, searches::measured * items), offsets(),
                                             a_.rows, row_counts_, totals());
        search<typename searches::number_columns>(
            tile_count(), indices(), a_.nnz, static_cast<int>(a_.base), policy_.map_words,
            policy_.most_passes, static_cast<u32>(most_columns()), tiles_.places, tiles_.columns,
            tiles_.column_begins, tiles_.column_counts, totals(),
            local_memory{static_cast<size_t>(policy_.map_words) * sizeof(u32)},
            local_memory{GROUP * sizeof(u32)});
        read_totals();
        return !totals_found_.is_unfit && totals_found_.columns <= most_columns();
    }

    void rank_rows() {
        device_.fill(tiles_.starts, 0, static_cast<size_t>(start_words()) * sizeof *tiles_.starts);
        row_scan_->apply(device_, row_counts_, 0, row_counts_);
        search<typename searches::list_rows>(quotient_up(a_.rows, items), offsets(), a_.rows,
                                             heron_index{a_.base}, as<const i64>(row_counts_), tiles_.listed,
                                             tiles_.starts);
        search<typename searches::rank_parts>(quotient_up(part_count(), items), offsets(), a_.rows,
                                              heron_index{a_.base}, a_.nnz, as<const i64>(row_counts_),
                                              tiles_.part_ranks);
    }

    // False if a column is too long. Rows are known to be short.
    bool find_columns() {
        device_.fill(column_counts_, 0, static_cast<size_t>(a_.cols + 1) * sizeof *column_counts_);
        search<typename searches::count_elements>(quotient_up(a_.nnz, items), indices(), a_.nnz,
                                                  heron_index{a_.base},
                                                  reinterpret_cast<u32*>(column_counts_));
        search<typename searches::measure_columns>(quotient_up(a_.cols, searches::measured * items),
                                                   as<const i64>(column_counts_), a_.cols, totals());
        read_totals();
        if (totals_found_.longest_column > longest_column) return false;
        column_scan_->apply(device_, column_counts_, 0, columns_.offsets);
        column_scan_->apply(device_, column_counts_, 0, next_);
        search<typename searches::turn_rows>(quotient_up(a_.rows, items), offsets(), indices(), a_.rows,
                                             heron_index{a_.base}, next_, columns_.rows, columns_.places);
        search<typename searches::sort_columns>(quotient_up(a_.cols, items), as<const i32>(columns_.offsets),
                                                a_.cols, columns_.rows, columns_.places);
        return true;
    }

    void read_totals() { device_.read(&totals_found_, totals_, sizeof totals_found_); }

    void gather(const turned_pattern& found) {
        const auto* const front = as<const i64>(columns_.front);
        const auto* const back = as<const i64>(columns_.back);
        multiply<typename products::gather_columns>(
            quotient_up(a_.cols, items), offsets(), values(), a_.cols, heron_index{a_.base}, conjugate(),
            heron_index{found.stamp}, front, back, as<const i32>(columns_.offsets),
            as<const i32>(columns_.rows), as<const u8>(columns_.places), x(), y(), alpha_.value,
            alpha_.device, beta_.value, beta_.device);
        multiply<typename products::scatter_if_lost>(
            policy_.compute_units, offsets(), indices(), values(), a_.rows, heron_index{a_.base}, conjugate(),
            heron_index{found.stamp}, front, back, x(), y(), alpha_.value, alpha_.device);
    }

    void scatter(const turned_pattern& found) {
        if (beta_.device || !is_one(beta_.value))
            device_.template launch<kernels::scale<CT, CT, i32>>(kernels::vector, args_.y.size, y(),
                                                                 beta_.value, beta_.device);
        const auto* const front = as<const i64>(tiles_.front);
        const auto* const back = as<const i64>(tiles_.back);
        const auto* const starts = as<const u32>(tiles_.starts);
        const auto* const listed = as<const i32>(tiles_.listed);
        const auto* const part_ranks = as<const i32>(tiles_.part_ranks);
        if (found.kind == turned_kind::by_tiles)
            multiply<at_once<typename products::combine_tiles, 2>>(
                tile_count(), offsets(), indices(), values(), a_.rows, a_.nnz, heron_index{a_.base},
                conjugate(), heron_index{found.stamp}, front, back, starts, listed, part_ranks,
                as<const u16>(tiles_.places), as<const i32>(tiles_.columns),
                as<const u32>(tiles_.column_begins), as<const u32>(tiles_.column_counts), x(), y(),
                alpha_.value, alpha_.device,
                local_memory{std::max<size_t>(found.most_columns, 1) * sizeof(CT)});
        else
            multiply<at_once<typename products::scatter_parts, 2>>(
                tile_count(), offsets(), indices(), values(), a_.rows, a_.nnz, heron_index{a_.base},
                conjugate(), heron_index{found.stamp}, front, back, starts, listed, part_ranks, x(), y(),
                alpha_.value, alpha_.device);
    }

    template <class Kernel, class... Args>
    void search(int64_t groups, Args... args) {
        device_.template launch_groups<Kernel>(kernels::column_search, groups, args...);
    }
    template <class Kernel, class... Args>
    void multiply(int64_t groups, Args... args) {
        device_.template launch_groups<Kernel>(kernels::turned_products, groups, args...);
    }

    static bool is_one(CT v) {
        const CT unit = scalar_value<CT>(1, 0);
        return __builtin_memcmp(&v, &unit, sizeof v) == 0;
    }
    u32* totals() const { return reinterpret_cast<u32*>(totals_); }
    const i32* offsets() const { return as<const i32>(a_.offsets); }
    const i32* indices() const { return as<const i32>(a_.indices); }
    const CT* values() const { return as<const CT>(a_.values); }
    const CT* x() const { return as<const CT>(args_.x.values); }
    CT* y() const { return as<CT>(args_.y.values); }
    int conjugate() const { return is_conjugated(args_.op); }

    Device& device_;
    const heron_phase phase_;
    const heron_spmv_args& args_;
    const heron_spmat& a_;
    const column_policy policy_;
    const scalar_argument<CT> alpha_ = as_argument<CT>(args_.alpha);
    const scalar_argument<CT> beta_ = as_argument<CT>(args_.beta);

    struct {
        i64 *front, *back;
        i32* offsets;  // of the columns
        i32* rows;     // of the elements by columns
        u8* places;    // of the same elements in their rows
    } columns_{};
    struct {
        i64 *front, *back;
        u16* places;                         // of the elements: number of the column in the tile
        u32* starts;                         // a bit per element: the first of its row
        i32* columns;                        // of the tiles
        u32 *column_begins, *column_counts;  // of the tiles, in `columns`
        i32* listed;                         // the rows that have elements
        i32* part_ranks;  // of the parts: the row before the first one that begins there, in `listed`
    } tiles_{};
    tile_totals* totals_ = nullptr;
    tile_totals totals_found_{};
    i64* row_counts_ = nullptr;
    i64* column_counts_ = nullptr;
    i32* next_ = nullptr;
    std::optional<exclusive_scan<Device>> row_scan_, column_scan_;
};

}  // namespace heron::HERON_LEVEL::plans
