// Triangular solves: in one launch where the device is known to let groups wait for each other, else by the
// shared plan, level by level.
#include "opencl/runtime/device.hpp"
#include "opencl/runtime/kernels.hpp"
#include "common/runtime/slot.hpp"
#include "common/trisolve/plan.hpp"
#include <algorithm>

namespace heron::opencl {
namespace {

constexpr kernel_family ordering{"trisolve_common trisolve_order", "OT IT"};
constexpr kernel_family solving_one{"trisolve_common trisolve_tuned trisolve_one", "CT OT IT"};
constexpr kernel_family solving_many{"trisolve_common trisolve_tuned trisolve_many", "CT OT IT"};
struct guess_grid {
    static constexpr const char* name = "guess_grid";
};
struct place_grid_rows {
    static constexpr const char* name = "place_grid_rows";
};
struct find_levels {
    static constexpr const char* name = "find_levels";
};
struct rank_rows {
    static constexpr const char* name = "rank_rows";
};
struct start_levels {
    static constexpr const char* name = "start_levels";
};
struct place_rows {
    static constexpr const char* name = "place_rows";
};
struct begin_solve {
    static constexpr const char* name = "begin_solve";
};
struct solve_one {
    static constexpr const char* name = "solve_one";
};
struct solve_many {
    static constexpr const char* name = "solve_many";
};
struct turn_sides {
    static constexpr const char* name = "turn_sides";
};

// These mirror the kernels.
constexpr int64_t level_group = 128;
constexpr int64_t scan_group = 256;
constexpr int64_t turned = 32;
struct triangle_shape {
    heron_index base;
    int n, lower, unit;
};
struct alignas(16) row_record {
    int row, begin, end, unused;
};
struct row_grid {
    int is_grid, line, lines, planes, line_step, plane_step;
};
// Where the levels of a grid begin.
constexpr int64_t grid_room(int64_t n) { return n / 16 + 2; }

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
};

template <class CT>
class sweep_trisolve {
  public:
    sweep_trisolve(opencl_device& device, heron_phase phase, const heron_trisolve_args& args,
                   heron_workspace& workspace)
        : device_(device),
          args_(args),
          workspace_(workspace),
          layout_(phase, workspace),
          n_(args.a.rows),
          stored_(plans::stored_elements(args.a)),
          control_(layout_.take<int>(1)),
          highest_(layout_.take<int>(1)),
          grid_(layout_.take<row_grid>(1)),
          grid_starts_(layout_.take<uint32_t>(grid_room(n_))),
          levels_(layout_.take<uint32_t>(n_)),
          counts_(layout_.take<int>(n_)),
          places_(layout_.take<int>(n_)),
          records_(layout_.take<row_record>(n_)),
          staged_(layout_.take<CT>(n_ * args.staged_columns)) {}

    // Takes what depends on the right-hand sides, which may be others in RUN.
    void analyse(heron_phase phase) {
        sweep_plan plan;
        if (args_.b.cols > 1) plan.width = quotient_up(std::min(args_.b.cols, widest), packed) * packed;
        plan.solved = layout_.take<CT>(quotient_up(n_ * plan.width, packed) * packed);
        plan.turned = layout_.take<CT>(plan.width > 1 ? n_ * plan.width : 0);
        int* const begin = layout_.take<int>(is_gathered() ? n_ + 1 : 0);
        int* const columns = layout_.take<int>(is_gathered() ? stored_ : 0);
        int* const sources = layout_.take<int>(is_gathered() ? stored_ : 0);
        if (phase == HERON_PHASE_SIZE) return;
        if (is_gathered()) {
            gather(begin, columns, sources);
            plan.gathered = {begin, columns, sources, 0};
            order(plan.gathered);
        } else {
            visit_own_rows([&](const auto& rows) { order(rows); });
        }
        plans::leave_plan(static_cast<sweep_plan&&>(plan), workspace_);
    }

    void run() {
        const auto& plan = plans::required_plan<sweep_plan>(workspace_);
        if (is_gathered()) return solve(plan.gathered, plan);
        visit_own_rows([&](const auto& rows) { solve(rows, plan); });
    }

  private:
    static constexpr int64_t packed = box_bytes / sizeof(CT);

