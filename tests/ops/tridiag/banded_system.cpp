#include "banded_system.hpp"

#include <algorithm>

namespace heron::test {
namespace {

using wide = std::complex<long double>;

template <class Fill>
banded_matrix filled(std::int64_t m, Fill fill) {
    banded_matrix a;
    a.m = m;
    for (int k = 0; k < 5; ++k) {
        auto& diagonal = a.diagonals[static_cast<std::size_t>(k)];
        diagonal.resize(static_cast<std::size_t>(m));
        for (std::int64_t i = 0; i < m; ++i) {
            const std::int64_t j = i + k - 2;
            if (j >= 0 && j < m) diagonal[static_cast<std::size_t>(i)] = fill(k - 2, i);
        }
    }
    return a;
}

number any(random_source& random) { return {random.symmetric_unit(), random.symmetric_unit()}; }

// tridiagonal(lower, main, upper) of functions of the row.
template <class L, class D, class U>
banded_matrix tridiagonal(std::int64_t m, L lower, D main, U upper) {
    return filled(m, [&](std::int64_t k, std::int64_t i) {
        if (k == -1) return number(lower(i));
        if (k == 0) return number(main(i));
        return k == 1 ? number(upper(i)) : number(0);
    });
}

banded_matrix random_matrix(std::int64_t m, random_source& r) {
    const auto one = [&](std::int64_t) { return any(r); };
    return tridiagonal(m, one, one, one);
}
banded_matrix large_diagonal(std::int64_t m, random_source& r) {
    const auto one = [&](std::int64_t) { return any(r); };
    return tridiagonal(
        m, one, [](std::int64_t) { return 1e8; }, one);
}
banded_matrix lesp(std::int64_t m, random_source&) {
    return tridiagonal(
        m, [](std::int64_t i) { return 1.0 / static_cast<double>(i + 1); },
        [](std::int64_t i) { return -static_cast<double>(2 * i + 5); },
        [](std::int64_t i) { return static_cast<double>(i + 2); });
}
banded_matrix nearly_cut(std::int64_t m, random_source& r) {
    banded_matrix a = random_matrix(m, r);
    a.diagonals[1][static_cast<std::size_t>(m / 2)] *= 1e-50;
    return a;
}
banded_matrix half_zeros(std::int64_t m, random_source& r) {
    const auto some = [&](std::int64_t) { return r.below(2) ? any(r) : number(0); };
    const auto one = [&](std::int64_t) { return any(r) + 0.1; };
    return tridiagonal(m, some, one, some);
}
banded_matrix tiny_lower(std::int64_t m, random_source& r) {
    const auto one = [&](std::int64_t) { return any(r); };
    return tridiagonal(
        m, [&](std::int64_t) { return any(r) * 1e-30; }, one, one);
}
// Dorr's problem of singular perturbation, as in Higham's test matrices, kept from being singular in single
// precision.
banded_matrix dorr(std::int64_t m, random_source&) {
    const double theta = 1e-4, h = 1.0 / static_cast<double>(m + 1), term = theta / (h * h);
    const auto lower = [=](std::int64_t i) {
        const double wind = (0.5 - static_cast<double>(i + 1) * h) / h;
        return i < (m + 1) / 2 ? -term : -term + wind;
    };
    const auto upper = [=](std::int64_t i) {
        const double wind = (0.5 - static_cast<double>(i + 1) * h) / h;
        return i < (m + 1) / 2 ? -term - wind : -term;
    };
    return tridiagonal(
        m, lower, [=](std::int64_t i) { return -(lower(i) + upper(i)) * (1 + 1e-5); }, upper);
}
banded_matrix tiny_diagonal(std::int64_t m, random_source& r) {
    const auto one = [&](std::int64_t) { return any(r); };
    return tridiagonal(
        m, one, [&](std::int64_t) { return any(r) * 1e-8; }, one);
}
banded_matrix constant_tiny_diagonal(std::int64_t m, random_source&) {
    const auto one = [](std::int64_t) { return 1.0; };
    return tridiagonal(
        m, one, [](std::int64_t) { return 1e-8; }, one);
}
banded_matrix laplacian(std::int64_t m, random_source&) {
    const auto one = [](std::int64_t) { return -1.0; };
    return tridiagonal(
        m, one, [](std::int64_t) { return 4.0; }, one);
}
// Without pivoting the first step divides by zero, and so does the first one of every part of even length
// that begins at an even row. Its last row has a diagonal where the number of rows is odd.
banded_matrix zero_diagonal(std::int64_t m, random_source& r) {
    const auto one = [&](std::int64_t) { return any(r) + 1.5; };
    return tridiagonal(
        m, one, [&](std::int64_t i) { return m % 2 && i == m - 1 ? 1.0 : 0.0; }, one);
}
// Every interior column has its element below the diagonal alone, and its transpose.
banded_matrix shifted_down(std::int64_t m, random_source& r) {
    return tridiagonal(
        m, [&](std::int64_t i) { return any(r) * 1e-3 + number(i % 2 ? 0 : 1); },
        [&](std::int64_t i) { return i % 7 == 3 ? number(0) : any(r) * 1e-6 + 1e-3; },
        [&](std::int64_t i) { return any(r) + number(i % 2 ? 1 : 0); });
}

banded_matrix random_pentadiagonal(std::int64_t m, random_source& r) {
    return filled(m, [&](std::int64_t, std::int64_t) { return any(r); });
}
banded_matrix dominant_pentadiagonal(std::int64_t m, random_source& r) {
    return filled(m, [&](std::int64_t k, std::int64_t) { return k == 0 ? any(r) + 8.0 : any(r); });
}
banded_matrix far_pentadiagonal(std::int64_t m, random_source& r) {
    return filled(m, [&](std::int64_t k, std::int64_t i) {
        if (m % 4 == 0) return k == 2 || k == -2 ? any(r) + 3.0 : number(0);
        return k == 0 ? any(r) + 0.5 : any(r) * (i % 3 ? 1.0 : 1e3);
    });
}
// Its square is what two tridiagonal solves would need.
banded_matrix biharmonic(std::int64_t m, random_source&) {
    return filled(m, [](std::int64_t k, std::int64_t) { return k == 0 ? 6.0 : k * k == 1 ? -4.0 : 1.0; });
}

// The rows of an elimination have so many elements from their first column on.
constexpr std::int64_t width = 5;
using row = std::array<number, width + 1>;

double size_of_number(number v) { return std::fabs(v.real()) + std::fabs(v.imag()); }

}  // namespace

number banded_matrix::at(std::int64_t i, std::int64_t j) const {
    const std::int64_t k = j - i + 2;
    return k < 0 || k > 4 ? number(0) : diagonals[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
}

const std::vector<matrix_family>& tridiagonal_families() {
    static const std::vector<matrix_family> all = {
        {"random", random_matrix, false, 1 << 20},
        {"large diagonal", large_diagonal, true, 1 << 20},
        {"lesp", lesp, true, 1 << 20},
        {"nearly cut", nearly_cut, false, 1 << 20},
        {"half zeros", half_zeros, false, 1 << 20},
        {"tiny lower diagonal", tiny_lower, false, 600},
        {"dorr", dorr, true, 1 << 20},
        {"tiny diagonal", tiny_diagonal, false, 1 << 20},
        {"constant tiny diagonal", constant_tiny_diagonal, false, 1 << 20},
        {"-1 4 -1", laplacian, true, 1 << 20},
        {"zero diagonal", zero_diagonal, false, 6000},
        {"shifted down", shifted_down, false, 1 << 20},
    };
    return all;
}

const std::vector<matrix_family>& pentadiagonal_families() {
    static const std::vector<matrix_family> all = {
        {"random", random_pentadiagonal, false, 1 << 20},
        {"dominant", dominant_pentadiagonal, true, 1 << 20},
        {"far", far_pentadiagonal, false, 1 << 20},
        {"biharmonic", biharmonic, false, 1 << 20},
    };
    return all;
}

double tiny_unit(cudaDataType type) { return is_double(type) ? 0x1p-1030 : 0x1p-130; }

double tiny_epsilon(cudaDataType type) { return (is_double(type) ? 0x1p-1074 : 0x1p-149) / tiny_unit(type); }

banded_matrix times_number(banded_matrix a, double factor) {
    for (auto& diagonal : a.diagonals)
        for (number& v : diagonal) v *= factor;
    return a;
}

banded_matrix rounded(cudaDataType type, banded_matrix a) {
    for (auto& diagonal : a.diagonals)
        for (number& v : diagonal) v = rounded(type, representable(type, v));
    return a;
}

std::vector<number> times(const banded_matrix& a, const std::vector<number>& x) {
    std::vector<number> y(x.size());
    for (std::int64_t i = 0; i < a.m; ++i)
        for (std::int64_t j = std::max<std::int64_t>(i - 2, 0); j <= std::min(i + 2, a.m - 1); ++j)
            y[static_cast<std::size_t>(i)] += product(a.at(i, j), x[static_cast<std::size_t>(j)]);
    return y;
}

std::vector<number> eliminated(const banded_matrix& a, const std::vector<number>& b, cudaDataType type) {
    const std::int64_t m = a.m;
    // A row holds `width` columns from the first one that is not eliminated in it, and its right-hand side
    // last.
    std::vector<row> rows(static_cast<std::size_t>(m));
    const auto at = [&](std::int64_t i) -> row& { return rows[static_cast<std::size_t>(i)]; };
    for (std::int64_t i = 0; i < m; ++i) {
        const std::int64_t begin = std::max<std::int64_t>(i - 2, 0);
        for (std::int64_t k = 0; k < width; ++k)
            at(i)[static_cast<std::size_t>(k)] = begin + k < m ? a.at(i, begin + k) : number(0);
        at(i)[width] = b[static_cast<std::size_t>(i)];
    }
    for (std::int64_t j = 0; j < m; ++j) {
        const std::int64_t end = std::min(j + 3, m);
        std::int64_t best = j;
        for (std::int64_t i = j + 1; i < end; ++i)
            if (size_of_number(at(i)[0]) > size_of_number(at(best)[0])) best = i;
        std::swap(at(j), at(best));
        for (std::int64_t i = j + 1; i < end; ++i) {
            const number factor = rounded(type, at(i)[0] / at(j)[0]);
            row next{};
            for (std::size_t k = 1; k <= width; ++k) {
                const number v = rounded(type, at(i)[k] - rounded(type, product(factor, at(j)[k])));
                next[k == width ? k : k - 1] = v;
            }
            at(i) = next;
        }
    }
    std::vector<number> x(static_cast<std::size_t>(m));
    for (std::int64_t j = m - 1; j >= 0; --j) {
        number v = at(j)[width];
        for (std::int64_t k = 1; k < width && j + k < m; ++k)
            v = rounded(type, v - rounded(type, product(at(j)[static_cast<std::size_t>(k)],
                                                        x[static_cast<std::size_t>(j + k)])));
        x[static_cast<std::size_t>(j)] = rounded(type, v / at(j)[0]);
    }
    return x;
}

double backward_error(const banded_matrix& a, const std::vector<number>& x, const std::vector<number>& b) {
    long double residual = 0, largest_row = 0, largest_x = 0, largest_b = 0;
    for (std::int64_t i = 0; i < a.m; ++i) {
        const auto at = static_cast<std::size_t>(i);
        wide r(b[at]);
        long double row_sum = 0;
        for (std::int64_t j = std::max<std::int64_t>(i - 2, 0); j <= std::min(i + 2, a.m - 1); ++j) {
            r -= wide(a.at(i, j)) * wide(x[static_cast<std::size_t>(j)]);
            row_sum += std::abs(a.at(i, j));
        }
        // Not max, to which a NaN is no number.
        if (!(std::abs(r) <= residual)) residual = std::abs(r);
        largest_row = std::max(largest_row, row_sum);
        largest_x = std::max<long double>(largest_x, std::abs(x[at]));
        largest_b = std::max<long double>(largest_b, std::abs(b[at]));
    }
    return static_cast<double>(residual / (largest_row * largest_x + largest_b));
}

double difference_of(const std::vector<number>& x, const std::vector<number>& y) {
    double most = 0, size = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double d = std::abs(x[i] - y[i]);
        if (!(d <= most)) most = d;
        size = std::max(size, std::abs(y[i]));
    }
    return size > 0 ? most / size : most;
}

std::vector<number> random_vector(std::int64_t m, cudaDataType type, random_source& random) {
    return random_values(type, static_cast<std::size_t>(m), random);
}

std::vector<number> stored_diagonal(const banded_matrix& a, int which, cudaDataType type) {
    std::vector<number> stored = a.diagonals[static_cast<std::size_t>(which)];
    for (std::int64_t i = 0; i < a.m; ++i)
        if (const std::int64_t j = i + which - 2; j < 0 || j >= a.m)
            stored[static_cast<std::size_t>(i)] = poison(type);
    return stored;
}

}  // namespace heron::test
