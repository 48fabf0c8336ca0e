// Dense vectors: what is wrong with a call that is not as most are, and rotations. Those of numbers on the
// host are made here.
#include "blas1_calls.hpp"
#include "rotations.hpp"
#include <algorithm>
#include <cstring>

namespace heron::core {

[[noreturn]] void vectors_are_not_built(heron_type type) {
    require_enum(type, HERON_C_64F, role::type, "is not an element type");
    not_supported(role::type, fmt::format("{} vectors are not built", name_of(type)));
}

[[noreturn]] void type_is_neither(heron_type type, heron_type first, heron_type second, role r) {
    require_enum(type, HERON_C_64F, r, "is not an element type");
    not_supported(
        r, fmt::format("{} is not built, but {} or {}", name_of(type), name_of(first), name_of(second)));
}

[[noreturn]] void size_exceeds_result(int64_t n) {
    throw error(HERON_INSUFFICIENT_RESOURCES, role::columns,
                fmt::format("{} numbers do not fit a result of 32 bits", n));
}

heron_result checked_in_full(const context& c, argument a, number_operand o, int64_t elements,
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

void write_zero(const heron_result& to, size_t bytes) {
    std::memset(static_cast<char*>(to.memory) + static_cast<size_t>(to.offset) * bytes, 0, bytes);
}

namespace {

heron_type checked_real_type(heron_type type) {
    const heron_type compute_type = checked_compute_type(type);
    if (is_complex(type)) invalid(role::type, fmt::format("{} is not real", name_of(type)));
    return compute_type;
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
