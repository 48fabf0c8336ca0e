// rotg and rotmg by what their results must do.
#include "vector_problem.hpp"

using namespace heron::test;

namespace {

struct rotation {
    number r, z, c, s;
};

rotation make_rotation(heron_type type, number a, number b, bool on_device) {
    scalar_place at_a(on_device, type, {a}), at_b(on_device, type, {b}), c(on_device, real_type(type), {7.0}),
        s(on_device, type, {7.0});
    expect(heron_rotg(native(), type, at_a.data(), at_b.data(), c.data(), s.data()));
    return {at_a.read()[0], at_b.read()[0], c.read()[0], s.read()[0]};
}

void check_rotation(heron_type type, number a, number b) {
    a = rounded(cuda_type(type), a);
    b = rounded(cuda_type(type), b);
    for (const bool on_device : {false, true}) {
        CAPTURE(type, a, b, on_device);
        const rotation made = make_rotation(type, a, b, on_device);
        const double scale =
            std::max({std::abs(a.real()), std::abs(a.imag()), std::abs(b.real()), std::abs(b.imag())});
        const double tolerance = 16 * unit(type);
        // In units of the larger number, so that the oracle overflows no more than the library.
        const number a1 = scale > 0 ? a / scale : a, b1 = scale > 0 ? b / scale : b,
                     r1 = scale > 0 ? made.r / scale : made.r;
        CHECK(is_within(std::abs(made.c * a1 + product(made.s, b1) - r1), tolerance));
        CHECK(is_within(std::abs(made.c * b1 - product(std::conj(made.s), a1)), tolerance));
        CHECK(is_within(std::abs(std::norm(made.c) + std::norm(made.s) - 1), tolerance));
        if (is_complex(type)) continue;
        // z tells c and s.
        const double z = made.z.real();
        const double s = z == 1 ? 1 : std::abs(z) < 1 ? z : std::sqrt(1 - 1 / (z * z));
        const double c = z == 1 ? 0 : std::abs(z) < 1 ? std::sqrt(1 - z * z) : 1 / z;
        if (std::abs(a) > std::abs(b) || b == 0.0 || a == 0.0)
            CHECK(is_within(std::abs(made.s - s), tolerance));
        if (std::abs(a) <= std::abs(b) && a != 0.0) CHECK(is_within(std::abs(made.c - c), tolerance));
    }
}

// H^T*diag(d1', d2')*H = diag(d1, d2), and H*(x1, y1) = (x1', 0).
void check_modified(heron_type type, double d1, double d2, double x1, double y1) {
    for (const bool on_device : {false, true}) {
        scalar_place at_d1(on_device, type, {d1}), at_d2(on_device, type, {d2}), at_x1(on_device, type, {x1}),
            at_y1(on_device, type, {y1}), at_h(on_device, type, std::vector<number>(5, 7.0));
        CAPTURE(type, d1, d2, x1, y1, on_device);
        expect(
            heron_rotmg(native(), type, at_d1.data(), at_d2.data(), at_x1.data(), at_y1.data(), at_h.data()));
        std::vector<double> h;
        for (const number& v : at_h.read()) h.push_back(v.real());
        const double flag = h[0];
        const double e1 = at_d1.read()[0].real(), e2 = at_d2.read()[0].real(), x = at_x1.read()[0].real();
        CHECK(at_y1.read()[0] == rounded(cuda_type(type), number{y1, 0}));
        if (d1 < 0) {
            CHECK(h == std::vector<double>{-1, 0, 0, 0, 0});
            CHECK((e1 == 0 && e2 == 0 && x == 0));
            continue;
        }
        if (d2 * y1 == 0) {
            CHECK(h == std::vector<double>{-2, 7, 7, 7, 7});
            CHECK((e1 == d1 && e2 == d2 && x == x1));
            continue;
        }
        // What the flag implies is not written.
        if (flag == 0) {
            CHECK((h[1] == 7 && h[4] == 7));
            h[1] = h[4] = 1;
        }
        if (flag == 1) {
            CHECK((h[2] == 7 && h[3] == 7));
            h[2] = -1;
            h[3] = 1;
        }
        const double h11 = h[1], h21 = h[2], h12 = h[3], h22 = h[4];
        const double tolerance = 64 * unit(type);
        CHECK(is_within(std::abs(h11 * x1 + h12 * y1 - x),
                        tolerance * (std::abs(h11 * x1) + std::abs(h12 * y1))));
        CHECK(
            is_within(std::abs(h21 * x1 + h22 * y1), tolerance * (std::abs(h21 * x1) + std::abs(h22 * y1))));
        const auto form = [&](double p, double q, double r, double s, double want) {
            const double first = e1 * p * q, second = e2 * r * s;
            CHECK(
                is_within(std::abs(first + second - want), tolerance * (std::abs(first) + std::abs(second))));
        };
        form(h11, h11, h21, h21, d1);
        form(h12, h12, h22, h22, d2);
        form(h11, h12, h21, h22, 0);
        for (const double e : {e1, e2})
            CHECK((e == 0 || (std::abs(e) > 0x1p-24 * 0.99 && std::abs(e) < 0x1p24 * 1.01)));
    }
}

}  // namespace

