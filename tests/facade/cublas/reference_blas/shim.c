/* BLAS as Fortran programs call it, on cuBLAS: for the test programs of reference BLAS, whose arrays the host
 * backend takes as they are. Preloaded, it wins over the programs' own library. Says at the end how many
 * calls it served, so that a test sees that it was used. */
#include <cublas.h>
#include <stdio.h>
#include <stdlib.h>

static long calls = 0;

__attribute__((constructor)) static void start(void) {
    if (cublasInit() != CUBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "shim: cublasInit failed\n");
        exit(EXIT_FAILURE);
    }
}

__attribute__((destructor)) static void finish(void) { fprintf(stderr, "shim: %ld calls\n", calls); }

/* After each call. The programs' own error handling is not tested. */
static void count(void) {
    const cublasStatus_t error = cublasGetError();
    ++calls;
    if (error != CUBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "shim: %s\n", cublasGetStatusName(error));
        exit(EXIT_FAILURE);
    }
}

#define JOINED(a, b, c) a##b##c
#define JOIN(a, b, c) JOINED(a, b, c)
#define CHOSEN(choice, letter) choice##letter
#define CHOOSE(choice, letter) CHOSEN(choice, letter)
#define SMALL_S s
#define SMALL_D d
#define SMALL_C c
#define SMALL_Z z
#define INDEX_S is
#define INDEX_D id
#define INDEX_C ic
#define INDEX_Z iz
#define NORM_S s
#define NORM_D d
#define NORM_C sc
#define NORM_Z dz
#define BY_REAL_C cs
#define BY_REAL_Z zd
#define FORTRAN_FN(name) JOIN(CHOOSE(SMALL_, HERON_LETTER), name, _)
#define FORTRAN_INDEX_FN(name) JOIN(CHOOSE(INDEX_, HERON_LETTER), name, _)
#define FORTRAN_NORM_FN(name) JOIN(CHOOSE(NORM_, HERON_LETTER), name, _)
#define FORTRAN_BY_REAL_FN(name) JOIN(CHOOSE(BY_REAL_, HERON_LETTER), name, _)
#define CUBLAS_FN HERON_FN
#define CUBLAS_INDEX_FN HERON_INDEX_FN
#define CUBLAS_NORM_FN HERON_NORM_FN
#define CUBLAS_BY_REAL_FN HERON_BY_REAL_FN

#define HERON_INT_ONLY
#define HERON_FAMILY "facade/cublas/reference_blas/shim.inc"
#include <cublas/foreach_type.inc>
