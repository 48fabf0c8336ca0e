/* clBLAS, served by Heron on any OpenCL 1.2 device.
 *
 * Matrices, vectors and results are buffers; offsets, leading dimensions and increments count elements, a
 * complex number being one. The work runs on the first of the command queues, after the events of the wait
 * list, and no call waits for the device, but for the helpers that say so. events may be NULL; otherwise it
 * has an entry for each queue, each of which completes when the whole work is done and is the caller's to
 * release. Queues may be out of order. All functions but Setup and Teardown may be called by several
 * threads. */
#ifndef CLBLAS_H_
#define CLBLAS_H_

#include <stddef.h>
#include <CL/cl.h>
#include "clBLAS-complex.h"
#include "clBLAS.version.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum clblasOrder_ { clblasRowMajor = 0, clblasColumnMajor = 1 } clblasOrder;
typedef enum clblasTranspose_ { clblasNoTrans = 0, clblasTrans = 1, clblasConjTrans = 2 } clblasTranspose;
typedef enum clblasUplo_ { clblasUpper = 0, clblasLower = 1 } clblasUplo;
typedef enum clblasDiag_ { clblasUnit = 0, clblasNonUnit = 1 } clblasDiag;
typedef enum clblasSide_ { clblasLeft = 0, clblasRight = 1 } clblasSide;

typedef enum clblasStatus_ {
    clblasSuccess = CL_SUCCESS,
    clblasInvalidValue = CL_INVALID_VALUE,
    clblasInvalidCommandQueue = CL_INVALID_COMMAND_QUEUE,
    clblasInvalidContext = CL_INVALID_CONTEXT,
    clblasInvalidMemObject = CL_INVALID_MEM_OBJECT,
    clblasInvalidDevice = CL_INVALID_DEVICE,
    clblasInvalidEventWaitList = CL_INVALID_EVENT_WAIT_LIST,
    clblasOutOfResources = CL_OUT_OF_RESOURCES,
    clblasOutOfHostMemory = CL_OUT_OF_HOST_MEMORY,
    clblasInvalidOperation = CL_INVALID_OPERATION,
    clblasCompilerNotAvailable = CL_COMPILER_NOT_AVAILABLE,
    clblasBuildProgramFailure = CL_BUILD_PROGRAM_FAILURE,
    clblasNotImplemented = -1024,
    clblasNotInitialized = -1023,
    clblasInvalidMatA = -1022,
    clblasInvalidMatB = -1021,
    clblasInvalidMatC = -1020,
    clblasInvalidVecX = -1019,
    clblasInvalidVecY = -1018,
    clblasInvalidDim = -1017,
    clblasInvalidLeadDimA = -1016,
    clblasInvalidLeadDimB = -1015,
    clblasInvalidLeadDimC = -1014,
    clblasInvalidIncX = -1013,
    clblasInvalidIncY = -1012,
    clblasInsufficientMemMatA = -1011,
    clblasInsufficientMemMatB = -1010,
    clblasInsufficientMemMatC = -1009,
    clblasInsufficientMemVecX = -1008,
    clblasInsufficientMemVecY = -1007
} clblasStatus;

/* The version of the interface. NULL is accepted. */
clblasStatus clblasGetVersion(cl_uint* major, cl_uint* minor, cl_uint* patch);

/* Before the first operation. Twice is allowed; one Teardown ends it. */
clblasStatus clblasSetup(void);
/* Frees the programs and the memory that are kept for the contexts in use. */
void clblasTeardown(void);

/* Heron needs no scratch images: these keep count of them for programs that add some. */
cl_ulong clblasAddScratchImage(cl_context context, size_t width, size_t height, clblasStatus* status);
clblasStatus clblasRemoveScratchImage(cl_ulong imageID);

#include "clblas/helpers.inc"

#define CLBLAS_TAIL                                                                         \
    cl_uint numCommandQueues, cl_command_queue *commandQueues, cl_uint numEventsInWaitList, \
        const cl_event *eventWaitList, cl_event *events

#define CLBLAS_NAME(name) clblas##name
#define CLBLAS_OF(letter, name) clblas##letter##name
#define HERON_FAMILY "clblas/level1.inc"
#include "clblas/foreach_type.inc"
#define CLBLAS_REAL_SCALAR
#define HERON_FAMILY "clblas/real_scalar.inc"
#include "clblas/foreach_type.inc"
#define CLBLAS_REAL_RESULT
#define HERON_FAMILY "clblas/real_result.inc"
#include "clblas/foreach_type.inc"
#define CLBLAS_INDEX_RESULT
#define HERON_FAMILY "clblas/index_result.inc"
#include "clblas/foreach_type.inc"
#define HERON_FAMILY "clblas/gemv.inc"
#include "clblas/foreach_type.inc"
#define HERON_FAMILY "clblas/level2.inc"
#include "clblas/foreach_type.inc"
#define HERON_FAMILY "clblas/level3.inc"
#include "clblas/foreach_type.inc"
#define HERON_FAMILY "clblas/hermitian.inc"
#include "clblas/foreach_type.inc"
#undef CLBLAS_OF
#undef CLBLAS_NAME

#undef CLBLAS_TAIL

#ifdef __cplusplus
}
#endif
#endif
