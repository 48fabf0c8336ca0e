// The functions of all levels by scalar type and generation, for tests that are written once for all.
#pragma once

#include <clAmdBlas.h>
#include <clBLAS.h>
#include <complex>
#include <type_traits>

namespace heron::test::cl {

template <class T, bool is_amd>
struct level12_functions;
template <class T, bool is_amd>
struct real_scalar_functions;
template <class T, bool is_amd>
struct real_result_functions;
template <class T, bool is_amd>
struct index_result_functions;
template <class T, bool is_amd>
struct level3_functions;

#define CLBLAS_GENERATION false
#define CLBLAS_EX(name) name
#define CLBLAS_OF(letters, name) clblas##letters##name
#include "typed_generation.inc"
#undef CLBLAS_OF
#undef CLBLAS_EX
#undef CLBLAS_GENERATION

#define CLBLAS_GENERATION true
#define CLBLAS_EX(name) name##Ex
#define CLBLAS_OF(letters, name) clAmdBlas##letters##name
#include "typed_generation.inc"
#undef CLBLAS_OF
#undef CLBLAS_EX
#undef CLBLAS_GENERATION

template <class T>
struct element;
template <>
struct element<cl_float> {
    using real = float;
    using number = float;
};
template <>
struct element<cl_double> {
    using real = double;
    using number = double;
};
template <>
struct element<FloatComplex> {
    using real = float;
    using number = std::complex<float>;
};
template <>
struct element<DoubleComplex> {
    using real = double;
    using number = std::complex<double>;
};

// Everything of one scalar type and generation. number: the type as C++ has it.
template <class T, bool amd>
struct typed : level12_functions<T, amd>,
               real_scalar_functions<T, amd>,
               real_result_functions<T, amd>,
               index_result_functions<T, amd>,
               level3_functions<T, amd> {
    static constexpr bool is_amd = amd;
    using scalar = T;
    using real = typename element<T>::real;
    using number = typename element<T>::number;
    static constexpr bool is_complex = !std::is_same_v<real, number>;
};

// An argument as the function takes it: enumerations come as int, scalars as complex numbers.
template <class P, class A>
P argument_as(A a) {
    if constexpr (std::is_same_v<A, std::complex<double>>) {
        if constexpr (std::is_same_v<P, FloatComplex>)
            return floatComplex(static_cast<float>(a.real()), static_cast<float>(a.imag()));
        else if constexpr (std::is_same_v<P, DoubleComplex>)
            return doubleComplex(a.real(), a.imag());
        else
            return static_cast<P>(a.real());
    } else if constexpr (std::is_pointer_v<P>) {
        return a;
    } else {
        return static_cast<P>(a);
    }
}

template <class Status, class... P, class... A>
int invoke(Status (*function)(P...), A... arguments) {
    return static_cast<int>(function(argument_as<P>(arguments)...));
}

// Calls f(typed<T, amd>{}) for each type and generation.
template <class F>
void for_each_type(F&& f) {
    f(typed<cl_float, false>{});
    f(typed<cl_double, false>{});
    f(typed<FloatComplex, false>{});
    f(typed<DoubleComplex, false>{});
    f(typed<cl_float, true>{});
    f(typed<cl_double, true>{});
    f(typed<FloatComplex, true>{});
    f(typed<DoubleComplex, true>{});
}

}  // namespace heron::test::cl
