// C := alpha*op(A)*B + beta*C on the CPU, compiled once per instruction set level. The threads share the
// rows. Strips of columns are taken one after another: of B itself within some rows of C, of a copy of B by
// all rows. C is read and written once.
#include "common/runtime/plan_record.hpp"
#include "common/runtime/dispatch.hpp"
#include "common/runtime/slot.hpp"
#include "host/runtime/turn.hpp"
#include "scattered.hpp"
#include "strips.hpp"
#include <algorithm>
#include <new>

namespace heron::HERON_LEVEL {
namespace {

// One matrix of a batch of C, and the columns of it that a strip fills: those from `first` on, less the
// `skipped` ones that the strip before has filled.
template <class VC, class CT>
struct strip_of_c {
    VC* c;
    int64_t row_step, column_step, first, skipped, end;
    CT alpha, beta;

    // For sums of `columns` columns. Not all may be C's, and to those that the strip before has filled beta
    // would come twice.
    tile_writer<CT> writer(int64_t columns) const {
        tile_writer<CT> result{this, &write, {nullptr, row_step, alpha, beta}};
        const bool is_whole = end - first == columns && (skipped == 0 || equal(beta, CT{}));
        if constexpr (std::is_same_v<VC, CT>)
            if (column_step == 1 && is_whole) result.rows.c = c + first;
        return result;
    }

    static void write(const void* self, int64_t row, int64_t rows, const CT* sums) {
        const strip_of_c& s = *static_cast<const strip_of_c*>(self);
        s.row_step == 1 ? s.by_columns(row, rows, sums) : s.by_rows(row, rows, sums);
    }

