// C := alpha*op(A)*B + beta*C on the CPU, compiled once per instruction set level. Strips of columns are
// taken one after another, each by all threads, which share the rows. C is read and written once.
#include "common/runtime/plan_record.hpp"
#include "common/runtime/dispatch.hpp"
#include "common/runtime/slot.hpp"
#include "strips.hpp"
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

    static void write(const void* self, int64_t row, int64_t rows, const CT* sums) {
        const strip_of_c& s = *static_cast<const strip_of_c*>(self);
        s.row_step == 1 ? s.by_columns(row, rows, sums) : s.by_rows(row, rows, sums);
    }

  private:
    void by_rows(int64_t row, int64_t rows, const CT* sums) const {
        for (int64_t i = 0; i < rows; ++i)
            update(c + (row + i) * row_step, column_step, first + skipped, end,
                   sums + i * widest_strip<CT> + skipped, 1);
    }
    void by_columns(int64_t row, int64_t rows, const CT* sums) const {
        for (int64_t j = first + skipped; j < end; ++j)
            update(c + j * column_step, 1, row, row + rows, sums + (j - first), widest_strip<CT>);
    }
    // line[j*step] for j in [begin, end)
    void update(VC* line, int64_t step, int64_t begin, int64_t last, const CT* sums, int64_t sum_step) const {
        if (equal(beta, CT{})) {
            for (int64_t j = begin; j < last; ++j)
                store(line[j * step], mul(alpha, sums[(j - begin) * sum_step]));
        } else {
            for (int64_t j = begin; j < last; ++j)
                store(line[j * step],
                      mad(beta, load<CT>(line[j * step]), mul(alpha, sums[(j - begin) * sum_step])));
        }
    }
};

// Some rows of B as contiguous lines of compute type, `step` apart, with zeros behind the last of these
// columns. Runs of rows are taken at a time, so that a B in column order is read in whole lines. Apart from
// the plan, whose copies differ in C and A.
template <class VA, class CT>
[[gnu::noinline]] void fill_panel(const heron_dnmat& matrix, const VA* b, range columns, bool conjugate,
                                  CT* panel, int64_t step, range rows) {
    constexpr int64_t run = 16;
    const int64_t row_step = matrix.order == HERON_ORDER_ROW ? matrix.ld : 1;
    const int64_t column_step = matrix.order == HERON_ORDER_ROW ? 1 : matrix.ld;
    const int64_t count = columns.end - columns.begin;
    for (int64_t first = rows.begin; first < rows.end; first += run) {
        const int64_t last = first + run < rows.end ? first + run : rows.end;
        for (int64_t j = 0; j < step; ++j) {
            const VA* const from = b + (columns.begin + j) * column_step;
            for (int64_t i = first; i < last; ++i) {
                const CT v = j < count ? load<CT>(from[i * row_step]) : CT{};
                panel[i * step + j] = conjugate ? conj(v) : v;
            }
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
        const bool blocks = format == HERON_FORMAT_BSR || format == HERON_FORMAT_BLOCKED_ELL;
        const bool by_columns = plans::is_transposed(args_.op);
        const bool sorts = by_columns || format == HERON_FORMAT_COO;
        const bool empty = stored() == 0;
        // What depends on the pattern alone comes first in the workspace.
        const line_sorter sorter(layout_, sorts && !empty ? lines_of_op(by_columns) : 0,
                                 sorts ? stored() : 0);
        panel_ = empty || reads_b_directly() ? nullptr : layout_.take<CT>(args_.b.rows * panel_columns());
        const bool shares_pattern = a_.indices_stride == 0 && a_.offsets_stride == 0;
        const bool plans = by_columns && shares_pattern && !empty;
        if (phase_ == HERON_PHASE_ANALYSE && plans) analyse();
        if (phase_ != HERON_PHASE_RUN) return;
        const bool is_planned = plans && finds_plan();
        for (int32_t item = 0; item < args_.c.batch_count; ++item) {
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
        // Strips of longer rows share few sets of the caches, so that a copy pays where it is read often.
        constexpr int64_t often = 3;
        const bool fits = args_.c.cols <= widest_strip<CT> || stored_elements() < often * args_.b.rows;
        return args_.b.order == HERON_ORDER_ROW && !args_.conjugate_b && args_.c.cols >= L && fits;
    }

    // Of the widest strip.
    int64_t panel_columns() const { return int64_t{vectors_for(args_.c.cols)} * L; }

    static int vectors_for(int64_t columns) {
        int vectors = 1;
        while (vectors < most_vectors<CT> && vectors * L < columns) vectors *= 2;
        return vectors;
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

    template <class List>
    void multiply(int32_t item, bool blocks, bool by_columns, const List& list) {
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

    template <class Source>
    void multiply(int32_t item, const Source& source) {
        const heron_dnmat& c = args_.c;
        strip_of_c<VC, CT> strip{as<VC>(c.values) + item * c.batch_stride,
                                 c.order == HERON_ORDER_ROW ? c.ld : 1,
                                 c.order == HERON_ORDER_ROW ? 1 : c.ld,
                                 0,
                                 0,
                                 0,
                                 scalar(args_.alpha),
                                 scalar(args_.beta)};
        const int team = team_for(device_, (stored_elements() + c.rows) * c.cols);
        if (equal(strip.alpha, CT{}) || stored() == 0) return scale(strip, team);
        for (int64_t done = 0; done < c.cols;) {
            const int vectors = vectors_at(done);
            strip.end = done + vectors * L < c.cols ? done + vectors * L : c.cols;
            // The last vector reads no column behind the last one: it begins earlier.
            strip.first = panel_ ? done : strip.end - vectors * L;
            strip.skipped = done - strip.first;
            sum(item, source, strip, vectors, team);
            done = strip.end;
        }
    }

    int vectors_at(int64_t done) const {
        const int64_t left = args_.c.cols - done;
        if (panel_) return vectors_for(left);
        int vectors = most_vectors<CT>;
        while (vectors > 1 && vectors * L > left) vectors /= 2;
        return vectors;
    }

    template <class Source>
    void sum(int32_t item, const Source& source, const strip_of_c<VC, CT>& strip, int vectors, int team) {
        const VA* const b = as<const VA>(args_.b.values) + item * args_.b.batch_stride;
        strip_of_b<CT> rows_of_b{panel_, int64_t{vectors} * L};
        if constexpr (std::is_same_v<VA, CT>)
            if (!panel_) rows_of_b = {b + strip.first, args_.b.ld};
        if (panel_)
            run_team(team, [&](int member, int members) {
                fill_panel(args_.b, b, {strip.first, strip.end}, args_.conjugate_b, panel_, rows_of_b.step,
                           equal_part(args_.b.rows, member, members));
            });
        const bool conjugate = plans::is_conjugated(args_.op);
        const tile_writer<CT> writer{&strip, &strip_of_c<VC, CT>::write};
        run_team(team, [&](int member, int members) {
            sum_strip(vectors, source, source.part(member, members), conjugate, rows_of_b, writer);
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
