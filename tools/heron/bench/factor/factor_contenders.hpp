// Whoever factorises a sparse matrix on its own pattern in a benchmark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "peers/cusparse_library.hpp"
#include "measure/device.hpp"
#include "matrix/packed_matrix.hpp"

namespace heron::tools {

struct factor_case {
    const packed_matrix& matrix;  // CSR, or BSR with blocks by rows
    scalar_type type = scalar_type::f64;
    bool lu = true;  // else Cholesky
};

struct factor_operands {
    factor_operands(const device& where, const factor_case& what);
    // The values as they were at first.
    void restore() const;

    const device& where;
    std::size_t bytes;  // of the values
    device_buffer memory;
    matrix_addresses matrix;  // its values are factorised in place
    void* original = nullptr;
};

class factor_contender {
  public:
    virtual ~factor_contender() = default;
    // Analyses the matrix anew and returns the seconds until the device is done.
    virtual double analyse() = 0;
    // Submits one factorisation of the operands' values after the last analysis.
    virtual void factor() = 0;
    // Whether the operands hold the result, on the matrix's own pattern.
    virtual bool is_in_place() const { return true; }

    std::size_t buffer_bytes = 0;
};

// Throws cusparse_error where the library does not do it. The operands and the handle must outlive the
// result.
std::unique_ptr<factor_contender> make_cusparse_factor(const cusparse_handle& handle,
                                                       const factor_operands& operands,
                                                       const factor_case& what);

// Eigen's IncompleteLUT that keeps as many elements per row as A has, on one thread. Null for anything else,
// and where the program has no Eigen.
std::unique_ptr<factor_contender> make_eigen_factor(const factor_operands& operands, const factor_case& what);

}  // namespace heron::tools
