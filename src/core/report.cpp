#include "report.hpp"
#include "report_text.hpp"
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <map>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace heron::core {

std::atomic<bool> report_is_on = false;

namespace {

using clock = std::chrono::steady_clock;

// Written by one thread and read by the one that ends the process, so that no addition has to be indivisible.
template <class T>
class counter {
  public:
    T get() const { return value_.load(std::memory_order_relaxed); }
    void set(T value) { value_.store(value, std::memory_order_relaxed); }
    void add(T value) { set(get() + value); }

  private:
    std::atomic<T> value_{};
};

int64_t nanoseconds_since(clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - start).count();
}

// Runs on each of a few matrices; the one with fewest makes room for another.
class matrix_runs {
  public:
    void add(const void* indices) {
        run* fewest = &runs_[0];
        for (run& r : runs_) {
            if (r.indices == indices) return count(r);
            if (r.count < fewest->count) fewest = &r;
        }
        *fewest = {indices, 0};
        count(*fewest);
    }
    uint64_t most() const { return most_.get(); }
    void clear() {
        runs_ = {};
        most_.set(0);
    }

  private:
    struct run {
        const void* indices = nullptr;
        uint64_t count = 0;
    };
    void count(run& r) {
        if (++r.count > most_.get()) most_.set(r.count);
    }
    std::array<run, 8> runs_{};
    counter<uint64_t> most_;
};

std::atomic<const char*> latest_backend = nullptr;

}  // namespace

// Events around a phase. They are asked for their times when the next phase is measured, and then used again.
struct device_sample {
    const heron_backend* table = nullptr;
    int device = 0;
    void *start = nullptr, *stop = nullptr;
    bool is_pending = false;
};

struct call_counts {
    explicit call_counts(const char* function) : name(function) {}

    // Of facades that may have been unloaded when the report is written.
    const std::string name;
    counter<uint64_t> calls, failures;
    counter<int64_t> host, longest, device, longest_device;
    counter<uint64_t> phases, measured_phases;
    counter<double> flops, bytes;
    matrix_runs unprepared;
    std::string reason;
    device_sample sample;

    void clear() {
        for (auto* c : {&calls, &failures, &phases, &measured_phases}) c->set(0);
        for (auto* c : {&host, &longest, &device, &longest_device}) c->set(0);
        for (auto* c : {&flops, &bytes}) c->set(0);
        unprepared.clear();
        reason.clear();
        sample = {};
    }
};

namespace {

std::mutex reason_mutex;

// The counts of one thread, by the address of a function's name. Outlives its thread, and then serves another
// one.
class thread_counts {
  public:
    // NULL where there is no room.
    call_counts* of(const char* function) {
        const size_t hash = reinterpret_cast<uintptr_t>(function) * 0x9e3779b97f4a7c15u >> 32;
        for (size_t i = 0; i < places_.size(); ++i) {
            place& p = places_[(hash + i) % places_.size()];
            if (p.function == function) return p.counts.load(std::memory_order_relaxed);
            if (!p.function) return fill(p, function);
        }
        return nullptr;
    }

    template <class F>
    void for_each(F&& f) {
        for (place& p : places_)
            if (call_counts* const counts = p.counts.load(std::memory_order_acquire)) f(*counts);
    }

    thread_counts* next = nullptr;
    std::atomic<bool> is_free = false;

