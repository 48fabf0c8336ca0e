#include "trisolve_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>

#include "matrix/shared_matrix.hpp"
#include "measure/device_record.hpp"
#include "measure/launch_count.hpp"
#include "trisolve_contenders.hpp"
#include "measure/time_contenders.hpp"
#include "measure/measured_rows.hpp"

namespace heron::tools {
namespace {

using number = std::complex<double>;

number at(const number_array& values, std::int64_t k) {
    const auto i = static_cast<std::size_t>(k);
    return {values.real[i], values.imag_at(i)};
}

// The named triangle of a square pattern, with a full diagonal.
csr_matrix triangle_of(const csr_matrix& given, bool upper) {
    if (given.rows != given.cols) throw std::invalid_argument("the matrix is not square");
    csr_matrix result;
    result.rows = result.cols = given.rows;
    for (std::int64_t row = 0; row < given.rows; ++row) {
        if (upper) result.columns.push_back(row);
        for (std::int64_t k = given.offsets[static_cast<std::size_t>(row)];
             k < given.offsets[static_cast<std::size_t>(row + 1)]; ++k) {
            const std::int64_t column = given.columns[static_cast<std::size_t>(k)];
            if (upper ? column > row : column < row) result.columns.push_back(column);
        }
        if (!upper) result.columns.push_back(row);
        result.offsets.push_back(static_cast<std::int64_t>(result.columns.size()));
    }
    return result;
}

// Values for which the solution of op(A) neither grows nor vanishes much.
number_array make_values(const csr_matrix& pattern, scalar_type type, splitmix64& random) {
    std::vector<double> rows(static_cast<std::size_t>(pattern.rows)), columns = rows;
    for (std::int64_t row = 0; row < pattern.rows; ++row)
        for (std::int64_t k = pattern.offsets[static_cast<std::size_t>(row)];
             k < pattern.offsets[static_cast<std::size_t>(row + 1)]; ++k) {
            rows[static_cast<std::size_t>(row)] += 1;
            columns[static_cast<std::size_t>(pattern.columns[static_cast<std::size_t>(k)])] += 1;
        }
    number_array values = random_numbers(type, pattern.columns.size(), random);
    for (std::int64_t row = 0; row < pattern.rows; ++row)
        for (std::int64_t k = pattern.offsets[static_cast<std::size_t>(row)];
             k < pattern.offsets[static_cast<std::size_t>(row + 1)]; ++k) {
            const auto i = static_cast<std::size_t>(k);
            const std::int64_t column = pattern.columns[i];
            const double count =
                std::max(rows[static_cast<std::size_t>(row)], columns[static_cast<std::size_t>(column)]);
            const double scale = row == column ? 1 : 1 / count;
            values.real[i] = row == column ? 1 + std::abs(values.real[i]) : values.real[i] * scale;
            if (!values.imag.empty()) values.imag[i] *= scale;
        }
    return decode(type, encode(type, values));
}

class trisolve_bench {
  public:
    trisolve_bench(const trisolve_bench_options& options, progress& progress)
        : options_(options), progress_(progress) {}

    trisolve_bench_result run() {
        for (const std::string& spec : options_.matrices) run_matrix(spec);
        progress_.clear();
        return {make_report(), failure_count(rows_)};
    }

  private:
    struct entry {
        const contestant* who = nullptr;
        record row;
        std::unique_ptr<trisolve_operands> operands{};
        std::unique_ptr<trisolve_contender> contender{};
        double analysis = 0, seconds = 0;  // 0: not measured
    };

    void run_matrix(const std::string& spec) {
        record head;
        head["matrix"] = matrix_name(spec);
        try {
            progress_.step(fmt::format("{}: reading", matrix_name(spec)));
            const std::shared_ptr<const csr_matrix> kept = shared_matrix(spec, options_.seed);
            const csr_matrix& given = *kept;
            for (const std::string& triangle : options_.triangles) {
                const csr_matrix pattern = triangle_of(given, triangle == "upper");
                head["nnz"] = pattern.nnz();
                head["triangle"] = triangle;
                for (const std::string& type : options_.types) {
                    head["type"] = type;
                    run_type(head, pattern, find_product_type(type).input);
                }
            }
        } catch (const std::exception& error) {
            head["result"] = "failed";
            head["message"] = reason_of(error);
            rows_.push_back(std::move(head));
        }
    }

