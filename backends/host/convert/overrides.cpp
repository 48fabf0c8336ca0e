// Conversions between sparse formats on the CPU, compiled once per instruction set level.
#include "common/convert/plan.hpp"
#include "common/runtime/slot.hpp"
#include "transpose.hpp"

namespace heron::HERON_LEVEL {

template <class Carried>
static void transpose_with(host_device& device, heron_phase phase, const heron_transpose_args& args,
                           heron_workspace& workspace, const Carried& carried) {
    workspace_layout layout(phase, workspace);
    constexpr int64_t few_elements = 1 << 16;
    transpose_host::bucketed_transpose<Carried> plan(device, args, layout, carried);
    if (phase != HERON_PHASE_RUN) return;
    args.a.nnz <= few_elements ? transpose_host::transpose_at_once(args, carried) : plan.run();
}

static void host_transpose(host_device& device, heron_phase phase, const heron_transpose_args& args,
                           heron_workspace& workspace) {
    if (args.a.nnz == 0) return plans::transpose_matrix(device, phase, args, workspace);
    if (!args.values) return transpose_with(device, phase, args, workspace, transpose_host::no_value{});
    visit_raw(args.a.type, [&]<class RT>(type<RT>) {
        const RT* const from = as<const RT>(args.a.values);
        RT* const to = as<RT>(args.b.values);
        const int64_t size = plans::blocks_of(args.a).size();
        if (size == 1)
            return transpose_with(device, phase, args, workspace,
                                  transpose_host::carried_value<RT>{from, to});
        transpose_with(device, phase, args, workspace, transpose_host::block_number<RT>{from, to, size});
    });
}

void override_convert(heron_backend& table) {
    table.transpose = &slot<host_device, heron_transpose_args, &host_transpose, operation_names::transpose>;
}

}  // namespace heron::HERON_LEVEL
