#include "operands.hpp"

#include <fmt/format.h>

#include "operations.hpp"

namespace heron::tools {
namespace {

// A matrix of rows x columns by rows, by columns.
std::vector<double> turned(const std::vector<double>& numbers, int rows, int columns) {
    std::vector<double> result;
    result.reserve(numbers.size());
    for (std::size_t j = 0; j < static_cast<std::size_t>(columns); ++j)
        for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i)
            result.push_back(numbers[i * static_cast<std::size_t>(columns) + j]);
    return result;
}

int rows_of(const std::vector<double>& numbers, int columns) {
    return static_cast<int>(numbers.size()) / columns;
}

std::vector<std::int64_t> widened(const std::vector<int>& numbers) {
    return {numbers.begin(), numbers.end()};
}

}  // namespace

dense_descriptor describe_dense(const lane& on, std::int64_t rows, std::int64_t cols, std::int64_t ld,
                                cudaDataType type, void* values, cusparseOrder_t order) {
    cusparseDnMatDescr_t made = nullptr;
    on.check(on.library().create_dn_mat(&made, rows, cols, ld, values, type, order), "cusparseCreateDnMat");
    return {made, on.library().destroy_dn_mat};
}

sparse_matrix_descriptor describe_csr(const lane& on, std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                                      cudaDataType type, void* offsets, void* columns, void* values) {
    cusparseSpMatDescr_t made = nullptr;
    on.check(on.library().create_csr(&made, rows, cols, nnz, offsets, columns, values, CUSPARSE_INDEX_32I,
                                     CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type),
             "cusparseCreateCsr");
    return {made, on.library().destroy_sp_mat};
}

csr_matrix read_csr(const lane& on, int rows, int cols, const device_array<int>& offsets,
                    const device_array<int>& columns, const device_numbers& values) {
    csr_matrix a;
    a.rows = rows;
    a.cols = cols;
    a.offsets = widened(offsets.download(on.native()));
    a.columns = widened(columns.download(on.native()));
    a.real = values.read(on.native());
    bool whole = a.offsets.front() == 0 && a.offsets.back() == a.nnz();
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row)
        whole = whole && a.offsets[row] <= a.offsets[row + 1];
    for (const std::int64_t column : a.columns) whole = whole && column >= 0 && column < cols;
    if (!whole) throw wrong_result("the index arrays are no matrix");
    return a;
}

void expect_equal(const std::vector<double>& found, const std::vector<double>& expected) {
    if (found.size() != expected.size())
        throw wrong_result(fmt::format("{} numbers instead of {}", found.size(), expected.size()));
    for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i] != expected[i])
            throw wrong_result(
                fmt::format("number {} of {} is {} instead of {}", i, found.size(), found[i], expected[i]));
}

matrix_operand::matrix_operand(const lane& on, scalar_type type, const std::vector<double>& numbers,
                               int columns, bool by_columns)
    : rows_(rows_of(numbers, columns)),
      columns_(columns),
      by_columns_(by_columns),
      values_(on.native(), type, by_columns ? turned(numbers, rows_, columns) : numbers),
      descr_(describe(on, type)) {}

matrix_operand::matrix_operand(const lane& on, scalar_type type, int rows, int columns, bool by_columns)
    : rows_(rows),
      columns_(columns),
      by_columns_(by_columns),
      values_(on.native(), type, static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)),
      descr_(describe(on, type)) {}

dense_descriptor matrix_operand::describe(const lane& on, scalar_type type) const {
    return describe_dense(on, rows_, columns_, by_columns_ ? rows_ : columns_, data_type_of(type),
                          values_.get(), by_columns_ ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW);
}

std::vector<double> matrix_operand::read(const lane& on) const {
    const std::vector<double> numbers = values_.read(on.native());
    return by_columns_ ? turned(numbers, columns_, rows_) : numbers;
}

}  // namespace heron::tools
