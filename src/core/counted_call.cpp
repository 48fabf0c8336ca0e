// What every call does while a report is on. It is to cost little beside the quickest calls, so what is
// common is apart: it finds the thread's counts by a TLS descriptor, where the compiler has such
// (CMakeLists.txt), and saves no registers. No floating point here: a descriptor's slow way may change vector
// registers (glibc's before 2.40).
#include "call_counts.hpp"
#include "report.hpp"

namespace heron::core {

constinit thread_local thread_counts* own_counts = nullptr;
std::atomic<thread_counts*> all_counts = nullptr;

namespace {

thread_counts* acquire_counts() {
    for (thread_counts* t = all_counts.load(std::memory_order_acquire); t; t = t->next)
        if (bool expected = true; t->is_free.compare_exchange_strong(expected, false)) return t;
    auto* const made = new (std::nothrow) thread_counts;
    if (!made) return nullptr;
    made->next = all_counts.load();
    while (!all_counts.compare_exchange_weak(made->next, made)) continue;
    return made;
}

// Until the thread ends.
struct owned_counts {
    owned_counts() { own_counts = acquire_counts(); }
    ~owned_counts() {
        if (own_counts) own_counts->is_free = true;
        own_counts = nullptr;
    }
};

[[gnu::noinline]] thread_counts* counts_of_new_thread() {
    thread_local owned_counts mine;
    return own_counts;
}

}  // namespace

void recorded_call::begin(const char* function) noexcept {
    struct uncommon {
        [[gnu::noinline]] static void begin(recorded_call& call, const char* function) {
            thread_counts* const thread = own_counts ? own_counts : counts_of_new_thread();
            call_counts* const counts = thread ? thread->of(function) : nullptr;
            if (!counts) return;
            call.call_ = &thread->call;
            call.call_->counts = counts;
            if (!counts->calls.skips()) call.begin_measured();
        }
    };
    thread_counts* const thread = own_counts;
    if (!thread) return uncommon::begin(*this, function);
    if (thread->call.counts) return;
    call_counts* const counts = thread->known(function);
    if (!counts) return uncommon::begin(*this, function);
    call_ = &thread->call;
    call_->counts = counts;
    if (!counts->calls.skips()) begin_measured();
}

[[gnu::noinline]] void recorded_call::begin_measured() noexcept {
    call_->counts->calls.measure();
    call_->is_measured = true;
    measured_calls.fetch_add(1, std::memory_order_relaxed);
    start_ = report_clock::now();
}

}  // namespace heron::core
