/* The cuSPARSE interface of CUDA 13.0 (library version 12.6.3), served by Heron.
 *
 * Declared here is what the library exports today; types and enumerators are complete, so that programs which
 * only name them compile. Define DISABLE_CUSPARSE_DEPRECATED to silence deprecation warnings.
 */
#ifndef CUSPARSE_H_
#define CUSPARSE_H_

/* Clients rely on getting all of these through cusparse.h. */
#include <cuComplex.h>
#include <cuda_runtime_api.h>
#include <library_types.h>
#include <stdint.h>
#include <stdio.h>
#ifdef __cplusplus
#include <cuda_fp16.h>
#endif

#define CUSPARSE_VER_MAJOR 12
#define CUSPARSE_VER_MINOR 6
#define CUSPARSE_VER_PATCH 3
#define CUSPARSE_VER_BUILD 3
#define CUSPARSE_VERSION (CUSPARSE_VER_MAJOR * 1000 + CUSPARSE_VER_MINOR * 100 + CUSPARSE_VER_PATCH)

#ifndef CUSPARSEAPI
#ifdef _WIN32
#define CUSPARSEAPI __stdcall
#else
#define CUSPARSEAPI
#endif
#endif

#if defined(DISABLE_CUSPARSE_DEPRECATED)
#define CUSPARSE_DEPRECATED
#elif defined(__GNUC__)
#define CUSPARSE_DEPRECATED __attribute__((deprecated))
#elif defined(_MSC_VER)
#define CUSPARSE_DEPRECATED __declspec(deprecated)
#else
#define CUSPARSE_DEPRECATED
#endif

/* GCC knows attributes on enumerators since version 6. */
#if !defined(DISABLE_CUSPARSE_DEPRECATED) && (defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 6))
#define CUSPARSE_DEPRECATED_ENUM __attribute__((deprecated))
#else
#define CUSPARSE_DEPRECATED_ENUM
#endif

#ifdef __cplusplus
extern "C" {
#endif

#include "cusparse/types.inc"
#include "cusparse/management.inc"
#include "cusparse/descriptors.inc"
#include "cusparse/vector.inc"
#include "cusparse/spmv.inc"
#include "cusparse/spmm.inc"
#include "cusparse/trisolve.inc"
#include "cusparse/convert.inc"
#include "cusparse/sddmm.inc"
#include "cusparse/spmm_op.inc"
#include "cusparse/spgemm.inc"
#include "cusparse/spmv_op.inc"
#include "cusparse/spgeam.inc"

/* The legacy interface: matrices come as arrays, and most functions have a scalar type. Programs are warned
 * when they call what NVIDIA deprecates, and not because it is declared. */
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
#include "cusparse/bsr_infos.inc"
#define HERON_FAMILY "cusparse/bsr_products.inc"
#include "cusparse/foreach_type.inc"
#define HERON_FAMILY "cusparse/bsr_solves.inc"
#include "cusparse/foreach_type.inc"
#include "cusparse/factor_info.inc"
#define HERON_FAMILY "cusparse/factor.inc"
#include "cusparse/foreach_type.inc"
#define HERON_FAMILY "cusparse/tridiag.inc"
#include "cusparse/foreach_type.inc"
#include "cusparse/conversion.inc"
#define HERON_FAMILY "cusparse/typed_conversion.inc"
#include "cusparse/foreach_type.inc"
#include "cusparse/sort.inc"
#define HERON_FAMILY "cusparse/csru2csr.inc"
#include "cusparse/foreach_type.inc"
#include "cusparse/color.inc"
#define HERON_FAMILY "cusparse/csrcolor.inc"
#include "cusparse/foreach_type.inc"
#include "cusparse/geam.inc"
#define HERON_FAMILY "cusparse/csrgeam2.inc"
#include "cusparse/foreach_type.inc"
#include "cusparse/prune_info.inc"
#define HERON_FAMILY "cusparse/typed_compress.inc"
#include "cusparse/foreach_type.inc"
#define HERON_HALF
#define HERON_FAMILY "cusparse/typed_prune.inc"
#include "cusparse/foreach_type.inc"

/* Removed by NVIDIA, and served all the same. */
#include "cusparse/removed_helpers.inc"
#define HERON_FAMILY "cusparse/typed_vector.inc"
#include "cusparse/foreach_type.inc"
#define HERON_FAMILY "cusparse/csrmv.inc"
#include "cusparse/foreach_type.inc"
#include "cusparse/csr_infos.inc"
#define HERON_FAMILY "cusparse/csr_solves.inc"
#include "cusparse/foreach_type.inc"
#define HERON_FAMILY "cusparse/gtsv.inc"
#include "cusparse/foreach_type.inc"
#include "cusparse/solve_analysis_info.inc"
#define HERON_FAMILY "cusparse/solve_analysis.inc"
#include "cusparse/foreach_type.inc"
#include "cusparse/csrmv_ex.inc"
#define HERON_FAMILY "cusparse/csrmm.inc"
#include "cusparse/foreach_type.inc"
#define HERON_FAMILY "cusparse/dense_conversion.inc"
#include "cusparse/foreach_type.inc"
#include "cusparse/csr2csc_ex.inc"
#define HERON_FAMILY "cusparse/csr2csc.inc"
#include "cusparse/foreach_type.inc"
#include "cusparse/csrgeam_nnz.inc"
#define HERON_FAMILY "cusparse/csrgeam.inc"
#include "cusparse/foreach_type.inc"
#include "cusparse/csrgemm_nnz.inc"
#define HERON_FAMILY "cusparse/csrgemm.inc"
#include "cusparse/foreach_type.inc"
#include "cusparse/hyb_matrix.inc"
#define HERON_FAMILY "cusparse/hyb.inc"
#include "cusparse/foreach_type.inc"
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
}
#endif

#undef CUSPARSE_DEPRECATED
#undef CUSPARSE_DEPRECATED_ENUM

#endif
