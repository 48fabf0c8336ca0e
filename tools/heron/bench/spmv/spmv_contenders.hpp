// Whoever computes y := alpha op(A) x + beta y in a benchmark.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "peers/cusparse_library.hpp"
#include "spmv_operands.hpp"
#include "spmv_reference.hpp"

namespace heron::tools {

struct spmv_case {
    const packed_matrix& matrix;
    const product_type& type;
    spmv_problem problem;
    cusparseSpMVAlg_t algorithm;
    bool preprocess;
};

class spmv_contender {
  public:
    virtual ~spmv_contender() = default;
    // Submits one product on the given copy of the operands.
    virtual void call(std::size_t copy) = 0;

    double preprocess_seconds = 0;  // of one matrix
    std::size_t buffer_bytes = 0;   // of one matrix
};

// Throws cusparse_error where the library does not do it. The operands and the handle must outlive the
// result.
std::unique_ptr<spmv_contender> make_cusparse_contender(const cusparse_handle& handle,
                                                        const spmv_operands& operands, const spmv_case& what);

// Null where Eigen does not do it. The operands must lie in host memory and outlive the result.
std::unique_ptr<spmv_contender> make_eigen_contender(int threads, const spmv_operands& operands,
                                                     const spmv_case& what);

}  // namespace heron::tools
