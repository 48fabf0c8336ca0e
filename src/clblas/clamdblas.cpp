// The exported functions of clAmdBlas.
#include "helpers.hpp"
#include "level2.hpp"
#include "level3.hpp"
#include "state.hpp"
#include <clAmdBlas.h>

#define CLBLAS_TAIL                                                                         \
    cl_uint numCommandQueues, cl_command_queue *commandQueues, cl_uint numEventsInWaitList, \
        const cl_event *eventWaitList, cl_event *events
#define CLBLAS_TAIL_VALUES \
    { numCommandQueues, commandQueues, numEventsInWaitList, eventWaitList, events }
#define CLBLAS_NAME(name) clAmdBlas##name
#define CLBLAS_TEXT_OF(name) #name
#define CLBLAS_TEXT(name) CLBLAS_TEXT_OF(name)

using heron::clblas::stored;
using heron::clblas::type_of;

extern "C" {

clAmdBlasStatus clAmdBlasGetVersion(cl_uint* major, cl_uint* minor, cl_uint* patch) {
    if (major) *major = clAmdBlasVersionMajor;
    if (minor) *minor = clAmdBlasVersionMinor;
    if (patch) *patch = clAmdBlasVersionPatch;
    return clAmdBlasSuccess;
}

clAmdBlasStatus clAmdBlasSetup(void) {
    return clAmdBlasStatus(heron::clblas::guarded("clAmdBlasSetup", [] { heron::clblas::set_up(); }));
}

void clAmdBlasTeardown(void) {
    heron::clblas::guarded("clAmdBlasTeardown", [] { heron::clblas::tear_down(); });
}

cl_ulong clAmdBlasAddScratchImage(cl_context context, size_t width, size_t height, clAmdBlasStatus* error) {
    clblasStatus status = clblasSuccess;
    const cl_ulong id =
        heron::clblas::add_scratch_image("clAmdBlasAddScratchImage", context, width, height, &status);
    if (error) *error = clAmdBlasStatus(status);
    return id;
}

clAmdBlasStatus clAmdBlasRemoveScratchImage(cl_ulong imageID) {
    return clAmdBlasStatus(heron::clblas::remove_scratch_image("clAmdBlasRemoveScratchImage", imageID));
}

#define CLBLAS_OF(letter, name) clAmdBlas##letter##name
#define HERON_FAMILY "clblas/level1_functions.inc"
#include <clblas/foreach_type.inc>
#define CLBLAS_REAL_SCALAR
#define HERON_FAMILY "clblas/real_scalar_functions.inc"
#include <clblas/foreach_type.inc>
#define CLBLAS_REAL_RESULT
#define HERON_FAMILY "clblas/real_result_functions.inc"
#include <clblas/foreach_type.inc>
#define CLBLAS_INDEX_RESULT
#define HERON_FAMILY "clblas/index_result_functions.inc"
#include <clblas/foreach_type.inc>
#define HERON_FAMILY "clblas/amd_gemv_functions.inc"
#include <clblas/foreach_type.inc>
#define HERON_FAMILY "clblas/level2_functions.inc"
#include <clblas/foreach_type.inc>
#define HERON_FAMILY "clblas/amd_level3_functions.inc"
#include <clblas/foreach_type.inc>
#define HERON_FAMILY "clblas/hermitian_functions.inc"
#include <clblas/foreach_type.inc>
#undef CLBLAS_OF
}
