// Operands of the operation tests: matrices of many shapes, their arrays in every format, and both on the
// device.
#pragma once

#include "reference.hpp"
#include "rig.hpp"

#include <string>
#include <vector>

namespace heron::test {

// ---- values ----

// Numbers that the type holds exactly: in [-1, 1), or small integers and the extremes for integer types.
std::vector<number> random_values(cudaDataType type, std::size_t count, random_source& random);
number random_value(cudaDataType type, random_source& random);

// NaN, or the smallest integer for a type without.
number poison(cudaDataType type);

// The value itself, without its imaginary part or as an integer where the type wants that. 0, 1 and -1 stay.
number representable(cudaDataType type, number value);

// Whether the device computes with this type: all do, but for double precision.
bool device_has(cudaDataType type);

// Numbers on the device as elements of a type, `misalignment` elements past an aligned address.
class typed_array {
  public:
    typed_array(cudaDataType type, const std::vector<number>& values, std::size_t misalignment = 0);
    // Takes memory that holds the elements already.
    typed_array(cudaDataType type, device_memory memory) : type_(type), memory_(std::move(memory)) {}
    void* data() const { return memory_.data(); }
    std::vector<number> numbers() const { return decode(type_, memory_.bytes()); }
    std::vector<unsigned char> bytes() const { return memory_.bytes(); }
    void upload(const std::vector<number>& values);
    void upload_bytes(const std::vector<unsigned char>& bytes);

  private:
    cudaDataType type_;
    device_memory memory_;
};

// 32-bit or 64-bit integers on the device.
class index_array {
  public:
    index_array(cusparseIndexType_t type, const std::vector<std::int64_t>& values,
                std::size_t misalignment = 0);
    index_array(cusparseIndexType_t type, device_memory memory) : type_(type), memory_(std::move(memory)) {}
    void* data() const { return memory_.data(); }
    std::vector<std::int64_t> numbers() const;

  private:
    cusparseIndexType_t type_;
    device_memory memory_;
};

// A scalar argument in host or device memory, as the pointer mode says.
class scalar_operand {
  public:
    scalar_operand(cudaDataType type, number value, cusparsePointerMode_t mode);
    const void* data() const { return device_.empty() ? static_cast<const void*>(host_) : device_[0].data(); }

  private:
    alignas(16) unsigned char host_[16];
    std::vector<typed_array> device_;
};

// ---- matrices ----

// A pattern: entries whose values do not matter yet.
struct named_pattern {
    std::string name;
    entries matrix;
};

// Every shape that has an edge: empty in all ways, single rows, columns and elements, dense ones,
// hypersparse.
std::vector<named_pattern> small_patterns();
// A 41 x 37 matrix with empty rows and columns, one dense row and one dense column.
entries irregular_pattern();
// rows x cols with each element present with a probability of 1/sparsity.
entries random_pattern(std::int64_t rows, std::int64_t cols, std::int64_t sparsity, random_source& random);

entries with_values(entries pattern, cudaDataType type, random_source& random);

// How a matrix is to be stored.
struct layout {
    std::string name;
    cusparseFormat_t format;
    bool shuffled = false;  // COO: rows in any order; else: indices of a row (column) in any order
    std::int64_t block_rows = 1, block_cols = 1;
    cusparseOrder_t block_order = CUSPARSE_ORDER_ROW;
    std::int64_t slice_size = 1;
};

struct index_choice {
    cusparseIndexType_t offsets = CUSPARSE_INDEX_32I, indices = CUSPARSE_INDEX_32I;
    int base = 0;
};

const std::vector<layout>& spmv_layouts();
// The three index type pairs, each with base 0 and 1, or in short tests with one of them.
const std::vector<index_choice>& index_choices();
// Whether all combinations of types and sizes are there. With OpenCL each one costs the time of a
// compilation.
bool has_all_types();
// What to try a type of values with: where combinations are dear, indices of more than 32 bits are left to
// one type, the `representative`.
const std::vector<index_choice>& index_choices(bool representative);

// The matrix in the layout. BSR rounds rows and columns up to whole blocks; it and Blocked-ELL take no
// duplicates. SELL's padding holds poison, which nobody may use.
sparse_arrays arrange(const entries& matrix, const layout& l, const index_choice& index, cudaDataType type,
                      random_source& random);

// ---- on the device ----

// The arrays on the device and a descriptor of them. With `absent` the arrays are NULL, as old programs have
// it for a matrix that stores nothing.
class device_matrix {
  public:
    explicit device_matrix(const sparse_arrays& arrays, std::size_t misalignment = 0, bool absent = false);
    cusparseSpMatDescr_t get() const { return descriptor_.get(); }
    typed_array& values() { return values_; }
    std::vector<std::int64_t> offsets() const { return offsets_.numbers(); }
    std::vector<std::int64_t> row_indices() const { return row_indices_.numbers(); }
    std::vector<std::int64_t> indices() const { return indices_.numbers(); }

  private:
    device_matrix(const sparse_arrays& arrays, std::vector<device_memory> memory, bool absent);

    index_array offsets_, row_indices_, indices_;
    typed_array values_;
    sparse_matrix descriptor_;
};

sparse_matrix describe(const sparse_arrays& arrays, void* offsets, void* row_indices, void* indices,
                       void* values);
dense_vector describe(cudaDataType type, std::size_t size, const typed_array& values);

}  // namespace heron::test
