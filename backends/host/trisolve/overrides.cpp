// Sparse triangular solves on the CPU. Right-hand sides are shared between threads; a single one is solved by
// one thread, or by all in blocks of rows where ANALYSE has found that they run side by side. Every row is
// summed in one order by one thread: the same bits on every run.
#include "common/runtime/slot.hpp"
#include "columns.hpp"
#include "schedule.hpp"

namespace heron::HERON_LEVEL {
namespace {

struct host_solve_plan final : plan_of<host_solve_plan> {
    bool is_gathered = false;
    bool has_edges = false;
    bool uses_gathers = false;
    bool has_lone_rows = false;
    block_schedule* blocks = nullptr;  // at most one of them
    level_schedule* levels = nullptr;

    host_solve_plan() = default;
    host_solve_plan(host_solve_plan&& other) noexcept
        : is_gathered(other.is_gathered),
          has_edges(other.has_edges),
          uses_gathers(other.uses_gathers),
          has_lone_rows(other.has_lone_rows),
          blocks(other.blocks),
          levels(other.levels) {
        other.blocks = nullptr;
        other.levels = nullptr;
    }
    ~host_solve_plan() override {
        delete blocks;
        delete levels;
    }
};

// What a row of a level needs has often come from another core, which takes longer than to compute it.
constexpr int smallest_team_for_levels = 4;

// work: elements and rows. order: of the rows by levels, if there are any.
template <class OT, class IT, class ST>
void make_levels(const triangle_pattern<OT, IT>& rows, int64_t work, ST* order, host_solve_plan& plan) {
    constexpr int64_t least_work = 8000;
    const int64_t n = rows.n;
    host_array<int64_t> level(n);
    int64_t count = 0;
    for (int64_t place = 0; place < n; ++place) {
        const int64_t row = rows.row_at(place);
        level[row] = 0;
        for (int64_t k = rows.begin(row); k < rows.begin(row + 1); ++k) {
            const int64_t column = rows.columns[k] - rows.base;
            if (rows.needs(row, column) && level[column] >= level[row]) level[row] = level[column] + 1;
        }
        if (level[row] >= count) count = level[row] + 1;
        if (count * least_work > work) return;
    }
    host_array<int64_t> starts(count + 1, 0);
    for (int64_t row = 0; row < n; ++row) ++starts[level[row] + 1];
    for (int64_t l = 0; l < count; ++l) starts[l + 1] += starts[l];
    plan.levels = new (std::nothrow) level_schedule(starts, count);
    if (!plan.levels) return;

    for (int64_t row = 0; row < n; ++row) order[starts[level[row]]++] = static_cast<ST>(row);
}

// Blocks of neighbours if they let two threads work, else levels if they are wide enough, else nothing.
template <class OT, class IT, class ST>
[[gnu::noinline]] void make_schedule(const triangle_pattern<OT, IT>& rows, int team, int64_t work, ST* order,
                                     host_solve_plan& plan) {
    constexpr double least_gain = 1.6;
    constexpr int64_t sizes[] = {2048, 512, 128};
    for (const int64_t size : sizes) {
        if (rows.n < 4 * size) continue;
        plan.blocks = new (std::nothrow) block_schedule(rows, size);
        if (plan.blocks && plan.blocks->speed_up() >= least_gain) return;
        delete plan.blocks;
        plan.blocks = nullptr;
    }
    if (team >= smallest_team_for_levels) make_levels(rows, work, order, plan);
}

template <class CT, class ST>
class host_trisolve_run {
  public:
    host_trisolve_run(host_device& device, heron_phase phase, const heron_trisolve_args& args,
                      heron_workspace& workspace)
        : device_(device),
          args_(args),
          workspace_(workspace),
          layout_(phase, workspace),
          n_(args.a.rows),
          stored_(plans::stored_elements(args.a)),
          begin_(layout_.template take<ST>(may_gather() ? n_ + 1 : 0)),
          columns_(layout_.template take<ST>(may_gather() ? stored_ : 0)),
          sources_(layout_.template take<ST>(may_gather() ? stored_ : 0)),
          order_(layout_.template take<ST>(n_)),
          edges_(layout_.template take<int64_t>(n_)),
          staged_(layout_.template take<CT>(n_ * args.staged_columns)) {}

