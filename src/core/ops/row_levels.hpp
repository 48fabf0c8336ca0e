#pragma once
// The rows of a triangular system by levels: those of one level need rows of earlier levels alone.
#include "core/kept_memory.hpp"
#include "core/operations.hpp"

namespace heron::core {

class row_levels {
  public:
    // The rows of level l are rows[starts[l]] ... rows[starts[l + 1] - 1], ascending; all counted from 0. The
    // arrays are in device memory and stay until the levels are asked for after `forget`.
    struct arrays {
        int32_t count;
        int32_t *starts, *rows;
    };

    // The levels are those of another matrix from now on.
    void forget() { is_known_ = false; }
    // Of the triangle of op(A), A in CSR. The first call copies A's pattern to the host.
    arrays of(context& c, heron_operation op, const heron_spmat& a);

  private:
    bool is_known_ = false;
    kept_memory memory_;
    arrays arrays_{};
};

}  // namespace heron::core
