#include "opencl_trisolve.hpp"
#include "../common/plans/trisolve.hpp"
#include <algorithm>
#include <cstdlib>

namespace heron::opencl {
namespace {

constexpr kernel_family tuned{"trisolve_tuned", "CT OT IT"};
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
struct solve_rows {
    static constexpr const char* name = "solve_rows";
};
struct turn_sides {
    static constexpr const char* name = "turn_sides";
};

// These mirror trisolve_tuned.cl.
constexpr int64_t scan_group = 256;
constexpr int64_t turned = 32;
struct triangle_shape {
    heron_index base;
    int n, lower, unit;
};
struct alignas(16) row_record {
    int row, begin, end, unused;
};

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

struct sweep_plan final : heron_plan {
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

    template <class OT, class IT>
    void order(const triangle_rows<OT, IT>& rows) {
        constexpr int64_t group = 128;
        const kept_program& program = program_of<OT, IT>({group, 1, 1, 4});
        const auto* const levels = static_cast<const uint32_t*>(levels_);
        device_.fill(
            control_, 0,
            static_cast<size_t>(reinterpret_cast<char*>(places_) - reinterpret_cast<char*>(control_)));
        device_.launch_program_groups<find_levels>(program, quotient_up(n_, group), group, rows.offsets,
                                                   rows.columns, shape(rows.base), control_, levels_,
                                                   highest_);
        device_.launch_program_groups<rank_rows>(program, quotient_up(n_, scan_group), scan_group, levels,
                                                 static_cast<int>(n_), counts_, places_);
        device_.launch_program_groups<start_levels>(program, 1, scan_group, static_cast<const int*>(highest_),
                                                    counts_);
        device_.launch_program<place_rows>(program, n_, rows.offsets, rows.columns, shape(rows.base), levels,
                                           static_cast<const int*>(counts_), places_, records_);
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
        // An analysis for one right-hand side has left no room for more than one at a time.
        const int64_t width = args_.c.cols == 1 ? 1 : plan.width;
        for (int64_t first = 0; first < args_.c.cols; first += width)
            solve_some(rows, plan, from + first * b.column, b, as<CT>(args_.c.values) + first * c.column, c,
                       width, std::min(width, args_.c.cols - first));
    }

    template <class OT, class IT>
    void solve_some(const triangle_rows<OT, IT>& rows, const sweep_plan& plan, const CT* b,
                    plans::element_steps b_steps, CT* c, plans::element_steps c_steps, int64_t width,
                    int64_t sides) {
        const bool is_single = width == 1;
        const bool turns_c = !is_single && c_steps.column != 1;
        auto* const solved = static_cast<CT*>(plan.solved);
        auto* const turned_b = static_cast<CT*>(plan.turned);
        const int64_t group = is_single ? 64 : 256;
        const int64_t pack = is_single ? 1 : packed;
        const int64_t lanes = is_single ? 1 : group_sides / packed;
        const kept_program& program = program_of<OT, IT>({group, pack, lanes, batch_of(is_single)});
        device_.launch_program<begin_solve>(program, quotient_up(n_ * width, packed), solved, control_);
        if (!is_single && b_steps.column != 1) {
            turn(program, b, b_steps, turned_b, {width, 1}, sides);
            b = turned_b;
            b_steps = {width, 1};
        }
        const scalar_argument<CT> alpha = as_argument<CT>(args_.alpha);
        const int64_t tiles = quotient_up(sides, lanes * pack);
        device_.launch_program_groups<solve_rows>(
            program, quotient_up(n_, group / lanes) * tiles, group, static_cast<const row_record*>(records_),
            is_single ? static_cast<const int*>(places_) : nullptr, rows.columns, rows.sources,
            as<const CT>(args_.a.values), as<const CT>(args_.diagonal), shape(rows.base),
            int{plans::is_conjugated(args_.op)}, alpha.value, alpha.device, b, b_steps.row, b_steps.column, c,
            c_steps.row, c_steps.column, int{!turns_c}, static_cast<int>(sides), heron_index{width}, solved,
            static_cast<const int*>(highest_), levels_ahead(is_single), control_);
        if (turns_c) turn(program, solved, {width, 1}, c, c_steps, sides);
    }

    // As many elements as most rows have, as long as they fit registers.
    int64_t batch_of(bool is_single) const {
        if (stored_ <= 8 * n_) return 4;
        return is_single ? 16 : 8;
    }

    // Many right-hand sides hold enough items busy for none to be held back.
    static int levels_ahead(bool is_single) { return is_single ? 5 : INT32_MAX; }

    void turn(const kept_program& program, const CT* from, plans::element_steps from_steps, CT* to,
              plans::element_steps to_steps, int64_t sides) {
        device_.launch_program_groups<turn_sides>(
            program, quotient_up(n_, turned) * quotient_up(sides, turned), scan_group, from, from_steps.row,
            from_steps.column, to, to_steps.row, to_steps.column, static_cast<int>(n_),
            static_cast<int>(sides));
    }

    // What makes one program of the sweep differ from another with the same types.
    struct sweep_shape {
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
        program_key key = make_program_key(tuned, names, std::size(names));
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
    uint32_t* levels_;
    int* counts_;
    int* places_;
    row_record* records_;
    CT* staged_;
};

// Nothing in OpenCL says that a group makes progress while another one waits for it; NVIDIA's GPUs are known
// to let it. HERON_OPENCL_TRISOLVE=sweep or levels overrides the choice, for comparing the two and for
// testing the sweep elsewhere.
bool prefers_sweep(const device_traits& traits) {
    constexpr cl_uint nvidia = 0x10de;
    static const char* const wanted = std::getenv("HERON_OPENCL_TRISOLVE");
    return prefers("sweep", "levels", wanted, traits.is_gpu && traits.vendor_id == nvidia);
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

}  // namespace heron::opencl
