#include "sddmm_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <utility>

#include "matrix/shared_matrix.hpp"
#include "measure/device_record.hpp"
#include "measure/launch_count.hpp"
#include "sddmm_contender.hpp"
#include "measure/time_contenders.hpp"
#include "measure/measured_rows.hpp"

namespace heron::tools {
namespace {

class sddmm_bench {
  public:
    sddmm_bench(const sddmm_bench_options& options, progress& progress)
        : options_(options), progress_(progress) {}

    sddmm_bench_result run() {
        for (const std::string& spec : options_.matrices) run_matrix(spec);
        progress_.clear();
        return {make_report(), failure_count(rows_)};
    }

  private:
    struct entry {
        const contestant* who;
        record row;
        std::unique_ptr<sddmm_contender> contender{};
        double seconds = 0;  // 0: not measured
    };

    void run_matrix(const std::string& spec) {
        record head;
        head["matrix"] = matrix_name(spec);
        try {
            progress_.step(fmt::format("{}: reading", matrix_name(spec)));
            const std::shared_ptr<const csr_matrix> kept = shared_matrix(spec, options_.seed);
            const csr_matrix& pattern = *kept;
            head["nnz"] = pattern.nnz();
            for (const std::string& type : options_.types)
                for (const std::int64_t inner : options_.inner)
                    for (const std::string& layout : options_.layouts) {
                        head["type"] = type;
                        head["k"] = inner;
                        head["layout"] = layout;
                        progress_.step(
                            fmt::format("{} {} k = {} {}", matrix_name(spec), type, inner, layout));
                        run_case({pattern, find_product_type(type), inner, layout, options_.alpha,
                                  options_.beta, options_.seed},
                                 head);
                    }
        } catch (const std::exception& error) {
            head["result"] = "failed";
            head["message"] = reason_of(error);
            rows_.push_back(std::move(head));
        }
    }

    void run_case(const sddmm_case& what, const record& head) {
        std::vector<entry> entries;
        for (const contestant& who : contestants_.all())
            if (who.handle) entries.push_back(enter(who, what, head));
        for (const bool processor : {false, true}) measure(entries, processor, what);
        count_launches(entries, options_.timing, [](entry& each) { each.contender->call(); });
        for (entry& each : entries) {
            for (const entry& peer : entries)
                if (each.seconds > 0 && peer.seconds > 0 && is_baseline(*each.who, *peer.who))
                    each.row["ratio"][peer.who->name] = peer.seconds / each.seconds;
            rows_.push_back(std::move(each.row));
        }
    }

    entry enter(const contestant& who, const sddmm_case& what, const record& head) const {
        entry each{&who, head};
        each.row["contender"] = who.name;
        try {
            each.contender = std::make_unique<sddmm_contender>(*who.handle, *who.where, what,
                                                               options_.preprocess, options_.warm);
            const double error = what.worst_error(each.contender->result());
            each.row["result"] = error <= 1 ? "right" : "WRONG";
            each.row["error"] = std::isfinite(error) ? record(error) : record(nullptr);
            if (!(error <= 1)) each.contender.reset();
        } catch (const cusparse_error& error) {
            each.row["result"] = error.is_unsupported() ? "not supported" : "failed";
            each.row["message"] = error.what();
        } catch (const std::exception& error) {
            each.row["result"] = "failed";
            each.row["message"] = error.what();
        }
        if (each.row["result"] != "right") each.contender.reset();
        return each;
    }

    void measure(std::vector<entry>& entries, bool processor, const sddmm_case& what) const {
        time_contenders(
            entries, processor, options_.timing, [](entry& each) { each.contender->call(); },
            [&](entry& each, const timing& measured) { add_timing(each, measured, what); });
    }

    static void add_timing(entry& each, const timing& measured, const sddmm_case& what) {
        record& row = each.row;
        if (!measured.error.empty()) {
            row["result"] = "failed";
            row["message"] = measured.error;
            return;
        }
        const double flops = (traits_of(what.type().compute).is_complex ? 8.0 : 2.0) *
                             static_cast<double>(what.c().nnz) * static_cast<double>(what.inner());
        each.seconds = measured.median;
        row["seconds"] = measured.median;
        row["seconds_min"] = measured.min;
        row["gflops"] = flops / measured.median * 1e-9;
    }

    report make_report() const {
        report result;
        result.run["benchmark"] = "sddmm";
        result.run["version"] = library_version();
        result.run["devices"] = contestants_.devices_record();
        result.run["contenders"] = contestants_.names_record();
        result.rows = rows_;
        result.means = means();
        result.columns = columns("/matrix", "matrix");
        result.mean_columns = columns("/count", "matrices");
        result.heading = contestants_.heading();
        result.heading.insert(result.heading.begin(),
                              fmt::format("heron bench sddmm, Heron {}", library_version()));
        result.notes = {
            "layout: orders of A and B, r by rows and c by columns; rc is the one that cuSPARSE is best at."};
        return result;
    }

    std::vector<record> means() const {
        std::vector<record> measured;
        std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(measured),
                     [](const record& row) { return row.contains("seconds"); });
        const std::vector<std::string> group{"/contender", "/type", "/k", "/layout"};
        std::vector<std::string> values{"/gflops"};
        for (std::string& key : contestants_.ratio_keys()) values.push_back(std::move(key));
        return geometric_means(measured, group, values);
    }

    std::vector<report_column> columns(const char* first, const char* title) const {
        std::vector<report_column> result{
            {.key = first, .title = title, .format = "{}"},
            {.key = "/nnz", .title = "nnz", .format = "{:.0f}"},
            {.key = "/type", .title = "type", .fold = true},
            {.key = "/k", .title = "k", .format = "{:.0f}", .fold = true},
            {.key = "/layout", .title = "layout"},
            {.key = "/contender", .title = "contender"},
            {.key = "/result", .title = "result", .fold = true},
            {.key = "/seconds", .title = "us", .format = "{:.1f}", .scale = 1e6},
            {.key = "/gflops", .title = "GFLOP/s", .format = "{:.2f}"}};
        contestants_.add_ratio_columns(result);
        result.push_back({.key = "/message", .title = "message"});
        return result;
    }

    const sddmm_bench_options& options_;
    progress& progress_;
    const std::shared_ptr<contestants> opened_ = contestants_of(options_.who);
    contestants& contestants_ = *opened_;
    measured_rows rows_{progress_};
};

}  // namespace

sddmm_bench_result run_sddmm_bench(const sddmm_bench_options& options, progress& progress) {
    for (const std::string& name : options.types) find_product_type(name);
    return sddmm_bench(options, progress).run();
}

}  // namespace heron::tools
