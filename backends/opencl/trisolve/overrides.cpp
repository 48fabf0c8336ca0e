// Triangular solves: in one launch where the device is known to let groups wait for each other, else by the
// shared plan, level by level.
#include "opencl/runtime/device.hpp"
#include "opencl/runtime/kernels.hpp"
#include "units.hpp"
#include "common/runtime/run_turn.hpp"
#include "common/runtime/slot.hpp"
#include "common/trisolve/blocks.hpp"
#include "common/trisolve/plan.hpp"
#include <algorithm>

namespace heron::opencl {
namespace {

constexpr kernel_family solving_one{
    "trisolve_rows trisolve_common trisolve_tuned trisolve_one trisolve_one_rows", "CT OT IT"};
constexpr kernel_family solving_many{
    "trisolve_rows trisolve_common trisolve_tuned trisolve_many trisolve_many_rows", "CT OT IT"};
// With long rows.
constexpr kernel_family solving_one_units{
    "trisolve_rows trisolve_common trisolve_tuned trisolve_one trisolve_units trisolve_one_units",
    "CT OT IT"};
constexpr kernel_family solving_many_units{
    "trisolve_rows trisolve_common trisolve_tuned trisolve_many trisolve_units trisolve_many_units",
    "CT OT IT"};
struct begin_solve {
    static constexpr const char* name = "begin_solve";
};
struct solve_one {
    static constexpr const char* name = "solve_one";
};
struct solve_many {
    static constexpr const char* name = "solve_many";
};
struct solve_one_units {
    static constexpr const char* name = "solve_one_units";
};
struct solve_many_units {
    static constexpr const char* name = "solve_many_units";
};
struct turn_sides {
    static constexpr const char* name = "turn_sides";
};

// These mirror the kernels.
constexpr int64_t turn_group = 256;
constexpr int64_t turned = 32;
constexpr int64_t box_bytes = 16;
// Right-hand sides of one group, and of one launch.
constexpr int64_t group_sides = 32;
constexpr int64_t widest = 64;

// The rows of the triangle of op(A): those of a CSR matrix, or gathered ones.
template <class OT, class IT>
struct triangle_rows {
    const OT* offsets;
    const IT* columns;
    const int* sources;
    heron_index base;
};

struct sweep_plan final : plan_of<sweep_plan> {
    triangle_rows<i32, i32> gathered{};
    // Of many right-hand sides: n rows of `width` elements each.
    int64_t width = 1;
    void* solved = nullptr;
    void* turned = nullptr;
    // Of long rows: `solved` has two rows more for each of their pieces.
    unit_list units_of_one, units_of_many;
    int64_t pieces = 0;
    // Of block rows.
    int64_t block_width = 0;
    char* block_control = nullptr;
    run_turn turn;
};

template <class CT>
class sweep_trisolve {
  public:
    sweep_trisolve(opencl_device& device, heron_phase phase, const heron_trisolve_args& args,
                   heron_workspace& workspace)
        : device_(device),
          args_(args),
          by_blocks_(plans::has_block_rows(args.a) && args.a.block_rows > 1),
          pattern_(plans::block_row_pattern(args.a)),
          workspace_(workspace),
          layout_(phase, workspace),
          n_(pattern_.rows),
          stored_(plans::stored_elements(pattern_)),
          schedule_(layout_.take<row_schedule>(1)),
          order_(layout_, n_),
          staged_(layout_.take<CT>(args.a.rows * args.staged_columns)) {}

    // Takes what depends on the right-hand sides, which may be others in RUN.
    void analyse(heron_phase phase) {
        sweep_plan plan;
        if (by_blocks_) {
            const plans::block_solve_memory<CT> memory(layout_, args_);
            plan.block_width = memory.width;
            plan.block_control = memory.control;
        } else if (args_.b.cols > 1) {
            plan.width = quotient_up(std::min(args_.b.cols, widest), packed) * packed;
        }
        const long_row_rule rule = by_blocks_ ? long_row_rule() : long_row_rule(n_, stored_);
        plan.solved =
            layout_.take<CT>(quotient_up((n_ + 2 * rule.most_pieces()) * plan.width, packed) * packed);
        plan.turned = layout_.take<CT>(plan.width > 1 ? n_ * plan.width : 0);
        int* const begin = layout_.take<int>(is_gathered() ? n_ + 1 : 0);
        int* const columns = layout_.take<int>(is_gathered() ? stored_ : 0);
        int* const sources = layout_.take<int>(is_gathered() ? stored_ : 0);
        const long_row_memory long_rows(layout_, rule, group_of_one() / lanes_of_row(),
                                        plan.width > 1 ? group_of_many / lanes_of_sides : 0);
        if (phase == HERON_PHASE_SIZE) return;
        if (by_blocks_) device_.fill(schedule_, 1, sizeof *schedule_);
        if (is_gathered()) {
            gather(begin, columns, sources);
            plan.gathered = {begin, columns, sources, 0};
            order(plans::rows_of(begin, columns, n_, stored_));
        } else {
            order(plans::rows_of(pattern_));
        }
        list_units(long_rows, plan);
        plans::leave_plan(static_cast<sweep_plan&&>(plan), workspace_);
    }

