// The results of the level 2 functions of both generations against plain sums in double precision: every
// storage, order, operation and triangle, NaN in what must not be read, and everything around the results
// unchanged.
#include "typed_rig.hpp"
#include <limits>

using namespace heron::test::cl;

namespace {

constexpr double not_read = std::numeric_limits<double>::quiet_NaN();
enum class kind { full, banded, packed };
constexpr int orders[] = {clblasRowMajor, clblasColumnMajor};

// Where the elements of a matrix with kl diagonals below the main one and ku above it are. uplo: of a
// triangle.
struct storage {
    kind how;
    int order;
    std::size_t rows, columns, kl, ku, offset, ld;
    int uplo = clblasLower;

    bool holds(std::size_t i, std::size_t j) const { return j <= i + ku && i <= j + kl; }

    std::size_t at(std::size_t i, std::size_t j) const {
        const bool by_rows = order == clblasRowMajor;
        const std::size_t line = by_rows ? i : j, within = by_rows ? j : i;
        if (how == kind::full) return offset + line * ld + within;
        if (how == kind::banded) return offset + line * ld + (by_rows ? kl : ku) + within - line;
        const bool grows = (uplo == clblasUpper) != by_rows;
        return offset + within + (grows ? line * (line + 1) / 2 : line * (2 * rows - line - 1) / 2);
    }

    std::size_t size() const {
        if (how == kind::packed) return offset + rows * (rows + 1) / 2 + 3;
        return offset + ld * (order == clblasRowMajor ? rows : columns) + 3;
    }
};

storage general(int order, std::size_t m, std::size_t n) {
    return {kind::full, order, m, n, m, n, 7, (order == clblasRowMajor ? n : m) + 2};
}

storage band(int order, std::size_t m, std::size_t n, std::size_t kl, std::size_t ku) {
    return {kind::banded, order, m, n, kl, ku, 7, kl + ku + 2};
}

storage triangle(kind how, int order, int uplo, std::size_t n) {
    const std::size_t beside = how == kind::banded ? 2 : n;
    storage s{how, order, n,   n, uplo == clblasLower ? beside : 0, uplo == clblasLower ? 0 : beside,
              7,   n + 2, uplo};
    if (how == kind::banded) s.ld = beside + 3;
    return s;
}

// A matrix with random elements where it has some, and what its memory holds: NaN everywhere else.
struct matrix {
    template <class F>
    matrix(F f, numbers& random, const storage& s) : where(s), memory(s.size(), not_read) {
        const auto values = random(f, s.rows * s.columns);
        for (std::size_t i = 0; i < s.rows; ++i)
            for (std::size_t j = 0; j < s.columns; ++j)
                if (s.holds(i, j)) memory[s.at(i, j)] = values[i * s.columns + j];
    }

    value operator()(std::size_t i, std::size_t j) const {
        return where.holds(i, j) ? memory[where.at(i, j)] : 0;
    }

    storage where;
    std::vector<value> memory;
};

// op(A) of the elements that element(i, j) gives.
template <class Element>
value operated(int trans, std::size_t i, std::size_t j, Element&& element) {
    if (trans == clblasNoTrans) return element(i, j);
    return trans == clblasTrans ? element(j, i) : std::conj(element(j, i));
}

// y := alpha*A*x + beta*y, with the bound of its rounding.
template <class F, class Element>
expectation product(F, const strided& x, const std::vector<value>& vx, const strided& y,
                    const std::vector<value>& vy, value alpha, value beta, Element&& element) {
    expectation expected(vy);
    for (std::size_t i = 0; i < y.n; ++i) {
        const value old = beta == 0.0 ? 0 : beta * vy[y.at(i)];
        value sum = old;
        double size = std::abs(old);
        for (std::size_t j = 0; j < x.n; ++j) {
            const value term = alpha * element(i, j) * vx[x.at(j)];
            sum += term;
            size += std::abs(term);
        }
        expected.set(y.at(i), sum, epsilon<F> * static_cast<double>(x.n + 8) * size);
    }
    return expected;
}

// Increments of two vectors.
constexpr std::pair<int, int> increments[] = {{1, 1}, {2, -1}, {-1, 3}};

void poison(std::vector<value>& v, const strided& y) {
    for (std::size_t i = 0; i < y.n; ++i) v[y.at(i)] = not_read;
}

template <class F>
value random_scalar(numbers& random, F f) {
    return random(f, 1)[0];
}

}  // namespace

