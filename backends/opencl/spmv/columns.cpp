#include "columns.hpp"
#include "common/runtime/pattern_stamp.hpp"
#include "common/runtime/plan_record.hpp"
#include "common/scan/plan.hpp"
#include "common/spmv/plan.hpp"
#include "common/vector/plan.hpp"
#include <algorithm>
#include <memory>
#include <optional>

namespace heron::opencl {
namespace {

constexpr kernel_family tuned{"group_scan columns spmv_columns", "CT OT IT"};
struct mark_rows {
    static constexpr const char* name = "mark_rows";
};
struct measure_columns {
    static constexpr const char* name = "measure_columns";
};
struct count_tile_columns {
    static constexpr const char* name = "count_tile_columns";
};
struct number_tile_columns {
    static constexpr const char* name = "number_tile_columns";
};
struct list_rows {
    static constexpr const char* name = "list_rows";
};
struct rank_parts {
    static constexpr const char* name = "rank_parts";
};
struct count_columns {
    static constexpr const char* name = "count_columns";
};
struct turn_rows {
    static constexpr const char* name = "turn_rows";
};
struct sort_columns {
    static constexpr const char* name = "sort_columns";
};
struct set_stamps {
    static constexpr const char* name = "set_stamps";
};
struct combine_tiles {
    static constexpr const char* name = "combine_tiles";
};
struct scatter_parts {
    static constexpr const char* name = "scatter_parts";
};
struct gather_columns {
    static constexpr const char* name = "gather_columns";
};
struct scatter_if_lost {
    static constexpr const char* name = "scatter_if_lost";
};

// These mirror spmv_columns.cl.
constexpr int64_t scan_group = 256;
constexpr int64_t measured = 8 * scan_group;
constexpr int64_t part = 512;
constexpr int64_t word = 32;
struct tile_totals {
    int columns, most_columns, is_unfit, longest_row, longest_column;
};
struct turned_shape {
    heron_index rows, nnz, base, stamp;
};

enum class turned_kind { by_columns, by_tiles, by_rows };

struct turned_plan final : plan_of<turned_plan> {
    const void* memory = nullptr;
    turned_kind kind{};
    int64_t stamp = 0;
};

// Where the workspace has what was found out: short columns with their elements in order, or tiles with their
// columns.
template <class CT>
class turned_spmv {
  public:
    turned_spmv(opencl_device& device, heron_phase phase, const heron_spmv_args& args,
                heron_workspace& workspace)
        : device_(device), args_(args), a_(args.a), workspace_(workspace) {
        lay_out_tiles({phase, workspace});
        const size_t bytes = workspace.size;
        lay_out_columns({phase, workspace});
        if (phase == HERON_PHASE_SIZE) workspace.size = std::max(bytes, workspace.size);
    }

    void analyse() {
        const std::optional<turned_kind> kind = find_kind();
        if (!kind) return;
        auto plan = std::make_unique<turned_plan>();
        plan->memory = workspace_.memory;
        plan->kind = *kind;
        plan->stamp = static_cast<int64_t>(next_pattern_stamp());
        const bool by_columns = *kind == turned_kind::by_columns;
        launch_items<set_stamps>(1, by_columns ? columns_.front : tiles_.front,
                                 by_columns ? columns_.back : tiles_.back, heron_index{plan->stamp});
        workspace_.plan = plan.release();
    }

    bool run() {
        const auto* const plan = plan_as<turned_plan>(workspace_.plan);
        if (!plan || plan->memory != workspace_.memory) return false;
        const turned_shape shape{a_.rows, a_.nnz, a_.base, plan->stamp};
        if (plan->kind == turned_kind::by_columns)
            gather(shape);
        else
            scatter(shape, plan->kind);
        return true;
    }

  private:
    // 32 KiB of sums.
    static constexpr int64_t tile = 32768 / sizeof(CT);
    static constexpr int64_t group = tile / part * word;
    // The columns of tiles, as a share of their elements, from which on nothing is gained by adding up within
    // tiles.
    static constexpr double most_columns_per_element = 0.85;
    static constexpr int64_t longest_row = 256;  // so that a place in it fits a byte
    static constexpr int64_t longest_column = 64;

    int64_t tile_count() const { return quotient_up(a_.nnz, tile); }
    int64_t part_count() const { return quotient_up(a_.nnz, part); }
    int64_t start_words() const { return quotient_up(a_.nnz, word); }
    int64_t most_columns() const {
        return static_cast<int64_t>(most_columns_per_element * static_cast<double>(a_.nnz)) + 64;
    }

