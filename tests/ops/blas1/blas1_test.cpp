// Vectors against the loops of BLAS, whose increments, signs and orders they follow.
#include <array>

#include "vector_problem.hpp"

using namespace heron::test;

namespace {

struct strides {
    std::int64_t x, y;
};
constexpr strides all_strides[] = {{1, 1}, {2, 1}, {1, -1}, {-3, 2}, {1, 3}, {0, 1}, {1, 0}, {-1, -2}};
constexpr std::int64_t sizes[] = {0, 1, 2, 3, 7, 32, 257, 1000};
// Several groups of items, and parts of the host's.
constexpr std::int64_t larger[] = {2049, 17001, 40000};

// Runs f(type, n, increments, whether scalars are on the device).
template <class F>
void for_all(F&& f) {
    int count = 0;
    for (const heron_type type : vector_types()) {
        for (const std::int64_t n : sizes)
            for (const strides& inc : all_strides)
                if (++count % 5 == 0 || !is_short()) f(type, n, inc, count % 2 == 0);
        for (const std::int64_t n : larger) f(type, n, {1, 1}, ++count % 2 == 0);
        f(type, std::int64_t{17001}, strides{-2, 3}, true);
        // What GPUs take for long, with a number of elements that fills no group.
        f(type, std::int64_t{(1 << 18) + 1234}, strides{1, -1}, false);
    }
}

// Every step of a loop rounds once or twice; with an increment of 0 all steps meet in one number.
double bound_of(heron_type type, std::int64_t n, bool meets) {
    return unit(type) * (meets ? 8.0 * static_cast<double>(n) + 16 : 8);
}

}  // namespace

TEST_CASE("copy and swap") {
    random_source random(11);
    for_all([&](heron_type type, std::int64_t n, strides inc, bool) {
        CAPTURE(type, n, inc.x, inc.y);
        vector_case x = random_vector(random, type, n, inc.x), y = random_vector(random, type, n, inc.y);
        const device_vector dx(x), dy(y);
        const vector_case x_before = x;
        for (std::int64_t i = 0; i < n; ++i) y.at(i) = x.at(i);
        expect(heron_vector_copy(native(), type, n, dx.data(), inc.x, dy.data(), inc.y));
        CHECK(difference(dy.download(), y, 0) == "");
        CHECK(difference(dx.download(), x_before, 0) == "");

        y = random_vector(random, type, n, inc.y);
        const device_vector other(y);
        for (std::int64_t i = 0; i < n; ++i) std::swap(x.at(i), y.at(i));
        expect(heron_vector_swap(native(), type, n, dx.data(), inc.x, other.data(), inc.y));
        CHECK(difference(dx.download(), x, 0) == "");
        CHECK(difference(other.download(), y, 0) == "");
    });
}

TEST_CASE("copy and swap of whole numbers") {
    for (const std::int64_t n : {1, 300, (1 << 18) + 1234}) {
        std::vector<std::int8_t> x(static_cast<std::size_t>(n)), y(x);
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = static_cast<std::int8_t>(i * 7);
            y[i] = static_cast<std::int8_t>(i * 5 + 3);
        }
        const device_array<std::int8_t> dx(x), dy(y), to(y);
        expect(heron_vector_copy(native(), HERON_R_8I, n, dx.data(), 1, to.data(), 1));
        CHECK((to.download() == x));
        expect(heron_vector_swap(native(), HERON_R_8I, n, dx.data(), 1, dy.data(), 1));
        CHECK((dx.download() == y));
        CHECK((dy.download() == x));
    }
}

TEST_CASE("scal") {
    random_source random(12);
    for_all([&](heron_type type, std::int64_t n, strides inc, bool on_device) {
        for (const bool real : {false, true}) {
            const heron_type alpha_type = real ? real_type(type) : scalar_type(type);
            // A number that is multiplied n times must not grow without bound.
            const double scale = inc.x == 0 ? 0.5 : 1;
            const number alpha =
                random.below(5) == 0 ? number{1, 0} : scale * random_number(random, alpha_type);
            CAPTURE(type, n, inc.x, alpha, real, on_device);
            vector_case x = random_vector(random, type, n, inc.x);
            const device_vector dx(x);
            for (std::int64_t i = 0; i < n; ++i) x.at(i) = product(alpha, x.at(i));
            scalar_place place(on_device, alpha_type, {alpha});
            expect(heron_scal(native(), type, n, alpha_type, place.data(), dx.data(), inc.x));
            CHECK(difference(dx.download(), x, bound_of(type, n, inc.x == 0)) == "");
        }
    });
}

