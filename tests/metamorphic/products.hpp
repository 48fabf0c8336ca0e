// Sparse matrices of small integers and what the library makes of them. All sums of such numbers are exact,
// in any order, so that results of different formats, operations and algorithms are equal bit for bit.
#pragma once

#include "rig.hpp"

namespace heron::test {

struct csr {
    int rows, cols;
    std::vector<int> offsets, columns;
    std::vector<float> values;

    int nnz() const { return static_cast<int>(values.size()); }
    bool operator==(const csr&) const = default;
};

// A row-major image of a matrix.
using image = std::vector<float>;

csr random_csr(int rows, int cols, int percent, random_source& random);
// With ones, twos or minus ones on the diagonal, and nothing above it.
csr random_lower(int n, int percent, random_source& random);
csr identity_csr(int n);
std::vector<float> random_vector(int n, random_source& random);

image image_of(const csr& a);
csr csr_of(int rows, int cols, const image& a);
csr transposed(const csr& a);
csr with_rows(const csr& a, const std::vector<int>& order);
csr scaled(csr a, float factor);

// How a matrix is given to the library.
struct representation {
    cusparseFormat_t format = CUSPARSE_FORMAT_CSR;
    int base = 0;
    int misalignment = 0;
    cusparseOrder_t order = CUSPARSE_ORDER_ROW;  // of dense matrices
};

// y = op(A) x.
std::vector<float> spmv(const csr& a, const std::vector<float>& x, bool transpose = false,
                        const representation& how = {});
// C = op(A) B of images with so many columns.
image spmm(const csr& a, const image& b, int columns, bool transpose = false, const representation& how = {});
csr spgemm(const csr& a, const csr& b);
// The solution of A x = b with A's lower triangle.
std::vector<float> spsv(const csr& a, const std::vector<float>& b, bool transpose = false);
// The elements of A B, row-major with an inner size, at mask's places.
csr sddmm(const csr& mask, const image& a, const image& b, int inner);

}  // namespace heron::test
