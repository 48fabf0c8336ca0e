#pragma once
// Level 2 for both generations of the API, whose enumerations have the same values. Sizes and scalars are the
// caller's.
#include "level1.hpp"

namespace heron::clblas {

// A matrix as it is stored: full, with `diagonals` beside the main one in its triangle, or without gaps.
struct stored {
    static stored full(const matrix& m) { return {HERON_STORAGE_FULL, m, 0}; }
    static stored banded(size_t diagonals, const matrix& m) { return {HERON_STORAGE_BANDED, m, diagonals}; }
    static stored packed(cl_mem memory, size_t offset) {
        return {HERON_STORAGE_PACKED, {memory, offset, 0}, 0};
    }

    heron_matrix_storage storage;
    matrix place;
    size_t diagonals;
};

struct triangle {
    int uplo, transpose, diag;
};

clblasStatus gemv(const char* function, heron_type type, int order, int transpose, size_t m, size_t n,
                  const void* alpha, const matrix& a, const vector& x, const void* beta, const vector& y,
                  const tail& t);
clblasStatus gbmv(const char* function, heron_type type, int order, int transpose, size_t m, size_t n,
                  size_t lower, size_t upper, const void* alpha, const matrix& a, const vector& x,
                  const void* beta, const vector& y, const tail& t);
clblasStatus symv(const char* function, heron_type type, bool hermitian, int order, int uplo, size_t n,
                  const void* alpha, const stored& a, const vector& x, const void* beta, const vector& y,
                  const tail& t);
clblasStatus trmv(const char* function, heron_type type, int order, const triangle& how, size_t n,
                  const stored& a, const vector& x, const tail& t);
clblasStatus trsv(const char* function, heron_type type, int order, const triangle& how, size_t n,
                  const stored& a, const vector& x, const tail& t);
clblasStatus ger(const char* function, heron_type type, bool conjugate, int order, size_t m, size_t n,
                 const void* alpha, const vector& x, const vector& y, const matrix& a, const tail& t);
clblasStatus syr(const char* function, heron_type type, bool hermitian, int order, int uplo, size_t n,
                 const void* alpha, const vector& x, const stored& a, const tail& t);
clblasStatus syr2(const char* function, heron_type type, bool hermitian, int order, int uplo, size_t n,
                  const void* alpha, const vector& x, const vector& y, const stored& a, const tail& t);

}  // namespace heron::clblas