TEST_CASE("scal by zero keeps NaNs, as BLAS's loop does") {
    vector_case x{HERON_R_32F, 3, 1, {number{std::nan(""), 0}, 2, 3}};
    const device_vector dx(x);
    scalar_place zero(false, HERON_R_32F, {0.0});
    expect(heron_scal(native(), HERON_R_32F, 3, HERON_R_32F, zero.data(), dx.data(), 1));
    const vector_case after = dx.download();
    CHECK(std::isnan(after.at(0).real()));
    CHECK(after.at(1) == 0.0);
}

TEST_CASE("axpy") {
    random_source random(13);
    for_all([&](heron_type type, std::int64_t n, strides inc, bool on_device) {
        const bool vanishes = random.below(5) == 0 && n <= larger[0];
        const number alpha = vanishes ? number{0, 0} : random_number(random, scalar_type(type));
        CAPTURE(type, n, inc.x, inc.y, alpha, on_device);
        vector_case x = random_vector(random, type, n, inc.x), y = random_vector(random, type, n, inc.y);
        if (alpha == 0.0) poison(x);
        const device_vector dx(x), dy(y);
        // With an increment of 0 in 16 bits every step rounds: that is BLAS's loop, too.
        if (alpha != 0.0)
            for (std::int64_t i = 0; i < n; ++i)
                y.at(i) = rounded(cuda_type(type), y.at(i) + product(alpha, x.at(i)));
        scalar_place place(on_device, scalar_type(type), {alpha});
        expect(heron_axpy(native(), type, n, place.data(), dx.data(), inc.x, dy.data(), inc.y));
        const double growth = inc.y == 0 ? static_cast<double>(n) : 1;
        CHECK(difference(dy.download(), y, growth * bound_of(type, n, inc.y == 0)) == "");
    });
}

TEST_CASE("dot and dotc") {
    random_source random(14);
    for_all([&](heron_type type, std::int64_t n, strides inc, bool on_device) {
        for (const bool conjugate : {false, true}) {
            CAPTURE(type, n, inc.x, inc.y, conjugate, on_device);
            const vector_case x = random_vector(random, type, n, inc.x),
                              y = random_vector(random, type, n, inc.y);
            const device_vector dx(x), dy(y);
            const term want = dot(
                n, [&](auto i) { return conjugate ? std::conj(x.at(i)) : x.at(i); },
                [&](auto i) { return y.at(i); });
            scalar_place result(on_device, scalar_type(type), {number{7, 0}});
            const auto call = conjugate ? heron_dotc : heron_dot;
            expect(call(native(), type, n, dx.data(), inc.x, dy.data(), inc.y, result.data()));
            const number got = result.read()[0];
            const double bound = unit(scalar_type(type)) * (static_cast<double>(n) + 4) * want.size;
            CHECK(is_within(std::abs(got - want.value), bound));
            // The same bits again.
            expect(call(native(), type, n, dx.data(), inc.x, dy.data(), inc.y, result.data()));
            CHECK(result.read()[0] == got);
        }
    });
}

TEST_CASE("nrm2 and asum") {
    random_source random(15);
    for_all([&](heron_type type, std::int64_t n, strides inc, bool on_device) {
        CAPTURE(type, n, inc.x, on_device);
        const vector_case x = random_vector(random, type, n, inc.x);
        const device_vector dx(x);
        double squares = 0, sum = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            squares += std::norm(x.at(i));
            sum += std::abs(x.at(i).real()) + std::abs(x.at(i).imag());
        }
        const double roundings = unit(scalar_type(type)) * (static_cast<double>(n) + 8);
        scalar_place result(on_device, real_type(type), {number{7, 0}});
        expect(heron_nrm2(native(), type, n, dx.data(), inc.x, result.data()));
        CHECK(is_within(std::abs(result.read()[0] - std::sqrt(squares)), roundings * std::sqrt(squares)));
        expect(heron_asum(native(), type, n, dx.data(), inc.x, result.data()));
        CHECK(is_within(std::abs(result.read()[0] - sum), roundings * sum));
    });
}

