#pragma once
// Level 1 for both generations of the API. Sizes and scalars are the caller's.
#include "call.hpp"

namespace heron::clblas {

clblasStatus swap(const char* function, heron_type type, size_t n, const vector& x, const vector& y,
                  const tail& t);
clblasStatus scal(const char* function, heron_type type, heron_type alpha_type, size_t n, const void* alpha,
                  const vector& x, const tail& t);
clblasStatus copy(const char* function, heron_type type, size_t n, const vector& x, const vector& y,
                  const tail& t);
clblasStatus axpy(const char* function, heron_type type, size_t n, const void* alpha, const vector& x,
                  const vector& y, const tail& t);
clblasStatus dot(const char* function, heron_type type, bool conjugate, size_t n, const number& result,
                 const vector& x, const vector& y, const tail& t);
clblasStatus rot(const char* function, heron_type type, heron_type real, size_t n, const vector& x,
                 const vector& y, const void* cosine, const void* sine, const tail& t);
clblasStatus rotg(const char* function, heron_type type, heron_type real, const number& a, const number& b,
                  const number& cosine, const number& sine, const tail& t);
clblasStatus rotm(const char* function, heron_type type, size_t n, const vector& x, const vector& y,
                  const number& parameters, const tail& t);
clblasStatus rotmg(const char* function, heron_type type, const number& d1, const number& d2,
                   const number& x1, const number& y1, const number& parameters, const tail& t);
clblasStatus nrm2(const char* function, heron_type type, heron_type real, size_t n, const number& result,
                  const vector& x, const tail& t);
clblasStatus asum(const char* function, heron_type type, heron_type real, size_t n, const number& result,
                  const vector& x, const tail& t);
clblasStatus iamax(const char* function, heron_type type, size_t n, const number& result, const vector& x,
                   const tail& t);

}  // namespace heron::clblas
