#include "dense_study.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "measure/bandwidth.hpp"
#include "dense_operands.hpp"
#include "measure/device_record.hpp"
#include "measure/flop_peak.hpp"
#include "measure/measured_rows.hpp"

namespace heron::tools {
namespace {

struct named_part {
    const char* name;
    heron_gemm_algorithm left_out;
};
constexpr named_part named_parts[] = {{"packing", HERON_GEMM_WITHOUT_PACKING},
                                      {"loads", HERON_GEMM_WITHOUT_LOADS},
                                      {"arithmetic", HERON_GEMM_WITHOUT_ARITHMETIC},
                                      {"stores", HERON_GEMM_WITHOUT_STORES}};

constexpr int all_parts() {
    int all = 0;
    for (const named_part& part : named_parts) all |= part.left_out;
    return all;
}

struct ceilings {
    double bytes_per_second;
    double flops;  // 0: unknown
};

// Packing reads and writes A and B, loads read them at least once, stores write C.
study_part least_work(const named_part& part, const dense_problem& p, const ceilings& best) {
    const double element = (p.is_single() ? 4.0 : 8.0) * (p.is_complex() ? 2 : 1);
    const double operands = element * p.k * (static_cast<double>(p.m) + p.n);
    study_part result{.name = part.name};
    switch (part.left_out) {
        case HERON_GEMM_WITHOUT_ARITHMETIC:
            result.operations = p.operations();
            result.limit = best.flops > 0 ? result.operations / best.flops : 0;
            return result;
        case HERON_GEMM_WITHOUT_PACKING: result.bytes = 2 * operands; break;
        case HERON_GEMM_WITHOUT_LOADS: result.bytes = operands; break;
        default: result.bytes = element * p.m * p.n;
    }
    result.limit = result.bytes / best.bytes_per_second;
    return result;
}

class study_bench {
  public:
    study_bench(const dense_bench_options& options, progress& steps) : options_(options), progress_(steps) {}

    dense_bench_result run() {
        for (const std::string& name : usable_backends(options_.backends)) run_backend(name);
        progress_.clear();
        if (!options_.plot.empty() && !studies_.empty()) write_picture(options_.plot, draw_studies(studies_));
        return {make_report(), failures_};
    }

  private:
    void run_backend(const std::string& name) {
        const device where(name);
        heading_.push_back(fmt::format("{}: {}, {}, {} compute units", name, where.info().name,
                                       where.info().isa, where.info().compute_units));
        record described = device_record(where.info());
        described["backend"] = name;
        const double bytes_per_second = measured_bandwidth(where);
        described["bandwidth"] = bytes_per_second * 1e-9;
        devices_.push_back(std::move(described));
        for (const std::string& type : options_.types)
            for (const std::string& operations : options_.operations)
                for (const std::string& size : options_.sizes) {
                    const dense_element& element = find_dense_element(type);
                    dense_problem p;
                    p.type = element.type;
                    set_operations(p, operations);
                    set_sizes(p, size);
                    run_case(where, p, element, operations,
                             {bytes_per_second, flop_peak(where, p.is_single())});
                }
    }

    double measured_bandwidth(const device& where) const {
        const auto probe = make_bandwidth_probe(where);
        const timed_task task{[&](std::int64_t calls) { return probe->seconds(calls); }};
        const timing time = measure_interleaved({&task, 1}, options_.timing).front();
        if (!time.error.empty()) throw std::runtime_error(time.error);
        return probe->rate(time.median).bytes_per_second;
    }

    void run_case(const device& where, const dense_problem& p, const dense_element& element,
                  const std::string& operations, const ceilings& best) {
        const std::string title =
            fmt::format("{}, {} {} {} x {} x {}", where.backend(), element.name, operations, p.m, p.n, p.k);
        progress_.step(title);
        record row;
        row["case"] = title;
        try {
            const dense_operands data(where, p, element, options_.seed);
            dense_study study = take_apart(where, data, best);
            study.title = title;
            add_rows(study);
            studies_.push_back(std::move(study));
        } catch (const std::exception& error) {
            row["part"] = "failed";
            row["message"] = reason_of(error);
            ++failures_;
            rows_.push_back(std::move(row));
        }
    }