TEST_CASE("nrm2 neither overflows nor underflows, and hands on infinities and NaNs") {
    const auto check = [&](heron_type type, std::vector<double> parts, std::int64_t padding) {
        const bool is_double = type == HERON_R_64F || type == HERON_C_64F;
        vector_case x{type, static_cast<std::int64_t>(parts.size()) + padding, 1};
        for (const double v : parts) x.memory.push_back(v);
        for (std::int64_t i = 0; i < padding; ++i) x.memory.push_back(0.0);
        long double squares = 0;
        for (const double v : parts) squares += static_cast<long double>(v) * v;
        const auto want = static_cast<double>(std::sqrt(squares));
        const device_vector dx(x);
        scalar_place result(padding % 2 == 0, real_type(type), {number{7, 0}});
        expect(heron_nrm2(native(), type, x.n, dx.data(), 1, result.data()));
        const double got = result.read()[0].real();
        CAPTURE(type, parts, padding, got, want);
        if (std::isnan(want))
            CHECK(std::isnan(got));
        else if (std::isinf(want))
            CHECK(got == want);
        else
            CHECK(is_within(std::abs(got - want), (is_double ? 0x1p-50 : 0x1p-21) * want));
    };
    for (const std::int64_t padding : {0, 1, 30000, 70002}) {
        for (const heron_type type : matrix_types()) {
            const bool is_double = type == HERON_R_64F || type == HERON_C_64F;
            const double large = is_double ? 1e300 : 1e37, small = is_double ? 1e-300 : 1e-37;
            check(type, {3 * large, 4 * large}, padding);
            check(type, {3 * small, 4 * small}, padding);
            check(type, {3, 4 * small, 4}, padding);
            check(type, {large, 1, small}, padding);
            check(type, {3 * small, 1e-3 * small}, padding);
            check(type, {0, 0}, padding);
            check(type, {1, std::numeric_limits<double>::infinity()}, padding);
            check(type, {small, std::nan(""), 1}, padding);
            check(type, {large, std::nan("")}, padding);
        }
    }
}

TEST_CASE("iamax and iamin") {
    random_source random(16);
    for_all([&](heron_type type, std::int64_t n, strides inc, bool on_device) {
        vector_case x = random_vector(random, type, n, inc.x);
        // Several of the same size: the first counts.
        if (n > 8 && inc.x != 0)
            for (const std::int64_t i : {n / 3, n / 2, n - 1})
                x.at(i) = number{random.below(2) == 0 ? 2.0 : -2.0, 0};
        if (n > 8 && inc.x != 0)
            for (const std::int64_t i : {n / 4, n / 2 + 1, n - 2}) x.at(i) = 0;
        const auto size = [&](std::int64_t i) { return std::abs(x.at(i).real()) + std::abs(x.at(i).imag()); };
        std::int64_t largest = 0, smallest = 0;
        const bool is_single = unit(scalar_type(type)) > 1e-10;
        const auto in_type = [&](std::int64_t i) {
            return is_single ? static_cast<double>(static_cast<float>(size(i))) : size(i);
        };
        for (std::int64_t i = 1; i < n; ++i) {
            if (in_type(i) > in_type(largest)) largest = i;
            if (in_type(i) < in_type(smallest)) smallest = i;
        }
        const device_vector dx(x);
        CAPTURE(type, n, inc.x, on_device);
        for (const bool least : {false, true}) {
            std::int64_t got = -1;
            const auto call = least ? heron_iamin : heron_iamax;
            if (on_device) {
                device_array<std::int64_t> place(std::vector<std::int64_t>{-1});
                expect(heron_set_pointer_mode(native(), HERON_POINTER_DEVICE));
                expect(call(native(), type, n, dx.data(), inc.x, place.data()));
                expect(heron_set_pointer_mode(native(), HERON_POINTER_HOST));
                got = place.download()[0];
            } else {
                expect(call(native(), type, n, dx.data(), inc.x, &got));
            }
            CHECK(got == (n == 0 ? 0 : 1 + (least ? smallest : largest)));
        }
    });
}

TEST_CASE("iamax and iamin pass over NaNs, but for the first number") {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const double nan = std::nan("");
    const auto check = [](std::vector<number> values, std::int64_t largest, std::int64_t smallest) {
        const vector_case x{HERON_R_32F, static_cast<std::int64_t>(values.size()), 1, values};
        const device_vector dx(x);
        std::int64_t got = 0;
        expect(heron_iamax(native(), HERON_R_32F, x.n, dx.data(), 1, &got));
        CHECK(got == largest);
        expect(heron_iamin(native(), HERON_R_32F, x.n, dx.data(), 1, &got));
        CHECK(got == smallest);
    };
    check({1, nan, 3, -0.5}, 3, 4);
    check({nan, 5, 3}, 1, 1);
    check({1, nan, inf, -inf}, 3, 1);
    check({inf, nan, inf}, 1, 1);
    check({0, 0, nan}, 1, 1);
    // Several groups of items, and parts of the host's; what GPUs read 16 bytes at a time.
    for (const std::size_t n : {std::size_t{20000}, std::size_t{70003}}) {
        std::vector<number> many(n, number{nan, 0});
        check(many, 1, 1);
        many[0] = inf;
        check(many, 1, 1);
        many[0] = 2;
        many[17000] = -3;
        many[18001] = 1;
        many[19000] = 3;
        check(many, 17001, 18002);
        many[n - 1] = 4;
        check(many, static_cast<std::int64_t>(n), 18002);
        check(std::vector<number>(n, number{inf, 0}), 1, 1);
    }
}

