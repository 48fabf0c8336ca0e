// axpby, axpy, gather, scatter, rot and spvv: validation and quick returns.
#include "core/element_types.hpp"
#include "core/submit.hpp"

namespace heron::core {
namespace {

void require_matching(const heron_spvec& x, const heron_dnvec& y) {
    if (x.size != y.size)
        invalid(role::y, fmt::format("size {} differs from @'s {}", y.size, x.size), role::x);
    if (x.type != y.type)
        not_supported(role::y, fmt::format("type {} differs from @'s {}", name_of(y.type), name_of(x.type)),
                      role::x);
}

void require_usable(context& c, const heron_spvec& x, const heron_dnvec& y) {
    require_matching(x, y);
    require_arrays(x, role::x);
    require_arrays(y, role::y);
    validate_contents(c, x, role::x);
}

constexpr phase_call run{HERON_PHASE_RUN};

}  // namespace

void axpby(context& c, const void* alpha, const heron_spvec& x, const void* beta, const heron_dnvec& y) {
    require_usable(c, x, y);
    const heron_type compute_type = compute_type_of(y.type, role::y);
    heron_axpby_args args{scalar_argument(c, alpha, compute_type, role::alpha), x,
                          scalar_argument(c, beta, compute_type, role::beta), y, compute_type};
    // Then y changes at x's indices alone.
    if (!args.beta.device && args.beta.re == 1 && args.beta.im == 0) args.y.size = 0;
    submit<operation::axpby>(c, run, args);
}

void axpy(context& c, const void* alpha, const heron_spvec& x, const heron_dnvec& y) {
    require_usable(c, x, y);
    const heron_type compute_type = compute_type_of(y.type, role::y);
    constexpr heron_scalar one{nullptr, 1, 0};
    heron_axpby_args args{scalar_argument(c, alpha, compute_type, role::alpha), x, one, y, compute_type};
    args.y.size = 0;
    submit<operation::axpby>(c, run, args);
}

void gather(context& c, const heron_dnvec& y, const heron_spvec& x) {
    require_usable(c, x, y);
    submit<operation::gather>(c, run, heron_gather_args{y, x});
}

// Zeros for the scatter are made in the handle's scratch.
void gather_zero(context& c, const heron_dnvec& y, const heron_spvec& x) {
    require_usable(c, x, y);
    const heron_gather_args reading{y, x};
    heron_scatter_args clearing{x, y};
    const size_t bytes = static_cast<size_t>(x.nnz) * size_of(x.type);
    heron_status status = HERON_SUCCESS;
    c.with_scratch(bytes, [&](heron_queue* queue, void* memory) {
        clearing.x.values = memory;
        heron_workspace none{};
        status = c.table().gather(queue, HERON_PHASE_RUN, &reading, &none);
        if (status == HERON_SUCCESS && bytes > 0) status = c.table().fill(queue, memory, 0, bytes);
        if (status == HERON_SUCCESS) status = c.table().scatter(queue, HERON_PHASE_RUN, &clearing, &none);
    });
    if (status != HERON_SUCCESS) slot_failed(c, operation::gather, status);
}

void scatter(context& c, const heron_spvec& x, const heron_dnvec& y) {
    require_usable(c, x, y);
    submit<operation::scatter>(c, run, heron_scatter_args{x, y});
}

void rot(context& c, const void* cosine, const void* sine, const heron_spvec& x, const heron_dnvec& y) {
    require_usable(c, x, y);
    const heron_type compute_type = compute_type_of(y.type, role::y);
    const heron_rot_args args{scalar_argument(c, cosine, compute_type, role::cosine),
                              scalar_argument(c, sine, compute_type, role::sine), x, y, compute_type};
    submit<operation::rot>(c, run, args);
}

void spvv(context& c, const phase_call& phase, heron_operation op, const heron_spvec& x, const heron_dnvec& y,
          void* result, heron_type compute_type) {
    require_matching(x, y);
    require_dot_types(x.type, y.type, compute_type);
    const bool result_on_device = c.pointer_mode() == pointer_mode::device;
    require_element(result, result_on_device ? size_of(compute_type) : 1, role::result);
    if (op == HERON_OP_TRANSPOSE) op = HERON_OP_NONE;
    if (phase.phase == HERON_PHASE_RUN) require_usable(c, x, y);
    submit<operation::spvv>(c, phase, heron_spvv_args{op, x, y, result, result_on_device, compute_type});
}

}  // namespace heron::core
