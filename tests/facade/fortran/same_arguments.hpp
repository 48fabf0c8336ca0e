#pragma once
// Whether what Fortran calls has the arguments of the C function behind it, by the types that the compilers
// see: of a Fortran 77 wrapper, and of a bind(c) interface as gfortran writes it in C.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace same_arguments {

template <class T>
using pointee = std::remove_const_t<std::remove_pointer_t<T>>;

template <class T, class = void>
constexpr bool is_complete = false;
template <class T>
constexpr bool is_complete<T, std::enable_if_t<(sizeof(T) > 0)>> = true;

// A pointer to a struct that nobody knows.
template <class T>
constexpr bool is_handle() {
    if constexpr (std::is_pointer_v<T>) {
        return std::is_class_v<pointee<T>> && !is_complete<pointee<T>>;
    } else {
        return false;
    }
}

template <class T>
constexpr bool is_callback = std::is_function_v<std::remove_pointer_t<T>>;

// Two numbers of a complex one: cuComplex, cl_float2.
template <class T>
constexpr bool is_pair() {
    return (std::is_class_v<T> || std::is_union_v<T>)&&(sizeof(T) == 8 || sizeof(T) == 16);
}

template <class T>
constexpr bool is_text = std::is_same_v<T, const char*>;

// What a wrapper takes by the address of an argument on the host, because it cannot be anything else.
template <class T>
constexpr bool is_host_output() {
    using P = pointee<T>;
    return std::is_enum_v<P> || std::is_pointer_v<P> || std::is_same_v<P, std::size_t> ||
           std::is_same_v<P, std::int64_t>;
}

// The elements of arrays on the device.
template <class P>
constexpr bool may_lie_on_device() {
    return !std::is_enum_v<P> && !std::is_same_v<P, std::size_t> && !std::is_same_v<P, std::int64_t>;
}

template <class C, class F>
constexpr bool wrapper_argument() {
    if constexpr (std::is_enum_v<C> || std::is_same_v<C, bool>) {
        return std::is_same_v<F, const int*>;
    } else if constexpr (std::is_arithmetic_v<C>) {
        return std::is_same_v<F, const C*>;
    } else if constexpr (is_callback<C> || is_text<C>) {
        return std::is_same_v<F, C>;
    } else if constexpr (is_handle<C>()) {
        return std::is_same_v<F, const std::int64_t*>;
    } else if constexpr (std::is_pointer_v<C>) {
        const bool is_reference = std::is_same_v<F, C>;
        const bool is_address = std::is_same_v<F, const std::int64_t*> && may_lie_on_device<pointee<C>>();
        return is_host_output<C>() ? is_reference : is_reference || is_address;
    } else {
        return is_pair<C>() && std::is_same_v<F, const void*>;
    }
}

template <class C, class F>
struct wrapper;

template <class R, class... C, class S, class... F>
struct wrapper<R(C...), S(F...)> {
    static constexpr std::size_t texts = (0 + ... + (is_text<C> ? 1 : 0));
    static constexpr std::size_t answers = is_text<R> ? 2 : 0;
    static constexpr bool count = sizeof...(F) == sizeof...(C) + texts + answers;

    template <std::size_t... I>
    static constexpr bool each(std::index_sequence<I...>) {
        using fortran = std::tuple<F...>;
        using c = std::tuple<C...>;
        return (true && ... &&
                wrapper_argument<std::tuple_element_t<I, c>, std::tuple_element_t<I, fortran>>());
    }

    static constexpr bool matches() {
        if constexpr (!count) {
            return false;
        } else {
            const bool result =
                is_text<R> || std::is_void_v<R> ? std::is_void_v<S> : sizeof(answer<R>) == sizeof(answer<S>);
            return result && each(std::index_sequence_for<C...>());
        }
    }

    template <class T>
    using answer = std::conditional_t<std::is_void_v<T>, char, T>;
};

template <class F, class = void>
constexpr bool is_one_address = false;
template <class F>
constexpr bool is_one_address<F, std::void_t<decltype(F::is_device)>> = true;

// gfortran's derived types of one address: handles, and arrays of the device with their elements' type.
struct handle {
    void* pointer;
    static constexpr bool is_device = false;
    template <class C>
    static constexpr bool is_of = false;
};
template <class T>
struct device {
    void* pointer;
    static constexpr bool is_device = true;
    template <class C>
    static constexpr bool is_of = std::is_same_v<C, T>;
};
// C's structs of two numbers, and of the bits of a half, go by their size.
template <std::size_t bytes>
struct device_struct {
    void* pointer;
    static constexpr bool is_device = true;
    template <class C>
    static constexpr bool is_of = std::is_class_v<C> && sizeof(C) == bytes;
};

template <class C, class F>
constexpr bool interface_argument();

// What a Fortran reference and a C pointer point to.
template <class C, class F>
constexpr bool same_target() {
    if constexpr (std::is_same_v<C, char>) {
        return std::is_same_v<F, char>;
    } else if constexpr (std::is_pointer_v<C>) {
        return std::is_pointer_v<F> || is_one_address<F>;
    } else if constexpr (!is_complete<C> || !is_complete<F>) {
        return false;
    } else {
        return interface_argument<C, F>();
    }
}

template <class C, class F>
constexpr bool interface_argument() {
    if constexpr (std::is_enum_v<C>) {
        return std::is_same_v<F, int>;
    } else if constexpr (is_callback<C> || is_callback<F>) {
        // gfortran writes an address of a function and a reference to one alike.
        return is_callback<F> && (is_callback<C> || is_callback<pointee<C>>);
    } else if constexpr (std::is_floating_point_v<C>) {
        return std::is_same_v<F, C>;
    } else if constexpr (std::is_integral_v<C>) {
        return std::is_integral_v<F> && sizeof(F) == sizeof(C);
    } else if constexpr (std::is_pointer_v<C>) {
        if constexpr (is_one_address<F>) {
            return is_handle<C>() ? !F::is_device : F::template is_of<pointee<C>>;
        } else if constexpr (std::is_pointer_v<F>) {
            return std::is_void_v<pointee<F>> || std::is_void_v<pointee<C>> ||
                   same_target<pointee<C>, pointee<F>>();
        } else {
            return false;
        }
    } else if constexpr (std::is_same_v<F, std::complex<float>> || std::is_same_v<F, std::complex<double>>) {
        return is_pair<C>() && sizeof(C) == sizeof(F);
    } else if constexpr (std::is_integral_v<F>) {
        return sizeof(C) == sizeof(F);  // the bits of a half
    } else {
        return std::is_class_v<F> && sizeof(C) == sizeof(F) && alignof(C) == alignof(F);
    }
}

template <class C, class F>
struct interface;

template <class R, class... C, class S, class... F>
struct interface<R(C...), S(F...)> {
    static constexpr bool matches() {
        if constexpr (sizeof...(C) != sizeof...(F)) {
            return false;
        } else {
            const bool result = [] {
                if constexpr (std::is_void_v<R>) {
                    return std::is_void_v<S>;
                } else {
                    return interface_argument<R, S>();
                }
            }();
            return result && (true && ... && interface_argument<C, F>());
        }
    }
};

}  // namespace same_arguments