    void run() {
        const auto& plan = plans::required_plan<sweep_plan>(workspace_);
        const auto turn = plan.turn.take();
        if (!zero_pivot()) plans::find_zero_pivots<CT>(device_, args_);
        if (by_blocks_) return solve_blocks(plan);
        if (is_gathered()) return solve(plan.gathered, plan);
        visit_own_rows([&](const auto& rows) { solve(rows, plan); });
    }

  private:
    static constexpr int64_t packed = box_bytes / sizeof(CT);
    static constexpr int64_t group_of_many = 256;
    static constexpr int64_t lanes_of_sides = group_sides / packed;

    bool is_gathered() const { return pattern_.format != HERON_FORMAT_CSR || plans::is_transposed(args_.op); }
    bool is_lower() const { return (args_.a.fill == HERON_FILL_LOWER) != plans::is_transposed(args_.op); }
    bool is_unit() const { return pattern_.diag == HERON_DIAG_UNIT; }
    // Where rows tell of their pivots; NULL: they are not asked, or not those whose pivots are asked for.
    int* zero_pivot() const {
        const bool tells = args_.zero_pivot && !by_blocks_ && pattern_.format != HERON_FORMAT_BSR;
        return tells ? &args_.zero_pivot->first : nullptr;
    }
    triangle_shape shape(heron_index base) const {
        return {base, static_cast<int>(n_), is_lower(), is_unit()};
    }

    template <class F>
    void visit_own_rows(F&& f) const {
        const heron_spmat& a = pattern_;
        visit_offsets_and_indices(a.offset_type, a.index_type, [&]<class OT, class IT>(type<OT>, type<IT>) {
            f(triangle_rows<OT, IT>{as<const OT>(a.offsets), as<const IT>(a.indices), nullptr, a.base});
        });
    }

    // On the host, as the shared plan does.
    void gather(int* begin, int* columns, int* sources) {
        const plans::host_pattern<opencl_device> pattern(device_, pattern_);
        plans::visit_triangle<i32>(
            pattern.matrix(), plans::is_transposed(args_.op), [&](const auto& builder) {
                const plans::row_triangle<i32> triangle = builder.build();
                device_.write(begin, triangle.begin.data(), triangle.begin.bytes());
                device_.write(columns, triangle.columns.data(), triangle.columns.bytes());
                device_.write(sources, triangle.sources.data(), triangle.sources.bytes());
            });
    }

    void solve_blocks(const sweep_plan& plan) {
        const triangle_rows<i32, i32>& t = plan.gathered;
        const auto* const records = reinterpret_cast<const int*>(order_.records);
        const plans::ordered_blocks blocks =
            is_gathered() ? plans::ordered_blocks{t.offsets, t.columns, t.sources, records, schedule_, 0}
                          : plans::ordered_blocks{as<const int>(pattern_.offsets),
                                                  as<const int>(pattern_.indices),
                                                  nullptr,
                                                  records,
                                                  schedule_,
                                                  pattern_.base};
        plans::block_solver<opencl_device, CT, false>(device_, args_, blocks, plan.block_control,
                                                      plan.block_width, staged_)
            .run();
    }

    // Without a look at what the device finds out: what turns out not to be needed ends at once. All levels
    // are an order, since solves have no other.
    void order(const plans::row_pattern& rows) {
        constexpr plans::least_widths any_width{0, 0};
        plans::order_rows(device_, rows, is_lower(), is_unit(), any_width, order_);
    }

    void list_units(const long_row_memory& memory, sweep_plan& plan) {
        const host_array<long_row> rows = memory.find(device_, order_, n_);
        plan.units_of_one = memory.list_of_one(device_, n_, rows);
        plan.units_of_many = memory.list_of_many(device_, n_, rows);
        plan.pieces = pieces_of(rows);
    }

