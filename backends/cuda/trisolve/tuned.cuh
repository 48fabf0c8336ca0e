#pragma once
// A triangular solve in one launch: the rows wait for each other (sweep.cuh), or the block rows of a BSR
// matrix. ANALYSE gathers op(A) by rows where A is not that already, and puts the rows into the order of
// their levels where that helps.
#include "cuda/runtime/group_words.cuh"
#include "cuda/runtime/report.hpp"
#include "common/runtime/run_turn.hpp"
#include "common/trisolve/blocks.hpp"
#include "many.cuh"
#include "pattern.hpp"
#include "tuned.hpp"

namespace heron::HERON_LEVEL {

// The solution of one right-hand side as a sweep.
template <class CT>
struct solve_work {
    using value = CT;
    using divisor = HERON_LEVEL::divisor<CT>;
    using box = mailbox<CT>;
    static constexpr int most_threads = 256;
    static constexpr int least_blocks = sizeof(CT) > 8 ? 2 : 3;
    static constexpr unsigned longest_nap = 100;
    solve_operands<CT> o;

    __device__ bool is_void() const { return equal(o.scale(), CT{}); }
    __device__ solve_work of_side(unsigned side) const {
        solve_work other = *this;
        other.o.b += side * o.b_column;
        other.o.c += side * o.c_column;
        return other;
    }
    __device__ CT right_side(int64_t row) const { return is_void() ? CT{} : o.b[row * o.b_row]; }
    __device__ CT prepare(CT right) const { return is_void() ? CT{} : mul(o.scale(), right); }
    __device__ CT load(int64_t k) const { return o.values[k]; }
    __device__ CT add(CT sum, CT element, CT x) const { return mad(o.of_operation(element), x, sum); }
    __device__ CT join(CT a, CT b) const { return heron::HERON_LEVEL::add(a, b); }
    __device__ CT add_pivot(CT pivot, CT element) const {
        return heron::HERON_LEVEL::add(pivot, o.of_operation(element));
    }
    __device__ auto ready(int row, CT pivot) const { return o.by(row, pivot); }
    __device__ CT finish(CT right, CT sum, const divisor& by) const {
        return is_void() ? CT{} : by.of(sub(right, sum));
    }
    __device__ void store(int row, CT x, const divisor& by) const {
        o.c[row * o.c_row] = x;
        o.look_at_pivot(row, by);
    }
    __device__ heron_zero_pivot* zero_pivot() const { return o.zero_pivot; }
};

// How many elements the row at a place of the order has.
template <class OT, class IT>
struct lengths_of_rows {
    triangle_rows<OT, IT> triangle;
    row_order order;

    __device__ unsigned operator()(int place) const {
        return order.at(triangle, place, order.is_ordered()).count();
    }
};

// In how many pieces the long row at a place of the order is listed.
template <class OT, class IT>
struct pieces_of_rows {
    lengths_of_rows<OT, IT> lengths;
    bool are_shared;

    __device__ unsigned operator()(unsigned place) const {
        return are_shared ? pieces_of_length(lengths(static_cast<int>(place))) : 1u;
    }
};

template <class CT>
struct sweep_plan final : plan_of<sweep_plan<CT>> {
    gathered_triangle triangle;
    bool may_have_long_rows = true;
    device_report long_rows;
    row_units units{};
    int64_t most_units = 0;
    row_pieces<typename mailbox<CT>::slot> pieces{};
    piece_lines<CT> lines{};
    // Of few rows: right-hand sides that one launch solves, each with boxes of its own, where that is more
    // than one.
    int sides = 1;
    void* side_boxes = nullptr;
    // Of many right-hand sides: n rows of `width` elements each.
    int width = 0;
    CT* solved = nullptr;
    CT* turned = nullptr;
    // Of block rows.
    int64_t block_width = 0;
    char* block_control = nullptr;
    run_turn turn;

    // Whether rows must be expected that are better walked by whole blocks: as long as the device has not
    // said that there are none.
    bool expects_long_rows() const { return may_have_long_rows && long_rows.answer().value_or(true); }
};

template <class CT>
class tuned_trisolve_run {
  public:
    tuned_trisolve_run(cuda_device& device, heron_phase phase, const heron_trisolve_args& args,
                       heron_workspace& workspace)
        : device_(device),
          args_(args),
          by_blocks_(plans::has_block_rows(args.a) && args.a.block_rows > 1),
          rows_of_(args_of_rows(args)),
          workspace_(workspace),
          layout_(phase, workspace),
          n_(rows_of_.a.rows),
          stored_(plans::stored_elements(rows_of_.a)),
          order_(layout_, n_, n_ * static_cast<int64_t>(sizeof(slot)) + int64_t{sizeof(unit_summary)}),
          staged_(layout_.template take<CT>(args.a.rows * args.staged_columns)) {}

