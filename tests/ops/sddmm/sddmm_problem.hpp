// One sampled dense-dense product on the device, with everything that a test may vary.
#pragma once

#include "ops/operands.hpp"

namespace heron::test {

struct sddmm_types {
    cudaDataType dense, sparse, compute;
    std::string name() const;
};

// The rows of the documented table: all of them on the host, and on a device that compiles kernels at run
// time those that between them take every path.
std::vector<sddmm_types> sddmm_rows();

// How the matrix behind op(A) or op(B) is stored: order, operation, and elements between its lines.
struct dense_layout {
    cusparseOrder_t order = CUSPARSE_ORDER_ROW;
    cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    std::int64_t padding = 0;
};

std::vector<dense_layout> dense_layouts();

struct sddmm_call {
    number alpha = 1.0, beta = 0.0;
    cusparsePointerMode_t mode = CUSPARSE_POINTER_MODE_HOST;
};

struct sddmm_options {
    std::size_t misalignment = 0;  // in elements, of every operand
    bool absent_arrays = false;    // NULL arrays of C
    bool poisoned_inputs = false;  // NaN in A and B; only alpha = 0 has a result then
    bool shared_a = false;         // one A for all items of a batch
    bool shared_b = false;
    bool shared_pattern =
        false;  // one pattern for all items, by strides of 0; not for CSR, whose strides are one
};

// A dense matrix of which op gives `items` matrices of rows x cols in row order. What lies between its lines
// and between the items is poison.
class dense_operand {
  public:
    dense_operand(cudaDataType type, std::int64_t rows, std::int64_t cols,
                  const std::vector<std::vector<number>>& items, const dense_layout& l,
                  std::size_t misalignment, bool poisoned);
    cusparseDnMatDescr_t get() const { return descriptor_.get(); }
    bool is_unchanged() const { return memory_.bytes() == encode(type_, stored_); }

  private:
    cudaDataType type_;
    std::vector<number> stored_;
    typed_array memory_;
    dense_matrix descriptor_;
};

class sddmm_problem {
  public:
    // items: C of every item of the batch, alike in everything but the places of its elements and their
    // values.
    sddmm_problem(const std::vector<sparse_arrays>& items, const sddmm_types& types, std::int64_t k,
                  const dense_layout& a, const dense_layout& b, const sddmm_options& options = {});

    cusparseStatus_t try_buffer_size(const sddmm_call& call, std::size_t* size);
    std::size_t buffer_size(const sddmm_call& call);
    void preprocess(const sddmm_call& call, void* buffer);
    cusparseStatus_t try_run(const sddmm_call& call, void* buffer);
    // Sets C, to poison where beta is 0, runs, and compares C with the oracle; A and B must be what they
    // were.
    void run(const sddmm_call& call, void* buffer);
    // The same with a workspace of its own, of exactly the size that is needed.
    void run(const sddmm_call& call, bool with_preprocess = false);

    std::vector<unsigned char> c_bytes() { return c_.values().bytes(); }

  private:
    void check(const sddmm_call& call);
    void set_batch();
    std::string description(const sddmm_call& call) const;

    std::vector<sparse_arrays> items_;
    sddmm_types types_;
    std::int64_t k_;
    dense_layout a_layout_, b_layout_;
    sddmm_options options_;
    sparse_arrays all_;  // the items' arrays one behind the other
    std::vector<std::vector<number>> a_items_, b_items_;
    dense_operand a_, b_;
    device_matrix c_;
};

}  // namespace heron::test
