// The exported functions of clBLAS.
#include "helpers.hpp"
#include "level2.hpp"
#include "level3.hpp"
#include "state.hpp"
#include <clBLAS.h>

#define CLBLAS_TAIL                                                                         \
    cl_uint numCommandQueues, cl_command_queue *commandQueues, cl_uint numEventsInWaitList, \
        const cl_event *eventWaitList, cl_event *events
#define CLBLAS_TAIL_VALUES \
    { numCommandQueues, commandQueues, numEventsInWaitList, eventWaitList, events }
#define CLBLAS_NAME(name) clblas##name
#define CLBLAS_TEXT_OF(name) #name
#define CLBLAS_TEXT(name) CLBLAS_TEXT_OF(name)

using heron::clblas::stored;
using heron::clblas::type_of;

extern "C" {

clblasStatus clblasGetVersion(cl_uint* major, cl_uint* minor, cl_uint* patch) {
    if (major) *major = clblasVersionMajor;
    if (minor) *minor = clblasVersionMinor;
    if (patch) *patch = clblasVersionPatch;
    return clblasSuccess;
}

clblasStatus clblasSetup(void) {
    return clblasStatus(heron::clblas::guarded("clblasSetup", [] { heron::clblas::set_up(); }));
}

void clblasTeardown(void) {
    heron::clblas::guarded("clblasTeardown", [] { heron::clblas::tear_down(); });
}

cl_ulong clblasAddScratchImage(cl_context context, size_t width, size_t height, clblasStatus* status) {
    return heron::clblas::add_scratch_image("clblasAddScratchImage", context, width, height, status);
}

clblasStatus clblasRemoveScratchImage(cl_ulong imageID) {
    return heron::clblas::remove_scratch_image("clblasRemoveScratchImage", imageID);
}

// Takes an enumeration of clBLAS's own build, which no header of it installs.
clblasStatus clblasSelectImplementation(int impl);
clblasStatus clblasSelectImplementation(int impl) {
    return heron::clblas::select_implementation("clblasSelectImplementation", impl);
}

#define CLBLAS_OF(letter, name) clblas##letter##name
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
#define HERON_FAMILY "clblas/gemv_functions.inc"
#include <clblas/foreach_type.inc>
#define HERON_FAMILY "clblas/level2_functions.inc"
#include <clblas/foreach_type.inc>
#define HERON_FAMILY "clblas/level3_functions.inc"
#include <clblas/foreach_type.inc>
#define HERON_FAMILY "clblas/hermitian_functions.inc"
#include <clblas/foreach_type.inc>
#undef CLBLAS_OF
}
