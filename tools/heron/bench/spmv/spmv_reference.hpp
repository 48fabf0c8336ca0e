// y := alpha * op(A) * x + beta * y in double, and how far from it a result may be.
#pragma once

#include <vector>

#include "measure/bench_values.hpp"
#include "matrix/sparse_matrix.hpp"

namespace heron::tools {

struct spmv_problem {
    char op = 'N';  // or 'T', or 'C'
    double alpha = 1;
    double beta = 0;
};

struct spmv_reference {
    number_array y{};
    // Largest admissible error of each component: (8 + 4 sqrt(n)) eps (|alpha| |op(A)| |x| + |beta| |y|),
    // where n is the number of the row's entries, and half a unit in the last place of an output type that is
    // narrower than the arithmetic. Half of 1 for integers.
    std::vector<double> allowed{};
};

// `a` holds the values of the pattern's entries in its order; `y` is what the result's memory holds before.
spmv_reference compute_reference(const spmv_problem& problem, const product_type& type,
                                 const csr_matrix& pattern, const number_array& a, const number_array& x,
                                 const number_array& y);

// The largest error as a multiple of what is allowed: a result is right if it is at most 1. Infinite for NaN.
double worst_error(const spmv_reference& reference, const number_array& y);

}  // namespace heron::tools
