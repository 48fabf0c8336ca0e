#include "bench_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace heron::tools {
namespace {

// Sign, 5 bits of exponent, 10 of fraction. Rounds to nearest even; what is too large becomes infinite.
struct half {
    std::uint16_t bits = 0;

    half() = default;
    explicit half(double value) {
        const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
        const double magnitude = std::fabs(value);
        int exponent = 0;
        std::frexp(magnitude, &exponent);
        const int unit = magnitude == 0 ? -24 : std::max(exponent - 11, -24);
        const double units = std::nearbyint(std::ldexp(magnitude, -unit));
        if (std::isnan(value) || std::ldexp(units, unit) >= 65536.0) {
            bits = static_cast<std::uint16_t>(sign | (std::isnan(value) ? 0x7e00 : 0x7c00));
            return;
        }
        // Counting units from zero upwards gives the bits, since a carry moves into the exponent.
        bits = static_cast<std::uint16_t>(sign + static_cast<int>(units) + (unit + 24) * 1024);
    }
    explicit operator double() const {
        const int exponent = (bits >> 10) & 31;
        const int fraction = bits & 1023;
        const double sign = bits & 0x8000 ? -1 : 1;
        if (exponent == 31) return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
        return sign *
               (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
    }
};

// The upper half of a float, rounded to nearest even.
struct bfloat16 {
    std::uint16_t bits = 0;

    bfloat16() = default;
    explicit bfloat16(double value) {
        const auto wide = std::bit_cast<std::uint32_t>(static_cast<float>(value));
        bits = static_cast<std::uint16_t>(std::isnan(value) ? 0x7fc0
                                                            : (wide + 0x7fff + ((wide >> 16) & 1)) >> 16);
    }
    explicit operator double() const {
        return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
    }
};

template <class T>
T make_scalar(double real, double imag) {
    if constexpr (is_complex_v<T>) {
        using part = typename T::value_type;
        return {static_cast<part>(real), static_cast<part>(imag)};
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(std::lround(real));
    } else {
        return static_cast<T>(real);
    }
}

template <class T>
double real_part(T value) {
    if constexpr (is_complex_v<T>) {
        return static_cast<double>(value.real());
    } else {
        return static_cast<double>(value);
    }
}

// Calls f(T{}) with the C++ type of the scalar type.
template <class F>
decltype(auto) visit(scalar_type type, F&& f) {
    switch (type) {
        case scalar_type::i8: return f(std::int8_t{});
        case scalar_type::i32: return f(std::int32_t{});
        case scalar_type::f16: return f(half{});
        case scalar_type::bf16: return f(bfloat16{});
        case scalar_type::f32: return f(float{});
        case scalar_type::f64: return f(double{});
        case scalar_type::c32: return f(std::complex<float>{});
        case scalar_type::c64: break;
    }
    return f(std::complex<double>{});
}

constexpr std::array<product_type, 7> product_types{{
    {"f32", scalar_type::f32, scalar_type::f32, scalar_type::f32},
    {"f64", scalar_type::f64, scalar_type::f64, scalar_type::f64},
    {"c32", scalar_type::c32, scalar_type::c32, scalar_type::c32},
    {"c64", scalar_type::c64, scalar_type::c64, scalar_type::c64},
    {"f16", scalar_type::f16, scalar_type::f16, scalar_type::f32},
    {"bf16", scalar_type::bf16, scalar_type::bf16, scalar_type::f32},
    {"i8", scalar_type::i8, scalar_type::i32, scalar_type::i32},
}};

double random_part(splitmix64& random) {
    const double value = random.symmetric_unit();
    return std::copysign(0.0625 + 0.9375 * std::fabs(value), value);
}

template <class T>
double rounded(double value) {
    return real_part(make_scalar<T>(value, 0));
}

// The same numbers whatever the number of threads.
template <class T>
void fill_random(std::vector<double>& values, double scale, splitmix64& random) {
    constexpr std::size_t part = 1 << 16;
    const std::size_t count = values.size();
#pragma omp parallel for schedule(static)
    for (std::size_t begin = 0; begin < count; begin += part) {
        splitmix64 own = random;
        own.skip(begin);
        for (std::size_t i = begin; i < std::min(begin + part, count); ++i)
            values[i] = rounded<T>(scale * random_part(own));
    }
    random.skip(count);
}

}  // namespace

scalar_traits traits_of(scalar_type type) {
    switch (type) {
        case scalar_type::i8: return {.size = 1};
        case scalar_type::i32: return {.size = 4};
        case scalar_type::f16: return {.size = 2, .epsilon = 0x1p-10};
        case scalar_type::bf16: return {.size = 2, .epsilon = 0x1p-7};
        case scalar_type::f32: return {.size = 4, .epsilon = 0x1p-23};
        case scalar_type::f64: return {.size = 8, .epsilon = 0x1p-52};
        case scalar_type::c32: return {.size = 8, .epsilon = 0x1p-23, .is_complex = true};
        case scalar_type::c64: break;
    }
    return {.size = 16, .epsilon = 0x1p-52, .is_complex = true};
}

const product_type& find_product_type(std::string_view name) {
    const auto found = std::find_if(product_types.begin(), product_types.end(),
                                    [&](const product_type& type) { return type.name == name; });
    if (found != product_types.end()) return *found;
    std::string known;
    for (const product_type& type : product_types) known += fmt::format(" {}", type.name);
    throw std::invalid_argument(fmt::format("'{}' is not one of the types{}", name, known));
}

number_array random_numbers(scalar_type type, std::size_t count, splitmix64& random) {
    number_array result;
    result.real.resize(count);
    if (traits_of(type).is_complex) result.imag.resize(count);
    visit(type, [&]<class T>(T) {
        fill_random<T>(result.real, std::is_integral_v<T> ? 127 : 1, random);
        fill_random<T>(result.imag, 1, random);
    });
    return result;
}

std::vector<std::byte> encode(scalar_type type, const number_array& numbers) {
    return encode(type, numbers, 0, numbers.size());
}

std::vector<std::byte> encode(scalar_type type, const number_array& numbers, std::size_t first,
                              std::size_t count) {
    std::vector<std::byte> bytes(count * traits_of(type).size);
    visit(type, [&]<class T>(T) {
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < count; ++i) {
            const T value = make_scalar<T>(numbers.real[first + i], numbers.imag_at(first + i));
            std::memcpy(&bytes[i * sizeof(T)], &value, sizeof(T));
        }
    });
    return bytes;
}

number_array decode(scalar_type type, std::span<const std::byte> bytes) {
    number_array result;
    result.real.resize(bytes.size() / traits_of(type).size);
    if (traits_of(type).is_complex) result.imag.resize(result.size());
    visit(type, [&]<class T>(T value) {
        for (std::size_t i = 0; i < result.size(); ++i) {
            std::memcpy(&value, &bytes[i * sizeof(T)], sizeof(T));
            result.real[i] = real_part(value);
            if constexpr (is_complex_v<T>) result.imag[i] = static_cast<double>(value.imag());
        }
    });
    return result;
}

std::vector<std::complex<double>> complex_numbers(const number_array& numbers) {
    std::vector<std::complex<double>> result;
    result.reserve(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) result.emplace_back(numbers.real[i], numbers.imag_at(i));
    return result;
}

}  // namespace heron::tools
