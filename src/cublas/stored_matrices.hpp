#pragma once
// Matrices in the storages of BLAS, from the arguments that give them.
#include "core/ops/blas2.hpp"

namespace heron::cublas {

inline core::stored_matrix_operand full(const void* a, int64_t ld) { return {HERON_STORAGE_FULL, {a, ld}}; }
inline core::stored_matrix_operand banded(const void* a, int64_t ld, int64_t kl, int64_t ku) {
    return {HERON_STORAGE_BANDED, {a, ld}, kl, ku};
}
// A triangle with k diagonals beside the main one.
inline core::stored_matrix_operand band(const void* a, int64_t ld, int64_t k) {
    return {HERON_STORAGE_BANDED, {a, ld}, 0, 0, k};
}
inline core::stored_matrix_operand packed(const void* a) { return {HERON_STORAGE_PACKED, {a}}; }

}  // namespace heron::cublas