    // Takes what the analysis needs beside what all solves use.
    void analyse(heron_phase phase) {
        sweep_plan<CT> plan;
        if (by_blocks_) {
            const plans::block_solve_memory<CT> memory(layout_, args_);
            plan.block_width = memory.width;
            plan.block_control = memory.control;
        } else if (args_.b.cols > 1 && has_few_rows()) {
            plan.sides = static_cast<int>(std::min<int64_t>(args_.b.cols, most_sides));
        } else if (args_.b.cols > 1) {
            plan.width =
                static_cast<int>((std::min<int64_t>(args_.b.cols, widest) + packed - 1) / packed) * packed;
        }
        plan.solved = layout_.template take<CT>(n_ * plan.width);
        plan.turned = layout_.template take<CT>(n_ * plan.width);
        auto* const side_boxes = layout_.template take<slot>(plan.sides > 1 ? n_ * plan.sides : 0);
        if (plan.sides > 1) plan.side_boxes = side_boxes;
        plan.may_have_long_rows = !by_blocks_ && n_ > 0 && n_ > plans::longest_row(stored_, n_);
        const bool has_pieces = plan.may_have_long_rows && plan.sides == 1 && stored_ > longest_whole;
        const int64_t most_pieces = has_pieces ? stored_ / piece_length + 1 : 0;
        plan.most_units = plan.may_have_long_rows ? most_units() + most_pieces : 0;
        auto* const of_pieces = layout_.template take<slot>(2 * most_pieces);
        plan.lines = {layout_.template take<CT>(2 * most_pieces * plan.width), static_cast<int>(most_pieces)};
        if (!has_pieces || plan.width == 0) plan.lines = {};
        auto* const pieces = layout_.template take<unsigned>(has_pieces ? plan.most_units : 0);
        if (has_pieces) plan.pieces = {of_pieces, of_pieces + most_pieces, true};
        auto* const marks = layout_.template take<unsigned>(plan.may_have_long_rows ? n_ / warp_size + 1 : 0);
        auto* const starts = layout_.template take<unsigned>(plan.most_units + 1);
        const gather_memory gathering(layout_, n_, is_gathered() ? stored_ : 0);
        if (phase == HERON_PHASE_SIZE) return;
        if (plan.sides > 1) device_.fill(side_boxes, 0, static_cast<size_t>(n_ * plan.sides) * sizeof(slot));
        if (has_pieces) device_.fill(of_pieces, 0, static_cast<size_t>(2 * most_pieces) * sizeof(slot));
        const int64_t fewest = args_.b.cols > 1 ? fewest_ordered_rows_of_many : fewest_ordered_rows;
        // The sums of rows must not depend on when the answer comes: rows of one lane's are added up alike.
        const bool asks = n_ >= fewest || stored_ <= few_elements * n_;
        if (plan.may_have_long_rows && asks && !is_capturing(device_.stream()))
            plan.long_rows = device_report::take();
        const plans::long_rows_report report{plan.long_rows.address(), plan.long_rows.value(true),
                                             plan.long_rows.value(false)};
        if (is_gathered()) plan.triangle = gather_triangle(device_, rows_of_, gathering);
        const gathered_triangle& t = plan.triangle;
        order_by_levels(
            device_,
            is_gathered() ? plans::rows_of(t.offsets, t.columns, n_, stored_) : plans::rows_of(rows_of_.a),
            is_lower(), leaves_out_diagonal(), order_, report, fewest,
            by_blocks_ ? least_level_of_blocks : least_level);
        if (plan.may_have_long_rows)
            plan.units = list_long_rows(plan, marks, starts, has_pieces ? pieces : nullptr,
                                        n_ < fewest ? report : plans::long_rows_report{});
        plans::leave_plan(static_cast<sweep_plan<CT>&&>(plan), workspace_);
    }

    void run() {
        const sweep_plan<CT>& plan = plans::required_plan<sweep_plan<CT>>(workspace_);
        const auto turn = plan.turn.take();
        if (!reports_zero_pivots()) plans::find_zero_pivots<CT>(device_, args_);
        if (by_blocks_) return solve_blocks(plan);
        visit_triangle(plan, [&](const auto& triangle) { solve(triangle, row_order_of(0), plan); });
    }