    void run_type(record& head, const csr_matrix& pattern, scalar_type type) {
        splitmix64 random(options_.seed);
        const number_array values = make_values(pattern, type, random);
        const packed_matrix matrix = pack(pattern, values, {.type = type});
        for (const std::string& op : options_.ops)
            for (const std::int64_t right_sides : options_.right_sides) {
                head["op"] = op;
                head["rhs"] = right_sides;
                progress_.step(fmt::format("{} {} {} {}: measuring", head["matrix"].get<std::string>(),
                                           head["type"].get<std::string>(), op, right_sides));
                const trisolve_case what{matrix,
                                         type,
                                         op[0],
                                         head["triangle"] == "upper",
                                         right_sides,
                                         options_.order == "row",
                                         options_.fresh_workspace};
                const number_array b =
                    random_numbers(type, static_cast<std::size_t>(pattern.rows * right_sides), random);
                run_case(head, what, pattern, values, b);
            }
    }

    void run_case(const record& head, const trisolve_case& what, const csr_matrix& pattern,
                  const number_array& values, const number_array& b) {
        std::vector<entry> entries;
        for (const contestant& who : contestants_.all()) {
            entry each{.who = &who, .row = head};
            each.row["contender"] = who.name;
            if (who.eigen_threads > 1) continue;
            enter(each, what, pattern, values, b);
            entries.push_back(std::move(each));
        }
        for (const bool processor : {false, true}) measure(entries, what, processor);
        count_launches(entries, options_.timing, [](entry& each) { each.contender->solve(); });
        for (entry& each : entries) add_ratios(each, entries);
        for (entry& each : entries) rows_.push_back(std::move(each.row));
    }

