// Incomplete factorisations on the CPU: row after row by one thread, or by all in blocks of neighbouring rows
// or parts of levels, as for triangular solves. Every row is worked out in one order by one thread: the same
// bits on every run.
#include "common/factor/plan.hpp"
#include "common/runtime/slot.hpp"
#include "host/trisolve/schedule.hpp"
#include "rows.hpp"

namespace heron::HERON_LEVEL {
namespace {

using plans::factor_kind;

struct host_factor_plan final : plan_of<host_factor_plan> {
    block_schedule* blocks = nullptr;  // at most one of them
    level_schedule* levels = nullptr;
    bool by_runs = false;

    host_factor_plan() = default;
    host_factor_plan(host_factor_plan&& other) noexcept
        : blocks(other.blocks), levels(other.levels), by_runs(other.by_runs) {
        other.blocks = nullptr;
        other.levels = nullptr;
    }
    ~host_factor_plan() override {
        delete blocks;
        delete levels;
    }
};

// Rows at these places: of blocks by the shared text with their size known, so that its loops are unrolled.
template <class CT, factor_kind kind, int size, bool by_runs>
struct row_range {
    const i32 *order, *offsets, *columns, *diagonal;
    int base;
    CT* a;
    plans::block_steps steps;
    CT tolerance, boost;
    i32* zero_pivot;

    [[gnu::flatten]] void factor(range places) const {
        for (int64_t place = places.begin; place < places.end; ++place) {
            const int row = order ? order[place] : static_cast<int>(place);
            if constexpr (size == 1)
                factor_row(row);
            else
                factor_block_row(row);
        }
    }

  private:
    void factor_row(int row) const {
        const factor_rows<CT, by_runs> all{offsets, columns, diagonal, base, a, zero_pivot};
        if constexpr (kind == factor_kind::lu)
            all.lu(row, tolerance, boost);
        else
            all.cholesky(row);
    }
    void factor_block_row(int row) const {
        const int rows = size > 0 ? size : steps.size;
        if constexpr (kind == factor_kind::lu)
            kernels::ilu_row<CT>(row, offsets, columns, base, diagonal, a, rows, steps.row_step,
                                 steps.column_step, tolerance, boost, zero_pivot);
        else
            kernels::ic_row<CT>(row, offsets, columns, base, diagonal, a, rows, steps.row_step,
                                steps.column_step, zero_pivot);
    }
};

template <class CT, factor_kind kind>
class host_factor_run {
  public:
    host_factor_run(host_device& device, heron_phase phase, const heron_factor_args& args,
                    heron_workspace& workspace)
        : device_(device),
          args_(args),
          workspace_(workspace),
          layout_(phase, workspace),
          pattern_(plans::block_pattern(args.a)),
          steps_(plans::block_steps_of(args.a)),
          n_(pattern_.rows),
          diagonal_(layout_.template take<i32>(n_)),
          order_(layout_.template take<i32>(n_)),
          zero_pivot_(reinterpret_cast<i32*>(args.zero_pivot)) {}

    void analyse() {
        require_in_range();
        zero_pivot_[0] = zero_pivot_[1] = HERON_NO_PIVOT;
        device_.template launch<kernels::find_diagonal<CT>>(kernels::factor, n_, offsets(), columns(),
                                                            int{pattern_.base}, diagonal_, zero_pivot_);
        host_factor_plan plan;
        plan.by_runs = steps_.size == 1 && has_runs(offsets(), columns(), int{pattern_.base}, n_);
        const int team = team_for(device_, work());
        if (team > 1) make_schedule(team, plan);
        plans::leave_plan(static_cast<host_factor_plan&&>(plan), workspace_);
    }

    void run() {
        const host_factor_plan& plan = plans::required_plan<host_factor_plan>(workspace_);
        zero_pivot_[1] = zero_pivot_[0];
        switch (steps_.size) {
            case 1: return plan.by_runs ? factor<1, true>(plan) : factor<1>(plan);
            case 2: return factor<2>(plan);
            case 4: return factor<4>(plan);
            case 8: return factor<8>(plan);
            default: return factor<0>(plan);
        }
    }

  private:
    const i32* offsets() const { return as<const i32>(pattern_.offsets); }
    const i32* columns() const { return as<const i32>(pattern_.indices); }
    // Elements, roughly as often as they are read.
    int64_t work() const { return (pattern_.nnz + n_) * steps_.size * steps_.size; }

