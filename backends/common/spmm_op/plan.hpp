#pragma once
// C(i, j) := epilogue(sum of A(i, l) times B(l, j), C(i, j)) in a named semiring for any device: one item per
// element of C.
#include "common/runtime/dispatch.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family spmm_op{"spmm_op", "VA VC CT OT IT OP"};
#include "kernels.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// Calls f with the storage type of A and B, the one of C and the compute type.
template <class F>
void visit_spmm_op_types(const heron_spmm_op_args& args, F&& f) {
    const auto is = [&](heron_type ab, heron_type c, heron_type compute) {
        return args.a.type == ab && args.c_type == c && args.compute_type == compute;
    };
    if (is(HERON_R_32F, HERON_R_32F, HERON_R_32F)) return f(type<f32>{}, type<f32>{}, type<f32>{});
    if (is(HERON_R_64F, HERON_R_64F, HERON_R_64F)) return f(type<f64>{}, type<f64>{}, type<f64>{});
    if (is(HERON_C_32F, HERON_C_32F, HERON_C_32F)) return f(type<c32>{}, type<c32>{}, type<c32>{});
    if (is(HERON_C_64F, HERON_C_64F, HERON_C_64F)) return f(type<c64>{}, type<c64>{}, type<c64>{});
    if (is(HERON_R_32I, HERON_R_32I, HERON_R_32I)) return f(type<i32>{}, type<i32>{}, type<i32>{});
    if (is(HERON_R_8I, HERON_R_32I, HERON_R_32I)) return f(type<i8>{}, type<i32>{}, type<i32>{});
    if (is(HERON_R_8I, HERON_R_32F, HERON_R_32F)) return f(type<i8>{}, type<f32>{}, type<f32>{});
    if (is(HERON_R_16F, HERON_R_16F, HERON_R_32F)) return f(type<f16>{}, type<f16>{}, type<f32>{});
    if (is(HERON_R_16F, HERON_R_32F, HERON_R_32F)) return f(type<f16>{}, type<f32>{}, type<f32>{});
    if (is(HERON_R_16BF, HERON_R_16BF, HERON_R_32F)) return f(type<bf16>{}, type<bf16>{}, type<f32>{});
    if (is(HERON_R_16BF, HERON_R_32F, HERON_R_32F)) return f(type<bf16>{}, type<f32>{}, type<f32>{});
    no_such_types();
}

template <class CT>
inline constexpr bool has_order = true;
template <>
inline constexpr bool has_order<c32> = false;
template <>
inline constexpr bool has_order<c64> = false;

// Calls f with the semiring as a type.
template <class CT, class F>
void visit_semiring(heron_semiring semiring, F&& f) {
    if (semiring == HERON_PLUS_TIMES) return f(type<plus_times>{});
    if (semiring == HERON_OR_AND) return f(type<or_and>{});
    if constexpr (has_order<CT>) {
        if (semiring == HERON_MIN_PLUS) return f(type<min_plus>{});
        if (semiring == HERON_MAX_TIMES) return f(type<max_times>{});
    }
    throw plan_error{HERON_NOT_SUPPORTED, "the semiring is not built for this type"};
}

// Calls f with the types of the operands and of the indices. A matrix that stores nothing has any.
template <class F>
void visit_spmm_op(const heron_spmm_op_args& args, F&& f) {
    visit_spmm_op_types(args, [&]<class VA, class VC, class CT>(type<VA> va, type<VC> vc, type<CT> ct) {
        if (args.a.format != HERON_FORMAT_CSR) return f(va, vc, ct, type<i32>{}, type<i32>{});
        visit_offsets_and_indices(
            args.a.offset_type, args.a.index_type,
            [&]<class OT, class IT>(type<OT> ot, type<IT> it) { f(va, vc, ct, ot, it); });
    });
}

// Calls launch with the number of items and the arguments of spmm_op_element, which are the same for all
// operators.
template <class VA, class VC, class CT, class OT, class IT, class Launch>
void launch_spmm_op(const heron_spmm_op_args& args, Launch&& launch) {
    const heron_spmat& a = args.a;
    const bool stores = a.format == HERON_FORMAT_CSR;
    const int by_columns = args.c_row_step < args.c_column_step;
    const int reads_c = args.epilogue_kind != HERON_EPILOGUE_STORE;
    launch(a.rows * args.columns, stores ? as<const OT>(a.offsets) : nullptr, as<const IT>(a.indices),
           as<const VA>(a.values), heron_index{a.base}, as<const VA>(args.b), heron_index{args.b_row_step},
           heron_index{args.b_column_step}, as<VC>(args.c), heron_index{args.c_row_step},
           heron_index{args.c_column_step}, heron_index{a.rows}, heron_index{args.columns}, by_columns,
           reads_c, scalar_value<CT>(args.identity.re, args.identity.im));
}

// RUN with a named semiring.
template <class Device, class VA, class VC, class CT, class OT, class IT>
void run_named(Device& device, const heron_spmm_op_args& args) {
    visit_semiring<CT>(args.semiring, [&]<class OP>(type<OP>) {
        launch_spmm_op<VA, VC, CT, OT, IT>(args, [&](int64_t count, auto... arguments) {
            device.template launch<kernels::spmm_op_element<VA, VC, CT, OT, IT, OP>>(kernels::spmm_op, count,
                                                                                     arguments...);
        });
    });
}

template <class Device>
void spmm_op(Device& device, heron_phase phase, const heron_spmm_op_args& args, heron_workspace& workspace) {
    if (args.form == HERON_OPERATORS_LTO_IR)
        throw plan_error{
            HERON_NOT_SUPPORTED,
            "operators as LTO-IR are not for this backend; heron_spmm_op takes them in other forms"};
    if (args.form == HERON_OPERATORS_SOURCE)
        throw plan_error{
            HERON_NOT_SUPPORTED,
            "operators as source text are not for this backend; it takes named semirings and callbacks"};
    if (args.form == HERON_OPERATORS_CALLBACK)
        throw plan_error{HERON_NOT_SUPPORTED,
                         "operators as callbacks are for the host alone; this backend takes named semirings "
                         "and source text"};
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_spmm_op(args, [&]<class VA, class VC, class CT, class OT, class IT>(type<VA>, type<VC>, type<CT>,
                                                                              type<OT>, type<IT>) {
        run_named<Device, VA, VC, CT, OT, IT>(device, args);
    });
}

}  // namespace heron::HERON_LEVEL::plans
