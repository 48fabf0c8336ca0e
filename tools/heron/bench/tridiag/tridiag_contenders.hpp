// Whoever solves tridiagonal or pentadiagonal systems in a benchmark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "peers/cusparse_library.hpp"
#include "measure/device.hpp"

namespace heron::tools {

enum class tridiag_layout { one_matrix, strided, interleaved };

// A function of cuSPARSE's, and how it is asked.
struct tridiag_function {
    std::string name;    // in options and reports
    std::string symbol;  // behind the letter of the type
    tridiag_layout layout = tridiag_layout::one_matrix;
    int algorithm = 0;  // of interleaved systems
    bool is_pentadiagonal = false;
};
const std::vector<tridiag_function>& tridiag_functions();

// count: right-hand sides of one matrix, or systems.
struct tridiag_case {
    tridiag_function function;
    scalar_type type = scalar_type::f64;
    std::int64_t m = 0, count = 1;

    std::int64_t matrices() const { return function.layout == tridiag_layout::one_matrix ? 1 : count; }
    // Of element i of matrix or right-hand side k.
    std::int64_t place(std::int64_t i, std::int64_t k) const {
        return function.layout == tridiag_layout::interleaved ? i * count + k : i + k * m;
    }
};

// The five diagonals, from the lowest, and the right-hand sides, on a device, as often as they are wanted
// anew.
class tridiag_operands {
  public:
    tridiag_operands(const device& where, const std::vector<std::vector<std::byte>>& arrays);
    void restore() const;
    void* at(int which) const { return memory_.at(static_cast<std::size_t>(which) * room_); }
    const device& where() const { return where_; }

  private:
    const device& where_;
    const std::vector<std::vector<std::byte>>& arrays_;
    std::size_t room_ = 0;
    device_buffer memory_;
};

class tridiag_contender {
  public:
    virtual ~tridiag_contender() = default;
    // In place of the right-hand sides.
    virtual void solve() = 0;

    std::size_t buffer_bytes = 0;
};

// Throws cusparse_error where the library does not do it. The operands and the handle must outlive the
// result.
std::unique_ptr<tridiag_contender> make_cusparse_tridiag(const cusparse_handle& handle,
                                                         const tridiag_operands& operands,
                                                         const tridiag_case& what);

// LAPACK's gtsv, for gtsv2 alone. NULL where there is no LAPACK.
std::unique_ptr<tridiag_contender> make_lapack_tridiag(const tridiag_operands& operands,
                                                       const tridiag_case& what);

}  // namespace heron::tools
