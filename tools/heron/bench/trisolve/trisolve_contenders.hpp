// Whoever solves op(A)*C = B with a triangular A in CSR in a benchmark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "peers/cusparse_library.hpp"
#include "measure/device.hpp"
#include "matrix/packed_matrix.hpp"

namespace heron::tools {

struct trisolve_case {
    const packed_matrix& matrix;  // one triangle of a CSR matrix
    scalar_type type = scalar_type::f64;
    char op = 'N';
    bool is_upper = false;
    std::int64_t right_sides = 1;  // 1 is SpSV, more are SpSM
    bool by_rows = false;          // order of B and C
    bool is_fresh = false;         // each analysis gets a workspace that was just allocated
};

struct trisolve_operands {
    trisolve_operands(const device& where, const trisolve_case& what,
                      const std::vector<std::byte>& right_sides);
    const device& where;
    device_buffer memory;
    matrix_addresses matrix;
    void* b = nullptr;
    void* c = nullptr;
};

class trisolve_contender {
  public:
    virtual ~trisolve_contender() = default;
    // Analyses the matrix anew and returns the seconds until the device is done.
    virtual double analyse() = 0;
    // Submits one solve after the last analysis.
    virtual void solve() = 0;

    std::size_t buffer_bytes = 0;
};

// Throws cusparse_error where the library does not do it. The operands and the handle must outlive the
// result.
std::unique_ptr<trisolve_contender> make_cusparse_trisolve(const cusparse_handle& handle,
                                                           const trisolve_operands& operands,
                                                           const trisolve_case& what);

// Null where the program has no Eigen. Eigen solves on one thread and needs no analysis.
std::unique_ptr<trisolve_contender> make_eigen_trisolve(const trisolve_operands& operands,
                                                        const trisolve_case& what);

// The same for use by make_eigen_trisolve: solves when called; empty without Eigen.
std::function<void()> eigen_triangular_solve(const trisolve_operands& operands, const trisolve_case& what);

}  // namespace heron::tools