    void require_in_range() const {
        for (int64_t row = 0; row < n_; ++row)
            if (offsets()[row] - pattern_.base < 0 || offsets()[row] > offsets()[row + 1])
                throw plan_error{HERON_INVALID_VALUE, "an offset of the matrix is out of range"};
        if (offsets()[n_] - pattern_.base > pattern_.nnz)
            throw plan_error{HERON_INVALID_VALUE, "an offset of the matrix is out of range"};
        for (int64_t k = 0; k < pattern_.nnz; ++k)
            if (columns()[k] < pattern_.base || columns()[k] - pattern_.base >= n_)
                throw plan_error{HERON_INVALID_VALUE, "an index of the matrix is out of range"};
    }

    void make_schedule(int team, host_factor_plan& plan) {
        constexpr double least_gain = 1.6;
        const triangle_pattern<i32, i32> rows{offsets(),     columns(), nullptr, n_,
                                              pattern_.base, true,      true,    false};
        constexpr int64_t sizes[] = {2048, 512, 128, 32};
        for (const int64_t size : sizes) {
            if (n_ < 4 * size || work() / n_ * size < smallest_block_work) continue;
            plan.blocks = new (std::nothrow) block_schedule(rows, size);
            if (plan.blocks && plan.blocks->speed_up() >= least_gain) return;
            delete plan.blocks;
            plan.blocks = nullptr;
        }
        if (team >= smallest_team_for_levels) make_levels(plan);
    }

    // Of a block that is worth its waits.
    static constexpr int64_t smallest_block_work = 1000;
    // What a row of a level needs has often come from another core, which takes longer than to compute it.
    static constexpr int smallest_team_for_levels = 4;

    void make_levels(host_factor_plan& plan) {
        constexpr int64_t least_work = 8000;
        plans::visit_triangle<i32>(pattern_, false, [&](const auto& builder) {
            const plans::row_triangle<i32> triangle = builder.build();
            const plans::level_sets<i32> levels = plans::find_levels(triangle);
            if (levels.count * least_work > work()) return;
            plan.levels = new (std::nothrow) level_schedule(levels.starts, levels.count);
            if (plan.levels) device_.write(order_, levels.order.data(), levels.order.bytes());
        });
    }

    template <int size, bool by_runs = false>
    void factor(const host_factor_plan& plan) {
        const plans::boost_arguments<CT> boost(args_);
        const CT tolerance = boost.tolerance_bits ? from_double<CT>(*boost.tolerance_bits) : boost.tolerance;
        row_range<CT, kind, size, by_runs> rows{
            nullptr,    offsets(),          columns(),
            diagonal_,  int{pattern_.base}, as<CT>(args_.a.values),
            steps_,     tolerance,          SCALAR(CT, boost.value.value, boost.value.device),
            zero_pivot_};
        const int team = team_for(device_, work());
        if (team > 1 && plan.blocks && plan.blocks->room.enter()) return share(team, *plan.blocks, rows);
        if (team > 1 && plan.levels && plan.levels->room.enter()) {
            rows.order = order_;
            return share(team, *plan.levels, rows);
        }
        rows.factor({0, n_});
    }

    template <class Schedule, class Rows>
    static void share(int team, Schedule& schedule, const Rows& rows) {
        schedule.start();
        double end = 0;
        run_team(team, [&](int member, int) {
            schedule.run([&](range places) { rows.factor(places); });
            if (member == 0) end = omp_get_wtime();
        });
        schedule.room.has_waited_since(end);
        schedule.room.leave();
    }

    host_device& device_;
    const heron_factor_args& args_;
    heron_workspace& workspace_;
    workspace_layout layout_;
    heron_spmat pattern_;
    plans::block_steps steps_;
    int64_t n_;
    i32 *diagonal_, *order_, *zero_pivot_;
};

template <factor_kind kind>
void host_factor(host_device& device, heron_phase phase, const heron_factor_args& args,
                 heron_workspace& workspace) {
    visit_full(args.a.type, [&]<class CT>(type<CT>) {
        host_factor_run<CT, kind> run(device, phase, args, workspace);
        if (phase == HERON_PHASE_ANALYSE) run.analyse();
        if (phase == HERON_PHASE_RUN) run.run();
    });
}

}  // namespace

void override_factor(heron_backend& table) {
    table.ilu0 = &slot<host_device, heron_ilu0_args, &host_factor<factor_kind::lu>, operation_names::ilu0>;
    table.ic0 = &slot<host_device, heron_ic0_args, &host_factor<factor_kind::cholesky>, operation_names::ic0>;
}

}  // namespace heron::HERON_LEVEL
