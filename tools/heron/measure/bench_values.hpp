// The element types of a product and arrays of them. Benchmarks keep their numbers in double, already rounded
// to the type in which a library gets them, so that a reference in double differs by the library's arithmetic
// alone.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/generators.hpp"

namespace heron::tools {

enum class scalar_type { i8, i32, f16, bf16, f32, f64, c32, c64 };

struct scalar_traits {
    std::size_t size = 0;
    double epsilon = 0;  // distance from 1 to the next number; 0 for integers
    bool is_complex = false;
};
scalar_traits traits_of(scalar_type type);

// A and x share one type, y and the arithmetic may have others.
struct product_type {
    std::string_view name;
    scalar_type input;
    scalar_type output;
    scalar_type compute;
};

// f32, f64, c32, c64; f16 and bf16 (computed in f32); i8 (computed in and written as i32). Throws
// std::invalid_argument with the list.
const product_type& find_product_type(std::string_view name);

// `imag` is empty for real types.
struct number_array {
    std::vector<double> real{};
    std::vector<double> imag{};

    std::size_t size() const { return real.size(); }
    double imag_at(std::size_t i) const { return imag.empty() ? 0 : imag[i]; }
};

// Numbers that the type represents, of either sign, each real and imaginary part between 1/16 and 1 in
// absolute value (integers: between 8 and 127): none is zero.
number_array random_numbers(scalar_type type, std::size_t count, splitmix64& random);

std::vector<std::byte> encode(scalar_type type, const number_array& numbers);
std::vector<std::byte> encode(scalar_type type, const number_array& numbers, std::size_t first,
                              std::size_t count);
number_array decode(scalar_type type, std::span<const std::byte> bytes);

std::vector<std::complex<double>> complex_numbers(const number_array& numbers);

}  // namespace heron::tools
