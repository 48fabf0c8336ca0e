#pragma once
// Sparse times dense with operators of the caller's, as both public interfaces put it.
#include "core/operations.hpp"
#include <heron/args.h>
#include <string>

namespace heron::core {

// Operands and operators. Operators are in the fields of `operators`, whose other fields do not count.
struct spmm_op_problem {
    heron_spmat a{};
    heron_operation op_a = HERON_OP_NONE;
    heron_dnmat b{};
    heron_operation op_b = HERON_OP_NONE;
    heron_dnmat c{};
    heron_type compute_type = HERON_R_32F;
    heron_spmm_op_args operators{};
};

// What a sum without terms is in a named semiring.
heron_scalar identity_of(heron_semiring semiring, heron_type compute_type);

// Everything but the arrays is checked in every phase. SIZE writes *phase.size and compiles operators given
// as code.
void spmm_op(context& c, const phase_call& phase, const spmm_op_problem& problem);

// A problem whose operators are intermediate code, with copies of all that the caller may let go of.
class spmm_op_plan : public opaque<spmm_op_plan> {
  public:
    // Compiles. Throws NOT_SUPPORTED where the backend takes no such code.
    spmm_op_plan(context& c, const spmm_op_problem& problem, size_t* workspace_size);
    spmm_op_plan(const spmm_op_plan&) = delete;
    spmm_op_plan& operator=(const spmm_op_plan&) = delete;

    void run(void* workspace) const;

  private:
    context& context_;
    spmm_op_problem problem_;
    std::string add_, mul_, epilogue_;
};

}  // namespace heron::core
