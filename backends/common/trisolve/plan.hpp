#pragma once
// Sparse triangular solves for any device: ANALYSE sorts the rows into levels (Anderson and Saad, "Solving
// sparse triangular linear systems on parallel computers", 1989) and gathers the triangle of op(A) by rows,
// on the host; RUN launches one kernel per level, or one for a run of narrow levels. Values are found through
// their positions in A, so that new ones need no new analysis. Every row is summed by one item in storage
// order: the same bits every time.
#include "common/runtime/plan_record.hpp"
#include "common/runtime/run_turn.hpp"
#include "triangle.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family trisolve{"trisolve", "CT ST"};
#include "kernels.h"
inline constexpr kernel_family pivots{"trisolve_pivots", "CT"};
#include "pivots.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// Rows [first, last) of the order: one level, or several that are solved one row after the other.
struct solve_segment {
    int64_t first, last;
    bool serial;
};

struct level_plan final : plan_of<level_plan> {
    host_array<solve_segment> segments;
    int64_t count = 0;
    run_turn turn;
};

// Levels of at most `narrow` rows that follow each other become one segment.
inline level_plan make_segments(const host_array<int64_t>& starts, int64_t levels, int64_t narrow) {
    level_plan plan;
    plan.segments = host_array<solve_segment>(levels);
    for (int64_t l = 0; l < levels; ++l) {
        const solve_segment level{starts[l], starts[l + 1], starts[l + 1] - starts[l] <= narrow};
        if (level.serial && plan.count > 0 && plan.segments[plan.count - 1].serial)
            plan.segments[plan.count - 1].last = level.last;
        else
            plan.segments[plan.count++] = level;
    }
    return plan;
}

// Hands a plan to the core.
template <class Plan>
void leave_plan(Plan&& plan, heron_workspace& workspace) {
    workspace.plan = new (std::nothrow) Plan(static_cast<Plan&&>(plan));
    if (!workspace.plan) throw plan_error{HERON_ALLOC_FAILED, "out of host memory"};
}

// How an operand is walked: element (i, j) is at i*row + j*column.
struct element_steps {
    heron_index row, column;
};
inline element_steps steps_of(const heron_dnmat& m) {
    return m.order == HERON_ORDER_ROW ? element_steps{m.ld, 1} : element_steps{1, m.ld};
}

// Where B and C share memory, an element of B must lie where that of C does.
inline bool must_stage(const heron_trisolve_args& args) {
    if (args.b.values != args.c.values) return false;
    const element_steps b = steps_of(args.b);
    const element_steps c = steps_of(args.c);
    return (args.b.rows > 1 && b.row != c.row) || (args.b.cols > 1 && b.column != c.column);
}

// What ANALYSE left. Throws where there is nothing.
template <class Plan>
const Plan& required_plan(const heron_workspace& workspace) {
    const Plan* const plan = plan_as<Plan>(workspace.plan);
    if (!plan) throw plan_error{HERON_INVALID_VALUE, "the matrix has not been analysed"};
    return *plan;
}

// A copy of a matrix's index arrays that the host can read.
template <class Device>
class host_pattern {
  public:
    host_pattern(Device& device, const heron_spmat& m)
        : offsets_(offsets_bytes(m)), rows_(rows_bytes(m)), indices_(indices_bytes(m)), matrix_(m) {
        fetch(device, offsets_, matrix_.offsets);
        fetch(device, rows_, matrix_.row_indices);
        fetch(device, indices_, matrix_.indices);
    }
    const heron_spmat& matrix() const { return matrix_; }

  private:
    static int64_t width(heron_index_type type) { return type == HERON_INDEX_32 ? 4 : 8; }
    static int64_t offsets_bytes(const heron_spmat& m) {
        switch (m.format) {
            case HERON_FORMAT_CSR: return (m.rows + 1) * width(m.offset_type);
            case HERON_FORMAT_BSR: return (m.rows / m.block_rows + 1) * width(m.offset_type);
            case HERON_FORMAT_SELL:
                return ((m.rows + m.slice_size - 1) / m.slice_size + 1) * width(m.offset_type);
            default: return 0;
        }
    }
    static int64_t rows_bytes(const heron_spmat& m) {
        return m.format == HERON_FORMAT_COO ? m.nnz * width(m.index_type) : 0;
    }
    static int64_t indices_bytes(const heron_spmat& m) {
        return (m.format == HERON_FORMAT_SELL ? m.values_size : m.nnz) * width(m.index_type);
    }

