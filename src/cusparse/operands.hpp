#pragma once
// What the operations of the generic interface share: descriptors as the core's objects, and the phases.
#include "translate.hpp"

namespace heron::cusparse {

inline const core::sparse_vector& in(cusparseConstSpVecDescr_t v, const char* argument) {
    return core::descriptor<core::sparse_vector>(v, argument);
}
inline const core::dense_vector& in(cusparseConstDnVecDescr_t v, const char* argument) {
    return core::descriptor<core::dense_vector>(v, argument);
}
inline const core::sparse_matrix& in(cusparseConstSpMatDescr_t m, const char* argument) {
    return core::descriptor<core::sparse_matrix>(m, argument);
}
inline const core::dense_matrix& in(cusparseConstDnMatDescr_t m, const char* argument) {
    return core::descriptor<core::dense_matrix>(m, argument);
}
inline core::sparse_vector& out(cusparseSpVecDescr_t v, const char* argument) {
    return core::writable<core::sparse_vector>(v, argument);
}
inline core::dense_vector& out(cusparseDnVecDescr_t v, const char* argument) {
    return core::writable<core::dense_vector>(v, argument);
}
inline core::sparse_matrix& out(cusparseSpMatDescr_t m, const char* argument) {
    return core::writable<core::sparse_matrix>(m, argument);
}
inline core::dense_matrix& out(cusparseDnMatDescr_t m, const char* argument) {
    return core::writable<core::dense_matrix>(m, argument);
}

inline core::phase_call sizing(size_t* size) {
    return {HERON_PHASE_SIZE, core::required(size, "bufferSize"), nullptr};
}
inline core::phase_call analysing(void* buffer) { return {HERON_PHASE_ANALYSE, nullptr, buffer}; }
inline core::phase_call running(void* buffer) { return {HERON_PHASE_RUN, nullptr, buffer}; }

inline void require_default(int alg) {
    core::require(alg == 0, "alg", "is not an algorithm of this function");
}

}  // namespace heron::cusparse
