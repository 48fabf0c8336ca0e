#pragma once
// Level 3 for both generations of the API, whose enumerations have the same values. Sizes and scalars are the
// caller's.
#include "call.hpp"

namespace heron::clblas {

template <class T>
inline constexpr heron_type type_of = HERON_R_32F;
template <>
inline constexpr heron_type type_of<cl_double> = HERON_R_64F;
template <>
inline constexpr heron_type type_of<cl_float2> = HERON_C_32F;
template <>
inline constexpr heron_type type_of<cl_double2> = HERON_C_64F;

struct side_of {
    int side, uplo;
};
struct triangle_of {
    int side, uplo, transpose, diag;
};
struct update_of {
    int uplo, transpose;
};

clblasStatus gemm(const char* function, heron_type type, int order, int transpose_a, int transpose_b,
                  size_t m, size_t n, size_t k, const void* alpha, const matrix& a, const matrix& b,
                  const void* beta, const matrix& c, const tail& t);
clblasStatus trmm(const char* function, heron_type type, int order, const triangle_of& triangle, size_t m,
                  size_t n, const void* alpha, const matrix& a, const matrix& b, const tail& t);
clblasStatus trsm(const char* function, heron_type type, int order, const triangle_of& triangle, size_t m,
                  size_t n, const void* alpha, const matrix& a, const matrix& b, const tail& t);
clblasStatus syrk(const char* function, heron_type type, int order, const update_of& update, size_t n,
                  size_t k, const void* alpha, const matrix& a, const void* beta, const matrix& c,
                  const tail& t);
clblasStatus herk(const char* function, heron_type type, int order, const update_of& update, size_t n,
                  size_t k, const void* alpha, const matrix& a, const void* beta, const matrix& c,
                  const tail& t);
clblasStatus syr2k(const char* function, heron_type type, int order, const update_of& update, size_t n,
                   size_t k, const void* alpha, const matrix& a, const matrix& b, const void* beta,
                   const matrix& c, const tail& t);
clblasStatus her2k(const char* function, heron_type type, int order, const update_of& update, size_t n,
                   size_t k, const void* alpha, const matrix& a, const matrix& b, const void* beta,
                   const matrix& c, const tail& t);
clblasStatus symm(const char* function, heron_type type, int order, const side_of& stored, size_t m, size_t n,
                  const void* alpha, const matrix& a, const matrix& b, const void* beta, const matrix& c,
                  const tail& t);
clblasStatus hemm(const char* function, heron_type type, int order, const side_of& stored, size_t m, size_t n,
                  const void* alpha, const matrix& a, const matrix& b, const void* beta, const matrix& c,
                  const tail& t);

}  // namespace heron::clblas