TEST_CASE("Long vectors, aligned for wide accesses and not") {
    random_source random(24);
    const auto check = [&](heron_type type, bool aligned) {
        const std::int64_t n = 70003;
        const vector_case x = random_vector(random, type, n + 4, 1);
        const device_vector dx(x);
        const std::int64_t first = dx.lead(aligned);
        const auto size = [&](std::int64_t i) {
            return std::abs(x.at(first + i).real()) + std::abs(x.at(first + i).imag());
        };
        double squares = 0, sum = 0, largest = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            squares += std::norm(x.at(first + i));
            sum += size(i);
            largest = std::max(largest, size(i));
        }
        CAPTURE(type, aligned);
        const double roundings = unit(type) * (static_cast<double>(n) + 8);
        scalar_place result(false, real_type(type), {number{7, 0}});
        expect(heron_nrm2(native(), type, n, dx.element(first), 1, result.data()));
        CHECK(is_within(std::abs(result.read()[0] - std::sqrt(squares)), roundings * std::sqrt(squares)));
        expect(heron_asum(native(), type, n, dx.element(first), 1, result.data()));
        CHECK(is_within(std::abs(result.read()[0] - sum), roundings * sum));
        std::int64_t got = 0;
        expect(heron_iamax(native(), type, n, dx.element(first), 1, &got));
        REQUIRE((got >= 1 && got <= n));
        CHECK(size(got - 1) >= largest * (1 - 4 * unit(type)));
    };
    for (const heron_type type : matrix_types())
        for (const bool aligned : {true, false}) check(type, aligned);
}

TEST_CASE("rot") {
    random_source random(17);
    for_all([&](heron_type type, std::int64_t n, strides inc, bool on_device) {
        for (const bool real_s : {true, false}) {
            const heron_type s_type = real_s ? real_type(type) : scalar_type(type);
            const number c = random_number(random, real_type(type)), s = random_number(random, s_type);
            CAPTURE(type, n, inc.x, inc.y, c, s, on_device);
            vector_case x = random_vector(random, type, n, inc.x), y = random_vector(random, type, n, inc.y);
            const device_vector dx(x), dy(y);
            for (std::int64_t i = 0; i < n; ++i) {
                const number xi = x.at(i), yi = y.at(i);
                x.at(i) = rounded(cuda_type(type), c * xi + product(s, yi));
                y.at(i) = rounded(cuda_type(type), c * yi - product(std::conj(s), xi));
            }
            scalar_place c_place(on_device, real_type(type), {c}), s_place(on_device, s_type, {s});
            expect(heron_rot(native(), type, n, dx.data(), inc.x, dy.data(), inc.y, c_place.data(), s_type,
                             s_place.data()));
            const bool meets = inc.x == 0 || inc.y == 0;
            const double bound = bound_of(type, n, meets) * (meets ? static_cast<double>(n) + 1 : 1);
            CHECK(difference(dx.download(), x, bound) == "");
            CHECK(difference(dy.download(), y, bound) == "");
        }
    });
}

TEST_CASE("rotm with every flag") {
    random_source random(18);
    for (const heron_type type : vector_types()) {
        if (is_complex(type)) continue;
        for (const double flag : {-2.0, -1.0, 0.0, 1.0})
            for (const strides& inc : {strides{1, 1}, strides{2, -1}, strides{-1, 3}})
                for (const std::int64_t n : {0, 1, 5, 1000}) {
                    const bool on_device = random.below(2) == 0;
                    CAPTURE(type, flag, inc.x, inc.y, n, on_device);
                    std::vector<number> h(5);
                    for (number& v : h) v = random_number(random, scalar_type(type));
                    // Elements that the flag implies are not read.
                    std::vector<number> given = h;
                    given[0] = flag;
                    if (flag == 0 || flag == -2) given[1] = given[4] = std::nan("");
                    if (flag == 1 || flag == -2) given[2] = given[3] = std::nan("");
                    const number h11 = flag == 0 ? 1 : h[1], h22 = flag == 0 ? 1 : h[4];
                    const number h21 = flag == 1 ? -1 : h[2], h12 = flag == 1 ? 1 : h[3];
                    vector_case x = random_vector(random, type, n, inc.x),
                                y = random_vector(random, type, n, inc.y);
                    const device_vector dx(x), dy(y);
                    for (std::int64_t i = 0; i < n && flag != -2; ++i) {
                        const number xi = x.at(i), yi = y.at(i);
                        x.at(i) = h11 * xi + h12 * yi;
                        y.at(i) = h21 * xi + h22 * yi;
                    }
                    scalar_place place(on_device, scalar_type(type), given);
                    expect(heron_rotm(native(), type, n, dx.data(), inc.x, dy.data(), inc.y, place.data()));
                    CHECK(difference(dx.download(), x, 8 * unit(type)) == "");
                    CHECK(difference(dy.download(), y, 8 * unit(type)) == "");
                }
    }
}
