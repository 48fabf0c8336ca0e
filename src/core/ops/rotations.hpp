#pragma once
// Rotations made of numbers on the host: rotg and rotmg of BLAS. The plug-ins make those of numbers on the
// device.
#include <cmath>
#include <complex>

namespace heron::core {

template <class T>
struct real_rotation_result {
    T r, z, c, s;
};

// c and s with c*a + s*b = r and c*b = s*a; z tells c and s in one number.
template <class T>
real_rotation_result<T> real_rotation(T a, T b) {
    if (b == 0) return {a, 0, 1, 0};
    if (a == 0) return {b, 1, 0, 1};
    const bool a_is_larger = std::abs(a) > std::abs(b);
    const T length = std::hypot(a, b);
    const T r = std::copysign(length, a_is_larger ? a : b);
    const T c = a / r;
    const T s = b / r;
    return {r, a_is_larger ? s : c != 0 ? 1 / c : T{1}, c, s};
}

template <class T>
struct complex_rotation_result {
    std::complex<T> r, s;
    T c;
};

// c real and s with c*a + s*b = r and c*b = conj(s)*a.
template <class T>
complex_rotation_result<T> complex_rotation(std::complex<T> a, std::complex<T> b) {
    const auto size = [](std::complex<T> v) { return std::abs(v.real()) + std::abs(v.imag()); };
    // Moduli may leave the range where the parts do not.
    const T unit = std::isinf(size(a) + size(b)) ? T(0.25) : T{1};
    const std::complex<T> x = a * unit, y = b * unit;
    const T of_x = std::abs(x);
    const T of_y = std::abs(y);
    if (of_y == 0) return {a, 0, 1};
    if (of_x == 0) return {of_y / unit, std::conj(y) / of_y, 0};
    const T length = std::hypot(of_x, of_y);
    const std::complex<T> direction = x / of_x;
    return {direction * length / unit, direction * (std::conj(y) / length), of_x / length};
}

// H and what it makes of the numbers: Hammarling's modified rotation with elements kept within range (Lawson,
// Hanson, Kincaid and Krogh, "Basic Linear Algebra Subprograms for Fortran Usage", TOMS 5(3), 1979).
template <class T>
struct modified_rotation {
    T d1, d2, x1;
    T flag = 0, h11 = 0, h21 = 0, h12 = 0, h22 = 0;
};

// Whether rotm reads element i of h11, h21, h12, h22.
template <class T>
bool is_read(const modified_rotation<T>& m, int i) {
    const bool is_diagonal = i == 0 || i == 3;
    return m.flag == -1 || (m.flag == 0 && !is_diagonal) || (m.flag == 1 && is_diagonal);
}

// From elements that the flag implies to all four.
template <class T>
void spell_out(modified_rotation<T>& m) {
    if (m.flag == 0) m.h11 = m.h22 = 1;
    if (m.flag == 1) {
        m.h21 = -1;
        m.h12 = 1;
    }
    m.flag = -1;
}

template <class T>
void clear(modified_rotation<T>& m) {
    m = {0, 0, 0, -1, 0, 0, 0, 0};
}

// d into (gamma^-2, gamma^2), with a row of H and, for the first, x1.
template <class T>
void bring_into_range(modified_rotation<T>& m, T& d, T& first, T& second, T* x) {
    constexpr T gamma = 4096;
    const auto is_small = [&] { return std::abs(d) <= 1 / (gamma * gamma); };
    while (d != 0 && std::isfinite(d) && (is_small() || std::abs(d) >= gamma * gamma)) {
        spell_out(m);
        const T factor = is_small() ? 1 / gamma : gamma;
        d /= factor * factor;
        first *= factor;
        second *= factor;
        if (x) *x *= factor;
    }
}

template <class T>
void make(modified_rotation<T>& m, T y1) {
    if (m.d1 < 0) return clear(m);
    const T p2 = m.d2 * y1;
    if (p2 == 0) {
        m.flag = -2;
        return;
    }
    const T p1 = m.d1 * m.x1;
    const T q2 = p2 * y1;
    const T q1 = p1 * m.x1;
    if (std::abs(q1) > std::abs(q2)) {
        m.h21 = -y1 / m.x1;
        m.h12 = p2 / p1;
        const T u = 1 - m.h12 * m.h21;
        if (!(u > 0)) return clear(m);
        m.flag = 0;
        m.d1 /= u;
        m.d2 /= u;
        m.x1 *= u;
    } else {
        if (q2 < 0) return clear(m);
        m.flag = 1;
        m.h11 = p1 / p2;
        m.h22 = m.x1 / y1;
        const T u = 1 + m.h11 * m.h22;
        const T first = m.d2 / u;
        m.d2 = m.d1 / u;
        m.d1 = first;
        m.x1 = y1 * u;
    }
    bring_into_range(m, m.d1, m.h11, m.h12, &m.x1);
    bring_into_range<T>(m, m.d2, m.h21, m.h22, nullptr);
}

}  // namespace heron::core
