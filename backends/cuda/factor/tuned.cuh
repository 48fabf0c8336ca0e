#pragma once
// Incomplete factorisations in one launch in which rows hand over to rows, with one before and one behind it
// where rows are alone (alone.cuh). ANALYSE finds the parts of the rows and puts these into the order of
// their levels, all on the device (trisolve/pattern.hpp).
#include "alone.cuh"
#include "blocks.cuh"
#include "parts.cuh"
#include "sweep.cuh"
#include "cuda/runtime/report.hpp"
#include "cuda/trisolve/pattern.hpp"

namespace heron::HERON_LEVEL {

// What the device knows of all rows. Zeros before.
struct factor_summary {
    unit_summary units;
    unsigned has_alone;  // which have elements before the diagonal
};

struct factor_sweep_plan final : plan_of<factor_sweep_plan> {
    device_report long_rows, alone_rows;
    bool may_have_alone = false;

    // As long as the device has not said that there are none.
    bool expects_long_rows() const { return long_rows.answer().value_or(true); }
    bool expects_alone_rows() const { return may_have_alone && alone_rows.answer().value_or(true); }
};

// Which rows have more than `longest` elements, a bit in `long_rows` for each place of the order, or NULL;
// and the summary.
static __global__ void summarise_rows(const row_parts* parts, row_order order, int longest,
                                      unsigned* long_rows, factor_summary* summary) {
    begin_behind_kernel_before();
    const int place = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    row_parts row{};
    if (place < order.n) row = load_parts(parts + (order.is_ordered() ? order.records[place].row : place));
    const bool has_alone = __any_sync(all_lanes, row.alone() && row.before_diagonal() > 0) != 0;
    const unsigned are_long = __ballot_sync(all_lanes, row.end - row.begin > longest);
    if (threadIdx.x % warp_size != 0 || place >= order.n) return;
    if (has_alone) summary->has_alone = 1;
    if (!long_rows) return;
    long_rows[place / warp_size] = are_long;
    if (are_long != 0) summary->units.has_long = 1;
}

// Tells the host a yes or no in a word of its memory, or NULL.
static __global__ void report_flag(const unsigned* flag, unsigned* report, unsigned yes, unsigned no) {
    begin_behind_kernel_before();
    if (report) *static_cast<volatile unsigned*>(report) = *flag ? yes : no;
}

template <class CT, plans::factor_kind kind>
class tuned_factor_run {
  public:
    tuned_factor_run(cuda_device& device, heron_phase phase, const heron_factor_args& args,
                     heron_workspace& workspace)
        : device_(device),
          args_(args),
          workspace_(workspace),
          layout_(phase, workspace),
          pattern_(plans::block_pattern(args.a)),
          steps_(plans::block_steps_of(args.a)),
          n_(pattern_.rows),
          by_elements_(steps_.size == 1),
          order_(layout_, n_,
                 aligned(sizeof(factor_summary)) +
                     n_ * static_cast<int64_t>(by_elements_ ? sizeof(slot) : sizeof(unsigned))),
          elements_(layout_.template take<slot>(by_elements_ ? pattern_.nnz : 0)),
          parts_(layout_.template take<row_parts>(n_)),
          ends_(layout_.template take<int>(knows_ends() ? n_ : 0)),
          marks_(layout_.template take<unsigned>(by_elements_ ? (n_ + warp_size - 1) / warp_size : 0)),
          starts_(layout_.template take<unsigned>(by_elements_ ? most_units() + 1 : 0)),
          reciprocals_(layout_.template take<CT>(by_elements_ ? 0 : n_ * steps_.size)) {}

    void analyse() {
        auto* const zero_pivot = reinterpret_cast<int*>(args_.zero_pivot);
        device_.launch<kernels::clear_zero_pivot<CT>>(kernels::factor, 2, zero_pivot, 1, int{HERON_NO_PIVOT});
        find_all_parts(zero_pivot);
        plans::row_pattern rows = plans::rows_of(pattern_);
        if (knows_ends()) rows.ends = ends_;
        order_by_levels(device_, rows, true, false, order_);
        factor_sweep_plan plan;
        plan.may_have_alone = may_have_alone();
        if (by_elements_ || may_have_alone()) summarise(plan);
        if (by_elements_) list_units(plan);
        plans::leave_plan(static_cast<factor_sweep_plan&&>(plan), workspace_);
    }

    void run() {
        const auto& plan = plans::required_plan<factor_sweep_plan>(workspace_);
        by_elements_ ? factor_elements(plan) : factor_blocks(plan);
    }

