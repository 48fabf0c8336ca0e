#include "dense_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <stdexcept>

#include "dense_operands.hpp"
#include "measure/device_record.hpp"
#include "measure/flop_peak.hpp"
#include "measure/measured_rows.hpp"

namespace heron::tools {
namespace {

const char* name_of(dense_operation operation, bool complex) {
    switch (operation) {
        case dense_operation::gemm: return "gemm";
        case dense_operation::rank_k: return complex ? "herk" : "syrk";
        case dense_operation::rank_2k: return complex ? "her2k" : "syr2k";
        case dense_operation::symmetric: return complex ? "hemm" : "symm";
        case dense_operation::triangular: return "trmm";
        default: return "trsm";
    }
}

struct contender {
    std::string name;
    std::function<void()> call;
    const blas_peer* peer;  // null for Heron

    void repeat(std::int64_t count) const {
        for (std::int64_t i = 0; i < count; ++i) call();
        if (peer) peer->wait();
    }

    // With the result where the problem wants it.
    void compute(const dense_problem& p) const {
        repeat(1);
        if (peer) peer->collect(p);
    }
};

class dense_bench {
  public:
    dense_bench(const dense_bench_options& options, progress& steps) : options_(options), progress_(steps) {}

    dense_bench_result run() {
        for (const std::string& name : usable_backends(options_.backends)) run_backend(name);
        progress_.clear();
        return {make_report(), failures_};
    }

  private:
    void run_backend(const std::string& name) {
        const device where(name);
        const auto peers = open_blas_peers(where, options_.against);
        heading_.push_back(fmt::format("{}: {}, {}, {} compute units", name, where.info().name,
                                       where.info().isa, where.info().compute_units));
        record described = device_record(where.info());
        described["backend"] = name;
        for (const auto& peer : peers) {
            heading_.push_back(fmt::format("{}: {}", peer->name(), peer->version()));
            described["peers"][peer->name()] = peer->version();
            if (std::find(peer_names_.begin(), peer_names_.end(), peer->name()) == peer_names_.end())
                peer_names_.push_back(peer->name());
        }
        const double peaks[2] = {flop_peak(where, false), flop_peak(where, true)};
        described["peak_gflops"]["f64"] = peaks[0] * 1e-9;
        described["peak_gflops"]["f32"] = peaks[1] * 1e-9;
        devices_.push_back(std::move(described));
        const std::vector<std::string> no_choice{"NN"};
        const bool is_gemm = options_.operation == dense_operation::gemm;
        for (const std::string& type_name : options_.types)
            for (const std::string& ops : is_gemm ? options_.operations : no_choice)
                for (const std::string& algorithm : options_.algorithms)
                    for (const std::string& size : options_.sizes) {
                        const dense_element& type = find_dense_element(type_name);
                        dense_problem p;
                        p.operation = options_.operation;
                        p.type = type.type;
                        p.batch = options_.batch;
                        p.algorithm = find_gemm_algorithm(algorithm);
                        set_operations(p, ops);
                        set_sizes(p, size);
                        run_case(where, peers, p, {type, ops, algorithm}, peaks[p.is_single() ? 1 : 0]);
                    }
    }

    struct case_names {
        const dense_element& type;
        const std::string& ops;
        const std::string& algorithm;
    };

    void run_case(const device& where, const std::vector<std::unique_ptr<blas_peer>>& peers,
                  const dense_problem& p, const case_names& names, double peak) {
        record row;
        row["backend"] = where.backend();
        row["operation"] = name_of(p.operation, p.is_complex());
        row["type"] = names.type.name;
        row["ops"] = names.ops;
        row["algorithm"] = names.algorithm;
        row["m"] = p.m;
        row["n"] = p.n;
        row["k"] = p.k;
        row["batch"] = p.batch;
        progress_.step(fmt::format("{} {} {} {}x{}x{}", where.backend(), row["operation"].get<std::string>(),
                                   names.type.name, p.m, p.n, p.k));
        try {
            const dense_operands data(where, p, names.type, options_.seed);
            time(where, peers, data, peak, row);
        } catch (const std::exception& error) {
            row["result"] = "failed";
            row["message"] = reason_of(error);
            ++failures_;
        }
        rows_.push_back(std::move(row));
    }

