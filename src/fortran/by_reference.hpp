#pragma once
// What arguments that Fortran hands over by reference become.
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace heron::fortran {

// integer*8 of Fortran: a handle or a device address.
using address = std::int64_t;

template <class T>
T address_of(const address* a) {
    return reinterpret_cast<T>(static_cast<std::uintptr_t>(*a));
}

// Of a pair of numbers that is aligned as Fortran aligns complex numbers, less than C's structs may be.
template <class T>
T value_of(const void* place) {
    T value;
    std::memcpy(&value, place, sizeof value);
    return value;
}

// A complex number as Fortran's functions return it: in the registers of C's complex type, which std::complex
// has and a struct of two numbers may not have.
template <class T>
auto complex_of(const T& pair) {
    return std::complex<decltype(T::x)>(pair.x, pair.y);
}

// Without the blanks that Fortran pads with.
inline std::string c_string(const char* text, std::size_t length) {
    while (length > 0 && text[length - 1] == ' ') --length;
    return {text, length};
}

// Cut or padded with blanks.
inline void fill(const char* from, char* text, std::size_t length) {
    const std::size_t used = std::min(std::strlen(from), length);
    std::fill_n(std::copy_n(from, used, text), length - used, ' ');
}

}  // namespace heron::fortran