    void enter(entry& each, const trisolve_case& what, const csr_matrix& pattern, const number_array& values,
               const number_array& b) {
        try {
            each.operands = std::make_unique<trisolve_operands>(*each.who->where, what, encode(what.type, b));
            each.contender = each.who->handle
                                 ? make_cusparse_trisolve(*each.who->handle, *each.operands, what)
                                 : make_eigen_trisolve(*each.operands, what);
            std::vector<double> analyses;
            for (int i = 0; i <= options_.analyses; ++i) analyses.push_back(each.contender->analyse());
            // The first one also loads code.
            analyses.erase(analyses.begin());
            each.analysis = median_of(analyses);
            each.contender->solve();
            each.who->where->synchronize();
            const double worst = worst_residual(each, what, pattern, values, b);
            each.row["result"] = worst <= 1 ? "right" : "WRONG";
            if (!(worst <= 1)) each.contender.reset();
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

    // The largest residual of the first and the last right-hand side as a multiple of what rounding explains.
    static double worst_residual(const entry& each, const trisolve_case& what, const csr_matrix& pattern,
                                 const number_array& values, const number_array& b) {
        std::vector<std::byte> bytes(b.size() * traits_of(what.type).size);
        each.who->where->copy(bytes.data(), each.operands->c, bytes.size());
        each.who->where->synchronize();
        const number_array x = decode(what.type, bytes);
        double worst = 0;
        for (const std::int64_t column : {std::int64_t{0}, what.right_sides - 1})
            worst = std::max(worst, residual_of(column, what, pattern, values, b, x));
        return worst;
    }

    static double residual_of(std::int64_t column, const trisolve_case& what, const csr_matrix& pattern,
                              const number_array& values, const number_array& b, const number_array& x) {
        const std::int64_t n = pattern.rows;
        const auto place = [&](std::int64_t i) {
            return what.by_rows ? i * what.right_sides + column : i + column * n;
        };
        std::vector<number> left(static_cast<std::size_t>(n));
        std::vector<double> size(left.size()), terms(left.size());
        for (std::int64_t row = 0; row < n; ++row)
            for (std::int64_t k = pattern.offsets[static_cast<std::size_t>(row)];
                 k < pattern.offsets[static_cast<std::size_t>(row + 1)]; ++k) {
                const std::int64_t other = pattern.columns[static_cast<std::size_t>(k)];
                const auto to = static_cast<std::size_t>(what.op == 'N' ? row : other);
                const number a = what.op == 'C' ? std::conj(at(values, k)) : at(values, k);
                const number term = a * at(x, place(what.op == 'N' ? other : row));
                left[to] += term;
                size[to] += std::abs(term);
                terms[to] += 1;
            }
        double worst = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            const auto k = static_cast<std::size_t>(i);
            const number right = at(b, place(i));
            const double allowed =
                4 * (terms[k] + 4) * traits_of(what.type).epsilon * (size[k] + std::abs(right));
            const double error = std::abs(left[k] - right) / allowed;
            if (!(error <= worst)) worst = std::isnan(error) ? HUGE_VAL : error;
        }
        return worst;
    }

    void measure(std::vector<entry>& entries, const trisolve_case& what, bool processor) {
        time_contenders(
            entries, processor, options_.timing, [](entry& each) { each.contender->solve(); },
            [&](entry& each, const timing& measured) { add_timing(each, measured, what); });
    }

    static void add_timing(entry& each, const timing& measured, const trisolve_case& what) {
        if (!measured.error.empty()) return give_up(each, "failed", measured.error);
        const double sides = static_cast<double>(what.right_sides);
        const double bytes = static_cast<double>(what.matrix.compulsory_bytes()) +
                             2 * sides * static_cast<double>(what.matrix.rows) *
                                 static_cast<double>(traits_of(what.type).size);
        const double flops =
            (traits_of(what.type).is_complex ? 8.0 : 2.0) * static_cast<double>(what.matrix.nnz) * sides;
        each.seconds = measured.median;
        each.row["analysis_seconds"] = each.analysis;
        each.row["seconds"] = measured.median;
        each.row["seconds_min"] = measured.min;
        each.row["gflops"] = flops / measured.median * 1e-9;
        each.row["gbytes_per_second"] = bytes / measured.median * 1e-9;
        each.row["buffer_bytes"] = each.contender->buffer_bytes;
    }

    static void add_ratios(entry& each, const std::vector<entry>& entries) {
        for (const entry& peer : entries) {
            if (each.seconds == 0 || peer.seconds == 0 || !is_baseline(*each.who, *peer.who)) continue;
            each.row["ratio"][peer.who->name] = peer.seconds / each.seconds;
            if (peer.analysis > 0) each.row["analysis_ratio"][peer.who->name] = peer.analysis / each.analysis;
        }
    }

    std::vector<std::string> heading() const {
        std::vector<std::string> lines = contestants_.heading();
        lines.insert(lines.begin(), fmt::format("heron bench trisolve, Heron {}", library_version()));
        lines.push_back(fmt::format("B and C by {}s, seed {}, {} analyses, {} rounds of at least {:g} ms",
                                    options_.order, options_.seed, options_.analyses, options_.timing.rounds,
                                    options_.timing.round_seconds * 1e3));
        return lines;
    }

    report make_report() const {
        report result;
        result.run["benchmark"] = "trisolve";
        result.run["version"] = library_version();
        result.run["options"] = {{"order", options_.order},
                                 {"seed", options_.seed},
                                 {"analyses", options_.analyses},
                                 {"fresh_workspace", options_.fresh_workspace}};
        result.run["devices"] = contestants_.devices_record();
        result.run["contenders"] = contestants_.names_record();
        result.rows = rows_;
        result.columns = columns();
        result.heading = heading();
        result.notes = {
            "us: median per solve; one right-hand side is SpSV, more are SpSM. analysis: median, each with a "
            "new",
            "descriptor, until the device is done. GB/s: the triangle, B and C once. vs: how many times as "
            "fast."};
        add_means(result);
        return result;
    }

    void add_means(report& result) const {
        std::vector<record> measured;
        std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(measured),
                     [](const record& row) { return row.contains("seconds"); });
        const std::vector<std::string> group{"/contender", "/type", "/triangle", "/op", "/rhs"};
        std::vector<std::string> values{"/gflops", "/gbytes_per_second"};
        result.mean_columns = {{.key = "/contender", .title = "contender"},
                               {.key = "/type", .title = "type"},
                               {.key = "/triangle", .title = "triangle"},
                               {.key = "/op", .title = "op"},
                               {.key = "/rhs", .title = "rhs", .format = "{:.0f}"},
                               {.key = "/count", .title = "matrices", .format = "{:.0f}"},
                               {.key = "/gflops", .title = "GFLOP/s", .format = "{:.2f}"}};
        for (const auto& [key, title] : ratio_titles()) {
            values.push_back(key);
            result.mean_columns.push_back({.key = key, .title = title, .format = "{:.2f}"});
            result.mean_columns.push_back({.key = "/smallest" + key, .title = "least", .format = "{:.2f}"});
        }
        result.means = geometric_means(measured, group, values);
    }

