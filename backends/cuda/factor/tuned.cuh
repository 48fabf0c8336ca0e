#pragma once
// Incomplete factorisations in one launch in which rows hand over to rows. ANALYSE finds the parts of the
// rows and puts these into the order of their levels, all on the device (trisolve/pattern.hpp).
#include "blocks.cuh"
#include "parts.cuh"
#include "sweep.cuh"
#include "cuda/runtime/report.hpp"
#include "cuda/trisolve/pattern.hpp"

namespace heron::HERON_LEVEL {

// How many elements the row at a place of the order has.
struct lengths_of_parts {
    const row_parts* parts;
    row_order order;

    __device__ unsigned operator()(int place) const {
        const row_parts row = load_parts(parts + (order.is_ordered() ? order.records[place].row : place));
        return static_cast<unsigned>(row.end - row.begin);
    }
};

struct factor_sweep_plan final : plan_of<factor_sweep_plan> {
    device_report long_rows;

    // As long as the device has not said that there are none.
    bool expects_long_rows() const { return long_rows.answer().value_or(true); }
};

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
                 aligned(sizeof(unit_summary)) +
                     (by_elements_ ? boxes_bytes(n_) + boxes_bytes(pattern_.nnz) : flags_bytes(n_))),
          parts_(layout_.template take<row_parts>(n_)),
          marks_(layout_.template take<unsigned>(by_elements_ ? (n_ + warp_size - 1) / warp_size : 0)),
          starts_(layout_.template take<unsigned>(by_elements_ ? most_units() + 1 : 0)),
          reciprocals_(layout_.template take<CT>(by_elements_ ? 0 : n_ * steps_.size)) {}

    void analyse() {
        auto* const zero_pivot = reinterpret_cast<int*>(args_.zero_pivot);
        device_.launch<kernels::clear_zero_pivot<CT>>(kernels::factor, 2, zero_pivot, 1, int{HERON_NO_PIVOT});
        find_all_parts(zero_pivot);
        order_by_levels(device_, plans::rows_of(pattern_), true, false, order_);
        factor_sweep_plan plan;
        if (by_elements_) find_units(plan);
        plans::leave_plan(static_cast<factor_sweep_plan&&>(plan), workspace_);
    }

    void run() {
        const auto& plan = plans::required_plan<factor_sweep_plan>(workspace_);
        by_elements_ ? factor_elements(plan) : factor_blocks();
    }

  private:
    using slot = typename mailbox<CT>::slot;

    // Of blocks, in a row of which it is found out what is late.
    static constexpr int longest_marked = 256;

    // What is handed over stands without stamps at first: it is the part of the order's memory that is set to
    // zero.
    static constexpr int64_t aligned(int64_t bytes) { return (bytes + 255) / 256 * 256; }
    static constexpr int64_t boxes_bytes(int64_t count) {
        return aligned(count * static_cast<int64_t>(sizeof(slot)));
    }
    static constexpr int64_t flags_bytes(int64_t count) {
        return aligned(count * static_cast<int64_t>(sizeof(unsigned)));
    }
    unit_summary* summary() const { return reinterpret_cast<unit_summary*>(order_.own); }
    char* of_rows() const { return order_.own + aligned(sizeof(unit_summary)); }
    unsigned* flags() const { return reinterpret_cast<unsigned*>(of_rows()); }
    slot* pivots() const { return reinterpret_cast<slot*>(of_rows()); }
    slot* elements() const { return reinterpret_cast<slot*>(of_rows() + boxes_bytes(n_)); }
    solve_control* control() const { return reinterpret_cast<solve_control*>(order_.control); }

    // Lanes of a short row: one for each element that it hands over, which is every second one; fewer where
    // rows are short and many, so that more of them are at work at a time.
    template <class F>
    void visit_lanes(F&& f) const {
        const bool all_at_once = n_ <= 128 * int64_t{device_.multiprocessors()};
        if (pattern_.nnz <= (all_at_once ? 5 : 12) * n_) return f(lane_count<4>{});
        if (pattern_.nnz <= 18 * n_) return f(lane_count<8>{});
        const bool are_many = n_ > 256 * int64_t{device_.multiprocessors()};
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
        constexpr int threads = 256;
        const csr_rows rows{offsets(), columns(), int{pattern_.base}, static_cast<int>(n_)};
        const auto find_marked = [&]<int lanes>(lane_count<lanes>, int longest) {
            device_.launch_blocks(find_marked_parts<CT, kind, lanes>, blocks_of_rows(n_, threads / lanes),
                                  threads, 0, rows, longest, parts_, zero_pivot);
        };
        if (by_elements_)
            visit_lanes(
                [&]<int lanes>(lane_count<lanes> of_row) { find_marked(of_row, kept_of_row(lanes)); });
        else if (kind == plans::factor_kind::lu)
            find_marked(lane_count<8>{}, longest_marked);
        else
            device_.launch_blocks(find_parts<CT>, (n_ + threads - 1) / threads, threads, 0, rows, parts_,
                                  zero_pivot);
    }

    void find_units(factor_sweep_plan& plan) {
        if (!is_capturing(device_.stream())) plan.long_rows = device_report::take();
        visit_lanes([&]<int lanes>(lane_count<lanes>) {
            constexpr int threads = 256;
            constexpr unsigned longest = kept_of_row(lanes);
            device_.launch_blocks(mark_long_rows<lengths_of_parts>, (n_ + threads - 1) / threads, threads, 0,
                                  lengths_of_parts{parts_, order()}, static_cast<int>(n_), longest, longest,
                                  marks_, summary());
            device_.launch_blocks(list_units<whole_rows>, 1, listing_threads, 0, marks_, static_cast<int>(n_),
                                  factor_threads / lanes, starts_, nullptr, whole_rows{}, summary(),
                                  plan.long_rows.address(), plan.long_rows.value(true),
                                  plan.long_rows.value(false));
        });
    }

    void factor_elements(const factor_sweep_plan& plan) {
        const bool with_long = plan.expects_long_rows();
        const factor_launch<CT> launch{operands(), order(),  {with_long ? summary() : nullptr, starts_},
                                       control(),  pivots(), elements()};
        visit_lanes([&]<int lanes>(lane_count<lanes>) {
            const auto kernel = factor_rows<CT, kind, lanes>;
            const int64_t blocks =
                with_long ? std::min(most_units(), device_.blocks_at_once(kernel, factor_threads))
                          : blocks_of_rows(n_, factor_threads / lanes);
            device_.launch_blocks(kernel, blocks, factor_threads, 0, launch);
        });
    }

    void factor_blocks() {
        const auto launch = [&](auto kernel) {
            device_.launch_blocks(kernel, blocks_of_rows(n_, block_warps), block_warps * warp_size, 0,
                                  operands(), steps_, order(), control(), flags(), reciprocals_);
        };
        switch (steps_.size) {
            case 2: return launch(factor_block_rows<CT, kind, 2>);
            case 4: return launch(factor_block_rows<CT, kind, 4>);
            case 8: return launch(factor_block_rows<CT, kind, 8>);
            default: return launch(factor_block_rows<CT, kind, 0>);
        }
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
    row_parts* parts_;
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
