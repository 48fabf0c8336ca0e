// Allocations of C++ that are counted, and fail when a test wants it. A test that includes this also compiles
// failing_allocations.cpp, which replaces operator new for the whole process, plug-ins included.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <new>

namespace heron::test {

// Allocations of this thread so far.
long allocations();

// Whether allocations of libraries have been counted.
inline bool counts_libraries = false;

// Calls f, which makes libraries allocate when it is called first. Skips the test where that is not seen:
// some compilers give each library a C++ runtime of its own.
template <class F>
void skip_unless_counted(F&& f) {
    const long before = allocations();
    f();
    counts_libraries |= allocations() != before;
    if (counts_libraries) return;
    std::puts("skipped: the libraries do not use the test's operator new");
    std::fflush(stdout);
    std::_Exit(77);
}

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