TEST_CASE("products with general and banded matrices") {
    device_side side;
    for_each_type([&](auto f) {
        using number = typename decltype(f)::number;
        numbers random;
        const auto check = [&](const storage& s, int trans, std::pair<int, int> inc, bool has_beta,
                               auto&& call) {
            const matrix a(f, random, s);
            const bool turned = trans != clblasNoTrans;
            const strided x{turned ? s.rows : s.columns, 3, inc.first},
                y{turned ? s.columns : s.rows, 5, inc.second};
            const auto vx = random(f, x.size());
            auto vy = random(f, y.size());
            const value alpha = random_scalar(random, f), beta = has_beta ? random_scalar(random, f) : 0;
            if (!has_beta) poison(vy, y);
            const expectation expected =
                product(f, x, vx, y, vy, alpha, beta,
                        [&](std::size_t i, std::size_t j) { return operated(trans, i, j, a); });
            const owned_buffer da = side.put<number>(a.memory), dx = side.put<number>(vx),
                               dy = side.put<number>(vy);
            call(alpha, beta, da.get(), x, dx.get(), y, dy.get());
            expected.check(side.get<number>(dy.get(), y.size()));
        };
        for (const int order : orders)
            for (const int trans : {clblasNoTrans, clblasTrans, clblasConjTrans})
                for (const auto& inc : increments)
                    for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{1, 1}, {9, 6}, {5, 33}}) {
                        CAPTURE(order, trans, inc.first, inc.second, m, n);
                        const storage full = general(order, m, n), banded = band(order, m, n, 2, 1);
                        check(full, trans, inc, inc.first == 1,
                              [&](value alpha, value beta, cl_mem a, const strided& x, cl_mem dx,
                                  const strided& y, cl_mem dy) {
                                  side.run(f.gemv, order, trans, m, n, alpha, a, full.offset, full.ld, dx,
                                           x.offset, x.inc, beta, dy, y.offset, y.inc);
                              });
                        check(banded, trans, inc, inc.first != 1,
                              [&](value alpha, value beta, cl_mem a, const strided& x, cl_mem dx,
                                  const strided& y, cl_mem dy) {
                                  side.run(f.gbmv, order, trans, m, n, 2, 1, alpha, a, banded.offset,
                                           banded.ld, dx, x.offset, x.inc, beta, dy, y.offset, y.inc);
                              });
                    }
    });
}

TEST_CASE("products with symmetric and Hermitian matrices") {
    device_side side;
    for_each_type([&](auto f) {
        using F = decltype(f);
        using number = typename F::number;
        numbers random;
        for (const kind how : {kind::full, kind::banded, kind::packed})
            for (const int order : orders)
                for (const int uplo : {clblasUpper, clblasLower})
                    for (const auto& inc : increments)
                        for (const std::size_t n : {1u, 8u, 21u}) {
                            CAPTURE(static_cast<int>(how), order, uplo, inc.first, inc.second, n);
                            const storage s = triangle(how, order, uplo, n);
                            matrix a(f, random, s);
                            // Of a Hermitian diagonal the imaginary parts are not read.
                            for (std::size_t i = 0; F::is_complex && i < n; ++i)
                                a.memory[s.at(i, i)].imag(not_read);
                            const auto element = [&](std::size_t i, std::size_t j) -> value {
                                if (i == j) return a(i, i).real();
                                if (s.holds(i, j)) return a(i, j);
                                return F::is_complex ? std::conj(a(j, i)) : a(j, i);
                            };
                            const strided x{n, 3, inc.first}, y{n, 5, inc.second};
                            const auto vx = random(f, x.size());
                            auto vy = random(f, y.size());
                            const bool has_beta = inc.first == 1;
                            const value alpha = random_scalar(random, f),
                                        beta = has_beta ? random_scalar(random, f) : 0;
                            if (!has_beta) poison(vy, y);
                            const expectation expected = product(f, x, vx, y, vy, alpha, beta, element);
                            const owned_buffer da = side.put<number>(a.memory), dx = side.put<number>(vx),
                                               dy = side.put<number>(vy);
                            if (how == kind::full)
                                side.run(f.symv, order, uplo, n, alpha, da.get(), s.offset, s.ld, dx.get(),
                                         x.offset, x.inc, beta, dy.get(), y.offset, y.inc);
                            else if (how == kind::packed)
                                side.run(f.spmv, order, uplo, n, alpha, da.get(), s.offset, dx.get(),
                                         x.offset, x.inc, beta, dy.get(), y.offset, y.inc);
                            else
                                side.run(f.sbmv, order, uplo, n, 2, alpha, da.get(), s.offset, s.ld, dx.get(),
                                         x.offset, x.inc, beta, dy.get(), y.offset, y.inc);
                            expected.check(side.get<number>(dy.get(), y.size()));
                        }
    });
}