    dense_study take_apart(const device& where, const dense_operands& data, const ceilings& best) const {
        // What stays in the panels when they are no longer packed are numbers of this product.
        if (!data.is_right([&] { data.run_gemm(HERON_GEMM_DEFAULT); }))
            throw std::runtime_error("the result is wrong");
        std::vector<timed_task> tasks{task_of(where, data, 0)};
        for (const named_part& part : named_parts) {
            tasks.push_back(task_of(where, data, all_parts() & ~part.left_out));
            tasks.push_back(task_of(where, data, part.left_out));
        }
        const std::vector<timing> times = measure_interleaved(tasks, options_.timing);
        for (const timing& t : times)
            if (!t.error.empty()) throw std::runtime_error(t.error);
        dense_study study;
        study.whole = times[0].median;
        for (std::size_t i = 0; i < std::size(named_parts); ++i) {
            study_part part = least_work(named_parts[i], data.problem(), best);
            part.alone = times[1 + 2 * i].median;
            part.without = times[2 + 2 * i].median;
            study.parts.push_back(std::move(part));
        }
        return study;
    }

    static timed_task task_of(const device& where, const dense_operands& data, int left_out) {
        return {[&where, &data, left_out](std::int64_t calls) {
            return where.seconds([&] {
                for (std::int64_t n = 0; n < calls; ++n)
                    data.run_gemm(static_cast<heron_gemm_algorithm>(left_out));
            });
        }};
    }

    void add_rows(const dense_study& study) {
        record whole;
        whole["case"] = study.title;
        whole["part"] = "all";
        whole["without"] = study.whole;
        rows_.push_back(std::move(whole));
        for (const study_part& part : study.parts) {
            record row;
            row["case"] = study.title;
            row["part"] = part.name;
            row["without"] = part.without;
            row["saved"] = 100 * (1 - part.without / study.whole);
            row["alone"] = part.alone;
            row["share"] = 100 * part.alone / study.whole;
            if (part.limit > 0) {
                row["limit"] = part.limit;
                row["percent"] = 100 * part.limit / part.alone;
            }
            const char* const rate = part.operations > 0 ? "gflops" : "gbytes";
            row[rate] = (part.operations > 0 ? part.operations : part.bytes) / part.alone * 1e-9;
            rows_.push_back(std::move(row));
        }
    }

    report make_report() const {
        report result;
        result.run["benchmark"] = "gemm study";
        result.run["version"] = library_version();
        result.run["devices"] = devices_;
        result.rows = rows_;
        result.heading = heading_;
        result.heading.insert(result.heading.begin(),
                              fmt::format("heron bench gemm --study, Heron {}", library_version()));
        result.columns = {{.key = "/case", .title = "product"},
                          {.key = "/part", .title = "part"},
                          {.key = "/without", .title = "ms without", .format = "{:.3f}", .scale = 1e3},
                          {.key = "/saved", .title = "% saved", .format = "{:.1f}"},
                          {.key = "/alone", .title = "ms alone", .format = "{:.3f}", .scale = 1e3},
                          {.key = "/share", .title = "% of all", .format = "{:.1f}"},
                          {.key = "/limit", .title = "ms limit", .format = "{:.3f}", .scale = 1e3},
                          {.key = "/percent", .title = "% of limit", .format = "{:.1f}"},
                          {.key = "/gflops", .title = "GFLOP/s", .format = "{:.1f}"},
                          {.key = "/gbytes", .title = "GB/s", .format = "{:.1f}"},
                          {.key = "/message", .title = "message"}};
        result.notes = {
            "without: the product with this part left out; alone: with all the others left out, which leaves",
            "the loops; packing: on cuda the copies into shared memory; limit: A and B packed (read and",
            "written), loaded or C stored once at the bandwidth measured in this run, or the operations",
            "at the peak. What takes most alone, and saves most when it is left out, binds; parts that",
            "overlap save less than they take alone. Operands in a cache pass the limit of the memory."};
        return result;
    }

    const dense_bench_options& options_;
    progress& progress_;
    std::vector<std::string> heading_{};
    record devices_ = record::array();
    measured_rows rows_{progress_};
    std::vector<dense_study> studies_{};
    int failures_ = 0;
};

}  // namespace

dense_bench_result run_dense_study(const dense_bench_options& options, progress& progress) {
    require_dense_options(options);
    return study_bench(options, progress).run();
}

}  // namespace heron::tools
