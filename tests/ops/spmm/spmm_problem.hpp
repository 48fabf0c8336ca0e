// One product of a sparse and a dense matrix, or a batch of them, with everything that a test may vary.
#pragma once

#include "ops/operands.hpp"

namespace heron::test {

struct spmm_types {
    cudaDataType ab, c, compute;
    std::string name() const;
};

// Every documented combination that this device can compute.
std::vector<spmm_types> spmm_rows();
spmm_types uniform_spmm(cudaDataType type);

struct spmm_call {
    number alpha = 1.0, beta = 0.0;
    cusparsePointerMode_t mode = CUSPARSE_POINTER_MODE_HOST;
    cusparseSpMMAlg_t algorithm = CUSPARSE_SPMM_ALG_DEFAULT;
};

// alpha and beta that are neither 0 nor 1, in the compute type.
spmm_call general_call(const spmm_types& types);

struct spmm_options {
    cusparseOperation_t op_a = CUSPARSE_OPERATION_NON_TRANSPOSE, op_b = CUSPARSE_OPERATION_NON_TRANSPOSE;
    std::int64_t n = 5;
    cusparseOrder_t order_b = CUSPARSE_ORDER_ROW, order_c = CUSPARSE_ORDER_ROW;
    std::int64_t padding = 2;      // ld beyond the matrix, of B and C, and space between the items of a batch
    std::size_t misalignment = 0;  // in elements, of every operand
    bool absent_arrays = false;    // NULL arrays of A
    bool poisoned_inputs = false;  // NaN in A and B; only alpha = 0 has a result then
    bool one_b = false;            // the items of a batch share B
    int items = 1;                 // of C; A has as many or is shared
    bool same_offsets = false;  // the items of A share their offsets, and differ in columns and values alone
};

// C holds random numbers before every run, or poison where beta is 0.
class spmm_problem {
  public:
    // Matrices of equal shape and number of elements: one, or as many as there are items.
    spmm_problem(const std::vector<sparse_arrays>& matrices, const spmm_types& types,
                 const spmm_options& options);
    spmm_problem(const sparse_arrays& matrix, const spmm_types& types, const spmm_options& options)
        : spmm_problem(std::vector<sparse_arrays>{matrix}, types, options) {}

    cusparseStatus_t try_buffer_size(const spmm_call& call, std::size_t* size);
    std::size_t buffer_size(const spmm_call& call);
    void preprocess(const spmm_call& call, void* buffer);
    // Sets C, runs, and returns the status.
    cusparseStatus_t try_run(const spmm_call& call, void* buffer);
    // The same, and compares C with the oracle; B must be what it was, and so must what lies between C's
    // lines.
    void run(const spmm_call& call, void* buffer);
    // The same with a workspace of its own, of exactly the size that is needed.
    void run(const spmm_call& call, bool with_preprocess = false);

    std::vector<unsigned char> c_bytes() const { return c_.bytes(); }

  private:
    // Where a dense operand's elements lie.
    struct placement {
        std::int64_t rows, cols, ld, stride;
        cusparseOrder_t order;
        int items;
        std::size_t at(std::int64_t item, std::int64_t i, std::int64_t j) const;
        std::size_t size() const { return static_cast<std::size_t>(stride * items); }
    };

    static placement place(std::int64_t rows, std::int64_t cols, cusparseOrder_t order, int items,
                           const spmm_options& options);
    static sparse_arrays concatenated(const std::vector<sparse_arrays>& matrices,
                                      const spmm_options& options);
    dense_matrix describe(cudaDataType type, const placement& p, const typed_array& values) const;
    void set_batch_of_a();
    std::vector<number> start_of_c(const spmm_call& call) const;
    expectation expected(const spmm_call& call) const;
    std::string description(const spmm_call& call) const;

    std::vector<sparse_arrays> matrices_;
    spmm_types types_;
    spmm_options options_;
    placement b_place_, c_place_;
    std::vector<number> b_start_, c_start_;
    device_matrix a_;
    typed_array b_, c_;
    dense_matrix b_descriptor_, c_descriptor_;
};

}  // namespace heron::test
