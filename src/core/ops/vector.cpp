// axpby, gather, scatter, rot and spvv: validation and quick returns.
#include "core/element_types.hpp"
#include "core/submit.hpp"

namespace heron::core {
namespace {

void require_matching(const heron_spvec& x, const heron_dnvec& y) {
    if (x.size != y.size) invalid("vecY", fmt::format("size {} differs from vecX's {}", y.size, x.size));
    if (x.type != y.type)
        not_supported("vecY",
                      fmt::format("type {} differs from vecX's {}", name_of(y.type), name_of(x.type)));
}

void require_usable(context& c, const heron_spvec& x, const heron_dnvec& y) {
    require_matching(x, y);
    require_arrays(x, "vecX");
    require_arrays(y, "vecY");
    validate_contents(c, x, "vecX");
}

constexpr phase_call run{HERON_PHASE_RUN};

}  // namespace

void axpby(context& c, const void* alpha, const sparse_vector& x, const void* beta, dense_vector& y) {
    require_usable(c, x.value, y.value);
    const heron_type compute_type = compute_type_of(y.value.type, "vecY");
    const heron_axpby_args args{scalar_argument(c, alpha, compute_type, "alpha"), x.value,
                                scalar_argument(c, beta, compute_type, "beta"), y.value, compute_type};
    submit(c, "axpby", c.table().axpby, run, args);
}

void gather(context& c, const dense_vector& y, sparse_vector& x) {
    require_usable(c, x.value, y.value);
    const heron_gather_args args{y.value, x.value};
    submit(c, "gather", c.table().gather, run, args);
}

void scatter(context& c, const sparse_vector& x, dense_vector& y) {
    require_usable(c, x.value, y.value);
    const heron_scatter_args args{x.value, y.value};
    submit(c, "scatter", c.table().scatter, run, args);
}

void rot(context& c, const void* c_coeff, const void* s_coeff, sparse_vector& x, dense_vector& y) {
    require_usable(c, x.value, y.value);
    const heron_type compute_type = compute_type_of(y.value.type, "vecY");
    const heron_rot_args args{scalar_argument(c, c_coeff, compute_type, "c_coeff"),
                              scalar_argument(c, s_coeff, compute_type, "s_coeff"), x.value, y.value,
                              compute_type};
    submit(c, "rot", c.table().rot, run, args);
}

void spvv(context& c, const phase_call& phase, heron_operation op, const sparse_vector& x,
          const dense_vector& y, void* result, heron_type compute_type) {
    require_matching(x.value, y.value);
    require_dot_types(x.value.type, y.value.type, compute_type);
    const bool result_on_device = c.pointer_mode() == pointer_mode::device;
    require_element(result, result_on_device ? size_of(compute_type) : 1, "result");
    if (op == HERON_OP_TRANSPOSE) op = HERON_OP_NONE;
    if (phase.phase == HERON_PHASE_RUN) require_usable(c, x.value, y.value);
    const heron_spvv_args args{op, x.value, y.value, result, result_on_device, compute_type};
    submit(c, "spvv", c.table().spvv, phase, args);
}

}  // namespace heron::core
