// Incomplete factorisations: in one launch where the device is known to let groups wait for each other, else
// by the shared plan, level by level.
#include "opencl/runtime/device.hpp"
#include "opencl/runtime/kernels.hpp"
#include "opencl/trisolve/order.hpp"
#include "common/factor/plan.hpp"
#include "common/runtime/run_turn.hpp"
#include "common/runtime/slot.hpp"

namespace heron::opencl {
namespace {

using plans::factor_kind;

constexpr kernel_family rows_family{"factor_common factor_rows", "CT"};
constexpr kernel_family blocks_family{"factor_common factor_blocks", "CT"};
struct begin_factor {
    static constexpr const char* name = "begin_factor";
};
struct factor_rows {
    static constexpr const char* name = "factor_rows";
};
struct factor_blocks {
    static constexpr const char* name = "factor_blocks";
};

// What makes one program differ from another with the same types.
struct factor_shape {
    bool is_lu, has_blocks;
    int lanes, group;
    bool operator==(const factor_shape&) const = default;
};

template <class CT>
const kept_program& program_of(const factor_shape& shape) {
    static program_list<factor_shape> programs;
    return programs.get(shape, [&] {
        const char* const names[] = {type_name<CT>};
        program_key key = make_program_key(shape.has_blocks ? blocks_family : rows_family, names, 1);
        key.definitions += "#define IS_LU " + std::to_string(int{shape.is_lu}) + "\n#define LANES " +
                           std::to_string(shape.lanes) + "\n#define GROUP " + std::to_string(shape.group) +
                           "\n";
        return key;
    });
}

// What ANALYSE finds out stays on the device.
struct sweep_plan final : plan_of<sweep_plan> {
    run_turn turn;
};

template <class CT, factor_kind kind>
class sweep_factor {
  public:
    sweep_factor(opencl_device& device, heron_phase phase, const heron_factor_args& args,
                 heron_workspace& workspace)
        : device_(device),
          args_(args),
          workspace_(workspace),
          layout_(phase, workspace),
          pattern_(plans::block_pattern(args.a)),
          order_(layout_, pattern_.rows),
          diagonal_(layout_.take<i32>(pattern_.rows)),
          done_(layout_.take<int>(pattern_.rows)),
          tickets_(layout_.take<int>(1)),
          zero_pivot_(reinterpret_cast<i32*>(args.zero_pivot)) {}

    void analyse() {
        device_.launch<kernels::clear_zero_pivot<CT>>(kernels::factor, 2, zero_pivot_, int{true},
                                                      int{HERON_NO_PIVOT});
        device_.launch<kernels::find_diagonal<CT>>(kernels::factor, pattern_.rows, offsets(), columns(),
                                                   int{pattern_.base}, diagonal_, zero_pivot_);
        constexpr plans::least_widths any_width{0, 0};
        constexpr bool is_lower = true, is_unit = true;
        plans::order_rows(device_, plans::rows_of(pattern_), is_lower, is_unit, any_width, order_);
        plans::leave_plan(sweep_plan{}, workspace_);
    }

    void run() {
        const auto turn = plans::required_plan<sweep_plan>(workspace_).turn.take();
        const plans::block_steps steps = plans::block_steps_of(args_.a);
        const bool has_blocks = steps.size > 1;
        const factor_shape shape = shape_of(has_blocks);
        const kept_program& program = program_of<CT>(shape);
        device_.launch_program<begin_factor>(program, pattern_.rows, done_, tickets_, zero_pivot_);
        const plans::boost_arguments<CT> boost(args_);
        const auto launch = [&]<class Kernel>(type<Kernel>, auto... sizes) {
            device_.launch_program_groups<Kernel>(
                program, quotient_up(pattern_.rows, shape.group / shape.lanes),
                static_cast<size_t>(shape.group), static_cast<const int4*>(order_.records),
                static_cast<int>(pattern_.rows), offsets(), columns(), int{pattern_.base},
                static_cast<const i32*>(diagonal_), as<CT>(args_.a.values), sizes..., boost.tolerance,
                boost.tolerance_bits, boost.value.value, boost.value.device, zero_pivot_, done_, tickets_);
        };
        if (has_blocks)
            launch(type<factor_blocks>{}, steps.size, steps.row_step, steps.column_step);
        else
            launch(type<factor_rows>{});
    }

  private:
    // A warp for each row: rows that wait for each other would keep one another from going on if they shared
    // one. Items without lanes work alone.
    factor_shape shape_of(bool has_blocks) const {
        constexpr bool is_lu = kind == factor_kind::lu;
        if (device_.traits().nvidia_major == 0) return {is_lu, has_blocks, 1, 64};
        return {is_lu, has_blocks, 32, 128};
    }

    const i32* offsets() const { return as<const i32>(pattern_.offsets); }
    const i32* columns() const { return as<const i32>(pattern_.indices); }

    opencl_device& device_;
    const heron_factor_args& args_;
    heron_workspace& workspace_;
    workspace_layout layout_;
    const heron_spmat pattern_;
    plans::row_order_memory order_;
    i32* diagonal_;
    int *done_, *tickets_;
    i32* zero_pivot_;
};

bool takes_sweep(const device_traits& traits, const heron_factor_args& args) {
    return args.a.rows > 0 && takes_gpu_kernels("factor", traits.is_nvidia_gpu()) &&
           traits.largest_group >= 128;
}

template <factor_kind kind>
void factor(opencl_device& device, heron_phase phase, const heron_factor_args& args,
            heron_workspace& workspace) {
    visit_full(args.a.type, [&]<class CT>(type<CT>) {
        if (!takes_sweep(device.traits(), args))
            return plans::factor_plan<opencl_device, CT, kind>(device, phase, args, workspace).apply();
        sweep_factor<CT, kind> sweep(device, phase, args, workspace);
        if (phase == HERON_PHASE_ANALYSE) sweep.analyse();
        if (phase == HERON_PHASE_RUN) sweep.run();
    });
}

}  // namespace

void override_factor(heron_backend& table) {
    table.ilu0 = &slot<opencl_device, heron_ilu0_args, &factor<factor_kind::lu>, operation_names::ilu0>;
    table.ic0 = &slot<opencl_device, heron_ic0_args, &factor<factor_kind::cholesky>, operation_names::ic0>;
}

}  // namespace heron::opencl
