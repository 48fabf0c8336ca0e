#include "reorder_bench.hpp"

#include <fmt/format.h>

#include <map>

#include "reorder_contender.hpp"
#include "matrix/shared_matrix.hpp"
#include "measure/measured_rows.hpp"
#include "measure/product_report.hpp"
#include "measure/time_contenders.hpp"

namespace heron::tools {
namespace {

using maker = std::unique_ptr<reorder_contender> (*)(const contestant&, const reorder_case&);

struct entry {
    const contestant* who;
    record row;
    std::unique_ptr<reorder_contender> contender{};
    double seconds = 0, restoring = 0;
};

class reorder_bench {
  public:
    reorder_bench(const char* name, const reorder_bench_options& options, maker make, progress& steps)
        : name_(name), options_(options), make_(make), progress_(steps) {}

    reorder_bench_result run() {
        for (const std::string& spec : options_.matrices) run_matrix(spec);
        progress_.clear();
        return {make_report(), failure_count(rows_)};
    }

  private:
    void run_matrix(const std::string& spec) {
        record head;
        head["matrix"] = matrix_name(spec);
        try {
            progress_.step(fmt::format("{}: reading", matrix_name(spec)));
            const std::shared_ptr<const csr_matrix> kept = shared_matrix(spec, options_.seed);
            const csr_matrix& a = *kept;
            head["rows"] = a.rows;
            head["nnz"] = a.nnz();
            for (const std::string& type : options_.types)
                for (const std::string& function : options_.functions) {
                    head["type"] = type;
                    head["function"] = function;
                    progress_.step(fmt::format("{} {}: measuring", matrix_name(spec), function));
                    run_case(head, {a, function, type, options_.seed});
                }
        } catch (const std::exception& error) {
            head["result"] = "failed";
            head["message"] = reason_of(error);
            rows_.push_back(std::move(head));
        }
    }

    void run_case(const record& head, const reorder_case& what) {
        std::vector<entry> entries;
        for (const contestant& who : contestants_.all()) {
            if (!who.handle && who.eigen_threads > 1) continue;
            entries.push_back({&who, head});
            prepare(entries.back(), what);
        }
        for (const bool processor : {false, true}) {
            time_contenders(
                entries, processor, options_.timing, [](entry& each) { each.contender->restore(); },
                [](entry& each, const timing& measured) { each.restoring = measured.median; });
            time_contenders(entries, processor, options_.timing, call, add_timing);
        }
        for (entry& each : entries) {
            if (each.seconds > 0) add_ratios(each, entries);
            rows_.push_back(std::move(each.row));
        }
    }

    static void call(entry& each) {
        each.contender->restore();
        each.contender->call();
    }

    void prepare(entry& each, const reorder_case& what) const {
        each.row["contender"] = each.who->handle ? each.who->name : "std::sort";
        try {
            each.contender = each.who->handle ? make_(*each.who, what) : make_standard_sort(what);
            if (!each.contender) return give_up(each, "unsupported", "has no such function");
            call(each);
            each.who->where->synchronize();
            const std::string wrong = each.contender->check(each.row);
            if (!wrong.empty()) return give_up(each, "WRONG", wrong);
            each.row["result"] = "right";
        } catch (const cusparse_error& error) {
            give_up(each, error.is_unsupported() ? "unsupported" : "failed", error.what());
        } catch (const std::exception& error) {
            give_up(each, "failed", reason_of(error));
        }
    }

    static void give_up(entry& each, const char* result, const std::string& why) {
        each.row["result"] = result;
        each.row["message"] = why;
        each.contender.reset();
    }

    static void add_timing(entry& each, const timing& measured) {
        if (!measured.error.empty()) return give_up(each, "failed", measured.error);
        each.seconds = std::max(measured.median - each.restoring, 1e-9);
        each.row["seconds"] = each.seconds;
        each.row["nnz_per_second"] = each.row["nnz"].get<double>() / each.seconds;
    }

    static void add_ratios(entry& each, const std::vector<entry>& entries) {
        for (const entry& peer : entries)
            if (peer.seconds > 0 && is_baseline(*each.who, *peer.who))
                each.row["ratio"][peer.who->name] = peer.seconds / each.seconds;
    }

    report make_report() const {
        report result;
        result.run["benchmark"] = name_;
        result.run["devices"] = contestants_.devices_record();
        result.run["contenders"] = contestants_.names_record();
        result.rows = rows_;
        std::vector<record> measured;
        for (const record& row : rows_)
            if (row.contains("seconds")) measured.push_back(row);
        std::vector<std::string> values{"/nnz_per_second"};
        for (std::string& key : contestants_.ratio_keys()) values.push_back(std::move(key));
        const std::vector<std::string> group{"/contender", "/type", "/function"};
        result.means = geometric_means(measured, group, values);
        result.columns = columns();
        result.mean_columns = mean_columns();
        result.heading = contestants_.heading();
        result.notes = {"ms: median of a call, operands restored before it in time that is not counted;",
                        "vs: how many times as fast."};
        return result;
    }

    std::vector<report_column> columns() const {
        std::vector<report_column> result{
            {.key = "/matrix", .title = "matrix"},
            {.key = "/rows", .title = "rows", .format = "{:.0f}"},
            {.key = "/nnz", .title = "nnz", .format = "{:.0f}"},
            {.key = "/type", .title = "type", .fold = true},
            {.key = "/function", .title = "function"},
            {.key = "/contender", .title = "contender"},
            {.key = "/result", .title = "result", .fold = true},
            {.key = "/seconds", .title = "ms", .format = "{:.4f}", .scale = 1e3},
            {.key = "/nnz_per_second", .title = "G nnz/s", .format = "{:.3f}", .scale = 1e-9},
            {.key = "/work_bytes", .title = "work MB", .format = "{:.1f}", .scale = 1e-6},
            {.key = "/colors", .title = "colours", .format = "{:.0f}"},
            {.key = "/reordering", .title = "reordering"}};
        contestants_.add_ratio_columns(result);
        result.push_back({.key = "/message", .title = "message"});
        return result;
    }

    std::vector<report_column> mean_columns() const {
        std::vector<report_column> result{
            {.key = "/contender", .title = "contender"},
            {.key = "/type", .title = "type", .fold = true},
            {.key = "/function", .title = "function"},
            {.key = "/count", .title = "matrices", .format = "{:.0f}"},
            {.key = "/nnz_per_second", .title = "G nnz/s", .format = "{:.3f}", .scale = 1e-9}};
        contestants_.add_mean_ratio_columns(result);
        return result;
    }

    const char* name_;
    const reorder_bench_options& options_;
    maker make_;
    progress& progress_;
    const std::shared_ptr<contestants> opened_ = contestants_of(options_.who);
    contestants& contestants_ = *opened_;
    measured_rows rows_{progress_};
};

}  // namespace

std::vector<std::string> sort_functions() {
    return {"coosortByRow", "coosortByColumn", "csrsort", "cscsort"};
}
std::vector<std::string> color_functions() { return {"Scsrcolor"}; }
std::vector<std::string> geam_functions() { return {"csrgeam2", "csrgeam2Nnz"}; }

reorder_bench_result run_sort_bench(const reorder_bench_options& options, progress& progress) {
    return reorder_bench("sort", options, make_sort, progress).run();
}
reorder_bench_result run_color_bench(const reorder_bench_options& options, progress& progress) {
    return reorder_bench("color", options, make_color, progress).run();
}
reorder_bench_result run_geam_bench(const reorder_bench_options& options, progress& progress) {
    return reorder_bench("geam", options, make_geam, progress).run();
}

}  // namespace heron::tools
