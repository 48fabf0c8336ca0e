// The results of the level 1 functions of both generations against plain loops in double precision, with
// every sign of the increments, and everything around the vectors and results unchanged.
#include "typed_rig.hpp"
#include <array>

using namespace heron::test::cl;

namespace {

// Calls f(x, y) with the layouts of two vectors.
template <class F>
void for_each_layout(F&& f) {
    for (const std::size_t n : {1u, 6u, 37u})
        for (const int incx : {1, 2, -1, -3})
            for (const int incy : {1, -2}) {
                CAPTURE(n, incx, incy);
                f(strided{n, 3, incx}, strided{n, 5, incy});
            }
}

}  // namespace

TEST_CASE("copy, swap and axpy") {
    device_side side;
    for_each_type([&](auto f) {
        using number = typename decltype(f)::number;
        numbers random;
        for_each_layout([&](const strided& x, const strided& y) {
            const auto before_x = random(f, x.size()), before_y = random(f, y.size());
            const value alpha = random(f, 1)[0];
            expectation copied(before_y), swapped_x(before_x), swapped_y(before_y), added(before_y);
            for (std::size_t i = 0; i < x.n; ++i) {
                const value xi = before_x[x.at(i)], yi = before_y[y.at(i)];
                copied.set(y.at(i), xi, 0);
                swapped_x.set(x.at(i), yi, 0);
                swapped_y.set(y.at(i), xi, 0);
                added.set(y.at(i), alpha * xi + yi,
                          4 * epsilon<decltype(f)> * (std::abs(alpha * xi) + std::abs(yi)));
            }
            const owned_buffer dx = side.put<number>(before_x);
            const auto new_y = [&] { return side.put<number>(before_y); };
            const owned_buffer y1 = new_y(), y2 = new_y(), y3 = new_y();
            side.run(f.copy, x.n, dx.get(), x.offset, x.inc, y1.get(), y.offset, y.inc);
            side.run(f.axpy, x.n, alpha, dx.get(), x.offset, x.inc, y2.get(), y.offset, y.inc);
            expectation(before_x).check(side.get<number>(dx.get(), x.size()));
            copied.check(side.get<number>(y1.get(), y.size()));
            added.check(side.get<number>(y2.get(), y.size()));
            side.run(f.swap, x.n, dx.get(), x.offset, x.inc, y3.get(), y.offset, y.inc);
            swapped_x.check(side.get<number>(dx.get(), x.size()));
            swapped_y.check(side.get<number>(y3.get(), y.size()));
        });
    });
}

TEST_CASE("scal by numbers of either kind") {
    device_side side;
    for_each_type([&](auto f) {
        using F = decltype(f);
        using number = typename F::number;
        numbers random;
        for (const int inc : {1, 3, -2}) {
            CAPTURE(inc);
            const strided x{29, 3, inc};
            const auto before = random(f, x.size());
            const value alpha = random(f, 1)[0];
            const auto check = [&](value factor, auto function, auto argument) {
                expectation scaled(before);
                // As in reference BLAS a negative increment changes nothing.
                for (std::size_t i = 0; inc > 0 && i < x.n; ++i) {
                    const value product = factor * before[x.at(i)];
                    scaled.set(x.at(i), product, 4 * epsilon<F> * std::abs(product));
                }
                const owned_buffer dx = side.put<number>(before);
                side.run(function, x.n, argument, dx.get(), x.offset, x.inc);
                scaled.check(side.get<number>(dx.get(), x.size()));
            };
            check(alpha, f.scal, alpha);
            if constexpr (F::is_complex) check(0.75, f.real_scal, 0.75);
        }
    });
}

TEST_CASE("dot products") {
    device_side side;
    for_each_type([&](auto f) {
        using F = decltype(f);
        using number = typename F::number;
        numbers random;
        const auto check = [&](const strided& x, const strided& y) {
            const auto vx = random(f, x.size()), vy = random(f, y.size()), around = random(f, 5);
            const owned_buffer dx = side.put<number>(vx), dy = side.put<number>(vy);
            const auto compare = [&](auto function, bool conjugate) {
                value sum = 0;
                double size = 0;
                for (std::size_t i = 0; i < x.n; ++i) {
                    const value xi = vx[x.at(i)], yi = vy[y.at(i)];
                    sum += (conjugate ? std::conj(xi) : xi) * yi;
                    size += std::abs(xi) * std::abs(yi);
                }
                expectation expected(around);
                expected.set(2, sum, epsilon<F> * static_cast<double>(x.n + 4) * size);
                const owned_buffer result = side.put<number>(around);
                side.run(function, x.n, result.get(), 2, dx.get(), x.offset, x.inc, dy.get(), y.offset, y.inc,
                         nullptr);
                expected.check(side.get<number>(result.get(), 5));
            };
            compare(f.dot, false);
            if constexpr (F::is_complex) compare(f.dotc, true);
        };
        for_each_layout(check);
        check({20000, 3, 1}, {20000, 5, 2});
    });
}

