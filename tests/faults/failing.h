/* What preloaded libraries share that let calls fail: how many still succeed, and how many have failed. */
#pragma once

/* Calls that still succeed; negative: all do. */
static long left = -1;
static int failures;

/* Call number `successes` from now and all after it fail. */
void heron_test_fail_after(long successes) {
    failures = 0;
    left = successes;
}

/* Ends that; how many have failed. */
int heron_test_end_failing(void) {
    left = -1;
    return failures;
}

/* Whether the call that asks fails. */
static int fails_now(void) {
    if (left < 0) return 0;
    if (left > 0) {
        --left;
        return 0;
    }
    ++failures;
    return 1;
}