    void lay_out_tiles(workspace_layout layout) {
        totals_ = layout.take<tile_totals>(1);
        tiles_.front = layout.take<i64>(1);
        tiles_.places = layout.take<uint16_t>(a_.nnz);
        tiles_.starts = layout.take<uint32_t>(start_words());
        tiles_.columns = layout.take<int>(most_columns());
        tiles_.column_begins = layout.take<int>(tile_count());
        tiles_.column_counts = layout.take<int>(tile_count());
        tiles_.listed = layout.take<int>(a_.rows);
        tiles_.part_ranks = layout.take<int>(part_count());
        tiles_.back = layout.take<i64>(1);
        row_counts_ = layout.take<i64>(a_.rows + 1);
        row_scan_.emplace(layout, a_.rows);
    }

    void lay_out_columns(workspace_layout layout) {
        layout.take<tile_totals>(1);
        columns_.front = layout.take<i64>(1);
        columns_.offsets = layout.take<int>(a_.cols + 1);
        columns_.rows = layout.take<int>(a_.nnz);
        columns_.places = layout.take<uint8_t>(a_.nnz);
        columns_.back = layout.take<i64>(1);
        column_counts_ = layout.take<i64>(a_.cols + 1);
        next_ = layout.take<int>(a_.cols + 1);
        column_scan_.emplace(layout, a_.cols);
    }

    std::optional<turned_kind> find_kind() {
        constexpr int64_t longest_mean = 12;
        const bool has_tiles = find_tiles();
        const bool is_short = a_.nnz <= longest_mean * a_.cols && read_totals().longest_row <= longest_row;
        if (is_short && find_columns()) return turned_kind::by_columns;
        // What was tried has written over it.
        if (is_short) find_tiles();
        rank_rows();
        return has_tiles ? turned_kind::by_tiles : turned_kind::by_rows;
    }

    // False if the matrix gains nothing.
    bool find_tiles() {
        device_.fill(totals_, 0, sizeof *totals_);
        launch<mark_rows>(quotient_up(a_.rows, measured), scan_group, offsets(), a_.rows, row_counts_,
                          totals_);
        launch<count_tile_columns>(tile_count(), group, indices(), a_.nnz, heron_index{a_.base},
                                   tiles_.column_begins, tiles_.column_counts, totals_);
        const tile_totals found = read_totals();
        if (found.is_unfit || found.columns > most_columns()) return false;
        launch<number_tile_columns>(tile_count(), group, indices(), a_.nnz, heron_index{a_.base},
                                    as<const int>(tiles_.column_begins), tiles_.columns, tiles_.places);
        return true;
    }

    void rank_rows() {
        device_.fill(tiles_.starts, 0, static_cast<size_t>(start_words()) * sizeof *tiles_.starts);
        row_scan_->add(device_, row_counts_);
        row_scan_->write(device_, row_counts_, 0, row_counts_);
        launch_items<list_rows>(a_.rows, offsets(), heron_index{a_.base}, as<const i64>(row_counts_),
                                tiles_.listed, tiles_.starts);
        launch_items<rank_parts>(part_count(), offsets(), a_.rows, heron_index{a_.base},
                                 as<const i64>(row_counts_), tiles_.part_ranks);
    }

    // False if a column is too long. Rows are known to be short.
    bool find_columns() {
        device_.fill(column_counts_, 0, static_cast<size_t>(a_.cols + 1) * sizeof *column_counts_);
        launch_items<count_columns>(a_.nnz, indices(), heron_index{a_.base},
                                    reinterpret_cast<int*>(column_counts_));
        launch<measure_columns>(quotient_up(a_.cols, measured), scan_group, as<const i64>(column_counts_),
                                a_.cols, totals_);
        if (read_totals().longest_column > longest_column) return false;
        column_scan_->add(device_, column_counts_);
        column_scan_->write(device_, column_counts_, 0, columns_.offsets);
        column_scan_->write(device_, column_counts_, 0, next_);
        launch_items<turn_rows>(a_.rows, offsets(), indices(), heron_index{a_.base}, next_, columns_.rows,
                                columns_.places);
        launch_items<sort_columns>(a_.cols, as<const int>(columns_.offsets), columns_.rows, columns_.places);
        return true;
    }

    tile_totals read_totals() {
        tile_totals found{};
        device_.read(&found, totals_, sizeof found);
        return found;
    }

    void gather(const turned_shape& shape) {
        launch_items<gather_columns>(a_.cols, offsets(), values(), shape, as<const i64>(columns_.front),
                                     as<const i64>(columns_.back), as<const int>(columns_.offsets),
                                     as<const int>(columns_.rows), as<const uint8_t>(columns_.places), x(),
                                     y(), alpha_.value, alpha_.device, beta_.value, beta_.device);
        launch_items<scatter_if_lost>(scan_group * int64_t{device_.traits().compute_units}, offsets(),
                                      indices(), values(), shape, as<const i64>(columns_.front),
                                      as<const i64>(columns_.back), x(), y(), alpha_.value, alpha_.device);
    }

