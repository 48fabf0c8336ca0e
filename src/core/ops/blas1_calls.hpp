#pragma once
// The calls of blas1.hpp that take no longer than a function does, where the facades see them: what a public
// function knows of its arguments, such as their type, takes no check then, and nothing is passed on through
// memory twice. What is not as in most calls is looked at elsewhere. Always inlined: GCC would not where two
// functions have a call.
#include "dense_checks.hpp"

namespace heron::core {

[[noreturn]] void vectors_are_not_built(heron_type type);
inline heron_type checked_compute_type(heron_type type) {
    if (type < heron_type{} || type > HERON_C_64F || !facts_of_types[type].computes)
        vectors_are_not_built(type);
    return facts_of_types[type].compute_type;
}

[[noreturn]] void type_is_neither(heron_type type, heron_type first, heron_type second, role r);
inline void require_one_of(heron_type type, heron_type first, heron_type second, role r) {
    if (type != first && type != second) type_is_neither(type, first, second, r);
}

inline int64_t size_or_none(int64_t n) { return n < 0 ? 0 : n; }

inline bool is_on_device(const context& c) { return c.pointer_mode() == pointer_mode::device; }

heron_result checked_in_full(const context& c, argument a, number_operand o, int64_t elements,
                             heron_type type);
inline heron_result checked(const context& c, argument a, const number_operand& o, int64_t elements,
                            heron_type type) {
    if (o.memory && o.offset >= 0 && !is_on_device(c) && c.device() >= 0)
        return {const_cast<void*>(o.memory), o.offset, false};
    return checked_in_full(c, a, o, elements, type);
}

// What a reduction of no elements leaves on the host.
void write_zero(const heron_result& to, size_t bytes);

template <operation op, class Args>
[[gnu::always_inline]] inline void reduce(context& c, const Args& args, heron_type result_type) {
    if (args.n == 0 && !args.result.on_device) return write_zero(args.result, size_of(result_type));
    run_with_scratch<op>(c, args);
}

template <operation op>
[[gnu::always_inline]] inline void move(context& c, const copy_call& call) {
    require_enum(call.type, HERON_C_64F, role::type, "is not an element type");
    const int64_t n = size_or_none(call.n);
    const heron_vector_copy_args args{call.type, n, checked(role::x, call.x, n, call.type, true),
                                      checked(role::y, call.y, n, call.type, true)};
    if (n > 0) run_in<op>(c, args, nullptr);
}

template <operation op>
[[gnu::always_inline]] inline void norm(context& c, const norm_call& call) {
    const heron_type compute_type = checked_compute_type(call.type);
    require_one_of(call.result_type, real_of(call.type), real_of(compute_type), role::result_type);
    const int64_t n = size_or_none(call.n);
    const heron_norm_args args{call.type,
                               compute_type,
                               call.result_type,
                               n,
                               checked(role::x, call.x, n, call.type, true),
                               checked(c, role::result, call.result, 1, call.result_type)};
    reduce<op>(c, args, call.result_type);
}

[[gnu::always_inline]] inline void copy(context& c, const copy_call& call) {
    move<operation::vector_copy>(c, call);
}
[[gnu::always_inline]] inline void exchange(context& c, const copy_call& call) {
    move<operation::vector_swap>(c, call);
}

[[gnu::always_inline]] inline void scal(context& c, const scal_call& call) {
    const heron_type compute_type = checked_compute_type(call.type);
    require_one_of(call.alpha_type, compute_type, real_of(compute_type), role::alpha);
    const int64_t n = size_or_none(call.n);
    const heron_scal_args args{call.type,
                               compute_type,
                               n,
                               scalar(c, call.alpha, call.alpha_type, role::alpha),
                               call.alpha_type != compute_type,
                               checked(role::x, call.x, n, call.type, true)};
    if (n > 0 && !is_one(args.alpha)) run_in<operation::scal>(c, args, nullptr);
}

[[gnu::always_inline]] inline void axpy(context& c, const axpy_call& call) {
    const heron_type compute_type = checked_compute_type(call.type);
    const int64_t n = size_or_none(call.n);
    const heron_scalar alpha = scalar(c, call.alpha, compute_type, role::alpha);
    const bool changes = n > 0 && !is_zero(alpha);
    const heron_axpy_args args{call.type,
                               compute_type,
                               n,
                               alpha,
                               checked(role::x, call.x, n, call.type, changes),
                               checked(role::y, call.y, n, call.type, changes)};
    if (changes) run_in<operation::axpy>(c, args, nullptr);
}

[[gnu::always_inline]] inline void dot(context& c, const dot_call& call) {
    const heron_type compute_type = checked_compute_type(call.type);
    require_one_of(call.result_type, call.type, compute_type, role::result_type);
    const int64_t n = size_or_none(call.n);
    const heron_dot_args args{call.type,
                              compute_type,
                              call.result_type,
                              n,
                              call.conjugate && is_complex(call.type),
                              checked(role::x, call.x, n, call.type, true),
                              checked(role::y, call.y, n, call.type, true),
                              checked(c, role::result, call.result, 1, call.result_type)};
    reduce<operation::dot>(c, args, call.result_type);
}

[[gnu::always_inline]] inline void nrm2(context& c, const norm_call& call) { norm<operation::nrm2>(c, call); }
[[gnu::always_inline]] inline void asum(context& c, const norm_call& call) { norm<operation::asum>(c, call); }

[[noreturn]] void size_exceeds_result(int64_t n);
[[gnu::always_inline]] inline void iamax(context& c, const iamax_call& call) {
    const heron_type compute_type = checked_compute_type(call.type);
    require_enum(call.result_type, HERON_INDEX_64, role::result_type, "is not an index type");
    const int64_t n = size_or_none(call.n);
    if (call.n > largest(call.result_type)) size_exceeds_result(n);
    const heron_type integer = call.result_type == HERON_INDEX_32 ? HERON_R_32F : HERON_R_64F;
    const heron_iamax_args args{call.type,
                                compute_type,
                                n,
                                call.smallest,
                                checked(role::x, call.x, n, call.type, true),
                                call.result_type,
                                checked(c, role::result, call.result, 1, integer)};
    reduce<operation::iamax>(c, args, integer);
}

}  // namespace heron::core
