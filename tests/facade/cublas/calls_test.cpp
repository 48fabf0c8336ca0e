// Calls of cuBLAS's functions on a backend, one or a few of each family, against a naive oracle. What they
// compute in every case is tested with the operations; here the arguments must reach them.
#include "calls_rig.hpp"

using namespace heron::test;

namespace {

constexpr cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
constexpr cublasFillMode_t fills[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
constexpr cublasSideMode_t sides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};

// What every test of one type needs.
template <class F>
struct typed {
    using T = typename F::scalar;
    using R = typename F::real;
    static constexpr cudaDataType type = data_type(static_cast<T*>(nullptr));
    const number alpha = rounded(type, number{0.75, F::is_complex ? -0.5 : 0}),
                 beta = rounded(type, number{-1.25, F::is_complex ? 0.25 : 0});
    const T a = scalar_of<T>(alpha), b = scalar_of<T>(beta), one = scalar_of<T>({1, 0});
    random_source random{7};
    numbers make(int64_t count) { return numbers(type, count, random); }
    // A matrix whose triangles are well conditioned.
    numbers dominant(int64_t n, int64_t ld) {
        std::vector<number> values(static_cast<size_t>(ld * n));
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < ld; ++i)
                values[static_cast<size_t>(i + j * ld)] = {i == j ? 4.0 : random.symmetric_unit(),
                                                           F::is_complex ? random.symmetric_unit() : 0};
        return numbers(type, values);
    }
    // A matrix whose diagonal has NaNs as imaginary parts.
    numbers with_nan_beside_the_diagonal(int64_t n, int64_t ld) {
        std::vector<number> values(static_cast<size_t>(ld * n));
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < ld; ++i)
                values[static_cast<size_t>(i + j * ld)] = {
                    random.symmetric_unit(),
                    i == j ? std::numeric_limits<double>::quiet_NaN() : random.symmetric_unit()};
        return numbers(type, values);
    }
};

}  // namespace

TEST_CASE("level 1: increments, results on the host and on the device") {
    for_each_blas_type([]<class F>(F f) {
        typed<F> t;
        using T = typename F::scalar;
        using R = typename F::real;
        const int n = 37;
        numbers x = t.make(n * 2), y = t.make(n * 3);
        const elements xs = [&](int64_t i, int64_t) { return x[i * 2]; };
        // A negative increment begins at the end.
        const elements ys = [&](int64_t i, int64_t) { return y[(n - 1 - i) * 3]; };
        number expected{}, conjugated{};
        double squares = 0, sum = 0;
        int largest = 0;
        const auto size = [](number v) { return std::fabs(v.real()) + std::fabs(v.imag()); };
        for (int i = 0; i < n; ++i) {
            expected += product(xs(i, 0), ys(i, 0));
            conjugated += product(std::conj(xs(i, 0)), ys(i, 0));
            squares += std::norm(xs(i, 0));
            sum += size(xs(i, 0));
            if (size(xs(i, 0)) > size(xs(largest, 0))) largest = i;
        }
        const double bound = F::is_single ? 1e-5 * n : 1e-14 * n;
        T result;
        R norm;
        int place = -1;
        if constexpr (F::is_complex) {
            expect(f.dotu(cublas(), n, x.as<T>(), 2, y.as<T>(), -3, &result));
            CHECK(absolute(number(result.x, result.y) - expected) < bound);
            expect(f.dotc(cublas(), n, x.as<T>(), 2, y.as<T>(), -3, &result));
            CHECK(absolute(number(result.x, result.y) - conjugated) < bound);
        } else {
            expect(f.dot(cublas(), n, x.as<T>(), 2, y.as<T>(), -3, &result));
            CHECK(absolute(number{result} - expected) < bound);
        }
        expect(f.nrm2(cublas(), n, x.as<T>(), 2, &norm));
        CHECK(std::fabs(norm - std::sqrt(squares)) < bound);
        expect(f.asum(cublas(), n, x.as<T>(), 2, &norm));
        CHECK(std::fabs(norm - sum) < bound);
        expect(f.amax(cublas(), n, x.as<T>(), 2, &place));
        CHECK(place == largest + 1);
        // Nothing where the increment is not positive.
        expect(f.nrm2(cublas(), n, x.as<T>(), -2, &norm));
        CHECK(norm == 0);
        expect(f.amin(cublas(), n, x.as<T>(), 0, &place));
        CHECK(place == 0);
        expect(f.scal(cublas(), n, &t.a, x.as<T>(), -2));

        expect(f.axpy(cublas(), n, &t.a, x.as<T>(), 2, y.as<T>(), -3));
        check_matrix(
            y, 1, n, 3, [&](int64_t, int64_t j) { return product(t.alpha, xs(n - 1 - j, 0)) + y[j * 3]; }, 3);
        expect(f.scal(cublas(), n, &t.a, x.as<T>(), 2));
        check_matrix(
            x, 1, n, 2, [&](int64_t, int64_t j) { return product(t.alpha, x[j * 2]); }, 2);

        device_array<R> on_device(1);
        expect(cublasSetPointerMode_v2(cublas(), CUBLAS_POINTER_MODE_DEVICE));
        expect(f.nrm2(cublas(), n, x.as<T>(), 2, on_device.data()));
        expect(cublasSetPointerMode_v2(cublas(), CUBLAS_POINTER_MODE_HOST));
        CHECK(std::fabs(on_device.download()[0] - std::sqrt(squares) * absolute(t.alpha)) < bound);
    });
}

