// One sparse matrix-vector product on the device, with everything that a test may vary.
#pragma once

#include "ops/operands.hpp"

namespace heron::test {

struct product_types {
    cudaDataType a, x, y, compute;
    std::string name() const;
};

// Every row of the documented table that this device can compute.
std::vector<product_types> product_rows();
product_types uniform(cudaDataType type);

struct product_call {
    number alpha = 1.0, beta = 0.0;
    cusparsePointerMode_t mode = CUSPARSE_POINTER_MODE_HOST;
    cusparseSpMVAlg_t algorithm = CUSPARSE_SPMV_ALG_DEFAULT;
};

inline constexpr cusparseOperation_t all_operations[] = {
    CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};

// alpha and beta that are neither 0 nor 1, in the compute type.
number some_alpha(const product_types& types);
number some_beta(const product_types& types);

struct problem_options {
    std::size_t misalignment = 0;  // in elements, of every operand
    bool absent_arrays = false;    // NULL arrays
    bool poisoned_inputs = false;  // NaN in A and x; only alpha = 0 has a result then
};

// op(A)'s operands for one op; y holds random numbers before every run, or poison where beta is 0.
class spmv_problem {
  public:
    spmv_problem(const sparse_arrays& arrays, const product_types& types, cusparseOperation_t op,
                 const problem_options& options = {});

    cusparseStatus_t try_buffer_size(const product_call& call, std::size_t* size);
    std::size_t buffer_size(const product_call& call);
    void preprocess(const product_call& call, void* buffer);
    // Sets y, runs, and returns the status.
    cusparseStatus_t try_run(const product_call& call, void* buffer);
    // The same, and compares y with the oracle; x must be what it was.
    void run(const product_call& call, void* buffer);
    // The same with a workspace of its own, of exactly the size that is needed.
    void run(const product_call& call, bool with_preprocess = false);

    // New numbers for the matrix, at another address, through cusparseSpMatSetValues.
    void set_values(const std::vector<number>& values);

    std::vector<unsigned char> y_bytes() const { return y_.bytes(); }
    cusparseSpMatDescr_t matrix() const { return a_.get(); }

  private:
    void check(const product_call& call) const;
    std::string description(const product_call& call) const;

    sparse_arrays arrays_;
    product_types types_;
    cusparseOperation_t op_;
    problem_options options_;
    entries entries_;
    std::vector<number> x_start_, y_start_;
    device_matrix a_;
    typed_array x_, y_;
    dense_vector x_descriptor_, y_descriptor_;
    std::vector<typed_array> new_values_;
};

}  // namespace heron::test
