// The exported functions of clBLAS.
#include "level3.hpp"
#include "state.hpp"
#include <clBLAS.h>

#define CLBLAS_TAIL cl_uint numCommandQueues, cl_command_queue *commandQueues, cl_uint numEventsInWaitList, const cl_event *eventWaitList, cl_event *events
#define CLBLAS_TAIL_VALUES {numCommandQueues, commandQueues, numEventsInWaitList, eventWaitList, events}
#define CLBLAS_NAME(name) clblas##name
#define CLBLAS_TEXT_OF(name) #name
#define CLBLAS_TEXT(name) CLBLAS_TEXT_OF(name)

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

#define CLBLAS_FN(name) clblasS##name
#define CLBLAS_T cl_float
#include "level3.inc"
#undef CLBLAS_T
#undef CLBLAS_FN

#define CLBLAS_FN(name) clblasD##name
#define CLBLAS_T cl_double
#include "level3.inc"
#undef CLBLAS_T
#undef CLBLAS_FN

#define CLBLAS_FN(name) clblasC##name
#define CLBLAS_T FloatComplex
#include "level3.inc"
#undef CLBLAS_T
#undef CLBLAS_FN

#define CLBLAS_FN(name) clblasZ##name
#define CLBLAS_T DoubleComplex
#include "level3.inc"
#undef CLBLAS_T
#undef CLBLAS_FN

#define CLBLAS_FN(name) clblasC##name
#define CLBLAS_T FloatComplex
#define CLBLAS_R cl_float
#include "hermitian.inc"
#undef CLBLAS_R
#undef CLBLAS_T
#undef CLBLAS_FN

#define CLBLAS_FN(name) clblasZ##name
#define CLBLAS_T DoubleComplex
#define CLBLAS_R cl_double
#include "hermitian.inc"
#undef CLBLAS_R
#undef CLBLAS_T
#undef CLBLAS_FN

}