TEST_CASE("level 2: products, solves and updates") {
    for_each_blas_type([]<class F>(F f) {
        typed<F> t;
        using T = typename F::scalar;
        const int m = 7, n = 5, ld = 9;
        numbers a = t.make(ld * n);
        for (const cublasOperation_t op : operations) {
            const bool turned = op != CUBLAS_OP_N;
            const int rows = turned ? n : m, cols = turned ? m : n;
            numbers x = t.make(cols * 2), y = t.make(rows);
            expect(f.gemv(cublas(), op, m, n, &t.a, a.as<T>(), ld, x.as<T>(), 2, &t.b, y.as<T>(), 1));
            const elements column = [&](int64_t i, int64_t) { return x[i * 2]; };
            check_matrix(
                y, rows, 1, rows,
                [&](int64_t i, int64_t) {
                    return product(t.alpha, dot(operated(full_matrix(a, ld), op), column, i, 0, cols)) +
                           product(t.beta, y[i]);
                },
                10);
        }
        for (const cublasFillMode_t fill : fills) {
            numbers s = t.dominant(n, ld), x = t.make(n), y = t.make(n);
            const elements column = [&](int64_t i, int64_t) { return x[i]; };
            expect(f.symv(cublas(), fill, n, &t.a, s.as<T>(), ld, x.as<T>(), 1, &t.b, y.as<T>(), 1));
            check_matrix(
                y, n, 1, n,
                [&](int64_t i, int64_t) {
                    return product(t.alpha,
                                   dot(symmetric(full_matrix(s, ld), fill, false), column, i, 0, n)) +
                           product(t.beta, y[i]);
                },
                10);
            for (const cublasOperation_t op : operations) {
                const elements triangle =
                    operated(triangular(full_matrix(s, ld), fill, CUBLAS_DIAG_NON_UNIT), op);
                numbers v = t.make(n);
                const elements before = [&](int64_t i, int64_t) { return v[i]; };
                expect(f.trmv(cublas(), fill, op, CUBLAS_DIAG_NON_UNIT, n, s.as<T>(), ld, v.as<T>(), 1));
                check_matrix(
                    v, n, 1, n, [&](int64_t i, int64_t) { return dot(triangle, before, i, 0, n); }, 10);
                expect(f.trsv(cublas(), fill, op, CUBLAS_DIAG_NON_UNIT, n, s.as<T>(), ld, v.as<T>(), 1));
                check_matrix(v, n, 1, n, before, 10);
            }
            if constexpr (F::is_complex) {
                numbers h = t.make(ld * n);
                const typename F::real alpha = 0.5;
                expect(f.her(cublas(), fill, n, &alpha, x.as<T>(), 1, h.as<T>(), ld));
                check_matrix(
                    h, n, n, ld,
                    [&](int64_t i, int64_t j) {
                        const bool stored = fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
                        const number before = i == j ? number{h[i + j * ld].real()} : h[i + j * ld];
                        return stored ? 0.5 * product(x[i], std::conj(x[j])) + before : h[i + j * ld];
                    },
                    5);
            }
        }
        // A band with two diagonals below and one above.
        numbers band = t.make(4 * n), x = t.make(n), y = t.make(m);
        const elements banded = [&](int64_t i, int64_t j) {
            return i - j > 2 || j - i > 1 ? number{} : band[1 + i - j + j * 4];
        };
        const elements column = [&](int64_t i, int64_t) { return x[i]; };
        expect(f.gbmv(cublas(), CUBLAS_OP_N, m, n, 2, 1, &t.a, band.as<T>(), 4, x.as<T>(), 1, &t.b, y.as<T>(),
                      1));
        check_matrix(
            y, m, 1, m,
            [&](int64_t i, int64_t) {
                return product(t.alpha, dot(banded, column, i, 0, n)) + product(t.beta, y[i]);
            },
            10);
    });
}

