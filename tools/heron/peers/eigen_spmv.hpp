// Eigen's sparse product as a peer on the processor.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "measure/bench_values.hpp"
#include "matrix/packed_matrix.hpp"
#include "bench/spmv/spmv_reference.hpp"

namespace heron::tools {

// Whether the program was built with Eigen, and with which ("3.4.0").
bool has_eigen();
std::string eigen_version();

struct eigen_operands {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t nnz = 0;
    const void* offsets = nullptr;
    const void* columns = nullptr;
    const void* values = nullptr;
    const void* x = nullptr;
    void* y = nullptr;
};

// y := alpha op(A) x + beta y with A in CSR, on `threads` threads (Eigen uses one for a transposed product in
// any case). Empty where Eigen has no such types.
std::function<void()> make_eigen_spmv(const product_type& type, index_widths widths,
                                      const spmv_problem& problem, int threads,
                                      const eigen_operands& operands);

}  // namespace heron::tools
