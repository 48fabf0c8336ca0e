// Products with operators of the caller's on OpenCL: source text becomes part of the kernel's program, named
// semirings are the shared plan's.
#include "opencl/runtime/device.hpp"
#include "common/runtime/slot.hpp"
#include "common/spmm_op/plan.hpp"

namespace heron::opencl {
namespace {

// spmm_op_element of the shared plan in a program whose semiring is the caller's text.
struct text_kernel {
    static constexpr const char* name = kernels::spmm_op_element<f32, f32, f32, i32, i32, plus_times>::name;
};

std::string text_of(const heron_operator_code& code) {
    return {static_cast<const char*>(code.data), code.size};
}

// The types first: the text may use heron_value, and the program store looks at them.
program_key key_of(const heron_spmm_op_args& args, const char* const* types, const char* compute_type) {
    const bool custom = args.epilogue_kind == HERON_EPILOGUE_CUSTOM;
    constexpr size_t type_count = 5;
    program_key key = make_program_key(kernels::spmm_op, types, type_count);
    key.definitions += "#define OP text\n#define HERON_OPERATOR static inline\ntypedef ";
    key.definitions += std::string(compute_type) + " heron_value;\n";
    key.definitions +=
        text_of(args.add_code) + "\n" + text_of(args.mul_code) + "\n" + text_of(args.epilogue_code) + "\n";
    key.definitions +=
        "#define heron_combine_text(CT, a, b) add_op(a, b)\n#define heron_term_text(CT, a, b) mul_op(a, b)\n";
    key.definitions += custom ? "#define heron_finish_text(CT, sum, c) epilogue(sum, c)\n"
                              : "#define heron_finish_text(CT, sum, c) add_op(sum, c)\n";
    return key;
}

template <class VA, class VC, class CT, class OT, class IT>
void run_text(opencl_device& device, heron_phase phase, const heron_spmm_op_args& args) {
    const char* const types[] = {type_name<VA>, type_name<VC>, type_name<CT>, type_name<OT>, type_name<IT>};
    const kept_program& program = keep_program(key_of(args, types, type_name<CT>));
    device.build(program.key);
    if (phase != HERON_PHASE_RUN) return;
    plans::launch_spmm_op<VA, VC, CT, OT, IT>(args, [&](int64_t count, auto... arguments) {
        device.launch_program<text_kernel>(program, count, arguments...);
    });
}

}  // namespace

void spmm_op(opencl_device& device, heron_phase phase, const heron_spmm_op_args& args,
             heron_workspace& workspace) {
    if (args.form != HERON_OPERATORS_SOURCE) return plans::spmm_op(device, phase, args, workspace);
    workspace_layout(phase, workspace);
    plans::visit_spmm_op(args, [&]<class VA, class VC, class CT, class OT, class IT>(
                                   type<VA>, type<VC>, type<CT>, type<OT>, type<IT>) {
        run_text<VA, VC, CT, OT, IT>(device, phase, args);
    });
}

void override_spmm_op(heron_backend& table) {
    table.spmm_op = &slot<opencl_device, heron_spmm_op_args, &spmm_op, operation_names::spmm_op>;
}

}  // namespace heron::opencl
