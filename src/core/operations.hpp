#pragma once
// The typed calls of the core: every argument is validated here, composed into what the plug-ins implement,
// and submitted. A call throws core::error and has then written nothing. Public argument names in messages
// are cuSPARSE's.
#include "context.hpp"
#include "descriptors.hpp"
#include "triangular_solver.hpp"

struct heron_kronmult_desc;

namespace heron::core {

void axpby(context& c, const void* alpha, const sparse_vector& x, const void* beta, dense_vector& y);
void gather(context& c, const dense_vector& y, sparse_vector& x);
void scatter(context& c, const sparse_vector& x, dense_vector& y);
void rot(context& c, const void* c_coeff, const void* s_coeff, sparse_vector& x, dense_vector& y);

// One phase of an operation that takes a workspace. SIZE writes *size, the others read memory.
struct phase_call {
    heron_phase phase;
    size_t* size = nullptr;
    void* memory = nullptr;
};

void spvv(context& c, const phase_call& phase, heron_operation op, const sparse_vector& x,
          const dense_vector& y, void* result, heron_type compute_type);

// format: the one that the chosen algorithm is for, if it is for one.
struct spmv_algorithm {
    heron_reproducibility reproducibility = HERON_DEFAULT;
    const heron_format* formats = nullptr;  // NULL: any
    int format_count = 0;
};

void spmv(context& c, const phase_call& phase, heron_operation op, const void* alpha, const sparse_matrix& a,
          const dense_vector& x, const void* beta, dense_vector& y, heron_type compute_type,
          const spmv_algorithm& algorithm);

// As for SpMV.
using spmm_algorithm = spmv_algorithm;

// Batches: C says how many items there are; A and B have as many, or one of the two is shared.
void spmm(context& c, const phase_call& phase, heron_operation op_a, heron_operation op_b, const void* alpha,
          const sparse_matrix& a, const dense_matrix& b, const void* beta, dense_matrix& result,
          heron_type compute_type, const spmm_algorithm& algorithm);
// op(A)*Y = alpha*X and op(A)*C = alpha*op(B), with what the phases share in the solver. In RUN the solver
// knows the workspace. Operands may be NULL or have NULL values until RUN as the declarations say.
void spsv(context& c, const phase_call& phase, triangular_solver& solver, heron_operation op,
          const void* alpha, const sparse_matrix& a, const dense_vector* x, const dense_vector* y,
          heron_type compute_type);
void spsm(context& c, const phase_call& phase, triangular_solver& solver, heron_operation op_a,
          heron_operation op_b, const void* alpha, const sparse_matrix& a, const dense_matrix& b,
          const dense_matrix& c_matrix, heron_type compute_type);
// The solver's own copy of the values, or of the diagonal, takes the place of the matrix's from now on.
enum class matrix_part { values, diagonal };
void update_triangular(context& c, triangular_solver& solver, const void* values, matrix_part part);

void sparse_to_dense(context& c, const phase_call& phase, const sparse_matrix& a, dense_matrix& b);

// C := alpha*(op_a(A)*op_b(B)) on the pattern of C + beta*C.
void sddmm(context& c, const phase_call& phase, heron_operation op_a, heron_operation op_b, const void* alpha,
           const dense_matrix& a, const dense_matrix& b, const void* beta, sparse_matrix& matrix,
           heron_type compute_type);

// ANALYSE sets b's number of nonzeros (and of stored elements, for SELL).
void dense_to_sparse(context& c, const phase_call& phase, const dense_matrix& a, sparse_matrix& b);

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