  private:
    void by_rows(int64_t row, int64_t rows, const CT* sums) const {
        for (int64_t i = 0; i < rows; ++i)
            update<1>(c + (row + i) * row_step + first + skipped, end - first - skipped,
                      sums + i * widest_strip<CT> + skipped);
    }
    void by_columns(int64_t row, int64_t rows, const CT* sums) const {
        int64_t column = first + skipped;
        if constexpr (std::is_same_v<VC, CT> && can_turn<CT>) {
            turn_blocks<vector_elements<CT>>(row, rows, column, sums);
            turn_blocks<least_elements<CT>>(row, rows, column, sums);
        }
        for (; column < end; ++column)
            update<widest_strip<CT>>(c + column * column_step + row, rows, sums + (column - first));
    }
    // As many columns as there are blocks of this size for.
    template <int size>
    void turn_blocks(int64_t row, int64_t rows, int64_t& column, const CT* sums) const {
        constexpr int step = widest_strip<CT>;
        const int64_t whole = rows - rows % size;
        for (; column + size <= end; column += size) {
            const CT* const from = sums + (column - first);
            for (int64_t i = 0; i < whole; i += size) turn_block<size>(row + i, column, from + i * step);
            for (int64_t k = 0; k < size; ++k)
                update<step>(c + (column + k) * column_step + row + whole, rows - whole,
                             from + whole * step + k);
        }
    }
    template <int size>
    void turn_block(int64_t row, int64_t column, const CT* sums) const {
        using R = real_of<CT>;
        constexpr int L = size * parts_of<CT>::count;
        const bool has_beta = !equal(beta, CT{});
        each_turned<size>(
            sums, widest_strip<CT>, [&](int k, auto line) __attribute__((always_inline)) {
                R* const to = reinterpret_cast<R*>(c + (column + k) * column_step + row);
                auto result = scaled(alpha, reinterpret_cast<lanes<R, L>>(line));
                if (has_beta) result += scaled(beta, load_lanes<L>(to));
                store_lanes<L>(to, result);
            });
    }
    template <int step>
    void update(VC* __restrict line, int64_t count, const CT* __restrict sums) const {
        if (equal(beta, CT{})) {
            for (int64_t j = 0; j < count; ++j) store(line[j], mul(alpha, sums[j * step]));
        } else {
            for (int64_t j = 0; j < count; ++j)
                store(line[j], mad(beta, load<CT>(line[j]), mul(alpha, sums[j * step])));
        }
    }
};

// Some rows and columns of a B in column order as lines of compute type, `step` apart.
template <class VA, class CT>
void copy_columns(const VA* b, int64_t ld, range columns, bool conjugate, CT* panel, int64_t step,
                  range rows) {
    for (int64_t j = columns.begin; j < columns.end; ++j)
        for (int64_t i = rows.begin; i < rows.end; ++i) {
            const CT v = load<CT>(b[j * ld + i]);
            panel[i * step + j] = conjugate ? conj(v) : v;
        }
}

// The same of as many columns as there are blocks of this size for. Returns those that are left.
template <int size, class CT>
range turn_columns(const CT* b, int64_t ld, range columns, CT* panel, int64_t step, range rows) {
    using word = turned_word<CT>;
    const int64_t whole = rows.end - (rows.end - rows.begin) % size;
    for (; columns.begin + size <= columns.end; columns.begin += size) {
        const int64_t j = columns.begin;
        for (int64_t i = rows.begin; i < whole; i += size)
            each_turned<size>(
                b + j * ld + i, ld, [&](int k, auto line) __attribute__((always_inline)) {
                    store_lanes<size>(reinterpret_cast<word*>(panel + (i + k) * step + j), line);
                });
        copy_columns(b, ld, {j, j + size}, false, panel, step, {whole, rows.end});
    }
    return columns;
}

// Some rows of B as contiguous lines of compute type, `step` apart, with zeros behind the last of these
// columns. Runs of rows are taken at a time, so that a B in column order is read in whole lines. Apart from
// the plan, whose copies differ in C and A.
template <class VA, class CT>
[[gnu::noinline]] void fill_panel(const heron_dnmat& matrix, const VA* b, range columns, bool conjugate,
                                  CT* panel, int64_t step, range rows) {
    constexpr int64_t run = 64;
    const int64_t count = columns.end - columns.begin;
    if (matrix.order == HERON_ORDER_COLUMN) {
        for (int64_t first = rows.begin; first < rows.end; first += run) {
            const VA* const from = b + columns.begin * matrix.ld;
            const range some{first, std::min(first + run, rows.end)};
            range left{0, count};
            if constexpr (std::is_same_v<VA, CT> && can_turn<CT>)
                if (!conjugate) {
                    left = turn_columns<vector_elements<CT>>(from, matrix.ld, left, panel, step, some);
                    left = turn_columns<least_elements<CT>>(from, matrix.ld, left, panel, step, some);
                }
            copy_columns(from, matrix.ld, left, conjugate, panel, step, some);
        }
    } else {
        for (int64_t i = rows.begin; i < rows.end; ++i)
            for (int64_t j = 0; j < count; ++j) {
                const CT v = load<CT>(b[i * matrix.ld + columns.begin + j]);
                panel[i * step + j] = conjugate ? conj(v) : v;
            }
    }
    if (count < step)
        for (int64_t i = rows.begin; i < rows.end; ++i)
            std::fill(panel + i * step + count, panel + (i + 1) * step, CT{});
}

// The same of the rows of B in blocks of `width`, number blocks[k] as number k of the panel; a negative one
// is none.
template <class VA, class CT>
void gather_panel(const heron_dnmat& matrix, const VA* b, range columns, bool conjugate, CT* panel,
                  int64_t step, int64_t width, const int64_t* blocks, range numbers) {
    const bool by_columns = matrix.order == HERON_ORDER_COLUMN;
    const int64_t row_step = by_columns ? 1 : matrix.ld, column_step = by_columns ? matrix.ld : 1;
    const int64_t count = columns.end - columns.begin;
    for (int64_t k = numbers.begin; k < numbers.end; ++k) {
        for (int64_t w = 0; w < width && blocks[k] >= 0; ++w) {
            CT* const line = panel + (k * width + w) * step;
            for (int64_t j = 0; j < count; ++j) {
                const CT v =
                    load<CT>(b[(blocks[k] * width + w) * row_step + (columns.begin + j) * column_step]);
                line[j] = conjugate ? conj(v) : v;
            }
            std::fill(line + count, line + step, CT{});
        }
    }
}

// A matrix sorted by ANALYSE. It lies here and not in the workspace, which the caller may overwrite.
struct sorted_plan final : plan_of<sorted_plan> {
    sorted_plan(int64_t line_count, int64_t place_count)
        : lines(line_count),
          count(place_count),
          offsets(new (std::nothrow) int64_t[static_cast<size_t>(line_count + 1)]),
          places(new (std::nothrow) sorted_place[static_cast<size_t>(place_count)]) {}
    ~sorted_plan() override {
        delete[] offsets;
        delete[] places;
    }
    sorted_plan(const sorted_plan&) = delete;
    sorted_plan& operator=(const sorted_plan&) = delete;