  private:
    using slot = typename mailbox<CT>::slot;
    // Right-hand sides of one launch, and where each has blocks of its own.
    static constexpr int64_t widest = 64;
    static constexpr int64_t most_sides = 128;
    // A row of so many has one lane.
    static constexpr int64_t few_elements = 4;
    // Of one lane: what a load brings at a time.
    static constexpr int packed = 16 / sizeof(CT);

    // Of one right-hand side, and of many.
    solve_control* control() const {
        static_assert(2 * sizeof(solve_control) <= plans::row_order_memory::control_words * sizeof(u32));
        return reinterpret_cast<solve_control*>(order_.control);
    }
    // Without stamps before the first solve.
    slot* boxes() const { return reinterpret_cast<slot*>(order_.own); }
    // The rows that wait for each other: those of the matrix, or of a CSR matrix with an element for each
    // block.
    static heron_trisolve_args args_of_rows(const heron_trisolve_args& args) {
        heron_trisolve_args result = args;
        result.a = plans::block_row_pattern(args.a);
        return result;
    }

    bool is_gathered() const {
        return rows_of_.a.format != HERON_FORMAT_CSR || plans::is_transposed(args_.op);
    }
    bool is_lower() const { return (args_.a.fill == HERON_FILL_LOWER) != plans::is_transposed(args_.op); }
    bool is_unit() const { return args_.a.diag == HERON_DIAG_UNIT; }
    // Blocks on the diagonal have elements beside it.
    bool leaves_out_diagonal() const { return rows_of_.a.diag == HERON_DIAG_UNIT; }
    // Whether the rows that are solved are those whose pivots are asked for.
    bool reports_zero_pivots() const {
        return args_.zero_pivot && !by_blocks_ && rows_of_.a.format != HERON_FORMAT_BSR;
    }

    row_order row_order_of(int levels_ahead) const {
        return {order_.schedule, reinterpret_cast<const row_record*>(order_.records),
                order_.places,   static_cast<int>(n_),
                is_lower(),      levels_ahead};
    }
    // Calls f(the rows of the triangle of op(A)).
    template <class F>
    void visit_triangle(const sweep_plan<CT>& plan, F&& f) {
        if (is_gathered()) {
            const gathered_triangle& t = plan.triangle;
            return f(triangle_rows<int, int>{t.offsets, t.columns, t.sources, n_, 0, is_lower(), is_unit()});
        }
        visit_offsets_and_indices(
            args_.a.offset_type, args_.a.index_type, [&]<class OT, class IT>(type<OT>, type<IT>) {
                f(triangle_rows<OT, IT>{as<const OT>(args_.a.offsets), as<const IT>(args_.a.indices), nullptr,
                                        n_, args_.a.base, is_lower(), is_unit()});
            });
    }

    // Systems of few and short rows, of which an order by levels is not asked for: what their solves with
    // several right-hand sides take is launches, and loads that wait for each other.
    bool has_few_rows() const { return n_ < fewest_ordered_rows_of_many && stored_ <= few_elements * n_; }

    // Elements of a row that is a unit of its own where some are long: more than two steps of sixteen lanes,
    // and few rows have them.
    unsigned longest_shared_row() const {
        return static_cast<unsigned>(std::max<int64_t>(128, 8 * stored_ / n_));
    }
    // Short rows of a unit, for which all kernels that may walk it have lanes enough.
    int rows_of_unit() const {
        int rows = 0;
        const auto take_one = [&]<int lanes>(lane_count<lanes>) {
            rows = solve_work<CT>::most_threads / lanes;
        };
        if (args_.b.cols == 1 || has_few_rows()) {
            if (stored_ <= few_elements * n_)
                take_one(lane_count<1>{});
            else
                take_one(lane_count<16>{});
        } else
            visit_shapes(static_cast<int>(std::min<int64_t>(args_.b.cols, widest)), true,
                         [&]<class Shape>(Shape) { rows = Shape::rows; });
        return rows;
    }
    // A long row makes two units of one.
    int64_t most_units() const {
        const int64_t long_rows = std::min(n_, stored_ / (int64_t{longest_shared_row()} + 1));
        return blocks_of_rows(n_, rows_of_unit()) + 2 * long_rows;
    }
    row_units list_long_rows(const sweep_plan<CT>& plan, unsigned* marks, unsigned* starts, unsigned* pieces,
                             const plans::long_rows_report& report) {
        auto* const summary = reinterpret_cast<unit_summary*>(boxes() + n_);
        constexpr int threads = 256;
        visit_triangle(plan, [&]<class OT, class IT>(const triangle_rows<OT, IT>& triangle) {
            const lengths_of_rows<OT, IT> lengths{triangle, row_order_of(0)};
            device_.launch_blocks(mark_long_rows<lengths_of_rows<OT, IT>>, (n_ + threads - 1) / threads,
                                  threads, 0, lengths, static_cast<int>(n_), longest_shared_row(),
                                  plans::longest_row(stored_, n_), marks, summary);
            const pieces_of_rows<OT, IT> pieces_of{lengths, pieces != nullptr};
            device_.launch_blocks(list_units<pieces_of_rows<OT, IT>>, 1, listing_threads, 0, marks,
                                  static_cast<int>(n_), rows_of_unit(), starts, pieces, pieces_of, summary,
                                  report.address, report.long_word, report.short_word);
        });
        return {summary, starts, pieces};
    }