    static void fetch(Device& device, host_array<char>& to, void*& address) {
        if (to.size() > 0) device.read(to.data(), address, to.bytes());
        address = to.data();
    }

    host_array<char> offsets_, rows_, indices_;
    heron_spmat matrix_;
};

// Where a triangular matrix in CSR, or in BSR with square blocks, has no pivots. One that stores nothing
// comes as COO.
class pivot_search {
  public:
    pivot_search(const heron_spmat& a, heron_zero_pivot* found)
        : a_(a),
          has_pivots_(a.diag != HERON_DIAG_UNIT && a.rows > 0),
          is_stored_(a.format != HERON_FORMAT_COO),
          size_(a.format == HERON_FORMAT_BSR ? a.block_rows : 1),
          found_(&found->structural) {}

    template <class CT, class Device>
    void find_missing(Device& device) const {
        device.template launch<kernels::begin_pivots<CT>>(kernels::pivots, 2, found_,
                                                          has_pivots_ && !is_stored_ ? 0 : HERON_NO_PIVOT);
        if (has_pivots_ && is_stored_)
            device.template launch<kernels::find_missing_pivots<CT>>(
                kernels::pivots, a_.rows / size_, as<const int>(a_.offsets), as<const int>(a_.indices),
                heron_index{a_.base}, found_);
    }

    // In the values, and missing.
    template <class CT, class Device>
    void find_zeros(Device& device) const {
        if (!has_pivots_ || !is_stored_) return find_missing<CT>(device);
        device.template launch<kernels::begin_pivots<CT>>(kernels::pivots, 1, found_ + 1, HERON_NO_PIVOT);
        device.template launch<kernels::find_zero_pivots<CT>>(
            kernels::pivots, a_.rows / size_, as<const int>(a_.offsets), as<const int>(a_.indices),
            as<const CT>(a_.values), size_, heron_index{a_.base}, found_);
    }

  private:
    const heron_spmat& a_;
    bool has_pivots_, is_stored_;
    heron_index size_;
    int* found_;
};

// For solves whose rows do not tell of their pivots, if that is asked for.
template <class CT, class Device>
void find_zero_pivots(Device& device, const heron_trisolve_args& args) {
    if (args.zero_pivot) pivot_search(args.a, args.zero_pivot).find_zeros<CT>(device);
}

template <class Device, class CT, class ST>
class trisolve_plan {
  public:
    trisolve_plan(Device& device, heron_phase phase, const heron_trisolve_args& args,
                  heron_workspace& workspace)
        : device_(device),
          phase_(phase),
          args_(args),
          workspace_(workspace),
          layout_(phase, workspace),
          n_(args.a.rows),
          begin_(layout_.template take<ST>(n_ + 1)),
          order_(layout_.template take<ST>(n_)),
          columns_(layout_.template take<ST>(stored_elements(args.a))),
          sources_(layout_.template take<ST>(stored_elements(args.a))),
          staged_(layout_.template take<CT>(n_ * args.staged_columns)) {}

    void apply() {
        if (phase_ == HERON_PHASE_ANALYSE) analyse();
        if (phase_ == HERON_PHASE_RUN) run();
    }

  private:
    // A level that is narrower is not worth a launch.
    static constexpr int64_t narrow = Device::strided ? 8 : 64;

    void analyse() {
        const host_pattern<Device> pattern(device_, args_.a);
        visit_triangle<ST>(pattern.matrix(), is_transposed(args_.op), [&](const auto& builder) {
            const row_triangle<ST> triangle = builder.build();
            const level_sets<ST> levels = find_levels(triangle);
            write(begin_, triangle.begin);
            write(columns_, triangle.columns);
            write(sources_, triangle.sources);
            write(order_, levels.order);
            leave_plan(make_segments(levels.starts, levels.count, narrow), workspace_);
        });
    }

    void write(ST* to, const host_array<ST>& from) { device_.write(to, from.data(), from.bytes()); }