TEST_CASE("products with triangular matrices, and their solutions") {
    device_side side;
    for_each_type([&](auto f) {
        using F = decltype(f);
        using number = typename F::number;
        numbers random;
        const auto check = [&](kind how, int order, int uplo, int trans, int diag, int inc, std::size_t n) {
            const storage s = triangle(how, order, uplo, n);
            matrix a(f, random, s);
            for (std::size_t i = 0; i < n; ++i) {
                // So that solutions stay small; a unit diagonal is not read.
                for (std::size_t j = 0; j < n; ++j)
                    if (i != j && s.holds(i, j)) a.memory[s.at(i, j)] *= 0.25;
                a.memory[s.at(i, i)] = diag == clblasUnit ? not_read : a(i, i) + 2.0;
            }
            const auto element = [&](std::size_t i, std::size_t j) {
                return operated(trans, i, j, [&](std::size_t row, std::size_t column) -> value {
                    return row == column && diag == clblasUnit ? 1 : a(row, column);
                });
            };
            const strided x{n, 3, inc};
            const auto vx = random(f, x.size());
            const owned_buffer da = side.put<number>(a.memory);
            const auto run = [&](auto full, auto packed, auto banded, cl_mem dx, auto... scratch) {
                if (how == kind::full)
                    side.run(full, order, uplo, trans, diag, n, da.get(), s.offset, s.ld, dx, x.offset, x.inc,
                             scratch...);
                else if (how == kind::packed)
                    side.run(packed, order, uplo, trans, diag, n, da.get(), s.offset, dx, x.offset, x.inc,
                             scratch...);
                else
                    side.run(banded, order, uplo, trans, diag, n, 2, da.get(), s.offset, s.ld, dx, x.offset,
                             x.inc, scratch...);
            };
            const owned_buffer dx = side.put<number>(vx);
            run(f.trmv, f.tpmv, f.tbmv, dx.get(), nullptr);
            product(f, x, vx, x, vx, 1, 0, element).check(side.get<number>(dx.get(), x.size()));

            const owned_buffer db = side.put<number>(vx);
            run(f.trsv, f.tpsv, f.tbsv, db.get());
            const auto solution = side.get<number>(db.get(), x.size());
            // op(A)*solution is the right-hand side, up to rounding; around it nothing changed.
            auto around = vx;
            for (std::size_t i = 0; i < n; ++i) around[x.at(i)] = solution[x.at(i)];
            expectation(around).check(solution);
            product(f, x, solution, x, vx, 1, 0, element).check(vx);
        };
        for (const kind how : {kind::full, kind::banded, kind::packed})
            for (const int order : orders)
                for (const int uplo : {clblasUpper, clblasLower})
                    for (const int trans : {clblasNoTrans, clblasTrans, clblasConjTrans})
                        for (const int diag : {clblasUnit, clblasNonUnit}) {
                            CAPTURE(static_cast<int>(how), order, uplo, trans, diag);
                            check(how, order, uplo, trans, diag, 1, 8);
                            check(how, order, uplo, trans, diag, -2, 19);
                        }
        check(kind::full, clblasColumnMajor, clblasLower, clblasNoTrans, clblasNonUnit, 1, 1);
        if constexpr (!F::is_amd)
            check(kind::full, clblasRowMajor, clblasUpper, clblasTrans, clblasNonUnit, 3, 130);
    });
}