    void analyse() {
        host_solve_plan plan;
        const bool shares = team_for(device_, stored_ + n_) > 1;
        if (may_gather() && (shares || args_.a.format != HERON_FORMAT_CSR)) {
            gather();
            plan.is_gathered = true;
        }
        if (shares) {
            visit_pattern(plan, [&](const auto& rows) {
                make_schedule(rows, team_for(device_, stored_ + n_), stored_ + n_, order_, plan);
            });
            // One thread alone is faster with the matrix as it is.
            const bool is_serial = !plan.blocks && !plan.levels;
            if (is_serial && args_.a.format == HERON_FORMAT_CSR) plan.is_gathered = false;
        }
        visit_pattern(plan, [&](const auto& rows) {
            plan.has_edges = find_edges(rows, args_.a.diag == HERON_DIAG_UNIT, edges_);
            plan.uses_gathers = gathers_fast() && suits_gathers(rows);
        });
        if (plan.has_edges)
            visit_pattern(plan,
                          [&](const auto& rows) { plan.has_lone_rows = 4 * count_lone_rows(rows) >= n_; });
        plans::leave_plan(static_cast<host_solve_plan&&>(plan), workspace_);
    }

    void run() {
        const host_solve_plan& plan = plans::required_plan<host_solve_plan>(workspace_);
        if (args_.zero_pivot) args_.zero_pivot->first = HERON_NO_PIVOT;
        solve_operands<CT> o = operands();
        if (equal(o.alpha, CT{})) return clear(o);
        visit_rows(plan, [&](const auto& rows) {
            if (plan.has_edges && o.zero_pivot) tell_zero_pivots(rows, o);
            if (plan.has_edges) o.zero_pivot = nullptr;
            solve(rows, o, plan);
        });
    }

  private:
    bool transposed() const { return plans::is_transposed(args_.op); }
    bool may_gather() const { return args_.a.format != HERON_FORMAT_CSR || transposed(); }
    bool is_lower() const { return (args_.a.fill == HERON_FILL_LOWER) != transposed(); }

    void gather() {
        plans::visit_triangle<ST>(args_.a, transposed(), [&](const auto& builder) {
            const plans::row_triangle<ST> t = builder.build();
            device_.write(begin_, t.begin.data(), t.begin.bytes());
            device_.write(columns_, t.columns.data(), t.columns.bytes());
            device_.write(sources_, t.sources.data(), t.sources.bytes());
        });
    }

    // Calls f with the pattern of op(A) by rows, or of A itself.
    template <class F>
    void visit_pattern(const host_solve_plan& plan, F&& f) {
        const int64_t* const edges = plan.has_edges ? edges_ : nullptr;
        if (plan.is_gathered)
            return f(triangle_pattern<ST, ST>{begin_, columns_, edges, n_, 0, is_lower(), is_lower(),
                                              plan.uses_gathers, plan.has_lone_rows});
        const heron_spmat& a = args_.a;
        visit_offsets_and_indices(a.offset_type, a.index_type, [&]<class OT, class IT>(type<OT>, type<IT>) {
            f(triangle_pattern<OT, IT>{as<const OT>(a.offsets), as<const IT>(a.indices), edges, n_, a.base,
                                       is_lower(), a.fill == HERON_FILL_LOWER, plan.uses_gathers,
                                       plan.has_lone_rows});
        });
    }

    // The same with values.
    template <class F>
    void visit_rows(const host_solve_plan& plan, F&& f) {
        const CT* const values = as<const CT>(args_.a.values);
        visit_pattern(plan, [&]<class OT, class IT>(const triangle_pattern<OT, IT>& pattern) {
            if constexpr (same_type<OT, ST> && same_type<IT, ST>)
                if (plan.is_gathered) return f(triangle_rows<CT, OT, IT, true>{pattern, sources_, values});
            f(triangle_rows<CT, OT, IT, false>{pattern, nullptr, values});
        });
    }

