// Dense vectors: validation, and one operation submitted. Rotations of numbers on the host are made here.
#include "blas1.hpp"
#include "core/element_types.hpp"
#include "dense_checks.hpp"
#include "rotations.hpp"
#include <algorithm>
#include <cstring>

namespace heron::core {

namespace {

heron_type checked_compute_type(heron_type type) {
    require_enum(type, HERON_C_64F, role::type, "is not an element type");
    if (type == HERON_R_8I || type == HERON_R_32I)
        not_supported(role::type, fmt::format("{} vectors are not built", name_of(type)));
    return compute_type_of(type, role::type);
}

heron_type checked_real_type(heron_type type) {
    const heron_type compute_type = checked_compute_type(type);
    if (is_complex(type)) invalid(role::type, fmt::format("{} is not real", name_of(type)));
    return compute_type;
}

void require_one_of(heron_type type, heron_type first, heron_type second, role r) {
    require_enum(type, HERON_C_64F, r, "is not an element type");
    if (type != first && type != second)
        not_supported(
            r, fmt::format("{} is not built, but {} or {}", name_of(type), name_of(first), name_of(second)));
}

int64_t size_or_none(int64_t n) { return std::max<int64_t>(n, 0); }

bool is_on_device(const context& c) { return c.pointer_mode() == pointer_mode::device; }

heron_result checked(const context& c, argument a, const number_operand& o, int64_t elements,
                     heron_type type) {
    heron_result result{const_cast<void*>(o.memory), o.offset, is_on_device(c)};
    if (o.offset < 0) invalid(a[part::offset], fmt::format("is negative ({})", o.offset));
    required(o.memory, a);
    if (result.on_device) {
        require_memory(a, o.memory, o.size, extent(a, o.offset, 1, 1, elements), type);
    } else if (c.device() < 0) {
        not_supported(a, "on a caller's command queue it is in a buffer");
    }
    return result;
}

template <class T>
T read_number(const heron_result& from, int64_t i = 0) {
    T value;
    std::memcpy(&value, static_cast<const T*>(from.memory) + from.offset + i, sizeof value);
    return value;
}

template <class T>
void write_number(const heron_result& to, T value, int64_t i = 0) {
    std::memcpy(static_cast<T*>(to.memory) + to.offset + i, &value, sizeof value);
}

// What a reduction of no elements leaves on the host.
void write_zero(const heron_result& to, size_t bytes) {
    std::memset(static_cast<char*>(to.memory) + static_cast<size_t>(to.offset) * bytes, 0, bytes);
}

template <operation op, class Args>
void reduce(context& c, const Args& args, size_t result_bytes) {
    if (args.n == 0 && !args.result.on_device) return write_zero(args.result, result_bytes);
    run_with_scratch<op>(c, args);
}

template <operation op>
void move(context& c, const copy_call& call) {
    require_enum(call.type, HERON_C_64F, role::type, "is not an element type");
    const int64_t n = size_or_none(call.n);
    const heron_vector_copy_args args{call.type, n, checked(role::x, call.x, n, call.type, true),
                                      checked(role::y, call.y, n, call.type, true)};
    if (n > 0) run_in<op>(c, args, nullptr);
}

template <operation op>
void norm(context& c, const norm_call& call) {
    const heron_type compute_type = checked_compute_type(call.type);
    require_one_of(call.result_type, real_of(call.type), real_of(compute_type), role::result_type);
    const int64_t n = size_or_none(call.n);
    const heron_norm_args args{call.type,
                               compute_type,
                               call.result_type,
                               n,
                               checked(role::x, call.x, n, call.type, true),
                               checked(c, role::result, call.result, 1, call.result_type)};
    reduce<op>(c, args, size_of(call.result_type));
}

// A scalar of the compute type's precision, or one of 16 bits.
heron_scalar rotation_scalar(const context& c, const void* pointer, heron_type type, role r) {
    required(pointer, r);
    const bool is_short = compute_type_of(type, r) != type;
    return is_short ? short_scalar_argument(c, pointer, type, r) : scalar_argument(c, pointer, type, r);
}

template <class T>
void rotg_on_host(const heron_rotg_args& args) {
    const auto made = real_rotation<T>(read_number<T>(args.a), read_number<T>(args.b));
    write_number(args.a, made.r);
    write_number(args.b, made.z);
    write_number(args.c, made.c);
    write_number(args.s, made.s);
}

template <class T>
void complex_rotg_on_host(const heron_rotg_args& args) {
    using C = std::complex<T>;
    const auto made = complex_rotation<T>(read_number<C>(args.a), read_number<C>(args.b));
    write_number(args.a, made.r);
    write_number(args.c, made.c);
    write_number(args.s, made.s);
}

template <class T>
void rotmg_on_host(const heron_rotmg_args& args) {
    modified_rotation<T> made{read_number<T>(args.d1), read_number<T>(args.d2), read_number<T>(args.x1)};
    make(made, read_number<T>(args.y1));
    write_number(args.d1, made.d1);
    write_number(args.d2, made.d2);
    write_number(args.x1, made.x1);
    write_number(args.parameters, made.flag);
    const T elements[] = {made.h11, made.h21, made.h12, made.h22};
    for (int i = 0; i < 4; ++i)
        if (is_read(made, i)) write_number(args.parameters, elements[i], i + 1);
}

}  // namespace

void copy(context& c, const copy_call& call) { move<operation::vector_copy>(c, call); }
void exchange(context& c, const copy_call& call) { move<operation::vector_swap>(c, call); }

void scal(context& c, const scal_call& call) {
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

void axpy(context& c, const axpy_call& call) {
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

void dot(context& c, const dot_call& call) {
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
    reduce<operation::dot>(c, args, size_of(call.result_type));
}

void nrm2(context& c, const norm_call& call) { norm<operation::nrm2>(c, call); }
void asum(context& c, const norm_call& call) { norm<operation::asum>(c, call); }

void iamax(context& c, const iamax_call& call) {
    const heron_type compute_type = checked_compute_type(call.type);
    require_enum(call.result_type, HERON_INDEX_64, role::result_type, "is not an index type");
    const int64_t n = size_or_none(call.n);
    if (call.n > largest(call.result_type))
        throw error(HERON_INSUFFICIENT_RESOURCES, role::columns,
                    fmt::format("{} numbers do not fit a result of 32 bits", n));
    const heron_type integer = call.result_type == HERON_INDEX_32 ? HERON_R_32F : HERON_R_64F;
    const heron_iamax_args args{call.type,
                                compute_type,
                                n,
                                call.smallest,
                                checked(role::x, call.x, n, call.type, true),
                                call.result_type,
                                checked(c, role::result, call.result, 1, integer)};
    reduce<operation::iamax>(c, args, size_of(call.result_type));
}

void rot(context& c, const rot_call& call) {
    const heron_type compute_type = checked_compute_type(call.type);
    const auto type_of_scalar = [&](heron_type type, bool may_be_complex, role r) {
        require_enum(type, HERON_C_64F, r, "is not an element type");
        const bool is_real = type == real_of(compute_type) || type == real_of(call.type);
        const bool is_built = is_real || (may_be_complex && (type == compute_type || type == call.type));
        if (!is_built)
            not_supported(r, fmt::format("{} is not built for {}", name_of(type), name_of(call.type)));
    };
    type_of_scalar(call.c_type, false, role::cosine);
    type_of_scalar(call.s_type, true, role::sine);
    const int64_t n = size_or_none(call.n);
    const heron_plane_rot_args args{call.type,
                                    compute_type,
                                    n,
                                    checked(role::x, call.x, n, call.type, true),
                                    checked(role::y, call.y, n, call.type, true),
                                    rotation_scalar(c, call.c, call.c_type, role::cosine),
                                    rotation_scalar(c, call.s, call.s_type, role::sine),
                                    is_complex(call.type) && !is_complex(call.s_type)};
    if (n > 0) run_in<operation::plane_rot>(c, args, nullptr);
}

void rotg(context& c, const rotg_call& call) {
    require_type(call.type);
    const heron_type real = real_of(call.type);
    const heron_rotg_args args{
        call.type, checked(c, role::a, call.a, 1, call.type), checked(c, role::b, call.b, 1, call.type),
        checked(c, role::cosine, call.c, 1, real), checked(c, role::sine, call.s, 1, call.type)};
    if (is_on_device(c)) return run_in<operation::rotg>(c, args, nullptr);
    switch (call.type) {
        case HERON_R_32F: return rotg_on_host<float>(args);
        case HERON_R_64F: return rotg_on_host<double>(args);
        case HERON_C_32F: return complex_rotg_on_host<float>(args);
        default: return complex_rotg_on_host<double>(args);
    }
}

void rotm(context& c, const rotm_call& call) {
    const heron_type compute_type = checked_real_type(call.type);
    const int64_t n = size_or_none(call.n);
    heron_rotm_args args{call.type,
                         compute_type,
                         n,
                         checked(role::x, call.x, n, call.type, true),
                         checked(role::y, call.y, n, call.type, true),
                         checked(c, role::parameters, call.parameters, 5, compute_type),
                         {}};
    if (!is_on_device(c)) {
        for (int i = 0; i < 5; ++i)
            args.values[i] = compute_type == HERON_R_64F
                                 ? read_number<double>(args.parameters, i)
                                 : static_cast<double>(read_number<float>(args.parameters, i));
        args.parameters = {};
        if (args.values[0] == -2) return;
    }
    if (n > 0) run_in<operation::rotm>(c, args, nullptr);
}

void rotmg(context& c, const rotmg_call& call) {
    require_type(call.type);
    if (is_complex(call.type)) invalid(role::type, fmt::format("{} is not real", name_of(call.type)));
    const auto number = [&](role r, const number_operand& o, int64_t elements = 1) {
        return checked(c, r, o, elements, call.type);
    };
    const heron_rotmg_args args{call.type,
                                number(role::a, call.d1),
                                number(role::b, call.d2),
                                number(role::x, call.x1),
                                number(role::y, call.y1),
                                number(role::parameters, call.parameters, 5)};
    if (is_on_device(c)) return run_in<operation::rotmg>(c, args, nullptr);
    call.type == HERON_R_32F ? rotmg_on_host<float>(args) : rotmg_on_host<double>(args);
}

}  // namespace heron::core
