/* clAmdBlas, served by Heron on any OpenCL 1.2 device.
 *
 * Matrices, vectors and results are buffers; offsets, leading dimensions and increments count elements, a
 * complex number being one. The work runs on the first of the command queues, after the events of the wait
 * list, and no call waits for the device. events may be NULL; otherwise it has an entry for each queue, each
 * of which completes when the whole work is done and is the caller's to release. Queues may be out of order.
 * All functions but Setup and Teardown may be called by several threads. */
#ifndef CLAMDBLAS_H_
#define CLAMDBLAS_H_

#include <stddef.h>
#include <CL/cl.h>
#include "clAmdBlas-complex.h"
#include "clAmdBlas.version.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum clAmdBlasOrder { clAmdBlasRowMajor = 0, clAmdBlasColumnMajor = 1 } clAmdBlasOrder;
typedef enum clAmdBlasTranspose {
    clAmdBlasNoTrans = 0,
    clAmdBlasTrans = 1,
    clAmdBlasConjTrans = 2
} clAmdBlasTranspose;
typedef enum clAmdBlasUplo { clAmdBlasUpper = 0, clAmdBlasLower = 1 } clAmdBlasUplo;
typedef enum clAmdBlasDiag { clAmdBlasUnit = 0, clAmdBlasNonUnit = 1 } clAmdBlasDiag;
typedef enum clAmdBlasSide { clAmdBlasLeft = 0, clAmdBlasRight = 1 } clAmdBlasSide;

typedef enum clAmdBlasStatus {
    clAmdBlasSuccess = CL_SUCCESS,
    clAmdBlasInvalidValue = CL_INVALID_VALUE,
    clAmdBlasInvalidCommandQueue = CL_INVALID_COMMAND_QUEUE,
    clAmdBlasInvalidContext = CL_INVALID_CONTEXT,
    clAmdBlasInvalidMemObject = CL_INVALID_MEM_OBJECT,
    clAmdBlasInvalidDevice = CL_INVALID_DEVICE,
    clAmdBlasInvalidEventWaitList = CL_INVALID_EVENT_WAIT_LIST,
    clAmdBlasOutOfResources = CL_OUT_OF_RESOURCES,
    clAmdBlasOutOfHostMemory = CL_OUT_OF_HOST_MEMORY,
    clAmdBlasInvalidOperation = CL_INVALID_OPERATION,
    clAmdBlasCompilerNotAvailable = CL_COMPILER_NOT_AVAILABLE,
    clAmdBlasBuildProgramFailure = CL_BUILD_PROGRAM_FAILURE,
    clAmdBlasNotImplemented = -1024,
    clAmdBlasNotInitialized = -1023,
    clAmdBlasInvalidMatA = -1022,
    clAmdBlasInvalidMatB = -1021,
    clAmdBlasInvalidMatC = -1020,
    clAmdBlasInvalidVecX = -1019,
    clAmdBlasInvalidVecY = -1018,
    clAmdBlasInvalidDim = -1017,
    clAmdBlasInvalidLeadDimA = -1016,
    clAmdBlasInvalidLeadDimB = -1015,
    clAmdBlasInvalidLeadDimC = -1014,
    clAmdBlasInvalidIncX = -1013,
    clAmdBlasInvalidIncY = -1012,
    clAmdBlasInsufficientMemMatA = -1011,
    clAmdBlasInsufficientMemMatB = -1010,
    clAmdBlasInsufficientMemMatC = -1009,
    clAmdBlasInsufficientMemVecX = -1008,
    clAmdBlasInsufficientMemVecY = -1007
} clAmdBlasStatus;

/* The version of the interface. NULL is accepted. */
clAmdBlasStatus clAmdBlasGetVersion(cl_uint* major, cl_uint* minor, cl_uint* patch);

/* Before the first operation. Twice is allowed; one Teardown ends it. */
clAmdBlasStatus clAmdBlasSetup(void);
/* Frees the programs and the memory that are kept for the contexts in use. */
void clAmdBlasTeardown(void);

/* Heron needs no scratch images: these keep count of them for programs that add some. */
cl_ulong clAmdBlasAddScratchImage(cl_context context, size_t width, size_t height, clAmdBlasStatus* error);
clAmdBlasStatus clAmdBlasRemoveScratchImage(cl_ulong imageID);

#define CLBLAS_TAIL                                                                         \
    cl_uint numCommandQueues, cl_command_queue *commandQueues, cl_uint numEventsInWaitList, \
        const cl_event *eventWaitList, cl_event *events

#define CLBLAS_NAME(name) clAmdBlas##name
#define CLBLAS_OF(letter, name) clAmdBlas##letter##name
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
#define HERON_FAMILY "clblas/amd_gemv.inc"
#include "clblas/foreach_type.inc"
#define HERON_FAMILY "clblas/level2.inc"
#include "clblas/foreach_type.inc"
#define HERON_FAMILY "clblas/amd_level3.inc"
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