TEST_CASE("updates of general matrices") {
    device_side side;
    for_each_type([&](auto f) {
        using F = decltype(f);
        using number = typename F::number;
        numbers random;
        const auto check = [&](int order, std::pair<int, int> inc, std::size_t m, std::size_t n,
                               bool conjugate, auto function) {
            const storage s = general(order, m, n);
            const matrix a(f, random, s);
            const strided x{m, 3, inc.first}, y{n, 5, inc.second};
            const auto vx = random(f, x.size()), vy = random(f, y.size());
            const value alpha = random_scalar(random, f);
            expectation expected(a.memory);
            for (std::size_t i = 0; i < m; ++i)
                for (std::size_t j = 0; j < n; ++j) {
                    const value yj = vy[y.at(j)];
                    const value term = alpha * vx[x.at(i)] * (conjugate ? std::conj(yj) : yj);
                    expected.set(s.at(i, j), a(i, j) + term,
                                 8 * epsilon<F> * (std::abs(a(i, j)) + std::abs(term)));
                }
            const owned_buffer da = side.put<number>(a.memory), dx = side.put<number>(vx),
                               dy = side.put<number>(vy);
            side.run(function, order, m, n, alpha, dx.get(), x.offset, x.inc, dy.get(), y.offset, y.inc,
                     da.get(), s.offset, s.ld);
            expected.check(side.get<number>(da.get(), s.size()));
        };
        for (const int order : orders)
            for (const auto& inc : increments)
                for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{1, 1}, {9, 6}, {5, 33}}) {
                    CAPTURE(order, inc.first, inc.second, m, n);
                    check(order, inc, m, n, false, f.ger);
                    if constexpr (F::is_complex) check(order, inc, m, n, true, f.gerc);
                }
    });
}

TEST_CASE("updates of symmetric and Hermitian matrices") {
    device_side side;
    for_each_type([&](auto f) {
        using F = decltype(f);
        using number = typename F::number;
        numbers random;
        const auto conj = [](value v) { return F::is_complex ? std::conj(v) : v; };
        const auto check = [&](kind how, int order, int uplo, std::pair<int, int> inc, std::size_t n,
                               bool two) {
            const storage s = triangle(how, order, uplo, n);
            matrix a(f, random, s);
            const strided x{n, 3, inc.first}, y{n, 5, inc.second};
            const auto vx = random(f, x.size()), vy = random(f, y.size());
            const value alpha = two ? random_scalar(random, f) : value(0.75);
            expectation expected(a.memory);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j) {
                    if (!s.holds(i, j)) continue;
                    const value first = alpha * vx[x.at(i)] * conj(two ? vy[y.at(j)] : vx[x.at(j)]);
                    const value second = two ? conj(alpha) * vy[y.at(i)] * conj(vx[x.at(j)]) : 0;
                    value sum = a(i, j) + first + second;
                    if (F::is_complex && i == j) sum = sum.real();
                    expected.set(s.at(i, j), sum,
                                 8 * epsilon<F> * (std::abs(a(i, j)) + std::abs(first) + std::abs(second)));
                }
            // The imaginary parts of a Hermitian diagonal are not read, and become 0.
            for (std::size_t i = 0; F::is_complex && i < n; ++i) a.memory[s.at(i, i)].imag(not_read);
            const owned_buffer da = side.put<number>(a.memory), dx = side.put<number>(vx),
                               dy = side.put<number>(vy);
            const auto run = [&](auto one_full, auto one_packed, auto two_full, auto two_packed) {
                if (two && how == kind::full)
                    side.run(two_full, order, uplo, n, alpha, dx.get(), x.offset, x.inc, dy.get(), y.offset,
                             y.inc, da.get(), s.offset, s.ld);
                else if (two)
                    side.run(two_packed, order, uplo, n, alpha, dx.get(), x.offset, x.inc, dy.get(), y.offset,
                             y.inc, da.get(), s.offset);
                else if (how == kind::full)
                    side.run(one_full, order, uplo, n, alpha, dx.get(), x.offset, x.inc, da.get(), s.offset,
                             s.ld);
                else
                    side.run(one_packed, order, uplo, n, alpha, dx.get(), x.offset, x.inc, da.get(),
                             s.offset);
            };
            run(f.syr, f.spr, f.syr2, f.spr2);
            expected.check(side.get<number>(da.get(), s.size()));
        };
        for (const kind how : {kind::full, kind::packed})
            for (const int order : orders)
                for (const int uplo : {clblasUpper, clblasLower})
                    for (const auto& inc : increments)
                        for (const std::size_t n : {1u, 8u, 21u}) {
                            CAPTURE(static_cast<int>(how), order, uplo, inc.first, inc.second, n);
                            check(how, order, uplo, inc, n, false);
                            check(how, order, uplo, inc, n, true);
                        }
    });
}