TEST_CASE("level 3: products") {
    for_each_blas_type([]<class F>(F f) {
        typed<F> t;
        using T = typename F::scalar;
        const int m = 6, n = 4, k = 5, ld = 8;
        for (const cublasOperation_t op_a : operations)
            for (const cublasOperation_t op_b : operations) {
                numbers a = t.make(ld * ld), b = t.make(ld * ld), c = t.make(ld * n);
                expect(f.gemm(cublas(), op_a, op_b, m, n, k, &t.a, a.as<T>(), ld, b.as<T>(), ld, &t.b,
                              c.as<T>(), ld));
                const elements left = operated(full_matrix(a, ld), op_a),
                               right = operated(full_matrix(b, ld), op_b);
                const auto expected = [&](int64_t i, int64_t j) {
                    return product(t.alpha, dot(left, right, i, j, k)) + product(t.beta, c[i + j * ld]);
                };
                check_matrix(c, m, n, ld, expected, 10);
                if constexpr (F::is_complex) {
                    numbers d(F::is_single ? CUDA_C_32F : CUDA_C_64F,
                              std::vector<number>(static_cast<size_t>(ld * n), number{0.5, 1}));
                    expect(f.gemm3m(cublas(), op_a, op_b, m, n, k, &t.a, a.as<T>(), ld, b.as<T>(), ld, &t.b,
                                    d.as<T>(), ld));
                    check_matrix(
                        d, m, n, ld,
                        [&](int64_t i, int64_t j) {
                            return product(t.alpha, dot(left, right, i, j, k)) +
                                   product(t.beta, d[i + j * ld]);
                        },
                        40);
                }
            }
    });
}