  private:
    using slot = typename mailbox<CT>::slot;

    // Of blocks, in a row of which it is found out what is late.
    static constexpr int longest_marked = 256;

    // What is handed over stands without stamps at first: flags and pivots are the part of the order's memory
    // that is set to zero, and elements are cleared while the parts of rows are found.
    static constexpr int64_t aligned(int64_t bytes) { return (bytes + 255) / 256 * 256; }
    factor_summary* summary() const { return reinterpret_cast<factor_summary*>(order_.own); }
    char* of_rows() const { return order_.own + aligned(sizeof(factor_summary)); }
    unsigned* flags() const { return reinterpret_cast<unsigned*>(of_rows()); }
    slot* pivots() const { return reinterpret_cast<slot*>(of_rows()); }
    cleared_memory boxes_of_elements() const {
        constexpr int64_t word = sizeof(uint4);
        const int64_t bytes = by_elements_ ? pattern_.nnz * static_cast<int64_t>(sizeof(slot)) : 0;
        return {reinterpret_cast<uint4*>(elements_), (bytes + word - 1) / word};
    }
    solve_control* control() const { return reinterpret_cast<solve_control*>(order_.control); }

    // As many rows as are at work at a time.
    int64_t rows_at_once() const { return 128 * int64_t{device_.multiprocessors()}; }
    // Whether rows that hand over without any other may come first in an order by levels: where all are at
    // work at once, two launches more cost more than they gain.
    bool may_have_alone() const {
        return kind == plans::factor_kind::lu && n_ >= fewest_ordered_rows && n_ > rows_at_once();
    }

    // Whether the order is told where what each row needs ends.
    bool knows_ends() const {
        return n_ >= fewest_ordered_rows && (by_elements_ || kind == plans::factor_kind::lu);
    }

    // Lanes of a short row: one for each element that it hands over, which is every second one; fewer where
    // rows are short and many, so that more of them are at work at a time.
    template <class F>
    void visit_lanes(F&& f) const {
        if (pattern_.nnz <= (n_ <= rows_at_once() ? 5 : 12) * n_) return f(lane_count<4>{});
        if (pattern_.nnz <= 18 * n_) return f(lane_count<8>{});
        const bool are_many = n_ > 2 * rows_at_once();
        if (are_many && pattern_.nnz <= 36 * n_) return f(lane_count<16>{});
        f(lane_count<32>{});
    }

    // A long row makes two units of one.
    int64_t most_units() const {
        int64_t most = 0;
        visit_lanes([&]<int lanes>(lane_count<lanes>) {
            const int64_t long_rows = std::min(n_, pattern_.nnz / (kept_of_row(lanes) + 1));
            most = blocks_of_rows(n_, factor_threads / lanes) + 2 * long_rows;
        });
        return most;
    }

    void find_all_parts(int* zero_pivot) {
        const csr_rows rows{offsets(), columns(), int{pattern_.base}, static_cast<int>(n_),
                            static_cast<int>(pattern_.nnz)};
        const auto find_marked = [&]<int lanes>(lane_count<lanes>, int longest) {
            launch_early(device_, find_marked_parts<CT, kind, lanes>,
                         blocks_of_rows(n_, parts_threads / lanes), parts_threads, rows, longest, parts_,
                         needed_ends{knows_ends() ? ends_ : nullptr, may_have_alone()}, zero_pivot,
                         boxes_of_elements());
        };
        if (by_elements_)
            visit_lanes(
                [&]<int lanes>(lane_count<lanes> of_row) { find_marked(of_row, kept_of_row(lanes)); });
        else if (kind == plans::factor_kind::lu)
            find_marked(lane_count<8>{}, longest_marked);
        else
            launch_early(device_, find_parts<CT>, blocks_of_rows(n_, parts_threads), parts_threads, rows,
                         parts_, zero_pivot);
    }

    void summarise(factor_sweep_plan& plan) {
        constexpr int threads = 256;
        int longest = 0;
        visit_lanes([&]<int lanes>(lane_count<lanes>) { longest = kept_of_row(lanes); });
        launch_early(device_, summarise_rows, blocks_of_rows(n_, threads), threads, parts_, order(), longest,
                     by_elements_ ? marks_ : nullptr, summary());
        if (!may_have_alone() || is_capturing(device_.stream())) return;
        plan.alone_rows = device_report::take();
        launch_early(device_, report_flag, 1, 1, &summary()->has_alone, plan.alone_rows.address(),
                     plan.alone_rows.value(true), plan.alone_rows.value(false));
    }

