#include "handle_bench.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include "peers/cusparse_library.hpp"
#include "measure/device_record.hpp"
#include "measure/measured_rows.hpp"
#include "peers/shared_library.hpp"

namespace heron::tools {
namespace {

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class F>
double seconds_of(F&& f) {
    const double start = now();
    f();
    return now() - start;
}

// What a process measures of itself.
struct first_steps {
    double open, create, again;  // loading the library, the first handle, a second one
    std::array<char, 256> error;
};

// The primary context of device 0 by the driver alone.
first_steps create_contexts() {
    first_steps found{};
    std::unique_ptr<shared_library> driver;
    found.open = seconds_of([&] { driver = std::make_unique<shared_library>("libcuda.so.1"); });
    if (!*driver) throw std::runtime_error("there is no libcuda.so.1");
    const auto require = [](int error, const char* function) {
        if (error != 0) throw std::runtime_error(fmt::format("{}: error {}", function, error));
    };
    const auto retain = [&] {
        int device = 0;
        void* context = nullptr;
        require(driver->get<int(int*, int)>("cuDeviceGet")(&device, 0), "cuDeviceGet");
        require(driver->get<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context, device),
                "cuDevicePrimaryCtxRetain");
    };
    found.create = seconds_of([&] {
        require(driver->get<int(unsigned)>("cuInit")(0), "cuInit");
        retain();
    });
    found.again = seconds_of(retain);
    return found;
}

first_steps create_handles(const std::string& name, const std::string& file) {
    first_steps found{};
    std::unique_ptr<cusparse_library> library;
    found.open = seconds_of([&] { library = std::make_unique<cusparse_library>(name, file); });
    cusparseHandle_t handle = nullptr;
    const auto create = [&] { library->check(library->create(&handle), "cusparseCreate"); };
    found.create = seconds_of(create);
    found.again = seconds_of(create);
    return found;
}

// Runs f in a process of its own, which must not have used a device before.
first_steps in_new_process(const std::function<first_steps()>& f) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe can be had");
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no process can be had");
    if (child == 0) {
        first_steps found{};
        try {
            found = f();
        } catch (const std::exception& error) {
            std::snprintf(found.error.data(), found.error.size(), "%s", error.what());
        }
        _exit(write(ends[1], &found, sizeof found) == ssize_t{sizeof found} ? 0 : 1);
    }
    close(ends[1]);
    first_steps found{};
    const bool is_whole = read(ends[0], &found, sizeof found) == ssize_t{sizeof found};
    close(ends[0]);
    waitpid(child, nullptr, 0);
    if (!is_whole) throw std::runtime_error("its process ended early");
    if (found.error[0] != 0) throw std::runtime_error(found.error.data());
    return found;
}

struct contender {
    std::string name;
    std::function<first_steps()> steps;
    bool is_optional = false;
};

std::vector<contender> contenders_of(const handle_bench_options& options) {
    std::vector<contender> all{{"cuda-context", create_contexts, true}};
    const std::string own = options.library.empty() ? heron_cusparse_file() : options.library;
    const bool is_unasked = options.backends.empty();
    const std::vector<std::string> every{"cuda", "opencl", "host"};
    for (const std::string& backend : is_unasked ? every : options.backends)
        all.push_back({"heron-" + backend,
                       [backend, own] {
                           setenv("HERON_BACKEND", backend.c_str(), 1);
                           return create_handles("heron-" + backend, own);
                       },
                       is_unasked && backend != "host"});
    for (const std::string& against : options.against) {
        const auto equals = against.find('=');
        const std::string file = equals == std::string::npos ? against : against.substr(equals + 1);
        const std::string name = against.substr(0, equals);
        all.push_back({name, [name, file] { return create_handles(name, file); }});
    }
    return all;
}

class handle_bench {
  public:
    handle_bench(const handle_bench_options& options, progress& steps)
        : options_(options), progress_(steps) {}

    // The processes take turns, so that a disturbance of the machine meets all contenders.
    handle_bench_result run() {
        std::vector<entry> entries;
        for (contender& each : contenders_of(options_)) entries.push_back({.who = std::move(each)});
        for (int round = 0; round < options_.timing.rounds; ++round)
            for (entry& each : entries) add_round(each);
        const double context = entries.front().total();
        for (const entry& each : entries) rows_.push_back(row_of(each, context));
        progress_.clear();
        return {make_report(), failure_count(rows_)};
    }

  private:
    struct entry {
        contender who;
        std::vector<double> open{}, create{}, again{}, both{};
        std::string error{};
        // Seconds from nothing to a first handle.
        double total() const { return median_of(both); }
    };

    void add_round(entry& each) {
        if (!each.error.empty()) return;
        progress_.step(each.who.name);
        try {
            const first_steps found = in_new_process(each.who.steps);
            each.open.push_back(found.open);
            each.create.push_back(found.create);
            each.again.push_back(found.again);
            each.both.push_back(found.open + found.create);
        } catch (const std::exception& error) {
            each.error = error.what();
        }
    }

    static record row_of(const entry& each, double context) {
        record row;
        row["contender"] = each.who.name;
        if (!each.error.empty()) {
            row["result"] = each.who.is_optional ? "not available" : "failed";
            row["message"] = each.error;
            return row;
        }
        row["result"] = "right";
        row["open_seconds"] = median_of(each.open);
        row["create_seconds"] = median_of(each.create);
        row["again_seconds"] = median_of(each.again);
        row["seconds"] = each.total();
        if (context > 0) row["ratio"]["cuda-context"] = context / each.total();
        return row;
    }

    report make_report() const {
        report result;
        result.run["benchmark"] = "handle";
        result.run["version"] = library_version();
        result.rows = rows_;
        const auto milliseconds = [](const char* key, const char* title) {
            return report_column{.key = key, .title = title, .format = "{:.3f}", .scale = 1e3};
        };
        result.columns = {{.key = "/contender", .title = "contender"},
                          milliseconds("/open_seconds", "open ms"),
                          milliseconds("/create_seconds", "create ms"),
                          milliseconds("/seconds", "both ms"),
                          milliseconds("/again_seconds", "second ms"),
                          {.key = "/ratio/cuda-context", .title = "vs cuda-context", .format = "{:.2f}"},
                          {.key = "/result", .title = "result"},
                          {.key = "/message", .title = "message"}};
        result.heading = {fmt::format("heron bench handle, Heron {}", library_version())};
        result.notes = {
            "medians over new processes: loading the library, cusparseCreate, both, and a second "
            "cusparseCreate; cuda-context: the driver's cuInit and cuDevicePrimaryCtxRetain."};
        return result;
    }

    const handle_bench_options& options_;
    progress& progress_;
    measured_rows rows_{progress_};
};

}  // namespace

handle_bench_result run_handle_bench(const handle_bench_options& options, progress& progress) {
    return handle_bench(options, progress).run();
}

}  // namespace heron::tools
