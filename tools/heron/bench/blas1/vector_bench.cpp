#include "vector_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <stdexcept>

#include "measure/bandwidth.hpp"
#include "measure/device_record.hpp"
#include "measure/measured_rows.hpp"
#include "vector_case.hpp"

namespace heron::tools {
namespace {

std::int64_t number_of(const std::string& text, const std::string& size) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > 1e12)
        throw std::invalid_argument(fmt::format("--size: '{}' is neither N nor MxN", size));
    return static_cast<std::int64_t>(value);
}

matrix_extent extent_of(const std::string& size, bool is_matrix) {
    const std::size_t times = size.find('x');
    if (times == std::string::npos) {
        const std::int64_t m = number_of(size, size);
        return {m, is_matrix ? m : 1};
    }
    return {number_of(size.substr(0, times), size), number_of(size.substr(times + 1), size)};
}

bool is_square_only(const std::string& function) {
    return !function.starts_with("ge") && !function.starts_with("dg");
}

bool is_batched(const std::string& function) {
    return function.starts_with("gemvS") || function.starts_with("gemvB");
}

// make_matrix_case's functions.
bool is_matrix_case(const std::string& function) {
    return function.starts_with("geam") || function.starts_with("dg") || is_batched(function);
}

class vector_bench {
  public:
    vector_bench(const char* name, const vector_bench_options& options, bool is_matrix, progress& steps)
        : name_(name), options_(options), is_matrix_(is_matrix), progress_(steps) {
        for (const std::string& entry : options.against) {
            const std::size_t equals = entry.find('=');
            if (equals == std::string::npos)
                throw std::invalid_argument("--against takes cublas=FILE and cblas=FILE");
            peers_.push_back(
                std::make_unique<vector_peer>(entry.substr(0, equals), entry.substr(equals + 1)));
        }
    }

    vector_bench_result run() {
        for (const std::string& name : usable_backends(options_.backends)) run_backend(name);
        progress_.clear();
        return {make_report(), failures_};
    }

  private:
    void run_backend(const std::string& name) {
        const device where(name);
        record described = device_record(where.info());
        described["backend"] = name;
        heading_.push_back(fmt::format("{}: {}, {}", name, where.info().name, where.info().isa));
        const auto probe = make_bandwidth_probe(where);
        const timed_task task{[&](std::int64_t calls) { return probe->seconds(calls); }};
        const timing copied = measure_interleaved(std::span(&task, 1), options_.timing)[0];
        const double rate = copied.error.empty() ? probe->rate(copied.median).bytes_per_second : 0;
        described["bandwidth"] = rate;
        heading_.push_back(fmt::format("{}: memory {:.1f} GB/s", name, rate * 1e-9));
        devices_.push_back(std::move(described));
        for (const std::string& function : options_.functions)
            for (const std::string& type : options_.types)
                for (const std::string& size : options_.sizes) {
                    const matrix_extent e = extent_of(size, is_matrix_);
                    if (is_matrix_ && is_square_only(function) && e.m != e.n) continue;
                    run_case(where, function, type, e, rate);
                }
    }

    // Unless the options say how many, matrices of 2^23 elements.
    std::int64_t batch_of(const matrix_extent& e) const {
        constexpr std::int64_t elements = std::int64_t{1} << 23;
        return options_.batch > 0 ? options_.batch : std::max<std::int64_t>(elements / (e.m * e.n), 1);
    }

    // On what device a peer computes.
    static bool computes_on(const vector_peer& peer, const device& where) {
        return where.backend() == (peer.is_cublas() ? "cuda" : "host");
    }

    void run_case(const device& where, const std::string& function, const std::string& type, matrix_extent e,
                  double rate) {
        if (is_batched(function)) e.batch = batch_of(e);
        record row;
        row["backend"] = where.backend();
        row["function"] = function;
        row["type"] = type;
        row["m"] = e.m;
        row["n"] = e.n;
        if (is_batched(function)) row["batch"] = e.batch;
        progress_.step(fmt::format("{} {} {} {}x{}", where.backend(), function, type, e.m, e.n));
        try {
            const auto what = is_matrix_case(function) ? make_matrix_case(where, function, type, e)
                                                       : make_vector_case(where, function, type, e.m, e.n);
            time(where, *what, rate, row);
        } catch (const std::exception& error) {
            row["result"] = "failed";
            row["message"] = reason_of(error);
            ++failures_;
        }
        heron_set_pointer_mode_to_host(where);
        rows_.push_back(std::move(row));
    }

    static void heron_set_pointer_mode_to_host(const device& where) {
        check(heron_set_pointer_mode(where.handle(), HERON_POINTER_HOST), "heron_set_pointer_mode");
    }