    void run() {
        const level_plan& plan = required_plan<level_plan>(workspace_);
        const auto turn = plan.turn.take();
        if (args_.zero_pivot)
            device_.template launch<kernels::begin_pivots<CT>>(kernels::pivots, 1, &args_.zero_pivot->first,
                                                               HERON_NO_PIVOT);
        const bool staged = must_stage(args_);
        const heron_index right_sides = args_.c.cols;
        const element_steps user = steps_of(args_.b);
        const element_steps b = staged ? element_steps{right_sides, 1} : user;
        const CT* const from = staged ? staged_ : as<const CT>(args_.b.values);
        if (staged)
            device_.template launch<kernels::stage_right_side<CT, ST>>(
                kernels::trisolve, n_ * right_sides, right_sides, as<const CT>(args_.b.values), user.row,
                user.column, staged_);
        for (int64_t s = 0; s < plan.count; ++s) solve(plan.segments[s], from, b);
    }

    void solve(const solve_segment& s, const CT* b, element_steps b_steps) {
        const heron_index right_sides = args_.c.cols;
        if (s.serial) return launch<kernels::solve_rows>(right_sides, s.first, s.last, b, b_steps);
        launch<kernels::solve_level>((s.last - s.first) * right_sides, s.first, right_sides, b, b_steps);
    }

    template <template <class...> class Kernel>
    void launch(int64_t count, heron_index first, heron_index second, const CT* b, element_steps b_steps) {
        const scalar_argument<CT> alpha = as_argument<CT>(args_.alpha);
        const element_steps c = steps_of(args_.c);
        device_.template launch<Kernel<CT, ST>>(
            kernels::trisolve, count, first, second, static_cast<const ST*>(order_),
            static_cast<const ST*>(begin_), static_cast<const ST*>(columns_),
            static_cast<const ST*>(sources_), as<const CT>(args_.a.values),
            static_cast<const CT*>(args_.diagonal), int{args_.a.diag == HERON_DIAG_UNIT},
            int{is_conjugated(args_.op)}, alpha.value, alpha.device, b, b_steps.row, b_steps.column,
            as<CT>(args_.c.values), c.row, c.column, told_zero_pivot(),
            heron_index{args_.a.format == HERON_FORMAT_BSR ? args_.a.block_rows : 1});
    }

    // Where rows tell of their pivots, if they have any and are asked.
    int* told_zero_pivot() const {
        return args_.zero_pivot && args_.a.diag != HERON_DIAG_UNIT ? &args_.zero_pivot->first : nullptr;
    }

    Device& device_;
    heron_phase phase_;
    const heron_trisolve_args& args_;
    heron_workspace& workspace_;
    workspace_layout layout_;
    int64_t n_;
    ST *begin_, *order_, *columns_, *sources_;
    CT* staged_;
};

// Calls f with the element type and the narrowest index type that counts the rows and the stored elements.
template <class F>
void visit_trisolve(const heron_trisolve_args& args, F&& f) {
    const int64_t stored = stored_elements(args.a);
    const bool wide = args.a.rows >= INT32_MAX || stored >= INT32_MAX;
    const auto visit = [&]<class CT>(type<CT>) {
        visit_index(wide ? HERON_INDEX_64 : HERON_INDEX_32,
                    [&]<class ST>(type<ST>) { f(type<CT>{}, type<ST>{}); });
    };
    switch (args.type) {
        case HERON_R_32F: return visit(type<f32>{});
        case HERON_R_64F: return visit(type<f64>{});
        case HERON_C_32F: return visit(type<c32>{});
        case HERON_C_64F: return visit(type<c64>{});
        default: no_such_types();
    }
}

template <class Device>
void trisolve(Device& device, heron_phase phase, const heron_trisolve_args& args,
              heron_workspace& workspace) {
    visit_trisolve(args, [&]<class CT, class ST>(type<CT>, type<ST>) {
        trisolve_plan<Device, CT, ST>(device, phase, args, workspace).apply();
    });
}

template <class Device>
void zero_pivot(Device& device, heron_phase phase, const heron_zero_pivot_args& args,
                heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_ANALYSE) return;
    const pivot_search search(args.a, args.zero_pivot);
    visit_full(args.a.type, [&]<class CT>(type<CT>) { search.template find_missing<CT>(device); });
}

}  // namespace heron::HERON_LEVEL::plans