    template <class OT, class IT>
    void solve(const triangle_rows<OT, IT>& rows, const sweep_plan& plan) {
        const plans::element_steps c = plans::steps_of(args_.c);
        plans::element_steps b = plans::steps_of(args_.b);
        const CT* from = as<const CT>(args_.b.values);
        if (plans::must_stage(args_)) {
            device_.launch<kernels::stage_right_side<CT, i32>>(kernels::trisolve, n_ * args_.c.cols,
                                                               heron_index{args_.c.cols}, from, b.row,
                                                               b.column, staged_);
            b = {args_.c.cols, 1};
            from = staged_;
        }
        CT* const to = as<CT>(args_.c.values);
        // An analysis for one right-hand side has left no room for more than one at a time.
        const int64_t width = args_.c.cols == 1 ? 1 : plan.width;
        for (int64_t first = 0; first < args_.c.cols; first += width) {
            if (width == 1)
                solve_column(rows, plan, from + first * b.column, b.row, to + first * c.column, c.row);
            else
                solve_columns(rows, plan, from + first * b.column, b, to + first * c.column, c,
                              std::min(width, args_.c.cols - first));
        }
    }

    template <class OT, class IT>
    void solve_column(const triangle_rows<OT, IT>& rows, const sweep_plan& plan, const CT* b,
                      heron_index b_row, CT* c, heron_index c_row) {
        const int64_t lanes = lanes_of_row();
        const int64_t group = group_of_one();
        constexpr int64_t batch = 4;
        constexpr int levels_ahead = 5;
        const unit_list& units = plan.units_of_one;
        auto* const solved = static_cast<CT*>(plan.solved);
        const kept_program& program = program_of<OT, IT>({true, units.count > 0, group, 1, lanes, batch});
        begin(program, plan, 1);
        const scalar_argument<CT> alpha = as_argument<CT>(args_.alpha);
        const auto launch = [&]<class Kernel>(type<Kernel>, int64_t groups, auto... own) {
            device_.launch_program_groups<Kernel>(
                program, groups, static_cast<size_t>(group), own..., static_cast<const int4*>(order_.records),
                static_cast<const u32*>(order_.places), rows.columns, rows.sources,
                as<const CT>(args_.a.values), as<const CT>(args_.diagonal), shape(rows.base),
                int{plans::is_conjugated(args_.op)}, alpha.value, alpha.device, b, b_row, c, c_row, solved,
                static_cast<const row_schedule*>(order_.schedule), levels_ahead, order_.control,
                zero_pivot());
        };
        if (units.count > 0)
            launch(type<solve_one_units>{}, units.count, units.units);
        else
            launch(type<solve_one>{}, quotient_up(n_, group / lanes));
    }

    void begin(const kept_program& program, const sweep_plan& plan, int64_t width) {
        device_.launch_program<begin_solve>(program, quotient_up((n_ + 2 * plan.pieces) * width, packed),
                                            static_cast<CT*>(plan.solved), order_.control, zero_pivot());
    }

    // As many as most rows have batches of elements.
    int64_t lanes_of_row() const {
        if (stored_ <= 4 * n_) return 1;
        return stored_ <= 24 * n_ ? 4 : 16;
    }
    // Small groups spread narrow levels over the device.
    int64_t group_of_one() const { return lanes_of_row() == 1 ? 64 : 128; }

    template <class OT, class IT>
    void solve_columns(const triangle_rows<OT, IT>& rows, const sweep_plan& plan, const CT* b,
                       plans::element_steps b_steps, CT* c, plans::element_steps c_steps, int64_t sides) {
        constexpr int64_t group = group_of_many;
        constexpr int64_t lanes = lanes_of_sides;
        const unit_list& units = plan.units_of_many;
        const bool turns_c = c_steps.column != 1;
        auto* const solved = static_cast<CT*>(plan.solved);
        auto* const turned_b = static_cast<CT*>(plan.turned);
        const kept_program& program =
            program_of<OT, IT>({false, units.count > 0, group, packed, lanes, stored_ <= 8 * n_ ? 4 : 8});
        begin(program, plan, plan.width);
        if (b_steps.column != 1) {
            turn(program, b, b_steps, turned_b, {plan.width, 1}, sides);
            b = turned_b;
            b_steps = {plan.width, 1};
        }
        const scalar_argument<CT> alpha = as_argument<CT>(args_.alpha);
        const int64_t tiles = quotient_up(sides, group_sides);
        const auto launch = [&]<class Kernel>(type<Kernel>, int64_t groups, auto... own) {
            device_.launch_program_groups<Kernel>(
                program, groups * tiles, group, own..., static_cast<const int4*>(order_.records),
                rows.columns, rows.sources, as<const CT>(args_.a.values), as<const CT>(args_.diagonal),
                shape(rows.base), int{plans::is_conjugated(args_.op)}, alpha.value, alpha.device, b,
                b_steps.row, b_steps.column, c, c_steps.row, c_steps.column, int{!turns_c},
                static_cast<int>(sides), heron_index{plan.width}, solved, order_.control, zero_pivot());
        };
        if (units.count > 0)
            launch(type<solve_many_units>{}, units.count, units.units);
        else
            launch(type<solve_many>{}, quotient_up(n_, group / lanes));
        if (turns_c) turn(program, solved, {plan.width, 1}, c, c_steps, sides);
    }

