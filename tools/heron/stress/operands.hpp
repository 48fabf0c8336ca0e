// Operands of one call: device memory on a lane and the descriptor of it.
#pragma once

#include <vector>

#include "lane.hpp"
#include "matrix/sparse_matrix.hpp"

namespace heron::tools {

using dense_descriptor = std::unique_ptr<cusparseDnMatDescr, decltype(&cusparseDestroyDnMat)>;

dense_descriptor describe_dense(const lane& on, std::int64_t rows, std::int64_t cols, std::int64_t ld,
                                cudaDataType type, void* values, cusparseOrder_t order);
sparse_matrix_descriptor describe_csr(const lane& on, std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                                      cudaDataType type, void* offsets, void* columns, void* values);
// Throws wrong_result where the arrays are no matrix of that size.
csr_matrix read_csr(const lane& on, int rows, int cols, const device_array<int>& offsets,
                    const device_array<int>& columns, const device_numbers& values);

// Throws wrong_result that names the first difference.
void expect_equal(const std::vector<double>& found, const std::vector<double>& expected);

class vector_operand {
  public:
    vector_operand(const lane& on, scalar_type type, const std::vector<double>& numbers)
        : values_(on.native(), type, numbers), descr_(describe(on, type)) {}
    vector_operand(const lane& on, scalar_type type, std::size_t size)
        : values_(on.native(), type, size), descr_(describe(on, type)) {}
    cusparseDnVecDescr_t descr() const { return descr_.get(); }
    std::vector<double> read(const lane& on) const { return values_.read(on.native()); }

  private:
    vector_descriptor describe(const lane& on, scalar_type type) const {
        return describe_vector(on.library(), static_cast<std::int64_t>(values_.size()), values_.get(), type);
    }
    device_numbers values_;
    vector_descriptor descr_;
};

// Given and read by rows, stored by rows or by columns.
class matrix_operand {
  public:
    matrix_operand(const lane& on, scalar_type type, const std::vector<double>& numbers, int columns,
                   bool by_columns);
    matrix_operand(const lane& on, scalar_type type, int rows, int columns, bool by_columns);
    cusparseDnMatDescr_t descr() const { return descr_.get(); }
    std::vector<double> read(const lane& on) const;

  private:
    dense_descriptor describe(const lane& on, scalar_type type) const;

    int rows_, columns_;
    bool by_columns_;
    device_numbers values_;
    dense_descriptor descr_;
};

}  // namespace heron::tools
