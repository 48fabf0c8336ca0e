#include "failing_allocations.hpp"
#include <cstdlib>

namespace {

thread_local int left = -1;  // negative: allocations do not fail
thread_local bool has_failed = false;
thread_local long count = 0;

void* allocate(std::size_t bytes) {
    ++count;
    if (left == 0) {
        has_failed = true;
        throw std::bad_alloc();
    }
    if (left > 0) --left;
    if (void* const memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace heron::test {

long allocations() { return count; }

void fail_allocations_after(int successes) {
    has_failed = false;
    left = successes;
}

bool end_failing_allocations() {
    left = -1;
    return has_failed;
}

}  // namespace heron::test