    bool is_gathered() const { return args_.a.format != HERON_FORMAT_CSR || plans::is_transposed(args_.op); }
    bool is_lower() const { return (args_.a.fill == HERON_FILL_LOWER) != plans::is_transposed(args_.op); }
    bool is_unit() const { return args_.a.diag == HERON_DIAG_UNIT; }
    triangle_shape shape(heron_index base) const {
        return {base, static_cast<int>(n_), is_lower(), is_unit()};
    }

    template <class F>
    void visit_own_rows(F&& f) const {
        const heron_spmat& a = args_.a;
        visit_offsets_and_indices(a.offset_type, a.index_type, [&]<class OT, class IT>(type<OT>, type<IT>) {
            f(triangle_rows<OT, IT>{as<const OT>(a.offsets), as<const IT>(a.indices), nullptr, a.base});
        });
    }

    // On the host, as the shared plan does.
    void gather(int* begin, int* columns, int* sources) {
        const plans::host_pattern<opencl_device> pattern(device_, args_.a);
        plans::visit_triangle<i32>(
            pattern.matrix(), plans::is_transposed(args_.op), [&](const auto& builder) {
                const plans::row_triangle<i32> triangle = builder.build();
                device_.write(begin, triangle.begin.data(), triangle.begin.bytes());
                device_.write(columns, triangle.columns.data(), triangle.columns.bytes());
                device_.write(sources, triangle.sources.data(), triangle.sources.bytes());
            });
    }

    // Without a look at what the device finds out: what turns out not to be needed ends at once.
    template <class OT, class IT>
    void order(const triangle_rows<OT, IT>& rows) {
        const kept_program& program = ordering_program_of<OT, IT>(guess_group());
        const triangle_shape triangle = shape(rows.base);
        const auto* const grid = static_cast<const row_grid*>(grid_);
        const auto* const levels = static_cast<const uint32_t*>(levels_);
        device_.launch_program_groups<guess_grid>(
            program, 1, static_cast<size_t>(guess_group()), rows.offsets, rows.columns, triangle,
            longest_row(), grid_, reinterpret_cast<uint32_t*>(places_), grid_starts_, control_, highest_);
        device_.launch_program<place_grid_rows>(program, n_, rows.offsets, rows.columns, triangle, grid_,
                                                static_cast<const uint32_t*>(grid_starts_), levels_, counts_,
                                                highest_, places_, records_);
        device_.launch_program_groups<find_levels>(program, quotient_up(n_, level_group), level_group,
                                                   rows.offsets, rows.columns, triangle, grid, control_,
                                                   levels_, highest_);
        device_.launch_program_groups<rank_rows>(program, quotient_up(n_, scan_group), scan_group, grid,
                                                 levels, static_cast<int>(n_), counts_, places_);
        device_.launch_program_groups<start_levels>(program, 1, scan_group, grid,
                                                    static_cast<const int*>(highest_), counts_);
        device_.launch_program<place_rows>(program, n_, rows.offsets, rows.columns, triangle, grid, levels,
                                           static_cast<const int*>(counts_), places_, records_);
    }

    int64_t guess_group() const { return device_.traits().largest_group >= 1024 ? 1024 : 256; }
    // Of a row that may belong to a grid.
    int longest_row() const { return static_cast<int>(std::max<int64_t>(256, 16 * stored_ / n_)); }

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
        // Small groups spread narrow levels over the device.
        const int64_t lanes = lanes_of_row();
        const int64_t group = lanes == 1 ? 64 : 128;
        constexpr int64_t batch = 4;
        constexpr int levels_ahead = 5;
        auto* const solved = static_cast<CT*>(plan.solved);
        const kept_program& program = program_of<OT, IT>({true, group, 1, lanes, batch});
        device_.launch_program<begin_solve>(program, quotient_up(n_, packed), solved, control_);
        const scalar_argument<CT> alpha = as_argument<CT>(args_.alpha);
        device_.launch_program_groups<solve_one>(
            program, quotient_up(n_, group / lanes), static_cast<size_t>(group),
            static_cast<const row_record*>(records_), static_cast<const int*>(places_), rows.columns,
            rows.sources, as<const CT>(args_.a.values), as<const CT>(args_.diagonal), shape(rows.base),
            int{plans::is_conjugated(args_.op)}, alpha.value, alpha.device, b, b_row, c, c_row, solved,
            static_cast<const int*>(highest_), levels_ahead, control_);
    }