    void list_units(factor_sweep_plan& plan) {
        if (!is_capturing(device_.stream())) plan.long_rows = device_report::take();
        visit_lanes([&]<int lanes>(lane_count<lanes>) {
            launch_early(device_, HERON_LEVEL::list_units<whole_rows>, 1, listing_threads, marks_,
                         static_cast<int>(n_), factor_threads / lanes, starts_, nullptr, whole_rows{},
                         &summary()->units, plan.long_rows.address(), plan.long_rows.value(true),
                         plan.long_rows.value(false));
        });
    }

    void factor_elements(const factor_sweep_plan& plan) {
        const bool with_long = plan.expects_long_rows();
        const bool with_alone = plan.expects_alone_rows();
        const factor_launch<CT> launch{
            operands(), order(),   {with_long ? &summary()->units : nullptr, starts_}, control(), pivots(),
            elements_,  with_alone};
        if (with_alone) launch_alone(post_alone_rows<CT, 2>, post_alone_rows<CT, 4>, launch);
        visit_lanes([&]<int lanes>(lane_count<lanes>) {
            const auto kernel = factor_rows<CT, kind, lanes>;
            const int64_t most = with_long ? most_units() : blocks_of_rows(n_, factor_threads / lanes);
            const int64_t blocks = with_long || with_alone
                                       ? std::min(most, device_.blocks_at_once(kernel, factor_threads))
                                       : most;
            launch_early(device_, kernel, blocks, factor_threads, launch);
        });
        if (with_alone) launch_alone(divide_alone_rows<CT, 2>, divide_alone_rows<CT, 4>, launch);
    }
    // A kernel for rows that two lanes, or four, each have.
    template <class Kernel>
    void launch_alone(Kernel by_two, Kernel by_four, const factor_launch<CT>& launch) {
        const bool are_short = pattern_.nnz <= 12 * n_;
        launch_early(device_, are_short ? by_two : by_four,
                     blocks_of_rows(n_, alone_threads / (are_short ? 2 : 4)), alone_threads, launch);
    }

    void factor_blocks(const factor_sweep_plan& plan) {
        switch (steps_.size) {
            case 2: return factor_blocks_of<2>(plan);
            case 4: return factor_blocks_of<4>(plan);
            case 8: return factor_blocks_of<8>(plan);
            default: return factor_blocks_of<0>(plan);
        }
    }
    template <int SIZE>
    void factor_blocks_of(const factor_sweep_plan& plan) {
        const bool with_alone = plan.expects_alone_rows();
        const auto launch = [&](auto kernel) {
            const block_launch<CT> arguments{operands(), steps_,       order(),   control(),
                                             flags(),    reciprocals_, with_alone};
            device_.launch_blocks(kernel, blocks_of_rows(n_, block_warps), block_warps * warp_size, 0,
                                  arguments);
        };
        if (with_alone) launch(post_alone_block_rows<CT, SIZE>);
        launch(factor_block_rows<CT, kind, SIZE>);
        if (with_alone) launch(divide_alone_block_rows<CT, SIZE>);
    }

    row_order order() const {
        constexpr int levels_ahead = 8;  // factor-7
        return {order_.schedule,
                reinterpret_cast<const row_record*>(order_.records),
                order_.places,
                static_cast<int>(n_),
                true,
                levels_ahead};
    }

    factor_operands<CT> operands() const {
        const plans::boost_arguments<CT> boost(args_);
        return {columns(),       int{pattern_.base},   parts_,      as<CT>(args_.a.values),
                boost.tolerance, boost.tolerance_bits, boost.value, args_.zero_pivot};
    }

    const int* offsets() const { return as<const int>(pattern_.offsets); }
    const int* columns() const { return as<const int>(pattern_.indices); }

    cuda_device& device_;
    const heron_factor_args& args_;
    heron_workspace& workspace_;
    workspace_layout layout_;
    heron_spmat pattern_;
    plans::block_steps steps_;
    int64_t n_;
    bool by_elements_;
    plans::row_order_memory order_;
    slot* elements_;
    row_parts* parts_;
    int* ends_;
    unsigned *marks_, *starts_;
    CT* reciprocals_;
};

template <class CT, plans::factor_kind kind>
void tuned_factor(cuda_device& device, heron_phase phase, const heron_factor_args& args,
                  heron_workspace& workspace) {
    tuned_factor_run<CT, kind> run(device, phase, args, workspace);
    if (phase == HERON_PHASE_ANALYSE) run.analyse();
    if (phase == HERON_PHASE_RUN) run.run();
}

}  // namespace heron::HERON_LEVEL
