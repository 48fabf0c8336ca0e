#include "call_counts.hpp"
#include "report.hpp"
#include <cstdlib>
#include <thread>
#include <utility>

namespace heron::core {

std::atomic<bool> report_is_on = false;
std::atomic<int> measured_calls = 0;
std::mutex reason_mutex;
std::atomic<const char*> latest_backend = nullptr;

namespace {

int64_t nanoseconds_since(report_clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(report_clock::now() - start).count();
}

call_counts* current_call() { return own_counts ? own_counts->call.counts : nullptr; }

}  // namespace

call_counts* measured_call() {
    return own_counts && own_counts->call.is_measured ? own_counts->call.counts : nullptr;
}

void forget_calls() {
    measured_calls = 0;
    for (thread_counts* t = all_counts; t; t = t->next) {
        t->call = {};
        t->for_each([](call_counts& c) { c.clear(); });
    }
}

void recorded_call::end() noexcept {
    const int64_t time = call_->is_measured ? nanoseconds_since(start_) : 0;
    call_counts* const counts = std::exchange(call_->counts, nullptr);
    if (!counts) return;  // a child process, which was forked in a call
    if (has_failed_) counts->failures.add(1);
    if (!std::exchange(call_->is_measured, false)) return;
    measured_calls.fetch_sub(1, std::memory_order_relaxed);
    counts->calls.end(time);
    counts->longest.raise(time);
}

namespace {

int host_threads(const context& c) {
    if (c.threads() > 0) return c.threads();
    const char* const chosen = std::getenv("OMP_NUM_THREADS");
    return chosen && *chosen ? std::atoi(chosen) : static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

device_class latest_device::class_of(const context& c) {
    if (table_ == &c.table() && device_ == c.device()) return class_;
    table_ = &c.table();
    device_ = c.device();
    heron_device_info info{};
    if (works_at_once(c))
        class_ = host_threads(c) > 1 ? device_class::several_cores : device_class::one_core;
    else if (c.backend().name == "cuda")
        class_ = device_class::cuda;
    else if (device_ >= 0 && table_->device_info(device_, &info) == HERON_SUCCESS && info.is_gpu)
        class_ = device_class::opencl_gpu;
    else
        class_ = device_class::opencl_processor;
    return class_;
}

bool works_at_once(const context& c) { return c.backend().name == "host"; }

bool may_ask_stream(const context& c) { return !c.table().device_current && c.device() >= 0; }

namespace {

// Some of a function's first phases, and then one in 32. In the very first programs are compiled.
bool is_sampled(uint64_t phase) { return (phase > 0 && phase < 16) || phase % 32 == 31; }

void add_device_time(call_counts& counts, int64_t nanoseconds) {
    counts.device.add(nanoseconds);
    counts.longest_device.raise(nanoseconds);
    counts.measured_phases.add(1);
}

void collect(device_sample& sample, call_counts& counts) {
    const heron_backend& table = *sample.table;
    int is_ready = 0;
    float milliseconds = 0;
    if (table.event_ready(sample.stop, &is_ready) != HERON_SUCCESS || !is_ready) return;
    sample.is_pending = false;
    if (table.event_elapsed(sample.start, sample.stop, &milliseconds) != HERON_SUCCESS) return;
    add_device_time(counts, static_cast<int64_t>(static_cast<double>(milliseconds) * 1e6));
}

// The function's events, on the first device that it is called on.
bool has_events(device_sample& sample, const context& c) {
    if (sample.table) return sample.table == &c.table() && sample.device == c.device() && sample.stop;
    sample.table = &c.table();
    sample.device = c.device();
    return c.table().event_create(c.device(), &sample.start) == HERON_SUCCESS &&
           c.table().event_create(c.device(), &sample.stop) == HERON_SUCCESS;
}

// With its first event recorded, or NULL.
device_sample* begin_sample(const context& c, call_counts& counts) {
    device_sample& sample = counts.sample;
    if (sample.is_pending) collect(sample, counts);
    if (sample.is_pending || !is_sampled(sample.phases++) || !has_events(sample, c)) return nullptr;
    return c.table().event_record(c.device(), c.stream(), sample.start) == HERON_SUCCESS ? &sample : nullptr;
}

}  // namespace

recorded_phase::recorded_phase(const context& c, const work& done) noexcept
    : counts_(measured_call()), context_(c) {
    if (!counts_) return;
    const auto stands_for = static_cast<double>(counts_->calls.stands_for());
    latest_backend.store(c.backend().name.c_str(), std::memory_order_relaxed);
    counts_->flops.add(stands_for * done.flops);
    counts_->bytes.add(stands_for * done.bytes);
    counts_->phases.add(counts_->calls.stands_for());
    if (works_at_once(c))
        start_ = report_clock::now();
    else if (may_ask_stream(c))
        sample_ = begin_sample(c, *counts_);
}

recorded_phase::~recorded_phase() {
    if (!counts_) return;
    if (works_at_once(context_)) {
        add_device_time(*counts_, nanoseconds_since(start_));
    } else if (sample_) {
        sample_->is_pending = context_.table().event_record(context_.device(), context_.stream(),
                                                            sample_->stop) == HERON_SUCCESS;
    }
}

void note_unprepared(const context& c, const repeated_product& product, const void* indices) noexcept {
    call_counts* const counts = measured_call();
    if (!counts) return;
    if (const preparation_gain* const gain = gain_of_preparation(counts->devices.class_of(c), product))
        counts->unprepared.add(indices, *gain, counts->calls.stands_for());
}

void note_unsorted(int64_t row) noexcept {
    call_counts* const counts = current_call();
    if (counts && counts->unsorted.get() == 0) counts->unsorted.set(row + 1);
}

void note_reason(std::string_view reason) noexcept {
    call_counts* const counts = current_call();
    if (!counts) return;
    try {
        const std::lock_guard lock(reason_mutex);
        if (counts->reason.empty()) counts->reason = reason;
    } catch (...) {
        // The call fails for the same reason, untold.
    }
}

}  // namespace heron::core