TEST_CASE("level 3: updates of one triangle") {
    for_each_blas_type([]<class F>(F f) {
        typed<F> t;
        using T = typename F::scalar;
        using R = typename F::real;
        const int n = 5, k = 3, ld = 7;
        for (const cublasFillMode_t fill : fills)
            for (const bool turned : {false, true}) {
                numbers a = t.make(ld * ld), b = t.make(ld * ld), c = t.make(ld * n), d = t.make(ld * n);
                const cublasOperation_t op = turned ? CUBLAS_OP_T : CUBLAS_OP_N,
                                        other = turned ? CUBLAS_OP_N : CUBLAS_OP_T;
                const auto stored = [&](int64_t i, int64_t j) {
                    return fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
                };
                const elements left = operated(full_matrix(a, ld), op);
                expect(f.syrk(cublas(), fill, op, n, k, &t.a, a.as<T>(), ld, &t.b, c.as<T>(), ld));
                check_matrix(
                    c, n, n, ld,
                    [&](int64_t i, int64_t j) {
                        const number sum =
                            product(t.alpha, dot(left, operated(full_matrix(a, ld), other), i, j, k)) +
                            product(t.beta, c[i + j * ld]);
                        return stored(i, j) ? sum : c[i + j * ld];
                    },
                    10);
                expect(f.syrkx(cublas(), fill, op, n, k, &t.a, a.as<T>(), ld, b.as<T>(), ld, &t.b, d.as<T>(),
                               ld));
                check_matrix(
                    d, n, n, ld,
                    [&](int64_t i, int64_t j) {
                        const number sum =
                            product(t.alpha, dot(left, operated(full_matrix(b, ld), other), i, j, k)) +
                            product(t.beta, d[i + j * ld]);
                        return stored(i, j) ? sum : d[i + j * ld];
                    },
                    10);
                if constexpr (F::is_complex) {
                    const cublasOperation_t op_c = turned ? CUBLAS_OP_C : CUBLAS_OP_N,
                                            other_c = turned ? CUBLAS_OP_N : CUBLAS_OP_C;
                    const R beta = R(-0.5);
                    numbers h = t.with_nan_beside_the_diagonal(n, ld);
                    numbers g(t.type, h.now());
                    // The imaginary parts of the diagonal are not read, and become 0.
                    const elements product_c = [&](int64_t i, int64_t j) {
                        const number sum =
                            product(t.alpha, dot(operated(full_matrix(a, ld), op_c),
                                                 operated(full_matrix(b, ld), other_c), i, j, k));
                        const number old = h[i + j * ld];
                        return i == j ? number{sum.real() - 0.5 * old.real(), 0} : sum - 0.5 * old;
                    };
                    const elements expected = [&](int64_t i, int64_t j) {
                        return stored(i, j) ? product_c(i, j) : h[i + j * ld];
                    };
                    expect(f.herkx(cublas(), fill, op_c, n, k, &t.a, a.as<T>(), ld, b.as<T>(), ld, &beta,
                                   h.as<T>(), ld));
                    check_matrix(h, n, n, ld, expected, 10);
                    device_array<T> alpha(std::vector<T>{t.a});
                    device_array<R> real_beta(std::vector<R>{beta});
                    expect(cublasSetPointerMode_v2(cublas(), CUBLAS_POINTER_MODE_DEVICE));
                    expect(f.herkx(cublas(), fill, op_c, n, k, alpha.data(), a.as<T>(), ld, b.as<T>(), ld,
                                   real_beta.data(), g.as<T>(), ld));
                    expect(cublasSetPointerMode_v2(cublas(), CUBLAS_POINTER_MODE_HOST));
                    check_matrix(g, n, n, ld, expected, 10);
                }
            }
    });
}

