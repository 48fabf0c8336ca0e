// gtsv2, gtsv2_nopivot, gtsv2StridedBatch, gtsvInterleavedBatch, gpsvInterleavedBatch, and their buffer
// sizes.
#include "typed.hpp"
#include "core/ops/tridiag.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::part, core::role;

namespace {

constexpr core::argument_name gtsv2_names[] = {
    {role::rows, "m"},
    {role::columns, "n"},
    {role::count, "batchCount"},
    {role::lower, "dl"},
    {role::main, "d"},
    {role::upper, "du"},
    {role::b, "B"},
    {{role::b, part::ld}, "ldb"},
    {{role::x, part::stride}, "batchStride"},
    {role::x, "x"},
    {role::workspace_size, "bufferSizeInBytes"},
};

constexpr core::argument_name interleaved_names[] = {
    {role::rows, "m"},          {role::count, "batchCount"}, {role::algorithm, "algo"},
    {role::lower, "dl"},        {role::main, "d"},           {role::upper, "du"},
    {role::second_lower, "ds"}, {role::second_upper, "dw"},  {role::x, "x"},
};

core::phase_call size_into(size_t* bytes) { return {HERON_PHASE_SIZE, bytes}; }
core::phase_call run_in(void* memory) { return {HERON_PHASE_RUN, nullptr, memory}; }

heron_interleaved_solver solver_from(int algorithm) {
    switch (algorithm) {
        case 0: return HERON_INTERLEAVED_THOMAS;
        case 1: return HERON_INTERLEAVED_LU;
        case 2: return HERON_INTERLEAVED_QR;
    }
    core::invalid(role::algorithm, "is neither 0, 1 nor 2");
}

heron_interleaved_solver pentadiagonal_solver_from(int algorithm) {
    core::require(algorithm == 0, role::algorithm, "is not 0");
    return HERON_INTERLEAVED_QR;
}

// A function of one pair: its problem, and the phase.
cusparseStatus_t solve(const char* called, cusparseHandle_t handle, const core::phase_call& phase,
                       const heron_gtsv_args& problem) {
    return guarded({called, gtsv2_names, typed_names},
                   [&] { core::solve_tridiagonal(typed_context_of(handle), phase, problem); });
}
cusparseStatus_t solve_batch(const char* called, cusparseHandle_t handle, const core::phase_call& phase,
                             const heron_gtsv_batch_args& problem) {
    return guarded({called, gtsv2_names, typed_names},
                   [&] { core::solve_tridiagonal_batch(typed_context_of(handle), phase, problem); });
}
template <class T>
cusparseStatus_t solve_interleaved(const char* called, cusparseHandle_t handle, const core::phase_call& phase,
                                   int algorithm, int m, const T* lower, const T* main, const T* upper,
                                   const T* x, int count) {
    return guarded({called, interleaved_names, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        core::solve_interleaved(c, phase,
                                {type_of(x), solver_from(algorithm), m, count, nullptr, const_cast<T*>(lower),
                                 const_cast<T*>(main), const_cast<T*>(upper), nullptr, const_cast<T*>(x)});
    });
}
template <class T>
cusparseStatus_t solve_pentadiagonal(const char* called, cusparseHandle_t handle,
                                     const core::phase_call& phase, int algorithm, int m,
                                     const T* second_lower, const T* lower, const T* main, const T* upper,
                                     const T* second_upper, const T* x, int count) {
    return guarded({called, interleaved_names, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        core::solve_pentadiagonal_interleaved(
            c, phase,
            {type_of(x), pentadiagonal_solver_from(algorithm), m, count, const_cast<T*>(second_lower),
             const_cast<T*>(lower), const_cast<T*>(main), const_cast<T*>(upper), const_cast<T*>(second_upper),
             const_cast<T*>(x)});
    });
}

}  // namespace

#define HERON_FAMILY "cusparse/legacy/tridiag.inc"
#include <cusparse/foreach_type.inc>