    int64_t lines, count;
    int64_t* offsets;
    sorted_place* places;
};

template <class VA, class VC, class CT, class IT>
class host_spmm_plan {
    static constexpr int L = vector_elements<CT>;
    // Where rows of C are written at once: each strip's pieces of B are next to those of the strip before.
    template <class Source>
    static int64_t rows_at_a_time(const Source& source, int64_t row) {
        if constexpr (Source::has_rows_alike) return std::min<int64_t>(source.rows_alike(row), 8);
        return 2;
    }

  public:
    host_spmm_plan(const host_device& device, heron_phase phase, const heron_spmm_args& args,
                   heron_workspace& workspace)
        : device_(device),
          phase_(phase),
          args_(args),
          a_(args.a),
          workspace_(workspace),
          layout_(phase, workspace) {}

    void apply() {
        const heron_format format = a_.format;
        // Blocks of one element are elements.
        const bool blocks = is_ell() || (format == HERON_FORMAT_BSR && a_.block_rows * a_.block_cols > 1);
        const bool by_columns = plans::is_transposed(args_.op);
        const bool sorts = by_columns || format == HERON_FORMAT_COO;
        const bool empty = stored() == 0;
        // What depends on the pattern alone comes first in the workspace.
        const line_sorter sorter(layout_, sorts && !empty ? lines_of_op(by_columns) : 0,
                                 sorts ? stored() : 0);
        if (!empty && !reads_b_directly()) take_panel(blocks, by_columns);
        const bool shares_pattern = a_.indices_stride == 0 && a_.offsets_stride == 0;
        const bool plans = by_columns && shares_pattern && !empty;
        if (phase_ == HERON_PHASE_ANALYSE && plans) analyse();
        if (phase_ != HERON_PHASE_RUN) return;
        const bool is_planned = plans && finds_plan();
        const bool scatters = by_columns && !is_planned && !empty && this->scatters();
        for (int32_t item = 0; item < args_.c.batch_count; ++item) {
            if (scatters) {
                scatter(item);
                continue;
            }
            if (sorts && !empty && !is_planned && (item == 0 || !shares_pattern))
                sort(sorter, item, by_columns);
            if (!sorts || is_sorted_ || empty)
                multiply(item, blocks, by_columns, stored_lines(item, sorts ? sorter.offsets() : nullptr));
            else
                multiply(item, blocks, by_columns, sorted_);
        }
    }

  private:
    // Block columns or rows, and how many blocks (elements) there are at most.
    int64_t lines_of_op(bool by_columns) const {
        const int64_t size = by_columns ? a_.cols : a_.rows;
        const int64_t block = by_columns ? a_.block_cols : a_.block_rows;
        return block > 0 ? (size + block - 1) / block : size;
    }
    // Without memory for a plan there is none, and every run sorts.
    void analyse() {
        auto* const plan = new (std::nothrow) sorted_plan(lines_of_op(true), stored());
        if (!plan) return;
        if (plan->offsets && plan->places) {
            sort(line_sorter(plan->lines, plan->offsets, plan->places), 0, true);
            workspace_.plan = plan;
        } else {
            delete plan;
        }
    }

