// What include/compat/cuda computes itself: half and bfloat16 conversions, complex arithmetic.
#include "catch.hpp"

#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <complex>
#include <limits>

namespace {

const float infinity = std::numeric_limits<float>::infinity();
const float not_a_number = std::numeric_limits<float>::quiet_NaN();

unsigned half_bits(double value) { return __half_as_ushort(__double2half(value)); }
unsigned bfloat_bits(double value) { return __bfloat16_as_ushort(__double2bfloat16(value)); }

double distance(cuDoubleComplex a, std::complex<double> b) {
    return std::abs(std::complex<double>(a.x, a.y) - b);
}

}  // namespace

TEST_CASE("half rounds to nearest even over its whole range") {
    CHECK(half_bits(0.0) == 0x0000);
    CHECK(half_bits(-0.0) == 0x8000);
    CHECK(half_bits(1.0) == 0x3c00);
    CHECK(half_bits(-2.0) == 0xc000);
    CHECK(half_bits(1 + std::ldexp(1, -11)) == 0x3c00);
    CHECK(half_bits(1 + 3 * std::ldexp(1, -11)) == 0x3c02);
    CHECK(half_bits(65504.0) == 0x7bff);
    CHECK(half_bits(65519.9) == 0x7bff);
    CHECK(half_bits(65520.0) == 0x7c00);
    CHECK(half_bits(-1e300) == 0xfc00);
    CHECK(half_bits(infinity) == 0x7c00);
    CHECK(half_bits(not_a_number) == 0x7fff);
}

TEST_CASE("half subnormals round to nearest even") {
    CHECK(half_bits(std::ldexp(1, -14)) == 0x0400);
    CHECK(half_bits(std::ldexp(1023, -24)) == 0x03ff);
    CHECK(half_bits(std::ldexp(2047, -25)) == 0x0400);
    CHECK(half_bits(std::ldexp(1, -24)) == 0x0001);
    CHECK(half_bits(std::ldexp(3, -25)) == 0x0002);
    CHECK(half_bits(std::ldexp(1, -25)) == 0x0000);
    CHECK(half_bits(std::nextafter(std::ldexp(1, -25), 1)) == 0x0001);
    CHECK(half_bits(std::ldexp(1, -26)) == 0x0000);
}

TEST_CASE("double reaches half and bfloat16 in one rounding") {
    // Just above a tie, by less than a float can tell.
    CHECK(half_bits(1 + std::ldexp(1, -11) + std::ldexp(1, -40)) == 0x3c01);
    CHECK(bfloat_bits(1 + std::ldexp(1, -8) + std::ldexp(1, -40)) == 0x3f81);
    CHECK(bfloat_bits(-1 - std::ldexp(1, -8) - std::ldexp(1, -40)) == 0xbf81);
    CHECK(bfloat_bits(1 + 3 * std::ldexp(1, -8) - std::ldexp(1, -40)) == 0x3f81);
}

TEST_CASE("every half survives the way through float") {
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const __half half_value = __ushort_as_half(static_cast<unsigned short>(bits));
        const unsigned back = __half_as_ushort(__float2half(__half2float(half_value)));
        CAPTURE(bits);
        REQUIRE(back == (__hisnan(half_value) ? 0x7fffu : bits));
    }
}

TEST_CASE("every bfloat16 survives the way through float") {
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const __nv_bfloat16 value = __ushort_as_bfloat16(static_cast<unsigned short>(bits));
        const unsigned back = __bfloat16_as_ushort(__float2bfloat16(__bfloat162float(value)));
        CAPTURE(bits);
        REQUIRE(back == (__hisnan(value) ? 0x7fffu : bits));
    }
}

TEST_CASE("bfloat16 rounds to nearest even") {
    CHECK(bfloat_bits(1.0) == 0x3f80);
    CHECK(bfloat_bits(1 + std::ldexp(1, -8)) == 0x3f80);
    CHECK(bfloat_bits(1 + 3 * std::ldexp(1, -8)) == 0x3f82);
    CHECK(bfloat_bits(std::numeric_limits<float>::max()) == 0x7f80);
    CHECK(bfloat_bits(std::ldexp(1, -133)) == 0x0001);
    CHECK(bfloat_bits(std::ldexp(1, -134)) == 0x0000);
    CHECK(bfloat_bits(-1e300) == 0xff80);
    CHECK(bfloat_bits(not_a_number) == 0x7fff);
}

TEST_CASE("half and bfloat16 behave like numbers") {
    __half a = 1.5f;
    a += a;
    CHECK(a == 3.0f);
    CHECK(a * 2 == 6.0f);
    CHECK(static_cast<int>(a) == 3);
    __nv_bfloat16 b = 7;
    b -= 2;
    CHECK(b == 5.0f);
    CHECK(__hisinf(__half(-infinity)) == -1);
    CHECK(__hisinf(__nv_bfloat16(infinity)) == 1);
    CHECK(__hisinf(a) == 0);
    CHECK(__high2float(__floats2half2_rn(1, 2)) == 2.0f);
    CHECK(__bfloat1622float2(__floats2bfloat162_rn(3, 4)).x == 3.0f);
}

TEST_CASE("complex arithmetic agrees with the standard library") {
    const cuDoubleComplex a = make_cuDoubleComplex(3, -4), b = make_cuDoubleComplex(-0.5, 2);
    const cuDoubleComplex c = make_cuDoubleComplex(1, 1);
    const std::complex<double> p(3, -4), q(-0.5, 2), r(1, 1);
    CHECK(distance(cuCadd(a, b), p + q) == 0);
    CHECK(distance(cuCsub(a, b), p - q) == 0);
    CHECK(distance(cuCmul(a, b), p * q) == 0);
    CHECK(distance(cuCfma(a, b, c), p * q + r) == 0);
    CHECK(distance(cuCdiv(a, b), p / q) < 1e-15);
    CHECK(distance(cuCdiv(b, a), q / p) < 1e-15);
    CHECK(distance(cuConj(a), std::conj(p)) == 0);
    CHECK(cuCabs(a) == 5);
    CHECK(cuCabsf(cuComplexDoubleToFloat(a)) == 5);
    CHECK(distance(cuComplexFloatToDouble(cuConjf(cuComplexDoubleToFloat(a))), std::conj(p)) == 0);
}

TEST_CASE("complex division and absolute value neither overflow nor underflow early") {
    const double big = 1e300, small = 1e-300;
    CHECK(distance(cuCdiv(make_cuDoubleComplex(big, big), make_cuDoubleComplex(big, big)), 1.0) < 1e-15);
    CHECK(distance(cuCdiv(make_cuDoubleComplex(small, 0), make_cuDoubleComplex(0, small)), {0, -1}) < 1e-15);
    CHECK(std::abs(cuCabs(make_cuDoubleComplex(3 * big, 4 * big)) / big - 5) < 1e-14);
    CHECK(cuCabs(make_cuDoubleComplex(0, 0)) == 0);
    const cuFloatComplex quotient = cuCdivf(make_cuFloatComplex(0, 1e30f), make_cuFloatComplex(1e30f, 0));
    CHECK(quotient.x == 0.0f);
    CHECK(quotient.y == 1.0f);
}