    void time(const device& where, const std::vector<std::unique_ptr<blas_peer>>& peers,
              const dense_operands& data, double peak, record& row) {
        const dense_problem& p = data.problem();
        std::vector<contender> contenders{{"heron", [&] { data.run_heron(HERON_RANK_2K_FUSED); }, nullptr}};
        if (options_.two_passes && p.operation == dense_operation::rank_2k)
            contenders.push_back({"two_passes", [&] { data.run_heron(HERON_RANK_2K_TWO_PASSES); }, nullptr});
        for (const auto& peer : peers)
            if (const auto call = peer->call(p)) contenders.push_back({peer->name(), call, peer.get()});
        row["result"] = "ok";
        std::vector<timed_task> tasks;
        for (const contender& each : contenders) {
            if (!data.is_right([&] { each.compute(p); })) {
                row["result"] = each.name + " WRONG";
                ++failures_;
                return;
            }
            tasks.push_back({[&where, &each](std::int64_t count) {
                const double seconds = where.seconds([&] { each.repeat(count); });
                if (each.peer) each.peer->rest();
                return seconds;
            }});
        }
        const std::vector<timing> times = measure_interleaved(tasks, options_.timing);
        const double own = times[0].median;
        const double operations = p.operations();
        row["seconds"] = own;
        row["gflops"] = operations / own * 1e-9;
        if (peak > 0) row["percent"] = 100 * operations / own / peak;
        for (std::size_t i = 1; i < times.size(); ++i) {
            if (!times[i].error.empty()) continue;
            row["peer"][contenders[i].name] = operations / times[i].median * 1e-9;
            row["ratio"][contenders[i].name] = times[i].median / own;
        }
    }

    report make_report() const {
        report result;
        const char* const name = name_of(options_.operation, true);
        result.run["benchmark"] = name;
        result.run["version"] = library_version();
        result.run["devices"] = devices_;
        result.run["options"]["seed"] = options_.seed;
        result.run["options"]["rounds"] = options_.timing.rounds;
        result.rows = rows_;
        result.heading = heading_;
        result.heading.insert(result.heading.begin(),
                              fmt::format("heron bench {}, Heron {}", name, library_version()));
        result.columns = {{.key = "/backend", .title = "backend"},
                          {.key = "/operation", .title = "op"},
                          {.key = "/type", .title = "type"},
                          {.key = "/ops", .title = "ops", .fold = true},
                          {.key = "/m", .title = "m", .format = "{:.0f}"},
                          {.key = "/n", .title = "n", .format = "{:.0f}"},
                          {.key = "/k", .title = "k", .format = "{:.0f}"},
                          {.key = "/algorithm", .title = "alg", .fold = true},
                          {.key = "/batch", .title = "batch", .format = "{:.0f}", .fold = true},
                          {.key = "/result", .title = "result", .fold = true},
                          {.key = "/seconds", .title = "ms", .format = "{:.3f}", .scale = 1e3},
                          {.key = "/gflops", .title = "GFLOP/s", .format = "{:.1f}"},
                          {.key = "/percent", .title = "% peak", .format = "{:.1f}"}};
        std::vector<std::string> others = peer_names_;
        if (options_.two_passes) others.insert(others.begin(), "two_passes");
        for (const std::string& other : others) {
            result.columns.push_back({.key = "/peer/" + other, .title = other, .format = "{:.1f}"});
            result.columns.push_back({.key = "/ratio/" + other, .title = "ratio", .format = "{:.2f}"});
        }
        result.columns.push_back({.key = "/message", .title = "message"});
        result.notes = {
            "GFLOP/s: from the median per call, a complex multiply-add counted as 8; ratio: above 1 Heron is",
            "faster; % peak: of multiply-adds between registers on all cores, measured (processors) or from",
            "clock and multiprocessors (CUDA)."};
        return result;
    }

    const dense_bench_options& options_;
    progress& progress_;
    std::vector<std::string> heading_{};
    std::vector<std::string> peer_names_{};
    record devices_ = record::array();
    measured_rows rows_{progress_};
    int failures_ = 0;
};

}  // namespace

void require_dense_options(const dense_bench_options& options) {
    dense_problem p;
    p.operation = options.operation;
    for (const std::string& name : options.types) find_dense_element(name);
    for (const std::string& ops : options.operations) set_operations(p, ops);
    for (const std::string& size : options.sizes) set_sizes(p, size);
    for (const std::string& name : options.algorithms) find_gemm_algorithm(name);
    const std::vector<std::string> backends = usable_backends(options.backends);
    if (!options.against.empty() && std::find(backends.begin(), backends.end(), "opencl") == backends.end())
        throw std::invalid_argument(
            "--against compares on the opencl backend, which is not among those measured");
}

dense_bench_result run_dense_bench(const dense_bench_options& options, progress& progress) {
    require_dense_options(options);
    return dense_bench(options, progress).run();
}

}  // namespace heron::tools
