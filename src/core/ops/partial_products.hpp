#pragma once
// Products of which a part is asked for.
#include "core/operations.hpp"

namespace heron::core {

// y := alpha*op(A)*x + beta*y, A dense and x sparse. There is no need for a workspace: SIZE answers the least
// one, and RUN takes any.
void gemvi(context& c, const phase_call& phase, heron_operation op, const void* alpha, const heron_dnmat& a,
           const heron_spvec& x, const void* beta, const heron_dnvec& y);

// y := alpha*A*x + beta*y in the block rows that the mask names, counted from A's base. Block row i of A has
// the blocks a.offsets[i] to ends[i] - 1, so that of a.offsets too only those of these rows are read.
struct row_mask {
    int64_t count;
    const int32_t* rows;
    const int32_t* ends;
};
void masked_spmv(context& c, const row_mask& mask, const void* alpha, const heron_spmat& a,
                 const heron_dnvec& x, const void* beta, const heron_dnvec& y);

}  // namespace heron::core
