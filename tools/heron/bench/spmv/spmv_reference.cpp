#include "spmv_reference.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace heron::tools {
namespace {

using complex = std::complex<double>;

complex at(const number_array& numbers, std::size_t i) { return {numbers.real[i], numbers.imag_at(i)}; }

// The products of op(A) and x, the products of their absolute values, and the lengths of op(A)'s rows.
struct row_sums {
    std::vector<complex> sum;
    std::vector<double> magnitude;
    std::vector<std::int64_t> length;
};

row_sums multiply(char op, const csr_matrix& pattern, const number_array& a, const number_array& x) {
    const bool transposed = op != 'N';
    const auto size = static_cast<std::size_t>(transposed ? pattern.cols : pattern.rows);
    row_sums result{std::vector<complex>(size), std::vector<double>(size), std::vector<std::int64_t>(size)};
    for (std::size_t row = 0; row + 1 < pattern.offsets.size(); ++row) {
        for (auto k = static_cast<std::size_t>(pattern.offsets[row]);
             k < static_cast<std::size_t>(pattern.offsets[row + 1]); ++k) {
            const auto col = static_cast<std::size_t>(pattern.columns[k]);
            const std::size_t out = transposed ? col : row;
            const complex value = op == 'C' ? std::conj(at(a, k)) : at(a, k);
            const complex factor = at(x, transposed ? row : col);
            result.sum[out] += value * factor;
            result.magnitude[out] += std::abs(value) * std::abs(factor);
            ++result.length[out];
        }
    }
    return result;
}

}  // namespace

spmv_reference compute_reference(const spmv_problem& problem, const product_type& type,
                                 const csr_matrix& pattern, const number_array& a, const number_array& x,
                                 const number_array& y) {
    const row_sums sums = multiply(problem.op, pattern, a, x);
    const std::size_t size = sums.sum.size();
    const double epsilon = traits_of(type.compute).epsilon;
    const double output_epsilon = type.output == type.compute ? 0 : traits_of(type.output).epsilon;
    spmv_reference result;
    result.y.real.resize(size);
    if (traits_of(type.output).is_complex) result.y.imag.resize(size);
    result.allowed.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
        const complex before = problem.beta == 0 ? complex{} : at(y, i);
        const complex value = problem.alpha * sums.sum[i] + problem.beta * before;
        const double magnitude =
            std::fabs(problem.alpha) * sums.magnitude[i] + std::fabs(problem.beta) * std::abs(before);
        const double factor = 8 + 4 * std::sqrt(static_cast<double>(sums.length[i]));
        result.y.real[i] = value.real();
        if (!result.y.imag.empty()) result.y.imag[i] = value.imag();
        result.allowed[i] =
            epsilon == 0 ? 0.5 : factor * epsilon * magnitude + output_epsilon * std::abs(value);
    }
    return result;
}

double worst_error(const spmv_reference& reference, const number_array& y) {
    double worst = 0;
    for (std::size_t i = 0; i < reference.allowed.size(); ++i) {
        const double error = std::abs(at(reference.y, i) - at(y, i));
        if (error == 0) continue;
        const double ratio = error / reference.allowed[i];
        if (!(ratio <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
        worst = std::max(worst, ratio);
    }
    return worst;
}

}  // namespace heron::tools
