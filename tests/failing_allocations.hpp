// Allocations of C++ that fail when a test wants it. A test that includes this also compiles
// failing_allocations.cpp, which replaces operator new for the whole process, plug-ins included.
#pragma once
#include <new>

namespace heron::test {

// From now on this thread's allocation number `successes` and all after it throw bad_alloc.
void fail_allocations_after(int successes);
// Stops that. True if an allocation has failed since.
bool end_failing_allocations();

// Calls f() with the first, the second, ... allocation failing, until none fails any more; check(result) gets
// what f() returned each time.
template <class F, class Check>
void fail_every_allocation(F&& f, Check&& check) {
    for (int successes = 0;; ++successes) {
        fail_allocations_after(successes);
        const auto result = f();
        const bool has_failed = end_failing_allocations();
        check(result, has_failed);
        if (!has_failed) return;
    }
}

}  // namespace heron::test
