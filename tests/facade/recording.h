/* What the recording plug-in tells the tests, which find these functions by dlsym in the loaded plug-in. */
#ifndef HERON_TESTS_RECORDING_H
#define HERON_TESTS_RECORDING_H

#include <heron/backend.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One of the calls that order work: an operation's phase RUN, memory_alloc, memory_free, event_record,
 * stream_wait_event, and queue_wait_for (for each event) and queue_mark on callers' command queues. */
typedef struct recorded_step {
    const char* function;
    void* stream;
    void* object; /* the memory or the event */
    size_t bytes; /* of memory_alloc */
} recorded_step;

/* The last call of an operation's slot. */
typedef struct recorded_call {
    int count;             /* calls since the plug-in was loaded */
    const char* operation; /* "spmv" */
    heron_phase phase;
    const void* args; /* a copy of the operation's heron_..._args */
    size_t args_size;
    void* memory;     /* of the workspace */
    heron_plan* plan; /* that the call was given; ANALYSE gives out recorded_plan() */
    int plans_destroyed;
    int threads;             /* that queue_threads was told last */
    void* stream;            /* that queue_bind was told last */
    recorded_step steps[64]; /* the latest since a test has set step_count to 0 */
    int step_count;
    size_t size; /* what SIZE answers where a workspace can be given */
} recorded_call;

typedef recorded_call* (*heron_recorded_function)(void);

/* What SIZE answers at first, and what ANALYSE of dense_to_sparse and the phases of SpGEMM count. */
#define RECORDED_SIZE 4096
#define RECORDED_NNZ 7
#define RECORDED_VALUES_SIZE 11

/* The bytes of every buffer on a caller's command queue. */
#define RECORDED_BUFFER_SIZE 65536

#ifdef __cplusplus
}
#endif
#endif