    // Of solves, then of analyses.
    std::vector<std::pair<std::string, std::string>> ratio_titles() const {
        std::vector<std::pair<std::string, std::string>> result;
        for (const std::string& key : contestants_.ratio_keys()) {
            const std::string peer = key.substr(7);
            result.emplace_back(key, "vs " + peer);
            result.emplace_back("/analysis_ratio/" + peer, "analysis vs " + peer);
        }
        return result;
    }

    std::vector<report_column> columns() const {
        std::vector<report_column> result{
            {.key = "/matrix", .title = "matrix"},
            {.key = "/nnz", .title = "nnz", .format = "{:.0f}"},
            {.key = "/triangle", .title = "triangle", .fold = true},
            {.key = "/type", .title = "type", .fold = true},
            {.key = "/op", .title = "op", .fold = true},
            {.key = "/rhs", .title = "rhs", .format = "{:.0f}"},
            {.key = "/contender", .title = "contender"},
            {.key = "/result", .title = "result", .fold = true},
            {.key = "/analysis_seconds", .title = "analysis us", .format = "{:.1f}", .scale = 1e6},
            {.key = "/seconds", .title = "us", .format = "{:.1f}", .scale = 1e6},
            {.key = "/gflops", .title = "GFLOP/s", .format = "{:.2f}"},
            {.key = "/gbytes_per_second", .title = "GB/s", .format = "{:.1f}"},
            {.key = "/buffer_bytes", .title = "buffer MB", .format = "{:.1f}", .scale = 1e-6}};
        for (const auto& [key, title] : ratio_titles())
            result.push_back({.key = key, .title = title, .format = "{:.2f}"});
        result.push_back({.key = "/message", .title = "message"});
        return result;
    }

    const trisolve_bench_options& options_;
    progress& progress_;
    const std::shared_ptr<contestants> opened_ = contestants_of(options_.who);
    contestants& contestants_ = *opened_;
    measured_rows rows_{progress_};
};

void require_one_of(const std::string& value, const std::vector<std::string>& known, const char* what) {
    if (std::find(known.begin(), known.end(), value) == known.end())
        throw std::invalid_argument(fmt::format("'{}' is no {}", value, what));
}

}  // namespace

trisolve_bench_result run_trisolve_bench(const trisolve_bench_options& options, progress& progress) {
    for (const std::string& type : options.types)
        require_one_of(type, {"f32", "f64", "c32", "c64"}, "type of a solve");
    for (const std::string& op : options.ops) require_one_of(op, {"N", "T", "C"}, "operation");
    for (const std::string& triangle : options.triangles)
        require_one_of(triangle, {"lower", "upper"}, "triangle");
    require_one_of(options.order, {"column", "row"}, "order");
    return trisolve_bench(options, progress).run();
}

}  // namespace heron::tools
