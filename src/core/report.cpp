#include "call_counts.hpp"
#include "report_text.hpp"
#include <fmt/format.h>
#include <algorithm>
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

namespace {

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
    row.calls = c.calls.count();
    row.failures = c.failures.get();
    const double share = c.calls.share_of_all();
    row.host_seconds = share * static_cast<double>(c.calls.time()) * 1e-9;
    row.longest_seconds = static_cast<double>(c.longest.get()) * 1e-9;
    if (c.measured_phases.get() > 0) row.device_seconds = share * device_seconds_of(c);
    row.flops = share * c.flops.get();
    row.bytes = share * c.bytes.get();
    row.unprepared = static_cast<uint64_t>(share * static_cast<double>(c.unprepared.most()));
    if (const preparation_gain* const gain = c.unprepared.gain())
        row.gain = {gain->typical, gain->least, gain->most, gain->device, gain->result};
    row.unsorted = c.unsorted.get();
    const std::lock_guard lock(reason_mutex);
    row.reason = c.reason;
    return row;
}

std::vector<report::function_counts> rows_of_all_threads() {
    std::map<std::string, report::function_counts> rows;
    for (thread_counts* t = all_counts.load(std::memory_order_acquire); t; t = t->next)
        t->for_each([&](call_counts& c) {
            if (c.calls.count() == 0) return;
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
    explicit reporter(const char* path) : path_(path), process_(getpid()), start_(report_clock::now()) {
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
        if (const char* const bandwidth = std::getenv("HERON_REPORT_BANDWIDTH"))
            report.bandwidth = std::strtod(bandwidth, nullptr);
        report.seconds = std::chrono::duration<double>(report_clock::now() - start_).count();
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
    report_clock::time_point start_;
};

reporter* the_reporter = nullptr;

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

}  // namespace heron::core