    // Threads share the right-hand sides, or the rows where there are too few of those.
    template <class Rows>
    void solve(const Rows& rows, const solve_operands<CT>& o, const host_solve_plan& plan) {
        const int64_t columns = args_.c.cols;
        const int64_t groups = (columns + columns_per_group(o) - 1) / columns_per_group(o);
        // Columns that lie side by side are vectors.
        const int64_t work = (stored_ + n_) * (o.c_row == 1 ? columns : (columns + 3) / 4);
        const int team = team_for(device_, work);
        const bool scatters = transposed() && !plan.is_gathered;
        if (columns == 1 && !scatters) return solve_vector_by_all(rows, o, plan, team);
        if (team > groups && !scatters && plan.blocks && plan.blocks->room.enter())
            return share(team, *plan.blocks, [&](range places) {
                solve_columns(rows, o, scatters, places, {0, columns});
            });
        run_team(groups > 1 ? team : 1, [&](int member, int members) {
            const range part = equal_part(groups, member, members);
            const int64_t end = part.end * columns_per_group(o);
            solve_columns(rows, o, scatters, {0, n_},
                          {part.begin * columns_per_group(o), end < columns ? end : columns});
        });
    }

    // Columns that one thread solves: those that are read together, and where they share cache lines, all of
    // a line.
    static int64_t columns_per_group(const solve_operands<CT>& o) {
        constexpr int64_t read_together = 4;
        constexpr int64_t line = 64 / sizeof(CT);
        return o.c_row == 1 ? read_together : line;
    }

    template <class Rows>
    void solve_vector_by_all(const Rows& rows, const solve_operands<CT>& o, const host_solve_plan& plan,
                             int team) {
        constexpr const ST* in_place = nullptr;
        if (team > 1 && plan.blocks && plan.blocks->room.enter())
            return share(team, *plan.blocks, [&](range places) { solve_vector(rows, o, places, in_place); });
        if (team > 1 && plan.levels && plan.levels->room.enter())
            return share(team, *plan.levels, [&](range places) { solve_vector(rows, o, places, order_); });
        solve_vector(rows, o, {0, n_}, in_place);
    }

    template <class Schedule, class F>
    static void share(int team, Schedule& schedule, F&& f) {
        schedule.start();
        double end = 0;
        run_team(team, [&](int member, int) {
            schedule.run(f);
            if (member == 0) end = omp_get_wtime();
        });
        schedule.room.has_waited_since(end);
        schedule.room.leave();
    }

    solve_operands<CT> operands() {
        plans::element_steps b = plans::steps_of(args_.b);
        const plans::element_steps c = plans::steps_of(args_.c);
        const CT* from = as<const CT>(args_.b.values);
        if (plans::must_stage(args_)) {
            stage(from, b);
            b = {args_.b.cols, 1};
            from = staged_;
        }
        const scalar_argument<CT> alpha = as_argument<CT>(args_.alpha);
        const bool tells = args_.zero_pivot && args_.a.diag != HERON_DIAG_UNIT;
        return {alpha.device ? *alpha.device : alpha.value,
                static_cast<const CT*>(args_.diagonal),
                args_.a.diag == HERON_DIAG_UNIT,
                plans::is_conjugated(args_.op),
                from,
                b.row,
                b.column,
                as<CT>(args_.c.values),
                c.row,
                c.column,
                tells ? &args_.zero_pivot->first : nullptr,
                args_.a.format == HERON_FORMAT_BSR ? args_.a.block_rows : 1};
    }

    void stage(const CT* b, plans::element_steps steps) {
        for (int64_t i = 0; i < n_; ++i)
            for (int64_t j = 0; j < args_.b.cols; ++j)
                staged_[i * args_.b.cols + j] = b[i * steps.row + j * steps.column];
    }

    void clear(const solve_operands<CT>& o) {
        for (int64_t i = 0; i < n_; ++i)
            for (int64_t j = 0; j < args_.c.cols; ++j) o.c[i * o.c_row + j * o.c_column] = CT{};
    }

    host_device& device_;
    const heron_trisolve_args& args_;
    heron_workspace& workspace_;
    workspace_layout layout_;
    int64_t n_, stored_;
    ST *begin_, *columns_, *sources_, *order_;
    int64_t* edges_;
    CT* staged_;
};

void host_trisolve(host_device& device, heron_phase phase, const heron_trisolve_args& args,
                   heron_workspace& workspace) {
    plans::visit_trisolve(args, [&]<class CT, class ST>(type<CT>, type<ST>) {
        host_trisolve_run<CT, ST> run(device, phase, args, workspace);
        if (phase == HERON_PHASE_ANALYSE) run.analyse();
        if (phase == HERON_PHASE_RUN) run.run();
    });
}

}  // namespace

void override_trisolve(heron_backend& table) {
    table.trisolve = &slot<host_device, heron_trisolve_args, &host_trisolve, operation_names::trisolve>;
}

}  // namespace heron::HERON_LEVEL
