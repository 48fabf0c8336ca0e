#pragma once
// C := alpha*A + beta*B, all CSR with 32-bit offsets and indices, rows sorted.
#include "core/operations.hpp"

namespace heron::core {

// The workspace of both steps.
void spadd_size(context& c, const phase_call& phase, const heron_spmat& a, const heron_spmat& b,
                const heron_spmat& sum);
// Writes C's offsets and, unless it is NULL, *nnz in the handle's pointer mode. Waits for the stream where
// that is on the host.
void spadd_count(context& c, const phase_call& phase, const heron_spmat& a, const heron_spmat& b,
                 const heron_spmat& sum, int32_t* nnz);
// The same with the number on the host, whatever the pointer mode. Waits for the stream.
void spadd_count_on_host(context& c, const phase_call& phase, const heron_spmat& a, const heron_spmat& b,
                         const heron_spmat& sum, int32_t* nnz);
// Throws unless matrices that a caller describes one by one have a sum.
void require_sum(heron_operation op_a, heron_operation op_b, const heron_spmat& a, const heron_spmat& b,
                 const heron_spmat& sum, heron_type compute_type);
// Reads C's offsets; writes its indices and values.
void spadd(context& c, const phase_call& phase, const void* alpha, const heron_spmat& a, const void* beta,
           const heron_spmat& b, const heron_spmat& sum);
// With factors that have been read.
void spadd(context& c, const phase_call& phase, const heron_scalar& alpha, const heron_spmat& a,
           const heron_scalar& beta, const heron_spmat& b, const heron_spmat& sum);

}  // namespace heron::core
