/* The same where calls of several kinds can fail, of which a test chooses one, and what is alive is counted.
 */
#pragma once
#include "failing.h"
#include <string.h>

static char chosen[32];
static long live, work;

/* What fails from now on; "everything" is one of them. */
void heron_test_choose(const char* kind) {
    chosen[0] = '\0';
    strncat(chosen, kind, sizeof chosen - 1);
}

/* Objects and blocks of memory that were made and not given back. */
long heron_test_live(void) { return __atomic_load_n(&live, __ATOMIC_RELAXED); }

/* Launches and copies that the device was asked for so far. */
long heron_test_work(void) { return __atomic_load_n(&work, __ATOMIC_RELAXED); }

static int fails(const char* kind) {
    if (strcmp(kind, "launches") == 0 || strcmp(kind, "copies") == 0)
        __atomic_fetch_add(&work, 1, __ATOMIC_RELAXED);
    return left >= 0 && (strcmp(kind, chosen) == 0 || strcmp("everything", chosen) == 0) && fails_now();
}

static void count(long made) { __atomic_fetch_add(&live, made, __ATOMIC_RELAXED); }