    void solve_blocks(const sweep_plan<CT>& plan) {
        static_assert(sizeof(row_record) == 4 * sizeof(int));
        const gathered_triangle& t = plan.triangle;
        const auto* const records = reinterpret_cast<const int*>(order_.records);
        const plans::ordered_blocks blocks =
            is_gathered()
                ? plans::ordered_blocks{t.offsets, t.columns, t.sources, records, order_.schedule, 0}
                : plans::ordered_blocks{as<const int>(args_.a.offsets),
                                        as<const int>(args_.a.indices),
                                        nullptr,
                                        records,
                                        order_.schedule,
                                        args_.a.base};
        plans::block_solver<cuda_device, CT, true>(device_, args_, blocks, plan.block_control,
                                                   plan.block_width, staged_)
            .run();
    }

    template <class OT, class IT>
    void solve(const triangle_rows<OT, IT>& triangle, const row_order& order, const sweep_plan<CT>& plan) {
        solve_operands<CT> o = operands();
        // An analysis for one right-hand side has left no room for more than one at a time.
        const int64_t width = args_.c.cols == 1 || plan.width == 0 ? plan.sides : plan.width;
        const bool with_long = plan.expects_long_rows();
        for (int64_t first = 0; first < args_.c.cols; first += width) {
            const int64_t sides = std::min(width, args_.c.cols - first);
            if (args_.c.cols == 1 || plan.width == 0)
                solve_each(o, triangle, order, plan, static_cast<unsigned>(sides), with_long);
            else
                solve_some(o, triangle, order, plan, static_cast<int>(sides), with_long);
            o.b += sides * o.b_column;
            o.c += sides * o.c_column;
        }
    }

    // Each right-hand side by blocks of its own.
    template <class OT, class IT>
    void solve_each(const solve_operands<CT>& o, const triangle_rows<OT, IT>& triangle, row_order order,
                    const sweep_plan<CT>& plan, unsigned sides, bool with_long) {
        const solve_work<CT> work{o};
        auto* const side_boxes = plan.side_boxes ? static_cast<slot*>(plan.side_boxes) : boxes();
        const auto launch = [&]<int lanes, bool walks_long>(lane_count<lanes>,
                                                            std::bool_constant<walks_long>) {
            // Small blocks spread narrow levels over the device; with more lanes per row there would be many.
            constexpr int most_threads = solve_work<CT>::most_threads;
            // Fewer rows than that are one block, in which they need not go to memory.
            const int threads = lanes > 1 || walks_long ? most_threads
                                : n_ <= most_threads    ? static_cast<int>((n_ + 63) / 64 * 64)
                                                        : 64;
            const int64_t blocks = walks_long ? plan.most_units : blocks_of_rows(n_, threads / lanes);
            order.levels_ahead = lanes == 1 ? 5 : 2;
            device_.launch_blocks(sweep_rows<solve_work<CT>, OT, IT, lanes, walks_long>, blocks * sides,
                                  threads, 0, work, triangle, order, plan.units, sides, control(), side_boxes,
                                  plan.pieces);
        };
        if (!with_long)
            return visit_lanes(stored_, n_, few_elements,
                               [&](auto lanes) { launch(lanes, std::false_type{}); });
        if (stored_ <= few_elements * n_) return launch(lane_count<1>{}, std::true_type{});
        // Where some rows are long, others are almost so.
        launch(lane_count<16>{}, std::true_type{});
    }