    bool finds_plan() {
        const auto* const plan = plan_as<sorted_plan>(workspace_.plan);
        if (!plan || plan->lines != lines_of_op(true) || plan->count != stored()) return false;
        sorted_ = {plan->offsets, plan->places, plan->lines};
        return true;
    }

    int64_t slots() const { return a_.format == HERON_FORMAT_BLOCKED_ELL ? a_.ell_cols / a_.block_rows : 0; }
    int64_t stored() const { return slots() > 0 ? lines_of_op(false) * slots() : is_ell() ? 0 : a_.nnz; }
    bool is_ell() const { return a_.format == HERON_FORMAT_BLOCKED_ELL; }

    bool reads_b_directly() const {
        if constexpr (!std::is_same_v<VA, CT>) return false;
        return args_.b.order == HERON_ORDER_ROW && !args_.conjugate_b && args_.c.cols >= narrowest_strip<CT>;
    }

    // Of an A with few elements (blocks) the panel has the rows of B that these meet, one after the other,
    // and not all.
    void take_panel(bool blocks, bool by_columns) {
        constexpr int64_t least_rows = 8;
        const int64_t width = !blocks ? 1 : by_columns ? a_.block_rows : a_.block_cols;
        const int64_t all = args_.b.rows, met = stored() * width;
        meets_few_ = met < all / least_rows && all % width == 0;
        met_width_ = width;
        met_ = layout_.take<int64_t>(meets_few_ ? stored() : 0);
        numbers_ = layout_.take<sorted_place>(meets_few_ ? stored() : 0);
        panel_ = layout_.take<CT>((meets_few_ ? met : all) * panel_columns());
    }

    // Of the widest strip.
    int64_t panel_columns() const { return strip_over(args_.c.cols); }

    // As few columns as hold these.
    static int strip_over(int64_t columns) {
        int result = narrowest_strip<CT>;
        while (result < widest_strip<CT> && result < columns) result *= 2;
        return result;
    }
    // As many columns as these hold.
    static int strip_within(int64_t columns) {
        int result = widest_strip<CT>;
        while (result > narrowest_strip<CT> && result > columns) result /= 2;
        return result;
    }

    stored_list<IT> stored_lines(int32_t item, const int64_t* sorted_offsets) const {
        const IT* const indices = as<const IT>(a_.indices) + item * a_.indices_stride;
        const int64_t lines = lines_of_op(false);
        if (is_ell()) return {offset_array(nullptr, HERON_INDEX_64), 0, slots(), indices, a_.base, lines};
        if (sorted_offsets)
            return {offset_array(sorted_offsets, HERON_INDEX_64), 0, 0, indices, a_.base, lines};
        const bool wide = a_.offset_type == HERON_INDEX_64;
        const void* const offsets =
            wide ? static_cast<const void*>(as<const i64>(a_.offsets) + item * a_.offsets_stride)
                 : static_cast<const void*>(as<const i32>(a_.offsets) + item * a_.offsets_stride);
        return {offset_array(offsets, a_.offset_type), a_.base, 0, indices, a_.base, lines};
    }

    void sort(const line_sorter& sorter, int32_t item, bool by_columns) {
        if (a_.format == HERON_FORMAT_COO) return sort_coo(sorter, item, by_columns);
        const stored_list<IT> list = stored_lines(item, nullptr);
        sorted_ = sorter.sort([&](auto&& f) {
            for (int64_t line = 0; line < list.lines; ++line)
                list.each(line, [&](int64_t index, int64_t position) { f(index, line, position); });
        });
    }

