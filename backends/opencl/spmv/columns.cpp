#include "columns.hpp"
#include "common/runtime/plan_record.hpp"
#include "common/spmv/columns.hpp"
#include <memory>

namespace heron::opencl {
namespace {

struct turned_plan final : plan_of<turned_plan> {
    const void* memory = nullptr;
    plans::turned_pattern found;
};

// Tiles of 32 KiB of values.
template <class CT>
using turned = plans::turned_spmv<opencl_device, CT, 2048 / sizeof(CT)>;

template <class CT>
turned<CT> product(opencl_device& device, heron_phase phase, const heron_spmv_args& args,
                   heron_workspace& workspace) {
    constexpr int map_words = 8192;
    constexpr int most_passes = 64;
    return {device,
            phase,
            args,
            workspace,
            {map_words, most_passes, true, false, int64_t{device.traits().compute_units}}};
}

template <class F>
void visit_type(heron_type t, F&& f) {
    t == HERON_R_32F ? f(type<f32>{}) : f(type<f64>{});
}

}  // namespace

bool serves_columns(const heron_spmv_args& args) {
    const heron_spmat& a = args.a;
    const bool is_uniform = a.type == args.x.type && a.type == args.y.type && a.type == args.compute_type;
    return a.format == HERON_FORMAT_CSR && is_uniform && (a.type == HERON_R_32F || a.type == HERON_R_64F) &&
           a.offset_type == HERON_INDEX_32 && a.index_type == HERON_INDEX_32 && turned<f32>::serves(a);
}

void analyse_columns(opencl_device& device, heron_phase phase, const heron_spmv_args& args,
                     heron_workspace& workspace) {
    visit_type(args.a.type, [&]<class CT>(type<CT>) {
        auto turned = product<CT>(device, phase, args, workspace);
        if (phase != HERON_PHASE_ANALYSE) return;
        const std::optional<plans::turned_pattern> found = turned.analyse();
        if (!found) return;
        auto plan = std::make_unique<turned_plan>();
        plan->memory = workspace.memory;
        plan->found = *found;
        workspace.plan = plan.release();
    });
}

bool multiply_by_columns(opencl_device& device, const heron_spmv_args& args, heron_workspace& workspace) {
    const auto* const plan = plan_as<turned_plan>(workspace.plan);
    if (!plan || plan->memory != workspace.memory) return false;
    visit_type(args.a.type, [&]<class CT>(type<CT>) {
        product<CT>(device, HERON_PHASE_RUN, args, workspace).run(plan->found);
    });
    return true;
}

}  // namespace heron::opencl
