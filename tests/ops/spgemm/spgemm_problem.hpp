// One sparse product on the device, through either interface, with everything that a test may vary.
#pragma once

#include "ops/operands.hpp"

#include <optional>

namespace heron::test {

using spgemm_descriptor = std::unique_ptr<cusparseSpGEMMDescr, destroyer<&cusparseSpGEMM_destroyDescr>>;
spgemm_descriptor make_spgemm_descriptor();

struct spgemm_call {
    number alpha = 1.0, beta = 0.0;
    cusparsePointerMode_t mode = CUSPARSE_POINTER_MODE_HOST;
    cusparseSpGEMMAlg_t algorithm = CUSPARSE_SPGEMM_DEFAULT;
    cudaDataType compute = CUDA_R_64F;
    std::size_t misalignment = 0;  // of the workspaces, in bytes
    bool estimate_memory = false;  // as programs with ALG2 and ALG3 do
};

// The type that values of a type are summed in.
cudaDataType sum_type(cudaDataType type);
// Every type that this device can compute with.
std::vector<cudaDataType> spgemm_types();

struct spgemm_options {
    index_choice c_index{};
    cusparseFormat_t c_format = CUSPARSE_FORMAT_CSR;
    bool early_offsets = true;     // C gets its offsets when it is made, else with its other arrays
    bool absent_arrays = false;    // NULL arrays of A and B
    std::size_t misalignment = 0;  // in elements, of A and B
};

class spgemm_problem {
  public:
    spgemm_problem(const sparse_arrays& a, cusparseOperation_t op_a, const sparse_arrays& b,
                   cusparseOperation_t op_b, const spgemm_options& options = {});

    // All phases with workspaces of exactly the sizes that are asked for, against the oracle.
    void run(const spgemm_call& call);
    // The same through the reuse interface: once, and again with other values; the bits are the same where
    // the values are. Buffers that may go are overwritten.
    void run_reuse(const spgemm_call& call);

    std::int64_t products() const { return products_; }
    std::size_t workspace_bytes() const { return workspace_bytes_; }
    std::vector<unsigned char> value_bytes() const { return c_values_->bytes(); }

    // For tests of single phases.
    cusparseStatus_t work_estimation(cusparseSpGEMMDescr_t d, const spgemm_call& call, std::size_t* size,
                                     void* buffer);
    cusparseStatus_t compute(cusparseSpGEMMDescr_t d, const spgemm_call& call, std::size_t* size,
                             void* buffer);
    cusparseStatus_t copy(cusparseSpGEMMDescr_t d, const spgemm_call& call);
    cusparseStatus_t reuse_work_estimation(cusparseSpGEMMDescr_t d, const spgemm_call& call,
                                           std::size_t* size, void* buffer);
    struct three_buffers {
        std::size_t size[3] = {0, 0, 0};
        void* memory[3] = {nullptr, nullptr, nullptr};
    };
    cusparseStatus_t reuse_nnz(cusparseSpGEMMDescr_t d, const spgemm_call& call, three_buffers& buffers);
    cusparseStatus_t reuse_copy(cusparseSpGEMMDescr_t d, const spgemm_call& call, std::size_t* size,
                                void* buffer);
    cusparseStatus_t reuse_compute(cusparseSpGEMMDescr_t d, const spgemm_call& call);

    // A C without arrays, but for early offsets.
    void make_c();
    // Arrays for as many elements as C's descriptor says, with random values, or poison where beta is 0.
    void give_c_arrays(const spgemm_call& call);
    void check(const spgemm_call& call) const;
    cusparseSpMatDescr_t c() const { return c_.get(); }
    std::int64_t c_nnz() const;
    std::vector<std::int64_t> c_offsets() const { return c_offset_array_->numbers(); }

  private:
    void refill_c(const spgemm_call& call);
    void set_new_values();
    std::int64_t c_lines() const;

    sparse_arrays a_arrays_, b_arrays_;
    cusparseOperation_t op_a_, op_b_;
    spgemm_options options_;
    entries a_entries_, b_entries_;
    device_matrix a_, b_;
    sparse_matrix c_;
    std::optional<index_array> c_offset_array_, c_index_array_;
    std::optional<typed_array> c_values_;
    std::vector<number> c_start_;
    std::vector<std::unique_ptr<typed_array>> new_values_;
    random_source random_{77};
    std::int64_t products_ = 0;
    std::size_t workspace_bytes_ = 0;
};

}  // namespace heron::test
