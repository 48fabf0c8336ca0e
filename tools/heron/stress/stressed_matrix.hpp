// A matrix that threads multiply, solve and read at the same time, and what its products are.
#pragma once

#include <memory>
#include <vector>

#include "lane.hpp"
#include "matrix/sparse_matrix.hpp"

namespace heron::tools {

// Elements and vectors are small whole numbers, so that every sum is exact in single precision, in any order:
// results have to be the oracle's to the last bit.
std::vector<double> small_numbers(std::size_t count, splitmix64& random);

// y := op(A) x, and rows times B by rows with `columns` columns: the definition, in double.
std::vector<double> product(const csr_matrix& a, bool transpose, const std::vector<double>& x,
                            int columns = 1);
// y := op(A) x with the lower triangle and a diagonal of ones.
std::vector<double> unit_lower_product(const csr_matrix& a, bool transpose, const std::vector<double>& x,
                                       int columns = 1);

class stressed_matrix {
  public:
    // Square, with `row_length` elements in a row on average. Its device memory is the keeper's, which
    // outlives it.
    stressed_matrix(const lane& keeper, int n, int row_length, splitmix64& random);

    const csr_matrix& host() const { return host_; }
    int n() const { return static_cast<int>(host_.rows); }
    std::int64_t nnz() const { return host_.nnz(); }
    scalar_type type() const { return type_; }
    cudaDataType data_type() const { return data_type_of(type_); }

    cusparseSpMatDescr_t csr() const { return csr_.get(); }
    // The same arrays as columns: the transpose.
    cusparseSpMatDescr_t csc_of_transpose() const { return csc_.get(); }
    cusparseSpMatDescr_t coo() const { return coo_.get(); }

    const device_array<int>& offsets() const { return offsets_; }
    const device_array<int>& columns() const { return columns_; }
    const device_numbers& values() const { return values_; }

  private:
    csr_matrix host_;
    scalar_type type_;
    device_array<int> offsets_, rows_, columns_;
    device_numbers values_;
    sparse_matrix_descriptor csr_, csc_, coo_;
};

}  // namespace heron::tools