    // A COO matrix whose rows ascend needs offsets alone.
    void sort_coo(const line_sorter& sorter, int32_t item, bool by_columns) {
        const IT* const rows = as<const IT>(a_.row_indices) + item * a_.indices_stride;
        const IT* const columns = as<const IT>(a_.indices) + item * a_.indices_stride;
        is_sorted_ = !by_columns;
        for (int64_t k = 0; k + 1 < a_.nnz && is_sorted_; ++k) is_sorted_ = rows[k] <= rows[k + 1];
        if (is_sorted_) return find_offsets(rows, sorter.offsets());
        const IT* const lines = by_columns ? columns : rows;
        const IT* const others = by_columns ? rows : columns;
        sorted_ = sorter.sort([&](auto&& f) {
            for (int64_t k = 0; k < a_.nnz; ++k)
                f(static_cast<int64_t>(lines[k]) - a_.base, static_cast<int64_t>(others[k]) - a_.base, k);
        });
    }

    void find_offsets(const IT* rows, int64_t* offsets) const {
        int64_t row = 0;
        for (int64_t k = 0; k < a_.nnz; ++k)
            for (; row <= static_cast<int64_t>(rows[k]) - a_.base; ++row) offsets[row] = k;
        for (; row <= a_.rows; ++row) offsets[row] = a_.nnz;
    }

    static constexpr bool can_scatter =
        std::is_same_v<VA, CT> && std::is_same_v<VC, CT> && parts_of<CT>::count == 1;

    // Whether to add to places of C, a row of A at a time, costs one thread less than to sort the elements.
    // The sums are the same: each adds up its products in the order of A's rows, and is multiplied by alpha
    // then.
    bool scatters() const {
        constexpr int64_t most_columns = 4;
        return can_scatter && a_.format == HERON_FORMAT_CSR && args_.c.cols <= most_columns && team() == 1 &&
               equal(scalar(args_.beta), CT{}) && !equal(scalar(args_.alpha), CT{});
    }

    void scatter(int32_t item) const {
        if constexpr (can_scatter) {
            const bool b_by_rows = args_.b.order == HERON_ORDER_ROW;
            const CT* const b = as<const CT>(args_.b.values) + item * args_.b.batch_stride;
            const CT* const values = as<const CT>(a_.values) + item * a_.values_stride;
            const strip_of_c<VC, CT> whole = whole_of_c(item);
            const int64_t b_rows = b_by_rows ? args_.b.ld : 1, b_columns = b_by_rows ? 1 : args_.b.ld;
            strip_of_c<VC, CT> zeros = whole;
            zeros.alpha = CT{1};
            scale(zeros, 1);
            add_scattered(stored_lines(item, nullptr), values, dense_places<const CT>{b, b_rows, b_columns},
                          dense_places<CT>{whole.c, whole.row_step, whole.column_step}, args_.c.cols);
            if (equal(whole.alpha, CT{1})) return;
            for (int64_t i = 0; i < args_.c.rows; ++i)
                for (int64_t j = 0; j < args_.c.cols; ++j) {
                    CT& sum = whole.c[i * whole.row_step + j * whole.column_step];
                    sum = mul(whole.alpha, sum);
                }
        }
    }

    // The list with the elements' own numbers in place of the rows of B that they meet; these go to met_.
    stored_list<IT> numbered(stored_list<IT> list) {
        IT* const numbers = reinterpret_cast<IT*>(numbers_);
        each_met(stored(), [&](int64_t k) {
            const bool is_there = list.indices[k] >= 0;
            met_[k] = is_there ? static_cast<int64_t>(list.indices[k]) - list.base : -1;
            numbers[k] = is_there ? static_cast<IT>(k) : IT{-1};
        });
        list.indices = numbers;
        list.base = 0;
        return list;
    }
    sorted_list numbered(sorted_list list) {
        each_met(list.offsets[list.lines], [&](int64_t k) {
            met_[k] = list.places[k].other;
            numbers_[k] = {k, list.places[k].position};
        });
        list.places = numbers_;
        return list;
    }
    template <class F>
    void each_met(int64_t count, F&& f) {
        met_count_ = count;
        run_team(team_for(device_, count), [&](int member, int members) {
            const range own = equal_part(count, member, members);
            for (int64_t k = own.begin; k < own.end; ++k) f(k);
        });
    }

