#include "prune_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "measure/device_record.hpp"
#include "measure/measured_rows.hpp"
#include "measure/time_contenders.hpp"
#include "prune_case.hpp"

namespace heron::tools {
namespace {

struct entry {
    const contestant* who;
    record row;
    std::unique_ptr<prune_contender> contender{};
    double seconds = 0;  // 0: not measured
};

struct matrix_size {
    int rows = 0, cols = 0;
};

matrix_size parse_size(const std::string& text) {
    matrix_size size;
    const char* const end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, size.rows);
    const bool has_two = first.ec == std::errc() && first.ptr != end && *first.ptr == 'x';
    const auto second = has_two ? std::from_chars(first.ptr + 1, end, size.cols) : first;
    if (!has_two || second.ec != std::errc() || second.ptr != end || size.rows < 1 || size.cols < 1 ||
        size.rows > INT32_MAX / size.cols)
        throw std::invalid_argument(fmt::format("'{}' is no size such as 4096x512 that an int counts", text));
    return size;
}

class prune_bench {
  public:
    prune_bench(const prune_bench_options& options, progress& steps)
        : options_(options), progress_(steps), contestants_(options.who) {}

    prune_bench_result run() {
        for (const prune_function& function : prune_function_list())
            if (std::count(options_.functions.begin(), options_.functions.end(), function.name) > 0)
                (function.takes_dense ? dense_ : sparse_).push_back(function);
        if (!dense_.empty())
            for (const std::string& text : options_.sizes) run_matrix(text, dense_, parse_size(text));
        if (!sparse_.empty())
            for (const std::string& spec : options_.matrices) run_matrix(spec, sparse_, std::nullopt);
        progress_.clear();
        return {make_report(), failure_count(rows_)};
    }

  private:
    void run_matrix(const std::string& spec, const std::vector<prune_function>& functions,
                    const std::optional<matrix_size>& size) {
        record head;
        head["matrix"] = size ? spec : matrix_name(spec);
        try {
            progress_.step(spec);
            const csr_matrix pattern = size ? csr_matrix{} : load_matrix(spec, options_.seed);
            for (const std::string& type : options_.types)
                for (const prune_function& function : functions)
                    for (const double share : options_.shares) {
                        head["type"] = type;
                        head["function"] = function.name;
                        head["share"] = share;
                        if (type == "f16" && function.has_halves)
                            run_variants<__half>(function, share, size, pattern, head);
                        if (type == "f32") run_variants<float>(function, share, size, pattern, head);
                        if (type == "f64") run_variants<double>(function, share, size, pattern, head);
                    }
        } catch (const std::exception& error) {
            head["result"] = "failed";
            head["message"] = reason_of(error);
            rows_.push_back(std::move(head));
        }
    }

    template <class T>
    void run_variants(const prune_function& function, double share, const std::optional<matrix_size>& size,
                      const csr_matrix& pattern, record head) {
        static const std::vector<std::string> fixed{""};
        for (const std::string& format : function.is_generic ? options_.formats : fixed)
            for (const std::string& order : function.is_generic ? options_.orders : fixed) {
                prune_case<T> what;
                what.function = function;
                what.rows = size ? size->rows : static_cast<int>(pattern.rows);
                what.cols = size ? size->cols : static_cast<int>(pattern.cols);
                what.is_coo = format == "coo";
                what.is_row_order = order == "row";
                what.share = share;
                what.seed = options_.seed;
                make_operands(what, size ? nullptr : &pattern);
                head["format"] = format;
                head["order"] = order;
                head["nnz"] = what.kept.nnz();
                progress_.step(fmt::format("{} {}", head["matrix"].get<std::string>(), function.name));
                run_case(what, head);
            }
    }

    template <class T>
    void run_case(const prune_case<T>& what, const record& head) {
        std::vector<entry> entries;
        for (const contestant& who : contestants_.all()) {
            if (!who.handle) continue;
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
    static void prepare(entry& each, const prune_case<T>& what) {
        each.row["contender"] = each.who->name;
        try {
            each.contender = make_prune_contender(*each.who, what);
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
        result.run["benchmark"] = "prune";
        result.run["version"] = library_version();
        result.run["devices"] = contestants_.devices_record();
        result.run["contenders"] = contestants_.names_record();
        result.rows = rows_;
        result.means = means();
        result.columns = columns();
        result.mean_columns = mean_columns();
        result.heading = contestants_.heading();
        result.heading.insert(result.heading.begin(),
                              fmt::format("heron bench prune, Heron {}", library_version()));
        result.notes = {"share: of the elements that are kept; GB/s: what is read and written at least.",
                        "nnzColumns: nnz by columns."};
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
            {.key = "/nnz", .title = "kept", .format = "{:.0f}"},
            {.key = "/share", .title = "share", .format = "{:.3f}", .fold = true},
            {.key = "/type", .title = "type", .fold = true},
            {.key = "/function", .title = "function"},
            {.key = "/format", .title = "format", .fold = true},
            {.key = "/order", .title = "order", .fold = true},
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

    const prune_bench_options& options_;
    progress& progress_;
    contestants contestants_;
    std::vector<prune_function> dense_{}, sparse_{};
    measured_rows rows_{progress_};
};

}  // namespace

std::vector<std::string> prune_function_names() {
    std::vector<std::string> names;
    for (const prune_function& function : prune_function_list()) names.push_back(function.name);
    return names;
}

prune_bench_result run_prune_bench(const prune_bench_options& options, progress& progress) {
    return prune_bench(options, progress).run();
}

}  // namespace heron::tools
