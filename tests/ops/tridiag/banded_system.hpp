// Systems of equations with few diagonals: families that are known to be hard, a plain elimination, and how
// well a solution solves them.
#pragma once

#include "ops/operands.hpp"

#include <array>

namespace heron::test {

// Element (i, i + k - 2) is diagonals[k][i]; what lies outside of the matrix is 0. Tridiagonal systems leave
// the first and the last one 0.
struct banded_matrix {
    std::int64_t m = 0;
    std::array<std::vector<number>, 5> diagonals{};

    number at(std::int64_t i, std::int64_t j) const;
};

// A family of matrices: fills the diagonals of one of a size.
struct matrix_family {
    const char* name;
    banded_matrix (*make)(std::int64_t m, random_source& random);
    bool dominant;         // needs no pivoting
    std::int64_t longest;  // of which the solutions stay within the range of single precision
};

// Those of Chang, Stone, Kim and Hwu, "A scalable, numerically stable, high-performance tridiagonal solver
// using GPUs", SC 2012, that are not made by a singular value decomposition, and ones whose leading blocks
// are singular.
const std::vector<matrix_family>& tridiagonal_families();
const std::vector<matrix_family>& pentadiagonal_families();

// So small that one over it overflows, though the type still holds some of its digits.
double tiny_unit(cudaDataType type);
// What these digits are worth.
double tiny_epsilon(cudaDataType type);

banded_matrix times_number(banded_matrix a, double factor);

// The matrix as a type holds it.
banded_matrix rounded(cudaDataType type, banded_matrix a);

std::vector<number> times(const banded_matrix& a, const std::vector<number>& x);

// By Gaussian elimination with partial pivoting, each step rounded to the type: what LAPACK's gtsv does.
std::vector<number> eliminated(const banded_matrix& a, const std::vector<number>& b, cudaDataType type);

// The residual of x by rows, as a share of what the matrix and x allow: |b - A*x| / (|A|*|x| + |b|), all in
// the maximum norm.
double backward_error(const banded_matrix& a, const std::vector<number>& x, const std::vector<number>& b);

// max |x - y| / max |y|
double difference_of(const std::vector<number>& x, const std::vector<number>& y);

std::vector<number> random_vector(std::int64_t m, cudaDataType type, random_source& random);

// The diagonal as memory holds it: poison where it lies outside of the matrix, which nobody may use.
std::vector<number> stored_diagonal(const banded_matrix& a, int which, cudaDataType type);

}  // namespace heron::test