  private:
    struct place {
        const char* function = nullptr;
        std::atomic<call_counts*> counts = nullptr;
    };
    static call_counts* fill(place& p, const char* function) {
        auto* const made = new (std::nothrow) call_counts(function);
        if (!made) return nullptr;
        p.function = function;
        p.counts.store(made, std::memory_order_release);
        return made;
    }
    std::array<place, 2048> places_;
};

std::atomic<thread_counts*> all_counts = nullptr;

thread_counts* acquire_counts() {
    for (thread_counts* t = all_counts.load(std::memory_order_acquire); t; t = t->next)
        if (bool expected = true; t->is_free.compare_exchange_strong(expected, false)) return t;
    auto* const made = new (std::nothrow) thread_counts;
    if (!made) return nullptr;
    made->next = all_counts.load();
    while (!all_counts.compare_exchange_weak(made->next, made)) continue;
    return made;
}

struct counts_of_thread {
    thread_counts* counts = acquire_counts();
    ~counts_of_thread() {
        if (counts) counts->is_free = true;
    }
};

// The call that is under way in this thread.
thread_local call_counts* current_call = nullptr;

call_counts* counts_for(const char* function) {
    thread_local counts_of_thread mine;
    return mine.counts ? mine.counts->of(function) : nullptr;
}

// The measured phases stand for the others, but for the longest, in which something else happened, such as
// compiling.
double device_seconds_of(const call_counts& c) {
    const auto all = static_cast<double>(c.phases.get()),
               measured = static_cast<double>(c.measured_phases.get());
    const auto sum = static_cast<double>(c.device.get()),
               longest = static_cast<double>(c.longest_device.get());
    const double others = measured > 1 ? (sum - longest) / (measured - 1) : longest;
    return (longest + others * (all - 1)) * 1e-9;
}

report::function_counts row_of(call_counts& c) {
    report::function_counts row;
    row.function = c.name;
    row.calls = c.calls.get();
    row.failures = c.failures.get();
    row.host_seconds = static_cast<double>(c.host.get()) * 1e-9;
    row.longest_seconds = static_cast<double>(c.longest.get()) * 1e-9;
    if (c.measured_phases.get() > 0) row.device_seconds = device_seconds_of(c);
    row.flops = c.flops.get();
    row.bytes = c.bytes.get();
    row.unprepared = c.unprepared.most();
    const std::lock_guard lock(reason_mutex);
    row.reason = c.reason;
    return row;
}

std::vector<report::function_counts> rows_of_all_threads() {
    std::map<std::string, report::function_counts> rows;
    for (thread_counts* t = all_counts.load(std::memory_order_acquire); t; t = t->next)
        t->for_each([&](call_counts& c) {
            if (c.calls.get() == 0) return;
            auto& sum = rows[c.name];
            sum.function = c.name;
            report::add(sum, row_of(c));
        });
    std::vector<report::function_counts> result;
    result.reserve(rows.size());
    for (auto& [name, row] : rows) result.push_back(std::move(row));
    return result;
}

// The process's number among those of an MPI program, by the launchers' variables; -1 where there is none.
int rank_of_process() {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"})
        if (const char* const rank = std::getenv(name)) return std::atoi(rank);
    const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
    const char* const rank = std::getenv("SLURM_PROCID");
    return rank && tasks && std::atoi(tasks) > 1 ? std::atoi(rank) : -1;
}

std::string program_name() {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    const std::string whole(path, length > 0 ? static_cast<size_t>(length) : 0);
    return whole.substr(whole.rfind('/') + 1);
}

std::string with_suffix(const std::string& path, const std::string& suffix) {
    const size_t name = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
    const size_t dot = path.rfind('.');
    const bool has_extension = dot != std::string::npos && dot > name;
    return has_extension ? path.substr(0, dot) + "." + suffix + path.substr(dot) : path + "." + suffix;
}

// Whether the file was written by another process of this run: HERON_REPORT_SINCE is when the run began.
bool is_of_this_run(const std::string& path) {
    const char* const since = std::getenv("HERON_REPORT_SINCE");
    struct stat file {};
    if (!since || stat(path.c_str(), &file) != 0) return false;
    return static_cast<long long>(file.st_mtim.tv_sec) * 1'000'000'000 + file.st_mtim.tv_nsec >=
           std::atoll(since);
}

class reporter {
  public:
    explicit reporter(const char* path) : path_(path), process_(getpid()), start_(clock::now()) {
        if (const int rank = rank_of_process(); rank >= 0 && path_ != "-")
            path_ = with_suffix(path_, fmt::format("rank{}", rank));
        for (size_t at; (at = path_.find("%i")) != std::string::npos;) {
            path_.replace(at, 2, std::to_string(process_));
            has_process_in_name_ = true;
        }
    }

    void write() const {
        report::process_report report;
        report.functions = rows_of_all_threads();
        if (report.functions.empty()) return;
        report.program = program_name();
        report.process = getpid();
        report.rank = rank_of_process();
        if (const char* const backend = latest_backend) report.backend = backend;
        report.seconds = static_cast<double>(nanoseconds_since(start_)) * 1e-9;
        if (path_ == "-") {
            std::fputs(report::table_of(report).c_str(), stderr);
            return;
        }
        const bool is_json = path_.size() > 5 && path_.substr(path_.size() - 5) == ".json";
        store(is_json ? report::json_of(report) : report::table_of(report));
    }

