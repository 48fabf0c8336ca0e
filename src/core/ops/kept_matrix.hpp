#pragma once
// A sparse matrix in device memory of its own, for interfaces whose objects are matrices that nobody else
// sees.
#include "core/kept_memory.hpp"
#include "core/operations.hpp"

namespace heron::core {

// A copy in CSR with 32-bit offsets and indices and base 0. Elements of a row stay in the order that they
// had.
class kept_matrix {
  public:
    kept_matrix();
    ~kept_matrix();

    // Each of these takes the place of what was there before, but leaves it where it throws. They allocate
    // and wait for the stream. Of a matrix in CSR the number of elements is what its offsets say.
    void copy_csr(context& c, const heron_spmat& a);
    // a is the transpose, in CSR.
    void copy_transposed(context& c, const heron_spmat& a);
    void copy_nonzeros(context& c, const heron_dnmat& a);

    // Throws INVALID_VALUE unless there is a matrix of this type on this context's device.
    const heron_spmat& view(const context& c, heron_type type, argument operand) const;

    // y := alpha*op(A)*x + beta*y with what was found out about A when it was copied. A is what view() gives.
    void multiply(context& c, heron_operation op, const void* alpha, const heron_dnvec& x, const void* beta,
                  const heron_dnvec& y);

  private:
    struct contents;
    void take(context& c, std::unique_ptr<contents> made);

    std::unique_ptr<contents> contents_;
};

}  // namespace heron::core