    template <class OT, class IT>
    void solve_some(solve_operands<CT> o, const triangle_rows<OT, IT>& triangle, const row_order& order,
                    const sweep_plan<CT>& plan, int sides, bool with_long) {
        CT* const c = o.c;
        const bool turns_b = o.b_column != 1;
        const bool turns_c = o.c_column != 1;
        if (turns_b) {
            turn(o.b, o.b_row, o.b_column, plan.turned, plan.width, 1, sides);
            o.b = plan.turned;
            o.b_row = plan.width;
            o.b_column = 1;
        }
        const piece_lines<CT> lines = with_long ? plan.lines : piece_lines<CT>{};
        device_.launch_blocks(
            start_many<CT, OT, IT, packed>,
            ((n_ + 2 * int64_t{lines.count}) * (plan.width / packed) + many_threads - 1) / many_threads,
            many_threads, 0, o, triangle, order, sides, plan.width, plan.solved, !turns_c, lines);
        const auto launch = [&]<class Shape>(Shape) {
            const int64_t tiles = (sides + Shape::tile_sides - 1) / Shape::tile_sides;
            const auto kernel = solve_many<CT, OT, IT, Shape>;
            const int64_t units = with_long ? plan.most_units : blocks_of_rows(n_, Shape::rows);
            const int64_t blocks = units * tiles;
            device_.launch_blocks(kernel, std::min(blocks, device_.blocks_at_once(kernel, many_threads)),
                                  many_threads, 0, o, triangle, order, sides, plan.width, plan.solved,
                                  !turns_c, with_long ? plan.units : row_units{}, control() + 1, lines);
        };
        visit_shapes(sides, with_long, launch);
        if (turns_c) turn(plan.solved, plan.width, 1, c, o.c_row, o.c_column, sides);
    }

    // Lanes that have no right-hand side share the elements of a row. A long row keeps as many blocks busy as
    // there are tiles, and where there are some, others are almost as long.
    template <class F>
    void visit_shapes(int sides, bool with_long, F&& f) const {
        constexpr int few = packed > 2 ? packed : 2;
        constexpr int some = 8;
        constexpr int all = 32;
        if (sides <= few) return visit_shares<few>(with_long, f);
        if (sides <= some || with_long) return visit_shares<some>(with_long, f);
        if (has_short_rows()) return f(many_shape<packed, all, 1, 4, false>{});
        f(many_shape<packed, all, 1, 8, false>{});
    }
    template <int tile_sides, class F>
    void visit_shares(bool with_long, F&& f) const {
        if (with_long && stored_ > 3 * n_)
            return f(many_shape<packed, tile_sides, warp_size / (tile_sides / packed), 4, true>{});
        if (has_short_rows()) return f(many_shape<packed, tile_sides, 1, 4, true>{});
        f(many_shape<packed, tile_sides, 4, 4, false>{});
    }
    bool has_short_rows() const { return stored_ <= 6 * n_; }

    void turn(const CT* from, int64_t from_row, int64_t from_column, CT* to, int64_t to_row,
              int64_t to_column, int sides) {
        const int64_t tiles = (n_ + warp_size - 1) / warp_size * ((sides + warp_size - 1) / warp_size);
        device_.launch_blocks(turn_tiles<CT>, tiles, many_threads, 0, from, from_row, from_column, to, to_row,
                              to_column, n_, sides);
    }

    solve_operands<CT> operands() {
        const plans::element_steps c = plans::steps_of(args_.c);
        plans::element_steps b = plans::steps_of(args_.b);
        const CT* from = as<const CT>(args_.b.values);
        if (plans::must_stage(args_)) {
            device_.launch<kernels::stage_right_side<CT, i32>>(kernels::trisolve, n_ * args_.c.cols,
                                                               args_.c.cols, from, b.row, b.column, staged_);
            b = {args_.c.cols, 1};
            from = staged_;
        }
        return {as<const CT>(args_.a.values),
                static_cast<const CT*>(args_.diagonal),
                is_unit(),
                plans::is_conjugated(args_.op),
                reports_zero_pivots() ? args_.zero_pivot : nullptr,
                as_argument<CT>(args_.alpha),
                from,
                b.row,
                b.column,
                as<CT>(args_.c.values),
                c.row,
                c.column};
    }

    cuda_device& device_;
    const heron_trisolve_args& args_;
    const bool by_blocks_;
    const heron_trisolve_args rows_of_;
    heron_workspace& workspace_;
    workspace_layout layout_;
    int64_t n_, stored_;
    plans::row_order_memory order_;
    CT* staged_;
};

template <class CT>
void tuned_trisolve(cuda_device& device, heron_phase phase, const heron_trisolve_args& args,
                    heron_workspace& workspace) {
    tuned_trisolve_run<CT> run(device, phase, args, workspace);
    phase == HERON_PHASE_RUN ? run.run() : run.analyse(phase);
}

}  // namespace heron::HERON_LEVEL
