#pragma once
// What the host keeps between ANALYSE and RUN. It lives on the heap, so that nothing the caller does to the
// workspace can harm it, and is only read by RUN, so that several threads may use it.
#include <heron/backend.h>

struct heron_plan {
    void (*destroy)(heron_plan*);
};
