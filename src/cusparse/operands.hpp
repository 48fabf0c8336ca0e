#pragma once
// What the operations of the generic interface share: what descriptors stand for, and the phases.
#include "cusparse/generic/descriptors.hpp"
#include "translate.hpp"

namespace heron::cusparse {

inline const sparse_vector& in(cusparseConstSpVecDescr_t v, const char* argument) {
    return object<sparse_vector>(v, argument);
}
inline const dense_vector& in(cusparseConstDnVecDescr_t v, const char* argument) {
    return object<dense_vector>(v, argument);
}
inline void require_known_layout(const sparse_matrix& m, const char* argument) {
    if (m.is_aos) core::not_supported(argument, "is COO with its indices as an array of structures");
}
inline const sparse_matrix& in(cusparseConstSpMatDescr_t m, const char* argument) {
    const auto& matrix = object<sparse_matrix>(m, argument);
    require_known_layout(matrix, argument);
    return matrix;
}
inline const dense_matrix& in(cusparseConstDnMatDescr_t m, const char* argument) {
    return object<dense_matrix>(m, argument);
}
inline sparse_vector& out(cusparseSpVecDescr_t v, const char* argument) {
    return writable<sparse_vector>(v, argument);
}
inline dense_vector& out(cusparseDnVecDescr_t v, const char* argument) {
    return writable<dense_vector>(v, argument);
}
inline sparse_matrix& out(cusparseSpMatDescr_t m, const char* argument) {
    auto& matrix = writable<sparse_matrix>(m, argument);
    require_known_layout(matrix, argument);
    return matrix;
}
inline dense_matrix& out(cusparseDnMatDescr_t m, const char* argument) {
    return writable<dense_matrix>(m, argument);
}

inline core::phase_call sizing(size_t* size) {
    return {HERON_PHASE_SIZE, core::required(size, core::role::workspace_size), nullptr};
}
inline core::phase_call analysing(void* buffer) { return {HERON_PHASE_ANALYSE, nullptr, buffer}; }
inline core::phase_call running(void* buffer) { return {HERON_PHASE_RUN, nullptr, buffer}; }

// Runs call(analysis): ANALYSE with a new one, which the matrix keeps, RUN with the one of this workspace
// that it has kept, or NULL.
template <class F>
void with_kept_analysis(const sparse_matrix& m, const core::phase_call& phase, core::operation kind,
                        F&& call) {
    if (phase.phase == HERON_PHASE_ANALYSE) {
        auto made = std::make_shared<core::analysis>(kind);
        call(made.get());
        m.analyses.store(std::move(made));
    } else {
        const auto kept = phase.phase == HERON_PHASE_RUN ? m.analyses.find(kind, phase.memory) : nullptr;
        call(kept.get());
    }
}

inline void require_default(int alg) {
    core::require(alg == 0, core::role::algorithm, "is not an algorithm of this function");
}

}  // namespace heron::cusparse