TEST_CASE("norms and sums") {
    device_side side;
    for_each_type([&](auto f) {
        using F = decltype(f);
        using number = typename F::number;
        using real = typename F::real;
        numbers random;
        const std::vector<value> around{1, 2, 3, 4, 5};
        for (const double scale :
             {1.0, sizeof(real) == 4 ? 0x1p90 : 0x1p900, sizeof(real) == 4 ? 0x1p-90 : 0x1p-900})
            for (const strided& x :
                 {strided{1, 3, 1}, strided{37, 3, 2}, strided{20000, 1, 1}, strided{37, 3, -2}}) {
                CAPTURE(scale, x.n, x.inc);
                auto v = random(f, x.size());
                double squares = 0, sum = 0;
                for (std::size_t i = 0; x.inc > 0 && i < x.n; ++i) {
                    const value xi = v[x.at(i)];
                    squares += std::norm(xi);
                    sum += std::abs(xi.real()) + std::abs(xi.imag());
                }
                for (value& xi : v) xi *= scale;
                const owned_buffer dx = side.put<number>(v);
                const auto compare = [&](auto function, double result) {
                    expectation expected(around);
                    expected.set(3, result, epsilon<F> * static_cast<double>(x.n + 4) * std::abs(result));
                    const owned_buffer memory = side.put<real>(around);
                    side.run(function, x.n, memory.get(), 3, dx.get(), x.offset, x.inc, nullptr);
                    expected.check(side.get<real>(memory.get(), 5));
                };
                compare(f.nrm2, scale * std::sqrt(squares));
                compare(f.asum, scale * sum);
            }
    });
}

TEST_CASE("the first of the largest elements") {
    device_side side;
    for_each_type([&](auto f) {
        using F = decltype(f);
        numbers random;
        for (const strided& x :
             {strided{1, 3, 1}, strided{50, 3, 2}, strided{20000, 1, 1}, strided{50, 3, -1}}) {
            CAPTURE(x.n, x.inc);
            auto v = random(f, x.size());
            const std::size_t first = x.n / 3;
            const value largest = F::is_complex ? value(-0.75, 0.5) : value(-1.25, 0);
            v[x.at(first)] = largest;
            v[x.at(x.n - 1)] = -largest;
            const owned_buffer dx = side.put<typename F::number>(v);
            const std::vector<cl_uint> around{90, 91, 92, 93};
            const owned_buffer memory = upload(side.context(), around);
            side.run(f.iamax, x.n, memory.get(), 2, dx.get(), x.offset, x.inc, nullptr);
            const auto got = download<cl_uint>(side.queue(), memory.get(), 4);
            const auto expected = static_cast<cl_uint>(x.inc > 0 ? first + 1 : 0);
            CHECK(got == std::vector<cl_uint>{90, 91, expected, 93});
        }
    });
}

TEST_CASE("plane rotations of vectors") {
    device_side side;
    for_each_type([&](auto f) {
        using F = decltype(f);
        using number = typename F::number;
        numbers random;
        for_each_layout([&](const strided& x, const strided& y) {
            const auto vx = random(f, x.size()), vy = random(f, y.size());
            expectation ex(vx), ey(vy);
            for (std::size_t i = 0; i < x.n; ++i) {
                const value xi = vx[x.at(i)], yi = vy[y.at(i)];
                const double size = 4 * epsilon<F> * (std::abs(xi) + std::abs(yi));
                ex.set(x.at(i), 0.625 * xi - 0.375 * yi, size);
                ey.set(y.at(i), 0.625 * yi + 0.375 * xi, size);
            }
            const owned_buffer dx = side.put<number>(vx), dy = side.put<number>(vy);
            side.run(f.rot, x.n, dx.get(), x.offset, x.inc, dy.get(), y.offset, y.inc, 0.625, -0.375);
            ex.check(side.get<number>(dx.get(), x.size()));
            ey.check(side.get<number>(dy.get(), y.size()));
        });
    });
}