    void time(const device& where, vector_case& what, double rate, record& row) {
        struct contender {
            std::string name;
            std::function<void()> call;
        };
        std::vector<contender> contenders{{"heron", what.heron_call()}};
        for (const auto& peer : peers_)
            if (computes_on(*peer, where))
                if (auto call = what.peer_call(*peer)) contenders.push_back({peer->name(), std::move(call)});
        row["result"] = "ok";
        std::vector<timed_task> tasks;
        for (const contender& each : contenders) {
            if (const std::string fault = what.fault_of(each.call); !fault.empty()) {
                row["result"] = each.name + " WRONG";
                row["message"] = fault;
                ++failures_;
                return;
            }
            tasks.push_back({[&where, &each](std::int64_t count) {
                return where.seconds([&] {
                    for (std::int64_t i = 0; i < count; ++i) each.call();
                });
            }});
        }
        const std::vector<timing> times = measure_interleaved(tasks, options_.timing);
        if (!times[0].error.empty()) throw std::runtime_error(times[0].error);
        const double own = times[0].median;
        row["seconds"] = own;
        row["gb_per_second"] = what.bytes() / own * 1e-9;
        if (rate > 0) row["percent"] = 100 * what.bytes() / own / rate;
        for (std::size_t i = 1; i < times.size(); ++i)
            if (times[i].error.empty()) row["ratio"][contenders[i].name] = times[i].median / own;
        if (own < 20e-6 && !where.is_processor()) {
            row["host"] = host_seconds(where, contenders[0].call);
            if (contenders.size() > 1) row["peer_host"] = host_seconds(where, contenders[1].call);
        }
    }

    // What the processor needs for a call while the device's queue is not full.
    static double host_seconds(const device& where, const std::function<void()>& call) {
        constexpr int calls = 400, rounds = 7;
        double least = 1;
        for (int round = 0; round < rounds; ++round) {
            where.synchronize();
            const auto start = std::chrono::steady_clock::now();
            for (int i = 0; i < calls; ++i) call();
            const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
            least = std::min(least, taken.count() / calls);
        }
        where.synchronize();
        return least;
    }

    report make_report() const {
        report result;
        result.run["benchmark"] = name_;
        result.run["devices"] = devices_;
        result.run["options"]["rounds"] = options_.timing.rounds;
        result.rows = rows_;
        std::vector<record> measured;
        for (const record& row : rows_)
            if (row.contains("seconds")) measured.push_back(row);
        std::vector<std::string> values{"/percent"};
        result.columns = {{.key = "/backend", .title = "backend"},
                          {.key = "/function", .title = "function"},
                          {.key = "/type", .title = "type"},
                          {.key = "/m", .title = "m", .format = "{:.0f}"},
                          {.key = "/n", .title = "n", .format = "{:.0f}", .fold = true},
                          {.key = "/batch", .title = "batch", .format = "{:.0f}", .fold = true},
                          {.key = "/result", .title = "result", .fold = true},
                          {.key = "/seconds", .title = "us", .format = "{:.2f}", .scale = 1e6},
                          {.key = "/host", .title = "host us", .format = "{:.2f}", .scale = 1e6},
                          {.key = "/peer_host", .title = "peer's", .format = "{:.2f}", .scale = 1e6},
                          {.key = "/gb_per_second", .title = "GB/s", .format = "{:.1f}"},
                          {.key = "/percent", .title = "% copy", .format = "{:.1f}"}};
        result.mean_columns = {{.key = "/backend", .title = "backend"},
                               {.key = "/function", .title = "function"},
                               {.key = "/count", .title = "rows", .format = "{:.0f}"},
                               {.key = "/percent", .title = "% copy", .format = "{:.1f}"}};
        for (const auto& peer : peers_) {
            values.push_back("/ratio/" + peer->name());
            result.columns.push_back(
                {.key = values.back(), .title = "vs " + peer->name(), .format = "{:.2f}"});
            result.mean_columns.push_back(
                {.key = values.back(), .title = "vs " + peer->name(), .format = "{:.2f}"});
            result.mean_columns.push_back(
                {.key = "/smallest" + values.back(), .title = "least", .format = "{:.2f}"});
        }
        result.columns.push_back({.key = "/message", .title = "message"});
        const std::vector<std::string> group{"/backend", "/function"};
        result.means = geometric_means(measured, group, values);
        result.heading = heading_;
        result.notes = {"us: median of a call; GB/s: bytes that must be read and written, a triangle once;",
                        "% copy: of what a copy (processors: a triad) moves; vs: how many times as fast."};
        return result;
    }

    const char* name_;
    const vector_bench_options& options_;
    bool is_matrix_;
    progress& progress_;
    std::vector<std::unique_ptr<vector_peer>> peers_{};
    std::vector<std::string> heading_{};
    record devices_ = record::array();
    measured_rows rows_{progress_};
    int failures_ = 0;
};

}  // namespace

std::vector<std::string> level1_functions() {
    return {"copy", "scal", "axpy", "dot", "nrm2", "asum", "iamax"};
}
std::vector<std::string> level2_functions() {
    return {"gemv", "gemvT", "symv", "ger", "trmv", "trsv", "gbmv", "gbmvT", "sbmv", "tbsv", "tpsv"};
}
std::vector<std::string> matrix_functions() {
    return {"gemvStrided", "gemvStridedT", "gemvBatched", "gemvBatchedT", "geam", "geamT", "dgmm", "dgmmR"};
}

vector_bench_result run_level1_bench(const vector_bench_options& options, progress& progress) {
    return vector_bench("blas1", options, false, progress).run();
}
vector_bench_result run_level2_bench(const vector_bench_options& options, progress& progress) {
    return vector_bench("gemv", options, true, progress).run();
}
vector_bench_result run_matrix_bench(const vector_bench_options& options, progress& progress) {
    return vector_bench("batched", options, true, progress).run();
}

}  // namespace heron::tools
