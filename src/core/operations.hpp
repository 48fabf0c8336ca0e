#pragma once
// The typed calls of the core: every argument is validated here, composed into what the plug-ins implement,
// and submitted. Operands are valid views (views.hpp), scalars are read in the handle's pointer mode. A call
// throws core::error and has then written nothing.
#include "analysis.hpp"
#include "views.hpp"

struct heron_kronmult_desc;

namespace heron::core {

void axpby(context& c, const void* alpha, const heron_spvec& x, const void* beta, const heron_dnvec& y);
// y := alpha*x + y. Of y the elements at x's indices alone are read and written.
void axpy(context& c, const void* alpha, const heron_spvec& x, const heron_dnvec& y);
void gather(context& c, const heron_dnvec& y, const heron_spvec& x);
// And then y := 0 at x's indices.
void gather_zero(context& c, const heron_dnvec& y, const heron_spvec& x);
void scatter(context& c, const heron_spvec& x, const heron_dnvec& y);
void rot(context& c, const void* cosine, const void* sine, const heron_spvec& x, const heron_dnvec& y);

// One phase of an operation that takes a workspace. SIZE writes *size, the others read memory, or RUN takes
// the handle's scratch.
struct phase_call {
    heron_phase phase;
    size_t* size = nullptr;
    void* memory = nullptr;
    bool takes_scratch = false;
};
constexpr phase_call run_in_own_scratch{HERON_PHASE_RUN, nullptr, nullptr, true};

void spvv(context& c, const phase_call& phase, heron_operation op, const heron_spvec& x, const heron_dnvec& y,
          void* result, heron_type compute_type);

// formats: those that the chosen algorithm is for, if it is for some.
struct product_algorithm {
    heron_reproducibility reproducibility = HERON_DEFAULT;
    const heron_format* formats = nullptr;  // NULL: any
    int format_count = 0;
};

// y := alpha*op(A)*x + beta*y. The analysis may be NULL: then ANALYSE leaves nothing, and RUN goes without.
void spmv(context& c, const phase_call& phase, heron_operation op, const void* alpha, const heron_spmat& a,
          const heron_dnvec& x, const void* beta, const heron_dnvec& y, heron_type compute_type,
          const product_algorithm& algorithm = {}, analysis* kept = nullptr);

// C := alpha*op(A)*op(B) + beta*C. Batches: C says how many items there are; A and B have as many, or one of
// the two is shared. The analysis as for spmv.
void spmm(context& c, const phase_call& phase, heron_operation op_a, heron_operation op_b, const void* alpha,
          const heron_spmat& a, const heron_dnmat& b, const void* beta, const heron_dnmat& result,
          heron_type compute_type, const product_algorithm& algorithm = {}, analysis* kept = nullptr);

// op(A)*Y = alpha*X and op(A)*C = alpha*op(B), whose phases share the analysis: RUN needs it, and it knows
// the workspace. Operands may be NULL or have NULL values until RUN as the declarations say. values_changed:
// when A's values were last replaced, in next_stamp's time; 0: never.
std::unique_ptr<analysis> make_triangular_analysis();
void spsv(context& c, const phase_call& phase, analysis& kept, heron_operation op, const void* alpha,
          const heron_spmat& a, const heron_dnvec* x, const heron_dnvec* y, heron_type compute_type,
          uint64_t values_changed = 0);
void spsm(context& c, const phase_call& phase, analysis& kept, heron_operation op_a, heron_operation op_b,
          const void* alpha, const heron_spmat& a, const heron_dnmat& b, const heron_dnmat& c_matrix,
          heron_type compute_type, uint64_t values_changed = 0);
// The analysis's own copy of the values, or of the diagonal, takes the place of the matrix's from now on,
// until those change in turn.
enum class matrix_part { values, diagonal };
void update_triangular(context& c, analysis& kept, const void* values, matrix_part part);

// Larger with every call of the process: tells which of two changes came later.
uint64_t next_stamp();

void sparse_to_dense(context& c, const phase_call& phase, const heron_spmat& a, const heron_dnmat& b);
// ANALYSE sets b's number of nonzeros (and of stored elements, for SELL).
void dense_to_sparse(context& c, const phase_call& phase, const heron_dnmat& a, heron_spmat& b);

// C := alpha*(op_a(A)*op_b(B)) on the pattern of C + beta*C.
void sddmm(context& c, const phase_call& phase, heron_operation op_a, heron_operation op_b, const void* alpha,
           const heron_dnmat& a, const heron_dnmat& b, const void* beta, const heron_spmat& matrix,
           heron_type compute_type);

// SIZE writes *phase.size. RUN throws INSUFFICIENT_RESOURCES when bytes, the size of phase.memory, are too
// few.
void kronmult(context& c, const phase_call& phase, const heron_kronmult_desc& desc, const void* alpha,
              const void* beta, size_t bytes);
// RUN with alpha = 1 and beta = 1 where the output mode has one, in the handle's scratch.
void kronmult_in_scratch(context& c, const heron_kronmult_desc& desc);
// Throws what kronmult would throw for the descriptor alone. operations and bytes may be NULL.
void kronmult_cost(const heron_kronmult_desc& desc, double* operations, double* bytes);

// The scalars are numbers of the host, whatever the pointer mode.
void kron_gemm(context& c, heron_kron_gemm_args args);

}  // namespace heron::core