    void scatter(const turned_shape& shape, turned_kind kind) {
        device_.launch<kernels::scale<CT, CT, i32>>(kernels::vector, args_.y.size, y(), beta_.value,
                                                    beta_.device);
        const auto* const front = as<const i64>(tiles_.front);
        const auto* const back = as<const i64>(tiles_.back);
        const auto* const starts = as<const uint32_t>(tiles_.starts);
        const auto* const listed = as<const int>(tiles_.listed);
        const auto* const part_ranks = as<const int>(tiles_.part_ranks);
        if (kind == turned_kind::by_tiles)
            launch<combine_tiles>(tile_count(), group, offsets(), indices(), values(), shape, front, back,
                                  starts, listed, part_ranks, as<const uint16_t>(tiles_.places),
                                  as<const int>(tiles_.columns), as<const int>(tiles_.column_begins),
                                  as<const int>(tiles_.column_counts), x(), y(), alpha_.value, alpha_.device);
        else
            launch<scatter_parts>(tile_count(), group, offsets(), indices(), values(), shape, front, back,
                                  starts, listed, part_ranks, x(), y(), alpha_.value, alpha_.device);
    }

    static const kept_program& program() {
        static const kept_program& kept = keep_program([] {
            const char* const names[] = {type_name<CT>, type_name<i32>, type_name<i32>};
            program_key key = make_program_key(tuned, names, std::size(names));
            key.definitions += "#define TILE " + std::to_string(tile) + "\n";
            return key;
        }());
        return kept;
    }
    template <class Kernel, class... Args>
    void launch(int64_t groups, int64_t items, Args... args) {
        device_.launch_program_groups<Kernel>(program(), groups, static_cast<size_t>(items), args...);
    }
    template <class Kernel, class... Args>
    void launch_items(int64_t count, Args... args) {
        device_.launch_program<Kernel>(program(), count, args...);
    }

    const i32* offsets() const { return as<const i32>(a_.offsets); }
    const i32* indices() const { return as<const i32>(a_.indices); }
    const CT* values() const { return as<const CT>(a_.values); }
    const CT* x() const { return as<const CT>(args_.x.values); }
    CT* y() const { return as<CT>(args_.y.values); }

    opencl_device& device_;
    const heron_spmv_args& args_;
    const heron_spmat& a_;
    heron_workspace& workspace_;
    const scalar_argument<CT> alpha_ = as_argument<CT>(args_.alpha);
    const scalar_argument<CT> beta_ = as_argument<CT>(args_.beta);

    struct {
        i64 *front, *back;
        int* offsets;     // of the columns
        int* rows;        // of the elements by columns
        uint8_t* places;  // of the same elements in their rows
    } columns_{};
    struct {
        i64 *front, *back;
        uint16_t* places;                              // of the elements: number of the column in the tile
        uint32_t* starts;                              // a bit per element: the first of its row
        int *columns, *column_begins, *column_counts;  // of the tiles; begins in `columns`
        int* listed;                                   // the rows that have elements
        int* part_ranks;  // of the parts: the row before the first one that begins there, in `listed`
    } tiles_{};
    tile_totals* totals_ = nullptr;
    i64* row_counts_ = nullptr;
    i64* column_counts_ = nullptr;
    int* next_ = nullptr;
    std::optional<plans::exclusive_scan<opencl_device>> row_scan_, column_scan_;
};

template <class F>
void visit_type(heron_type t, F&& f) {
    t == HERON_R_32F ? f(type<f32>{}) : f(type<f64>{});
}

}  // namespace

bool serves_columns(const heron_spmv_args& args) {
    // Fewer elements are soon scattered.
    constexpr int64_t fewest_elements = 1 << 16;
    const heron_spmat& a = args.a;
    const bool is_uniform = a.type == args.x.type && a.type == args.y.type && a.type == args.compute_type;
    return is_uniform && (a.type == HERON_R_32F || a.type == HERON_R_64F) &&
           a.offset_type == HERON_INDEX_32 && a.index_type == HERON_INDEX_32 && a.nnz >= fewest_elements &&
           a.nnz < INT32_MAX && a.rows > 0 && a.cols > 0;
}

void analyse_columns(opencl_device& device, heron_phase phase, const heron_spmv_args& args,
                     heron_workspace& workspace) {
    visit_type(args.a.type, [&]<class CT>(type<CT>) {
        turned_spmv<CT> product(device, phase, args, workspace);
        if (phase == HERON_PHASE_ANALYSE) product.analyse();
    });
}

bool multiply_by_columns(opencl_device& device, const heron_spmv_args& args, heron_workspace& workspace) {
    bool is_done = false;
    visit_type(args.a.type, [&]<class CT>(type<CT>) {
        is_done = turned_spmv<CT>(device, HERON_PHASE_RUN, args, workspace).run();
    });
    return is_done;
}

}  // namespace heron::opencl
