#pragma once
// Incomplete factorisations for any device: ANALYSE sorts the (block) rows into levels on the host, as for a
// solve with the lower triangle; RUN launches one kernel per level, or one for a run of narrow levels. Every
// row is worked out by one item in one order: the same bits every time.
#include "common/trisolve/plan.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family factor{"factor", "CT"};
#include "kernels.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

enum class factor_kind { lu, cholesky };

// The pattern of the blocks as a CSR matrix of which the elements before the diagonal take part.
inline heron_spmat block_pattern(const heron_spmat& a) {
    heron_spmat pattern = a;
    if (a.format == HERON_FORMAT_BSR) {
        pattern.format = HERON_FORMAT_CSR;
        pattern.rows = pattern.cols = a.rows / a.block_rows;
    }
    pattern.fill = HERON_FILL_LOWER;
    pattern.diag = HERON_DIAG_UNIT;
    return pattern;
}

// Where elements of a block are: element (r, c) is at r*row_step + c*column_step.
struct block_steps {
    int size, row_step, column_step;
};
inline block_steps block_steps_of(const heron_spmat& a) {
    if (a.format == HERON_FORMAT_CSR) return {1, 1, 1};
    const int size = static_cast<int>(a.block_rows);
    return a.block_order == HERON_ORDER_ROW ? block_steps{size, size, 1} : block_steps{size, 1, size};
}

// What compares with numbers of type R as v does.
template <class R>
R largest_not_above(double v) {
    const R rounded = static_cast<R>(v);
    return rounded > v ? static_cast<R>(__builtin_nextafterf(static_cast<float>(rounded), 0.0f)) : rounded;
}

// The replacement of small pivots as kernels take it. Nothing is at most a negative tolerance.
template <class CT>
struct boost_arguments {
    CT tolerance;
    const i64* tolerance_bits;
    scalar_argument<CT> value;

    explicit boost_arguments(const heron_factor_args& args)
        : tolerance(scalar_value<CT>(-1, 0)), tolerance_bits(nullptr), value{} {
        if (!args.boost) return;
        tolerance = scalar_value<CT>(largest_not_above<real_of<CT>>(args.tolerance.re), 0);
        tolerance_bits = static_cast<const i64*>(args.tolerance.device);
        value = as_argument<CT>(args.boost_value);
    }
};

template <class Device, class CT, factor_kind kind>
class factor_plan {
  public:
    factor_plan(Device& device, heron_phase phase, const heron_factor_args& args, heron_workspace& workspace)
        : device_(device),
          phase_(phase),
          args_(args),
          workspace_(workspace),
          layout_(phase, workspace),
          pattern_(block_pattern(args.a)),
          order_(layout_.template take<i32>(pattern_.rows)),
          diagonal_(layout_.template take<i32>(pattern_.rows)),
          zero_pivot_(reinterpret_cast<i32*>(args.zero_pivot)) {}

    void apply() {
        if (phase_ == HERON_PHASE_ANALYSE) analyse();
        if (phase_ == HERON_PHASE_RUN) run();
    }

  private:
    // A level that is narrower is not worth a launch.
    static constexpr int64_t narrow = Device::strided ? 1 : 64;

    void analyse() {
        clear_zero_pivot(true);
        device_.template launch<kernels::find_diagonal<CT>>(
            kernels::factor, pattern_.rows, offsets(), columns(), int{pattern_.base}, diagonal_, zero_pivot_);
        const host_pattern<Device> pattern(device_, pattern_);
        visit_triangle<i32>(pattern.matrix(), false, [&](const auto& builder) {
            const row_triangle<i32> triangle = builder.build();
            const level_sets<i32> levels = find_levels(triangle);
            device_.write(order_, levels.order.data(), levels.order.bytes());
            leave_plan(make_segments(levels.starts, levels.count, narrow), workspace_);
        });
    }

    void run() {
        const level_plan& plan = required_plan<level_plan>(workspace_);
        clear_zero_pivot(false);
        for (int64_t s = 0; s < plan.count; ++s) {
            const solve_segment& level = plan.segments[s];
            const int64_t rows = level.last - level.first;
            factor_rows(level.serial ? 1 : rows, level.first, level.serial ? rows : 1);
        }
    }

    // `count` rows for each item.
    void factor_rows(int64_t items, heron_index first, heron_index count) {
        const block_steps steps = block_steps_of(args_.a);
        const auto launch = [&]<class Kernel>(type<Kernel>, auto... more) {
            device_.template launch<Kernel>(kernels::factor, items, first, count, as<const i32>(order_),
                                            offsets(), columns(), int{pattern_.base},
                                            as<const i32>(diagonal_), as<CT>(args_.a.values), steps.size,
                                            steps.row_step, steps.column_step, zero_pivot_, more...);
        };
        if constexpr (kind == factor_kind::lu) {
            const boost_arguments<CT> boost(args_);
            launch(type<kernels::ilu_rows<CT>>{}, boost.tolerance, boost.tolerance_bits, boost.value.value,
                   boost.value.device);
        } else {
            launch(type<kernels::ic_rows<CT>>{});
        }
    }

    void clear_zero_pivot(bool structural) {
        device_.template launch<kernels::clear_zero_pivot<CT>>(kernels::factor, 2, zero_pivot_,
                                                               int{structural}, int{HERON_NO_PIVOT});
    }

    const i32* offsets() const { return as<const i32>(pattern_.offsets); }
    const i32* columns() const { return as<const i32>(pattern_.indices); }

    Device& device_;
    heron_phase phase_;
    const heron_factor_args& args_;
    heron_workspace& workspace_;
    workspace_layout layout_;
    heron_spmat pattern_;
    i32 *order_, *diagonal_, *zero_pivot_;
};

template <class Device>
void ilu0(Device& device, heron_phase phase, const heron_ilu0_args& args, heron_workspace& workspace) {
    visit_full(args.a.type, [&]<class CT>(type<CT>) {
        factor_plan<Device, CT, factor_kind::lu>(device, phase, args, workspace).apply();
    });
}

template <class Device>
void ic0(Device& device, heron_phase phase, const heron_ic0_args& args, heron_workspace& workspace) {
    visit_full(args.a.type, [&]<class CT>(type<CT>) {
        factor_plan<Device, CT, factor_kind::cholesky>(device, phase, args, workspace).apply();
    });
}

}  // namespace heron::HERON_LEVEL::plans
