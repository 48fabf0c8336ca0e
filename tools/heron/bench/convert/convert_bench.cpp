#include "convert_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "convert_case.hpp"
#include "measure/device_record.hpp"
#include "measure/measured_rows.hpp"
#include "measure/time_contenders.hpp"

namespace heron::tools {
namespace {

struct entry {
    const contestant* who;
    record row;
    std::unique_ptr<convert_contender> contender{};
    double seconds = 0;  // 0: not measured
};

class convert_bench {
  public:
    convert_bench(const convert_bench_options& options, progress& steps)
        : options_(options), progress_(steps), contestants_(options.who) {}

    convert_bench_result run() {
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
            const csr_matrix matrix = load_matrix(spec, options_.seed);
            head["rows"] = matrix.rows;
            head["nnz"] = matrix.nnz();
            for (const std::string& type : options_.types)
                for (const std::string& function : options_.functions)
                    for (const int block : blocks_of(function)) {
                        head["type"] = type;
                        head["function"] = function;
                        head["block"] = block > 0 ? record(block) : record(nullptr);
                        progress_.step(fmt::format("{} {} {}", matrix_name(spec), type, function));
                        type == "f32" ? run_case(make_convert_case<float>(matrix, function, block), head)
                                      : run_case(make_convert_case<double>(matrix, function, block), head);
                    }
        } catch (const std::exception& error) {
            head["result"] = "failed";
            head["message"] = reason_of(error);
            rows_.push_back(std::move(head));
        }
    }

    std::vector<int> blocks_of(const std::string& function) const {
        return has_blocks(function) ? options_.blocks : std::vector<int>{0};
    }

    template <class T>
    void run_case(const convert_case<T>& what, const record& head) {
        std::vector<entry> entries;
        for (const contestant& who : contestants_.all()) {
            if (!who.handle && (who.eigen_threads > 1 || what.function != "csr2csc")) continue;
            entries.push_back({&who, head});
            prepare(entries.back(), what);
        }
        for (const bool processor : {false, true})
            time_contenders(
                entries, processor, options_.timing, [](entry& each) { each.contender->call(); },
                [&](entry& each, const timing& measured) { add_timing(each, measured, what.bytes()); });
        for (entry& each : entries) {
            for (const entry& peer : entries)
                if (each.seconds > 0 && peer.seconds > 0 && is_baseline(*each.who, *peer.who))
                    each.row["ratio"][peer.who->name] = peer.seconds / each.seconds;
            rows_.push_back(std::move(each.row));
        }
    }

    template <class T>
    static void prepare(entry& each, const convert_case<T>& what) {
        each.row["contender"] = each.who->name;
        try {
            each.contender =
                each.who->handle ? make_convert_contender(*each.who, what) : make_eigen_transpose(what);
            each.contender->call();
            each.who->where->synchronize();
            const std::string wrong = each.contender->check();
            if (!wrong.empty()) return give_up(each, "WRONG", wrong);
            each.row["result"] = "right";
        } catch (const cusparse_error& error) {
            give_up(each, error.is_unsupported() ? "not supported" : "failed", error.what());
        } catch (const std::exception& error) {
            give_up(each, "failed", reason_of(error));
        }
    }

    static void give_up(entry& each, const char* result, const std::string& why) {
        each.row["result"] = result;
        each.row["message"] = why;
        each.contender.reset();
    }

    static void add_timing(entry& each, const timing& measured, double bytes) {
        if (!measured.error.empty()) return give_up(each, "failed", measured.error);
        each.seconds = measured.median;
        each.row["seconds"] = measured.median;
        each.row["seconds_min"] = measured.min;
        each.row["bytes_per_second"] = bytes / measured.median;
    }

    report make_report() const {
        report result;
        result.run["benchmark"] = "convert";
        result.run["version"] = library_version();
        result.run["devices"] = contestants_.devices_record();
        result.run["contenders"] = contestants_.names_record();
        result.rows = rows_;
        result.means = means();
        result.columns = columns();
        result.mean_columns = mean_columns();
        result.heading = contestants_.heading();
        result.heading.insert(result.heading.begin(),
                              fmt::format("heron bench convert, Heron {}", library_version()));
        result.notes = {"block: B x B; csr2gebsr and gebsr2csr have B x 2B, gebsr2gebsr goes to 2B x B.",
                        "GB/s: what is read and written at least."};
        return result;
    }

    std::vector<record> means() const {
        std::vector<record> measured;
        std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(measured),
                     [](const record& row) { return row.contains("seconds"); });
        const std::vector<std::string> group{"/contender", "/type", "/function"};
        std::vector<std::string> values{"/bytes_per_second"};
        for (std::string& key : contestants_.ratio_keys()) values.push_back(std::move(key));
        return geometric_means(measured, group, values);
    }

    std::vector<report_column> columns() const {
        std::vector<report_column> result{
            {.key = "/matrix", .title = "matrix"},
            {.key = "/rows", .title = "rows", .format = "{:.0f}"},
            {.key = "/nnz", .title = "nnz", .format = "{:.0f}"},
            {.key = "/type", .title = "type", .fold = true},
            {.key = "/function", .title = "function"},
            {.key = "/block", .title = "block", .format = "{:.0f}"},
            {.key = "/contender", .title = "contender"},
            {.key = "/result", .title = "result", .fold = true},
            {.key = "/seconds", .title = "ms", .format = "{:.4f}", .scale = 1e3},
            {.key = "/bytes_per_second", .title = "GB/s", .format = "{:.1f}", .scale = 1e-9}};
        contestants_.add_ratio_columns(result);
        result.push_back({.key = "/message", .title = "message"});
        return result;
    }

    std::vector<report_column> mean_columns() const {
        std::vector<report_column> result{
            {.key = "/contender", .title = "contender"},
            {.key = "/type", .title = "type", .fold = true},
            {.key = "/function", .title = "function"},
            {.key = "/count", .title = "rows", .format = "{:.0f}"},
            {.key = "/bytes_per_second", .title = "GB/s", .format = "{:.1f}", .scale = 1e-9}};
        contestants_.add_mean_ratio_columns(result);
        return result;
    }

    const convert_bench_options& options_;
    progress& progress_;
    contestants contestants_;
    measured_rows rows_{progress_};
};

}  // namespace

convert_bench_result run_convert_bench(const convert_bench_options& options, progress& progress) {
    return convert_bench(options, progress).run();
}

}  // namespace heron::tools