    template <class List>
    void multiply(int32_t item, bool blocks, bool by_columns, const List& stored_as) {
        const bool is_numbered = meets_few_ && !equal(scalar(args_.alpha), CT{});
        const List list = is_numbered ? numbered(stored_as) : stored_as;
        const VA* const values = as<const VA>(a_.values) + item * a_.values_stride;
        if (blocks)
            multiply(item, block_source<VA, List>{list, values, geometry(by_columns)});
        else
            multiply(item, element_source<VA, List>{list, values});
    }

    block_geometry geometry(bool by_columns) const {
        const int64_t block = a_.block_rows * a_.block_cols;
        const bool by_rows = a_.block_order == HERON_ORDER_ROW;
        block_geometry g{a_.block_rows,
                         a_.block_cols,
                         by_rows ? a_.block_cols : 1,
                         by_rows ? 1 : a_.block_rows,
                         1,
                         block,
                         0,
                         a_.rows,
                         a_.cols};
        if (is_ell()) {
            g.height_step = a_.ell_cols;
            g.width_step = 1;
            g.per_band = slots() > 0 ? slots() : 1;
            g.band_step = a_.block_rows * a_.ell_cols;
            g.block_step = a_.block_rows;
        }
        if (!by_columns) return g;
        return {g.width,     g.height,     g.width_step, g.height_step, g.per_band,
                g.band_step, g.block_step, g.inner,      g.rows};
    }

    strip_of_c<VC, CT> whole_of_c(int32_t item) const {
        const heron_dnmat& c = args_.c;
        return {as<VC>(c.values) + item * c.batch_stride,
                c.order == HERON_ORDER_ROW ? c.ld : 1,
                c.order == HERON_ORDER_ROW ? 1 : c.ld,
                0,
                0,
                0,
                scalar(args_.alpha),
                scalar(args_.beta)};
    }
    int team() const { return team_for(device_, (stored_elements() + args_.c.rows) * args_.c.cols); }

    template <class Source>
    void multiply(int32_t item, const Source& source) {
        strip_of_c<VC, CT> strip = whole_of_c(item);
        const int team = this->team();
        if (equal(strip.alpha, CT{}) || stored() == 0) return scale(strip, team);
        const VA* const b = as<const VA>(args_.b.values) + item * args_.b.batch_stride;
        if (panel_)
            return each_strip(strip, [&](int columns) { sum_packed(b, source, strip, columns, team); });
        if constexpr (std::is_same_v<VA, CT>)
            run_team(team, [&](int member, int members) {
                sum_directly(b, source, strip, source.part(member, members));
            });
    }

    // Calls f(columns) with the strip moved to one place after the other.
    template <class F>
    void each_strip(strip_of_c<VC, CT>& strip, F&& f) const {
        const int64_t all = args_.c.cols;
        for (int64_t done = 0; done < all; done = strip.end) {
            const int64_t left = all - done;
            const int columns =
                panel_ ? strip_over(left) : strip_within(std::max(left, std::min<int64_t>(all, L)));
            strip.end = std::min(done + columns, all);
            // The last vector reads no column behind the last one: it begins earlier.
            strip.first = panel_ ? done : strip.end - columns;
            strip.skipped = done - strip.first;
            f(columns);
        }
    }