TEST_CASE("a rotation from numbers in buffers") {
    device_side side;
    for_each_type([&](auto f) {
        using F = decltype(f);
        using number = typename F::number;
        using real = typename F::real;
        const std::vector<std::pair<value, value>> cases =
            F::is_complex
                ? std::vector<std::pair<value, value>>{{{3, -1}, {4, 2}}, {{0, 0}, {1, 2}}, {{2, 1}, {0, 0}}}
                : std::vector<std::pair<value, value>>{{3, 4}, {-4, 3}, {0, 2}, {2, 0}, {0, 0}, {5, -5}};
        for (const auto& [a, b] : cases) {
            CAPTURE(a, b);
            const owned_buffer da = side.put<number>({9, a, 9}), db = side.put<number>({8, 8, b, 8}),
                               dc = side.put<real>({7, 7, 7, 7, 7}), ds = side.put<number>({6, 6});
            side.run(f.rotg, da.get(), 1, db.get(), 2, dc.get(), 3, ds.get(), 1);
            const auto ra = side.get<number>(da.get(), 3), rb = side.get<number>(db.get(), 4),
                       rc = side.get<real>(dc.get(), 5), rs = side.get<number>(ds.get(), 2);
            const value r = ra[1], s = rs[1];
            const double c = rc[3].real(), tolerance = 8 * epsilon<F> * (std::abs(a) + std::abs(b) + 1);
            CHECK(std::abs(c * a + s * b - r) <= tolerance);
            CHECK(std::abs(c * b - std::conj(s) * a) <= tolerance);
            CHECK(std::abs(c * c + std::norm(s) - 1) <= tolerance);
            // What BLAS keeps of the rotation in b; complex ones leave it.
            const value z = F::is_complex               ? b
                            : std::abs(a) > std::abs(b) ? s
                            : c != 0                    ? value(1 / c)
                            : a == 0.0 && b == 0.0      ? value(0)
                                                        : value(1);
            if (F::is_complex || a != 0.0 || b != 0.0)
                CHECK(std::abs(rb[2] - z) <= tolerance * (1 + std::abs(z)));
            CHECK((ra[0] == 9.0 && ra[2] == 9.0 && rb[0] == 8.0 && rb[1] == 8.0 && rb[3] == 8.0));
            CHECK((rc[2] == 7.0 && rc[4] == 7.0 && rs[0] == 6.0));
        }
    });
}

TEST_CASE("modified rotations") {
    device_side side;
    for_each_type([&](auto f) {
        using F = decltype(f);
        if constexpr (!F::is_complex) {
            using real = typename F::real;
            for (const auto& [d1, d2, x1, y1] :
                 {std::array{2.0, 3.0, 1.5, 0.25}, std::array{0.5, 3.0, 0.25, 2.0},
                  std::array{1e12, 1.0, 1.0, 1e-3}}) {
                CAPTURE(d1, d2, x1, y1);
                const owned_buffer b1 = side.put<real>({9, d1}), b2 = side.put<real>({d2}),
                                   bx = side.put<real>({9, 9, x1}), by = side.put<real>({y1}),
                                   bp = side.put<real>({7, 7, 7, 7, 7, 7, 7});
                side.run(f.rotmg, b1.get(), 1, b2.get(), 0, bx.get(), 2, by.get(), 0, bp.get(), 1);
                const double n1 = side.get<real>(b1.get(), 2)[1].real(),
                             nx = side.get<real>(bx.get(), 3)[2].real();
                const auto p = side.get<real>(bp.get(), 7);
                CHECK((p[0] == 7.0 && p[6] == 7.0));
                const double flag = p[1].real();
                const double h11 = flag == 1 || flag == -1 ? p[2].real() : 1,
                             h22 = flag == 1 || flag == -1 ? p[5].real() : 1,
                             h21 = flag == 1 ? -1 : p[3].real(), h12 = flag == 1 ? 1 : p[4].real();
                // H annihilates the second component and keeps the weighted norm.
                CHECK(std::abs(h21 * x1 + h22 * y1) <=
                      16 * epsilon<F> * (std::abs(h21 * x1) + std::abs(h22 * y1)));
                CHECK(std::abs(h11 * x1 + h12 * y1 - nx) <=
                      16 * epsilon<F> * (std::abs(h11 * x1) + std::abs(h12 * y1)));
                CHECK(std::abs(n1 * nx * nx - d1 * x1 * x1 - d2 * y1 * y1) <=
                      64 * epsilon<F> * (d1 * x1 * x1 + d2 * y1 * y1));
            }
            numbers random;
            for (const double flag : {-2.0, -1.0, 0.0, 1.0})
                for_each_layout([&](const strided& x, const strided& y) {
                    CAPTURE(flag);
                    const auto vx = random(f, x.size()), vy = random(f, y.size());
                    const double h[] = {0.5, -0.25, 0.75, 1.5};
                    const double h11 = flag == 0 || flag == -2 ? 1 : h[0],
                                 h22 = flag == 0 || flag == -2 ? 1 : h[3];
                    const double h21 = flag == 1    ? -1
                                       : flag == -2 ? 0
                                                    : h[1],
                                 h12 = flag == 1    ? 1
                                       : flag == -2 ? 0
                                                    : h[2];
                    expectation ex(vx), ey(vy);
                    for (std::size_t i = 0; i < x.n; ++i) {
                        const value xi = vx[x.at(i)], yi = vy[y.at(i)];
                        const double size = 8 * epsilon<F> * (std::abs(xi) + std::abs(yi));
                        ex.set(x.at(i), h11 * xi + h12 * yi, size);
                        ey.set(y.at(i), h21 * xi + h22 * yi, size);
                    }
                    const owned_buffer dx = side.put<real>(vx), dy = side.put<real>(vy),
                                       dp = side.put<real>({9, flag, h[0], h[1], h[2], h[3]});
                    side.run(f.rotm, x.n, dx.get(), x.offset, x.inc, dy.get(), y.offset, y.inc, dp.get(), 1);
                    ex.check(side.get<real>(dx.get(), x.size()));
                    ey.check(side.get<real>(dy.get(), y.size()));
                });
        }
    });
}