    // As many as most rows have batches of elements.
    int64_t lanes_of_row() const {
        if (stored_ <= 4 * n_) return 1;
        return stored_ <= 24 * n_ ? 4 : 16;
    }

    template <class OT, class IT>
    void solve_columns(const triangle_rows<OT, IT>& rows, const sweep_plan& plan, const CT* b,
                       plans::element_steps b_steps, CT* c, plans::element_steps c_steps, int64_t sides) {
        constexpr int64_t group = 256;
        constexpr int64_t lanes = group_sides / packed;
        const bool turns_c = c_steps.column != 1;
        auto* const solved = static_cast<CT*>(plan.solved);
        auto* const turned_b = static_cast<CT*>(plan.turned);
        const kept_program& program =
            program_of<OT, IT>({false, group, packed, lanes, stored_ <= 8 * n_ ? 4 : 8});
        device_.launch_program<begin_solve>(program, quotient_up(n_ * plan.width, packed), solved, control_);
        if (b_steps.column != 1) {
            turn(program, b, b_steps, turned_b, {plan.width, 1}, sides);
            b = turned_b;
            b_steps = {plan.width, 1};
        }
        const scalar_argument<CT> alpha = as_argument<CT>(args_.alpha);
        const int64_t tiles = quotient_up(sides, group_sides);
        device_.launch_program_groups<solve_many>(
            program, quotient_up(n_, group / lanes) * tiles, group, static_cast<const row_record*>(records_),
            rows.columns, rows.sources, as<const CT>(args_.a.values), as<const CT>(args_.diagonal),
            shape(rows.base), int{plans::is_conjugated(args_.op)}, alpha.value, alpha.device, b, b_steps.row,
            b_steps.column, c, c_steps.row, c_steps.column, int{!turns_c}, static_cast<int>(sides),
            heron_index{plan.width}, solved, control_);
        if (turns_c) turn(program, solved, {plan.width, 1}, c, c_steps, sides);
    }

    void turn(const kept_program& program, const CT* from, plans::element_steps from_steps, CT* to,
              plans::element_steps to_steps, int64_t sides) {
        device_.launch_program_groups<turn_sides>(
            program, quotient_up(n_, turned) * quotient_up(sides, turned), scan_group, from, from_steps.row,
            from_steps.column, to, to_steps.row, to_steps.column, static_cast<int>(n_),
            static_cast<int>(sides));
    }

    template <class OT, class IT>
    static const kept_program& ordering_program_of(int64_t group) {
        static program_list<int64_t> programs;
        return programs.get(group, [&] {
            const char* const names[] = {type_name<OT>, type_name<IT>};
            program_key key = make_program_key(ordering, names, std::size(names));
            key.definitions += "#define GUESS_GROUP " + std::to_string(group) + "\n";
            return key;
        });
    }

    // What makes one program of the sweep differ from another with the same types.
    struct sweep_shape {
        bool is_single;
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
        program_key key =
            make_program_key(shape.is_single ? solving_one : solving_many, names, std::size(names));
        const size_t bytes = static_cast<size_t>(shape.pack) * sizeof(CT);
        const auto number = [](int64_t n) { return std::to_string(n); };
        key.definitions += "#define GROUP " + number(shape.group) + "\n#define PACK " + number(shape.pack) +
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
    heron_workspace& workspace_;
    workspace_layout layout_;
    int64_t n_, stored_;
    int* control_;
    int* highest_;
    row_grid* grid_;
    uint32_t* grid_starts_;
    uint32_t* levels_;
    int* counts_;
    int* places_;
    row_record* records_;
    CT* staged_;
};

// Nothing in OpenCL says that a group makes progress while another one waits for it; NVIDIA's GPUs are known
// to let it.
bool prefers_sweep(const device_traits& traits) {
    constexpr cl_uint nvidia = 0x10de;
    return takes_gpu_kernels("trisolve", traits.is_gpu && traits.vendor_id == nvidia);
}

bool takes_sweep(const device_traits& traits, const heron_trisolve_args& args) {
    return args.a.rows > 0 && args.a.rows < INT32_MAX && plans::stored_elements(args.a) < INT32_MAX &&
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