TEST_CASE("rotg") {
    random_source random(31);
    for (const heron_type type : matrix_types()) {
        const bool is_double = type == HERON_R_64F || type == HERON_C_64F;
        const double large = is_double ? 1e300 : 1e37, small = is_double ? 1e-300 : 1e-37;
        for (int i = 0; i < 40; ++i)
            check_rotation(type, random_number(random, type), random_number(random, type));
        for (const number& a :
             {number{0, 0}, number{3, 0}, number{-3, 0}, number{large, 0}, number{-small, 0}})
            for (const number& b :
                 {number{0, 0}, number{4, 0}, number{-2, 0}, number{large, 0}, number{small, 0}})
                check_rotation(type, a, b);
        if (is_complex(type)) {
            check_rotation(type, {3, -4}, {0, 2});
            check_rotation(type, {0, 0}, {-3, 4});
            check_rotation(type, {large, large}, {-large, 0});
            // Moduli that leave the range, of numbers and results that do not.
            const double largest = is_double ? std::numeric_limits<double>::max()
                                             : static_cast<double>(std::numeric_limits<float>::max());
            check_rotation(type, {0.9 * largest, -0.9 * largest}, {1, 2});
            check_rotation(type, {0.9 * largest, 0.9 * largest}, {0, 0.3 * largest});
            check_rotation(type, {0.2 * largest, 0}, {0.7 * largest, 0.3 * largest});
        }
    }
}

TEST_CASE("rotg: a NaN in any part shows in the results") {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (const heron_type type : {HERON_C_32F, HERON_C_64F})
        for (const bool on_device : {false, true})
            for (const number& v : {number{0, nan}, number{nan, 0}, number{1, nan}, number{nan, nan}})
                for (const bool is_first : {false, true}) {
                    CAPTURE(type, on_device, v, is_first);
                    const number other{3, 4};
                    const rotation made =
                        make_rotation(type, is_first ? v : other, is_first ? other : v, on_device);
                    CHECK(std::isnan(std::abs(made.r)));
                    CHECK(std::isnan(made.c.real()));
                }
}

TEST_CASE("rotmg") {
    random_source random(32);
    for (const heron_type type : matrix_types()) {
        if (is_complex(type)) continue;
        for (int i = 0; i < 60; ++i) {
            const double scale = std::ldexp(1.0, static_cast<int>(random.below(80)) - 40);
            const auto positive = [&] { return std::abs(random_number(random, type).real()) + 0.125; };
            const auto d1 = rounded(cuda_type(type), number{positive() * scale, 0}).real();
            const auto d2 = rounded(cuda_type(type), number{positive() / scale, 0}).real();
            check_modified(type, d1, d2, random_number(random, type).real(),
                           random_number(random, type).real());
            check_modified(type, positive(), positive(), random_number(random, type).real(),
                           random_number(random, type).real());
        }
        check_modified(type, -1, 1, 1, 1);
        check_modified(type, 1, 0, 1, 1);
        check_modified(type, 1, 1, 1, 0);
        check_modified(type, 0, 2, 1, 3);
        check_modified(type, 2, 2, 0, 1);
    }
}