    void turn(const kept_program& program, const CT* from, plans::element_steps from_steps, CT* to,
              plans::element_steps to_steps, int64_t sides) {
        device_.launch_program_groups<turn_sides>(
            program, quotient_up(n_, turned) * quotient_up(sides, turned), turn_group, from, from_steps.row,
            from_steps.column, to, to_steps.row, to_steps.column, static_cast<int>(n_),
            static_cast<int>(sides));
    }

    // What makes one program of the sweep differ from another with the same types.
    struct sweep_shape {
        bool is_single, has_units;
        int64_t group, pack, lanes, batch;
        bool operator==(const sweep_shape&) const = default;
    };

    template <class OT, class IT>
    static const kept_program& program_of(const sweep_shape& shape) {
        static program_list<sweep_shape> programs;
        return programs.get(shape, [&] { return key_of<OT, IT>(shape); });
    }

    template <class OT, class IT>
    static program_key key_of(const sweep_shape& shape) {
        const char* const names[] = {type_name<CT>, type_name<OT>, type_name<IT>};
        const kernel_family& family = shape.has_units
                                          ? shape.is_single ? solving_one_units : solving_many_units
                                      : shape.is_single ? solving_one
                                                        : solving_many;
        program_key key = make_program_key(family, names, std::size(names));
        const size_t bytes = static_cast<size_t>(shape.pack) * sizeof(CT);
        const auto number = [](int64_t n) { return std::to_string(n); };
        key.definitions += "#define GROUP " + number(shape.group) + "\n#define PACK " + number(shape.pack) +
                           (shape.has_units ? "\n#define PIECE " + number(long_row_rule::piece) : "") +
                           "\n#define LANES " + number(shape.lanes) + "\n#define BATCH " +
                           number(shape.batch) + "\n#define IS_REAL " +
                           number(std::is_same_v<CT, f32> || std::is_same_v<CT, f64>) + "\n#define BOX " +
                           (bytes == 4   ? "uint"
                            : bytes == 8 ? "ulong"
                                         : "ulong2") +
                           "\n";
        return key;
    }

    opencl_device& device_;
    const heron_trisolve_args& args_;
    const bool by_blocks_;
    // The rows that wait for each other: those of the matrix, or of one with an element for each block.
    const heron_spmat pattern_;
    heron_workspace& workspace_;
    workspace_layout layout_;
    int64_t n_, stored_;
    row_schedule* schedule_;
    plans::row_order_memory order_;
    CT* staged_;
};

bool prefers_sweep(const device_traits& traits) {
    return takes_gpu_kernels("trisolve", traits.is_nvidia_gpu());
}

bool takes_sweep(const device_traits& traits, const heron_trisolve_args& args) {
    const heron_spmat pattern = plans::block_row_pattern(args.a);
    return pattern.rows > 0 && pattern.rows < INT32_MAX && plans::stored_elements(pattern) < INT32_MAX &&
           prefers_sweep(traits) && traits.largest_group >= 256;
}

}  // namespace

void trisolve(opencl_device& device, heron_phase phase, const heron_trisolve_args& args,
              heron_workspace& workspace) {
    if (!takes_sweep(device.traits(), args)) return plans::trisolve(device, phase, args, workspace);
    plans::visit_trisolve(args, [&]<class CT, class ST>(type<CT>, type<ST>) {
        sweep_trisolve<CT> sweep(device, phase, args, workspace);
        phase == HERON_PHASE_RUN ? sweep.run() : sweep.analyse(phase);
    });
}

void override_trisolve(heron_backend& table) {
    table.trisolve = &slot<opencl_device, heron_trisolve_args, &trisolve, operation_names::trisolve>;
}

}  // namespace heron::opencl
