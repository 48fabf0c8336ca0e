// The slot of products with operators of the caller's.
#include "common/spmm_op/plan.hpp"
#include "cuda/runtime/device.cuh"
#include "common/runtime/slot.hpp"
#include "cuda/runtime/jit.hpp"
#include "text.hpp"
#include <heron/args/row_epilogue.h>
#include <map>
#include <mutex>
#include <string>

namespace heron::HERON_LEVEL {
namespace {

template <class T>
constexpr const char* text_name = nullptr;
template <>
constexpr const char* text_name<i8> = "i8";
template <>
constexpr const char* text_name<i32> = "i32";
template <>
constexpr const char* text_name<i64> = "i64";
template <>
constexpr const char* text_name<f16> = "f16";
template <>
constexpr const char* text_name<bf16> = "bf16";
template <>
constexpr const char* text_name<f32> = "f32";
template <>
constexpr const char* text_name<f64> = "f64";
template <>
constexpr const char* text_name<c32> = "c32";
template <>
constexpr const char* text_name<c64> = "c64";

std::string code_of(const heron_operator_code& code) {
    return code.size > 0 ? std::string(static_cast<const char*>(code.data), code.size) : std::string();
}

template <class VA, class VC, class CT, class OT, class IT>
std::string definitions() {
    const auto define = [](const char* name, const char* type) {
        return std::string("typedef ") + type + " " + name + ";\n";
    };
    return std::string(spmm_op_types) + define("VA", text_name<VA>) + define("VC", text_name<VC>) +
           define("heron_value", text_name<CT>) + define("OT", text_name<OT>) + define("IT", text_name<IT>);
}

std::string kernel_text(const heron_spmm_op_args& args) {
    const bool custom = args.epilogue_kind == HERON_EPILOGUE_CUSTOM;
    return std::string("#define FINISH(sum, c) ") + (custom ? "epilogue(sum, c)" : "add_op(sum, c)") + "\n" +
           spmm_op_kernel;
}

std::string text_of_sources(const std::string& definitions, const heron_spmm_op_args& args) {
    return definitions + "#define HERON_OPERATOR static __device__ inline\n" + code_of(args.add_code) + "\n" +
           code_of(args.mul_code) + "\n" + code_of(args.epilogue_code) + "\n" + kernel_text(args);
}

// Callers may have compiled their operators as C++ or as extern "C".
std::string text_of_declarations(const std::string& definitions, const heron_spmm_op_args& args,
                                 bool c_linkage) {
    const std::string head =
        c_linkage ? "extern \"C\" __device__ heron_value " : "extern __device__ heron_value ";
    std::string text = definitions;
    for (const char* name : {"add_op", "mul_op", "epilogue"})
        text += head + name + "(heron_value, heron_value);\n";
    return text + kernel_text(args);
}

// Only LTO-IR with neither sums nor products.
bool is_row_epilogue(const heron_spmm_op_args& args) {
    return args.form == HERON_OPERATORS_LTO_IR && args.add_code.size == 0 && args.mul_code.size == 0;
}

const heron_code_globals* globals_of(const heron_spmm_op_args& args) {
    return is_row_epilogue(args) ? static_cast<const heron_code_globals*>(args.context) : nullptr;
}

const char* kernel_name(const heron_spmm_op_args& args) {
    return is_row_epilogue(args) ? "row_epilogue_items" : "spmm_op_items";
}

std::vector<char> link_row_epilogue(const std::string& definitions, const heron_spmm_op_args& args,
                                    int architecture, bool c_linkage) {
    const std::string text =
        definitions +
        (c_linkage ? "extern \"C\" __device__ heron_value " : "extern __device__ heron_value ") +
        "spmvop_epilogue(int, heron_value);\n" + row_epilogue_kernel;
    const std::vector<char> kernel = compile_to_lto_ir(text, architecture);
    return link_lto_ir({{"kernel", kernel.data(), kernel.size()},
                        {"epilogue", args.epilogue_code.data, args.epilogue_code.size}},
                       architecture);
}

std::vector<char> link_operators(const std::string& definitions, const heron_spmm_op_args& args,
                                 int architecture, bool c_linkage) {
    if (is_row_epilogue(args)) return link_row_epilogue(definitions, args, architecture, c_linkage);
    const std::vector<char> kernel =
        compile_to_lto_ir(text_of_declarations(definitions, args, c_linkage), architecture);
    return link_lto_ir({{"kernel", kernel.data(), kernel.size()},
                        {"add", args.add_code.data, args.add_code.size},
                        {"mul", args.mul_code.data, args.mul_code.size},
                        {"epilogue", args.epilogue_code.data, args.epilogue_code.size}},
                       architecture);
}

std::vector<char> build(const std::string& definitions, const heron_spmm_op_args& args, int architecture) {
    if (args.form == HERON_OPERATORS_SOURCE)
        return compile_to_cubin(text_of_sources(definitions, args), architecture);
    try {
        return link_operators(definitions, args, architecture, false);
    } catch (const plan_error& e) {
        if (e.status != HERON_INVALID_VALUE) throw;
    }
    return link_operators(definitions, args, architecture, true);
}

int attribute(cudaDeviceAttr which, int device) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

// The kernel for these operators and types on the current device, built at its first use and kept.
jit_kernel kernel_of(const std::string& definitions, const heron_spmm_op_args& args) {
    static std::mutex mutex;
    static std::map<std::string, jit_kernel> kernels;
    int device = 0;
    check(cudaGetDevice(&device));
    std::string key = definitions;
    for (const heron_operator_code& code : {args.add_code, args.mul_code, args.epilogue_code})
        key += std::to_string(code.size) + ":" + code_of(code);
    key += "device " + std::to_string(device) + ", form " + std::to_string(args.form) + ", epilogue " +
           std::to_string(args.epilogue_kind);
    // Each set of variables needs a module of its own.
    if (const auto* globals = globals_of(args))
        key += ", globals " + std::to_string(reinterpret_cast<uintptr_t>(globals));
    const std::lock_guard lock(mutex);
    const auto found = kernels.find(key);
    if (found != kernels.end()) return found->second;
    const int architecture = 10 * attribute(cudaDevAttrComputeCapabilityMajor, device) +
                             attribute(cudaDevAttrComputeCapabilityMinor, device);
    return kernels.emplace(key, load_kernel(build(definitions, args, architecture), kernel_name(args)))
        .first->second;
}

template <class... Arguments>
void launch_items(cuda_device& device, jit_kernel kernel, int64_t count, Arguments... arguments) {
    if (count <= 0) return;
    constexpr int64_t threads = 256;
    const int64_t blocks = std::min<int64_t>((count + threads - 1) / threads, INT32_MAX);
    void* pointers[] = {&count, &arguments...};
    launch_kernel(kernel, static_cast<unsigned>(blocks), threads, device.stream(), pointers);
}

template <class VA, class VC, class CT, class OT, class IT>
void run_code(cuda_device& device, heron_phase phase, const heron_spmm_op_args& args) {
    const jit_kernel kernel = kernel_of(definitions<VA, VC, CT, OT, IT>(), args);
    const heron_code_globals* const globals = globals_of(args);
    if (phase == HERON_PHASE_ANALYSE && globals)
        for (size_t k = 0; k < globals->count; ++k)
            set_global(kernel, globals->values[k].name, globals->values[k].data, globals->values[k].size,
                       device.stream());
    if (phase != HERON_PHASE_RUN) return;
    if (is_row_epilogue(args)) return launch_items(device, kernel, args.a.rows, args.c);
    plans::launch_spmm_op<VA, VC, CT, OT, IT>(
        args, [&](int64_t count, auto... arguments) { launch_items(device, kernel, count, arguments...); });
}

}  // namespace

namespace plans {

static void cuda_spmm_op(cuda_device& device, heron_phase phase, const heron_spmm_op_args& args,
                         heron_workspace& workspace) {
    if (args.form == HERON_OPERATORS_CALLBACK)
        throw plan_error{HERON_NOT_SUPPORTED,
                         "operators as callbacks are for the host alone; this backend takes named semirings "
                         "and source text"};
    workspace_layout(phase, workspace);
    const bool named = args.form == HERON_OPERATORS_NAMED;
    if (named && phase != HERON_PHASE_RUN) return;
    visit_spmm_op(args, [&]<class VA, class VC, class CT, class OT, class IT>(type<VA>, type<VC>, type<CT>,
                                                                              type<OT>, type<IT>) {
        named ? run_named<cuda_device, VA, VC, CT, OT, IT>(device, args)
              : run_code<VA, VC, CT, OT, IT>(device, phase, args);
    });
}

}  // namespace plans

void override_spmm_op(heron_backend& table) {
    table.spmm_op = &slot<cuda_device, heron_spmm_op_args, &plans::cuda_spmm_op, operation_names::spmm_op>;
}

}  // namespace heron::HERON_LEVEL