TEST_CASE("level 3: triangular products into another matrix, solves, symmetric products") {
    for_each_blas_type([]<class F>(F f) {
        typed<F> t;
        using T = typename F::scalar;
        const int m = 6, n = 4, ld = 7;
        for (const cublasSideMode_t side : sides)
            for (const cublasFillMode_t fill : fills)
                for (const cublasOperation_t op : operations) {
                    const bool left = side == CUBLAS_SIDE_LEFT;
                    const int order = left ? m : n;
                    numbers a = t.dominant(order, ld), b = t.make(ld * n), c = t.make(ld * n);
                    const elements triangle =
                        operated(triangular(full_matrix(a, ld), fill, CUBLAS_DIAG_NON_UNIT), op);
                    const elements full_b = full_matrix(b, ld);
                    const elements expected = [&](int64_t i, int64_t j) {
                        return product(
                            t.alpha, left ? dot(triangle, full_b, i, j, m) : dot(full_b, triangle, i, j, n));
                    };
                    expect(f.trmm(cublas(), side, fill, op, CUBLAS_DIAG_NON_UNIT, m, n, &t.a, a.as<T>(), ld,
                                  b.as<T>(), ld, c.as<T>(), ld));
                    check_matrix(c, m, n, ld, expected, 20);
                    check_matrix(b, 0, 0, ld, full_b, 0);
                    // op(A)*X = alpha*B, and back in place.
                    expect(f.trsm(cublas(), side, fill, op, CUBLAS_DIAG_NON_UNIT, m, n, &t.a, a.as<T>(), ld,
                                  b.as<T>(), ld));
                    expect(f.trmm(cublas(), side, fill, op, CUBLAS_DIAG_NON_UNIT, m, n, &t.one, a.as<T>(), ld,
                                  b.as<T>(), ld, b.as<T>(), ld));
                    check_matrix(
                        b, m, n, ld, [&](int64_t i, int64_t j) { return product(t.alpha, b[i + j * ld]); },
                        20);
                }
        numbers s = t.make(ld * m), b = t.make(ld * n), c = t.make(ld * n);
        expect(f.symm(cublas(), CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, m, n, &t.a, s.as<T>(), ld,
                      b.as<T>(), ld, &t.b, c.as<T>(), ld));
        check_matrix(
            c, m, n, ld,
            [&](int64_t i, int64_t j) {
                return product(t.alpha, dot(symmetric(full_matrix(s, ld), CUBLAS_FILL_MODE_UPPER, false),
                                            full_matrix(b, ld), i, j, m)) +
                       product(t.beta, c[i + j * ld]);
            },
            10);
    });
}

TEST_CASE("sums of matrices, products with a diagonal, packed triangles") {
    for_each_blas_type([]<class F>(F f) {
        typed<F> t;
        using T = typename F::scalar;
        const int m = 6, n = 4, ld = 7;
        numbers a = t.make(ld * ld), b = t.make(ld * ld), c = t.make(ld * n), d = t.make(ld * n),
                x = t.make(2 * n);
        expect(f.geam(cublas(), CUBLAS_OP_C, CUBLAS_OP_N, m, n, &t.a, a.as<T>(), ld, &t.b, b.as<T>(), ld,
                      c.as<T>(), ld));
        check_matrix(
            c, m, n, ld,
            [&](int64_t i, int64_t j) {
                return product(t.alpha, std::conj(a[j + i * ld])) + product(t.beta, b[i + j * ld]);
            },
            4);
        expect(f.dgmm(cublas(), CUBLAS_SIDE_RIGHT, m, n, a.as<T>(), ld, x.as<T>(), 2, d.as<T>(), ld));
        check_matrix(
            d, m, n, ld, [&](int64_t i, int64_t j) { return product(a[i + j * ld], x[2 * j]); }, 4);
    });
    random_source random(3);
    numbers a(CUDA_R_64F, 25, random), packed(CUDA_R_64F, 15, random);
    expect(cublasDtrttp(cublas(), CUBLAS_FILL_MODE_LOWER, 5, a.as<double>(), 5, packed.as<double>()));
    const std::vector<number> stored = packed.now();
    size_t k = 0;
    for (int64_t j = 0; j < 5; ++j)
        for (int64_t i = j; i < 5; ++i) CHECK(stored[k++] == a[i + j * 5]);
    expect(cublasDtpttr(cublas(), CUBLAS_FILL_MODE_UPPER, 5, packed.as<double>(), a.as<double>(), 5));
    const std::vector<number> full = a.now();
    k = 0;
    for (int64_t j = 0; j < 5; ++j)
        for (int64_t i = 0; i <= j; ++i) CHECK(full[static_cast<size_t>(i + j * 5)] == stored[k++]);
}