    // Some rows by all columns at a time, so that whole rows of B and C are read and written.
    template <class Source>
    void sum_directly(const CT* b, const Source& source, strip_of_c<VC, CT> strip, range rows) const {
        const bool conjugate = plans::is_conjugated(args_.op);
        const bool has_one_strip = args_.c.cols <= widest_strip<CT>;
        const auto step_from = [&](int64_t row) {
            return has_one_strip                      ? rows.end - rows.begin
                   : args_.c.order == HERON_ORDER_ROW ? rows_at_a_time(source, row)
                                                      : tile_rows;
        };
        for (range tile{rows.begin, rows.begin}; tile.begin < rows.end; tile.begin = tile.end) {
            tile.end = std::min(tile.begin + step_from(tile.begin), rows.end);
            each_strip(strip, [&](int columns) {
                sum_strip(columns, source, tile, conjugate, strip_of_b<CT>{b + strip.first, args_.b.ld},
                          strip.writer(columns));
            });
        }
    }

    template <class Source>
    void sum_packed(const VA* b, const Source& source, const strip_of_c<VC, CT>& strip, int columns,
                    int team) const {
        const strip_of_b<CT> rows_of_b{panel_, columns};
        const range filled{strip.first, strip.end};
        run_team(team, [&](int member, int members) {
            if (meets_few_)
                gather_panel(args_.b, b, filled, args_.conjugate_b, panel_, rows_of_b.step, met_width_, met_,
                             equal_part(met_count_, member, members));
            else
                fill_panel(args_.b, b, filled, args_.conjugate_b, panel_, rows_of_b.step,
                           equal_part(args_.b.rows, member, members));
        });
        const bool conjugate = plans::is_conjugated(args_.op);
        run_team(team, [&](int member, int members) {
            sum_strip(columns, source, source.part(member, members), conjugate, rows_of_b,
                      strip.writer(rows_of_b.step));
        });
    }

    // alpha = 0: neither A nor B is read.
    void scale(const strip_of_c<VC, CT>& whole, int team) const {
        const CT zeros[tile_rows * widest_strip<CT>] = {};
        run_team(team, [&](int member, int members) {
            const range rows = equal_part(args_.c.rows, member, members);
            strip_of_c<VC, CT> strip = whole;
            for (; strip.first < args_.c.cols; strip.first += widest_strip<CT>) {
                const int64_t end = strip.first + widest_strip<CT>;
                strip.end = end < args_.c.cols ? end : args_.c.cols;
                for (int64_t row = rows.begin; row < rows.end; row += tile_rows)
                    strip.write(&strip, row, rows.end - row < tile_rows ? rows.end - row : tile_rows, zeros);
            }
        });
    }

    int64_t stored_elements() const {
        return a_.format == HERON_FORMAT_BSR ? a_.nnz * a_.block_rows * a_.block_cols : a_.nnz;
    }

    static CT scalar(const heron_scalar& s) {
        const scalar_argument<CT> argument = as_argument<CT>(s);
        return argument.device ? *argument.device : argument.value;
    }

    const host_device& device_;
    heron_phase phase_;
    const heron_spmm_args& args_;
    const heron_spmat& a_;
    heron_workspace& workspace_;
    workspace_layout layout_;
    CT* panel_ = nullptr;
    bool meets_few_ = false;
    int64_t met_width_ = 1;   // of a block
    int64_t* met_ = nullptr;  // blocks of rows of B
    int64_t met_count_ = 0;
    sorted_place* numbers_ = nullptr;  // or IT
    sorted_list sorted_{};
    bool is_sorted_ = false;
};

void host_spmm(host_device& device, heron_phase phase, const heron_spmm_args& args,
               heron_workspace& workspace) {
    visit_spmm(args.a.type, args.c.type, args.compute_type,
               [&]<class VA, class VC, class CT>(type<VA>, type<VC>, type<CT>) {
                   visit_index(args.a.index_type, [&]<class IT>(type<IT>) {
                       host_spmm_plan<VA, VC, CT, IT>(device, phase, args, workspace).apply();
                   });
               });
}

}  // namespace

void override_spmm(heron_backend& table) {
    table.spmm = &slot<host_device, heron_spmm_args, &host_spmm, operation_names::spmm>;
}

}  // namespace heron::HERON_LEVEL