  private:
    // A process that was forked, or comes second in one run, writes beside the first.
    void store(const std::string& text) const {
        const bool is_forked = getpid() != process_;
        std::string path = path_;
        if (is_forked && !has_process_in_name_) path = with_suffix(path_, std::to_string(getpid()));
        int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno == EEXIST && !is_of_this_run(path))
            file = open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
        else if (file < 0 && errno == EEXIST)
            file = open(with_suffix(path_, std::to_string(getpid())).c_str(),
                        O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        std::FILE* const stream = file < 0 ? nullptr : fdopen(file, "w");
        if (!stream) {
            std::fprintf(stderr, "heron: cannot write the report %s: %s\n", path.c_str(),
                         std::strerror(errno));
            return;
        }
        std::fputs(text.c_str(), stream);
        std::fclose(stream);
    }

    std::string path_;
    bool has_process_in_name_ = false;
    pid_t process_;
    clock::time_point start_;
};

reporter* the_reporter = nullptr;

// What the parent has called is in its own report.
void forget_calls() {
    current_call = nullptr;
    for (thread_counts* t = all_counts; t; t = t->next) t->for_each([](call_counts& c) { c.clear(); });
}

[[gnu::constructor]] void begin_report() noexcept {
    // A program that runs with more rights than its caller has writes no file that the caller names.
    const char* const path = secure_getenv("HERON_REPORT");
    if (!path || !*path) return;
    try {
        the_reporter = new reporter(path);
        report_is_on = pthread_atfork(nullptr, nullptr, forget_calls) == 0;
    } catch (...) {
        // A report that there is no memory for; the program goes on.
    }
}

[[gnu::destructor]] void end_report() noexcept {
    if (!report_is_on.exchange(false)) return;
    try {
        the_reporter->write();
    } catch (...) {
        // As above.
    }
}

}  // namespace

void recorded_call::begin(const char* function) noexcept {
    if (current_call) return;
    counts_ = counts_for(function);
    if (!counts_) return;
    current_call = counts_;
    start_ = clock::now();
}

void recorded_call::end() noexcept {
    const int64_t time = nanoseconds_since(start_);
    current_call = nullptr;
    counts_->calls.add(1);
    if (has_failed_) counts_->failures.add(1);
    counts_->host.add(time);
    if (time > counts_->longest.get()) counts_->longest.set(time);
}

namespace {

bool works_at_once(const context& c) { return c.backend().name == "host"; }

// Backends with a runtime of their own, whose streams programs may capture, and queues that a caller owns.
bool may_ask_stream(const context& c) { return !c.table().device_current && c.device() >= 0; }

// Some of a function's first phases, and then one in 32. In the very first programs are compiled.
bool is_sampled(uint64_t phase) { return (phase > 0 && phase < 16) || phase % 32 == 31; }

void add_device_time(call_counts& counts, int64_t nanoseconds) {
    counts.device.add(nanoseconds);
    if (nanoseconds > counts.longest_device.get()) counts.longest_device.set(nanoseconds);
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
    if (sample.is_pending || !is_sampled(counts.phases.get()) || !has_events(sample, c)) return nullptr;
    return c.table().event_record(c.device(), c.stream(), sample.start) == HERON_SUCCESS ? &sample : nullptr;
}

}  // namespace

recorded_phase::recorded_phase(const context& c, const work& done) noexcept
    : counts_(reporting() ? current_call : nullptr), context_(c) {
    if (!counts_) return;
    latest_backend.store(c.backend().name.c_str(), std::memory_order_relaxed);
    counts_->flops.add(done.flops);
    counts_->bytes.add(done.bytes);
    if (works_at_once(c))
        start_ = clock::now();
    else if (may_ask_stream(c))
        sample_ = begin_sample(c, *counts_);
    counts_->phases.add(1);
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

void note_unprepared(const void* indices) noexcept {
    if (reporting() && current_call) current_call->unprepared.add(indices);
}

void note_reason(std::string_view reason) noexcept {
    if (!current_call) return;
    try {
        const std::lock_guard lock(reason_mutex);
        if (current_call->reason.empty()) current_call->reason = reason;
    } catch (...) {
        // The call fails for the same reason, untold.
    }
}

}  // namespace heron::core
