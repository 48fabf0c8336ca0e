/* Batched Kronecker products under the names and with the argument order of the KRONMULT library:
 *
 *     Y(:,k) += kron(A1(:,:,k), ..., Ad(:,:,k)) * X(:,k),  k = 0 ... batchCount-1,  d = 1 ... 6
 *
 * in float and double, without transposes, all arrays and arrays of addresses in device memory, matrices in
 * column order, the last factor's index running fastest. The Y may overlap in any way. Unlike in that library
 * X is never destroyed, and the workspaces W, pW and the number subbatch are accepted and not used: they may
 * be NULL or 0.
 *
 * C names carry the type, heron_skronmult3_batched and heron_dkronmult3_batched; in C++
 * kronmult3_batched(...) is overloaded, and kronmult3_batched<double>(...) names the type. These are
 * functions of the host and no kernels: a launch in <<< >>> becomes a plain call.
 *
 *   kronmult<d>_batched   A is n x n x d x batchCount, X and Y are n^d x batchCount
 *   kronmult<d>_pbatched  the same A; addresses of X and Y per item
 *   kronmult<d>_xbatched  addresses of the factors, d per item, all with leading dimension lda; addresses of
 * X and Y kronmult<d>_vbatched  the same with rectangular factors m_i x n_i without gaps kgemm_nn_batched C
 * := alpha*A*B + beta*C for addresses and leading dimensions per item; nt takes transpose(B), tt takes both
 * transposed. With beta = 1 the products are added atomically: the C may overlap. HERON_VALIDATE=1 reads the
 * leading dimensions and refuses the first that is too small.
 *
 * The calls work on the handle of heron_kronmult_set_handle, or on one of their own that heron_create makes
 * at the first call, take memory that they need from it, and return when the work is submitted. They are safe
 * to call from several threads. */
#ifndef HERON_KRONMULT_H
#define HERON_KRONMULT_H

#include <heron/heron.h>

#ifdef __cplusplus
#include <type_traits>

/* Lets a function for one type be called with that type as a template argument as well as without. */
template <class T, class Only>
using heron_kron_named = typename std::enable_if<std::is_same<T, Only>::value, int>::type;

extern "C" {
#endif

/* The handle that these functions use from now on, which stays the caller's and must live until another one,
 * or NULL for one of their own, takes its place. */
HERON_API heron_status heron_kronmult_set_handle(heron_handle handle);

#define HERON_KRON_T float
#define HERON_KRON_NAME(name) heron_s##name
#include <heron/kronmult.inc>
#undef HERON_KRON_T
#undef HERON_KRON_NAME
#define HERON_KRON_T double
#define HERON_KRON_NAME(name) heron_d##name
#include <heron/kronmult.inc>
#undef HERON_KRON_T
#undef HERON_KRON_NAME

#ifdef __cplusplus
}
#endif
#endif
