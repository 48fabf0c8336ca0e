#include "bsr_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <stdexcept>

#include "bsr_contender.hpp"
#include "matrix/shared_matrix.hpp"
#include "measure/bench_values.hpp"
#include "measure/measured_rows.hpp"
#include "measure/product_report.hpp"
#include "measure/time_contenders.hpp"

namespace heron::tools {
namespace {

struct entry {
    const contestant* who;
    record row;
    std::unique_ptr<bsr_contender> contender{};
    double analysis = 0, seconds = 0;  // 0: not measured
};

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

// The pattern with a full diagonal, which solves need.
csr_matrix with_diagonal(const csr_matrix& given) {
    if (given.rows != given.cols) throw std::invalid_argument("the matrix is not square");
    csr_matrix result;
    result.rows = result.cols = given.rows;
    for (std::int64_t row = 0; row < given.rows; ++row) {
        bool has_diagonal = false;
        for (std::int64_t k = given.offsets[index(row)]; k < given.offsets[index(row + 1)]; ++k) {
            const std::int64_t column = given.columns[index(k)];
            if (!has_diagonal && column >= row) {
                result.columns.push_back(row);
                has_diagonal = true;
            }
            if (column != row) result.columns.push_back(column);
        }
        if (!has_diagonal) result.columns.push_back(row);
        result.offsets.push_back(result.nnz());
    }
    return result;
}

// Calls f(row, column, value) for all elements of the blocks.
template <class F>
void each_element(const csr_matrix& blocks, int block, const std::vector<number>& values, F&& f) {
    std::size_t at = 0;
    for (std::int64_t row = 0; row < blocks.rows; ++row)
        for (std::int64_t k = blocks.offsets[index(row)]; k < blocks.offsets[index(row + 1)]; ++k)
            for (int r = 0; r < block; ++r)
                for (int c = 0; c < block; ++c)
                    f(row * block + r, blocks.columns[index(k)] * block + c, values[at++]);
}

// As the type represents them.
std::vector<number> rounded(scalar_type type, const std::vector<number>& values) {
    number_array parts;
    for (const number v : values) {
        parts.real.push_back(v.real());
        parts.imag.push_back(v.imag());
    }
    return complex_numbers(decode(type, encode(type, parts)));
}

// Values for which the solution neither grows nor vanishes much.
std::vector<number> make_values(const csr_matrix& blocks, int block, scalar_type type, splitmix64& random) {
    std::vector<std::int64_t> columns(index(blocks.cols));
    for (const std::int64_t column : blocks.columns) ++columns[index(column)];
    const std::int64_t longest_column = *std::max_element(columns.begin(), columns.end());
    std::int64_t longest = longest_column;
    for (std::int64_t row = 0; row < blocks.rows; ++row)
        longest = std::max(longest, blocks.offsets[index(row + 1)] - blocks.offsets[index(row)]);
    std::vector<number> values =
        complex_numbers(random_numbers(type, index(blocks.nnz() * block * block), random));
    std::size_t at = 0;
    each_element(blocks, block, values, [&](std::int64_t row, std::int64_t column, number v) {
        values[at++] = row == column ? 1 + std::abs(v) : v / static_cast<double>(longest * block);
    });
    return rounded(type, values);
}

class bsr_bench {
  public:
    bsr_bench(const bsr_bench_options& options, progress& steps) : options_(options), progress_(steps) {}

    bsr_bench_result run() {
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
            const csr_matrix blocks = with_diagonal(*shared_matrix(spec, options_.seed));
            head["nnzb"] = blocks.nnz();
            for (const int block : options_.blocks)
                for (const std::string& type : options_.types) {
                    head["block"] = block;
                    head["type"] = type;
                    run_values(head, blocks, block, find_product_type(type).input);
                }
        } catch (const std::exception& error) {
            head["result"] = "failed";
            head["message"] = reason_of(error);
            rows_.push_back(std::move(head));
        }
    }

    void run_values(record& head, const csr_matrix& blocks, int block, scalar_type type) {
        splitmix64 random(options_.seed);
        const std::vector<number> values = make_values(blocks, block, type, random);
        const int most = *std::max_element(options_.columns.begin(), options_.columns.end());
        const std::vector<number> x =
            complex_numbers(random_numbers(type, index(blocks.rows * block * most), random));
        for (const std::string& function : options_.functions)
            for (const std::string& direction : options_.directions) {
                head["function"] = function;
                head["direction"] = direction;
                bsr_case what{blocks, function, block, 1, false, 'N', direction == "column",
                              false,  values,   x};
                progress_.step(
                    fmt::format("{} {} {}: measuring", head["matrix"].get<std::string>(), block, function));
                run_columns(head, what);
            }
    }

    void run_columns(record& head, bsr_case& what) {
        const std::vector<std::string> none{""};
        const bool multiplies = what.function == "bsrmm";
        for (const int columns : what.has_columns() ? options_.columns : std::vector<int>{1})
            for (const std::string& op_b : multiplies ? options_.dense_ops : none) {
                head["columns"] = what.columns = columns;
                head["op_b"] = op_b;
                what.turns_b = op_b == "T";
                run_triangles(head, what);
            }
    }

    void run_triangles(record& head, bsr_case& what) {
        for (const std::string& triangle :
             what.is_solve() ? options_.triangles : std::vector<std::string>{""})
            for (const std::string& op : what.is_solve() ? options_.ops : std::vector<std::string>{"N"}) {
                head["triangle"] = triangle;
                head["op"] = op;
                what.is_upper = triangle == "upper";
                what.op = op[0];
                run_case(head, what);
            }
    }

    void run_case(const record& head, const bsr_case& what) {
        std::vector<entry> entries;
        for (const contestant& who : contestants_.all()) {
            if (!who.handle) continue;
            entries.push_back({&who, head});
            prepare(entries.back(), what);
        }
        for (const bool processor : {false, true})
            time_contenders(
                entries, processor, options_.timing, [](entry& each) { each.contender->call(); },
                [&](entry& each, const timing& measured) { add_timing(each, measured, what); });
        for (entry& each : entries) {
            if (each.seconds > 0) add_ratios(each, entries);
            rows_.push_back(std::move(each.row));
        }
    }

    void prepare(entry& each, const bsr_case& what) const {
        each.row["contender"] = each.who->name;
        try {
            each.contender = make_bsr_contender(*each.who, what, each.row["type"].get<std::string>());
            std::vector<double> analyses;
            for (int i = 0; i <= options_.analyses; ++i) analyses.push_back(each.contender->analyse());
            // The first one also loads code.
            analyses.erase(analyses.begin());
            each.analysis = median_of(analyses);
            each.contender->call();
            each.who->where->synchronize();
            const double worst = worst_error(each, what);
            if (!(worst <= 1)) return give_up(each, "WRONG", fmt::format("{:.3g} times the bound", worst));
            each.row["result"] = "right";
        } catch (const cusparse_error& error) {
            give_up(each, error.is_unsupported() ? "unsupported" : "failed", error.what());
        } catch (const std::exception& error) {
            give_up(each, "failed", reason_of(error));
        }
    }

    static scalar_traits type_of(const entry& each) {
        return traits_of(find_product_type(each.row["type"].get<std::string>()).input);
    }

    static void give_up(entry& each, const char* result, const std::string& why) {
        each.row["result"] = result;
        each.row["message"] = why;
        each.contender.reset();
    }

    // The largest error of a product, or residual of a solve, as a multiple of what rounding explains, in the
    // first and the last column.
    static double worst_error(const entry& each, const bsr_case& what) {
        const std::vector<number> y = each.contender->result();
        const int columns = what.has_columns() ? what.columns : 1;
        const scalar_traits type = type_of(each);
        // A complex product rounds more often.
        const double epsilon = (type.is_complex ? 2 : 1) * type.epsilon;
        double worst = error_of(0, what, y, epsilon);
        if (columns > 1) worst = std::max(worst, error_of(columns - 1, what, y, epsilon));
        return worst;
    }

    static double error_of(int column, const bsr_case& what, const std::vector<number>& y, double epsilon) {
        const std::int64_t n = what.blocks.rows * what.block;
        const number* const from = (what.is_solve() ? y.data() : what.x.data()) + column * n;
        const number* const expected = (what.is_solve() ? what.x.data() : y.data()) + column * n;
        std::vector<number> sum(index(n));
        std::vector<double> size(index(n)), terms(size);
        each_element(what.blocks, what.block, what.values,
                     [&](std::int64_t row, std::int64_t other, number v) {
                         if (what.is_solve() && (what.is_upper ? other < row : other > row)) return;
                         const bool turned = what.is_solve() && what.op != 'N';
                         const std::int64_t to = turned ? other : row;
                         const number term = v * from[turned ? row : other];
                         sum[index(to)] += term;
                         size[index(to)] += std::abs(term);
                         terms[index(to)] += 1;
                     });
        double worst = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            const double allowed =
                4 * (terms[index(i)] + 4) * epsilon * (size[index(i)] + std::abs(expected[i]));
            const double error = std::abs(sum[index(i)] - expected[i]) / allowed;
            if (!(error <= worst)) worst = std::isnan(error) ? HUGE_VAL : error;
        }
        return worst;
    }

    // Of the elements that take part, and of the vectors once.
    static double bytes_of(const bsr_case& what, double element) {
        double blocks = 0;
        for (std::int64_t row = 0; row < what.blocks.rows; ++row)
            for (std::int64_t k = what.blocks.offsets[index(row)]; k < what.blocks.offsets[index(row + 1)];
                 ++k) {
                const std::int64_t column = what.blocks.columns[index(k)];
                blocks += !what.is_solve() || (what.is_upper ? column >= row : column <= row);
            }
        const double columns = what.has_columns() ? what.columns : 1;
        const double rows = static_cast<double>(what.blocks.rows) * what.block;
        return blocks * (element * what.block * what.block + 4) + 2 * rows * columns * element;
    }

    void add_timing(entry& each, const timing& measured, const bsr_case& what) {
        if (!measured.error.empty()) return give_up(each, "failed", measured.error);
        each.seconds = measured.median;
        each.row["seconds"] = measured.median;
        if (each.analysis > 0) each.row["analysis_seconds"] = each.analysis;
        const auto element = static_cast<double>(type_of(each).size);
        each.row["gbytes_per_second"] = bytes_of(what, element) / measured.median * 1e-9;
    }

    static void add_ratios(entry& each, const std::vector<entry>& entries) {
        for (const entry& peer : entries) {
            if (peer.seconds == 0 || !is_baseline(*each.who, *peer.who)) continue;
            each.row["ratio"][peer.who->name] = peer.seconds / each.seconds;
            if (peer.analysis > 0) each.row["analysis_ratio"][peer.who->name] = peer.analysis / each.analysis;
        }
    }

    report make_report() const {
        report result;
        result.run["benchmark"] = "bsr";
        result.run["devices"] = contestants_.devices_record();
        result.run["contenders"] = contestants_.names_record();
        result.rows = rows_;
        result.columns = columns();
        result.heading = contestants_.heading();
        result.notes = {
            "us: median of a call. analysis: median, until the device is done.",
            "GB/s: the blocks that take part, and the dense operands, once. vs: how many times as fast."};
        add_means(result);
        return result;
    }

    std::vector<std::pair<std::string, std::string>> ratio_titles() const {
        std::vector<std::pair<std::string, std::string>> result;
        for (const std::string& key : contestants_.ratio_keys()) {
            const std::string peer = key.substr(7);
            result.emplace_back(key, "vs " + peer);
            result.emplace_back("/analysis_ratio/" + peer, "analysis vs " + peer);
        }
        return result;
    }

    void add_means(report& result) const {
        std::vector<record> measured;
        for (const record& row : rows_)
            if (row.contains("seconds")) measured.push_back(row);
        const std::vector<std::string> group{"/contender", "/function", "/type"};
        std::vector<std::string> values{"/gbytes_per_second"};
        result.mean_columns = {{.key = "/contender", .title = "contender"},
                               {.key = "/function", .title = "function"},
                               {.key = "/type", .title = "type"},
                               {.key = "/count", .title = "cases", .format = "{:.0f}"},
                               {.key = "/gbytes_per_second", .title = "GB/s", .format = "{:.1f}"}};
        for (const auto& [key, title] : ratio_titles()) {
            values.push_back(key);
            result.mean_columns.push_back({.key = key, .title = title, .format = "{:.2f}"});
            result.mean_columns.push_back({.key = "/smallest" + key, .title = "least", .format = "{:.2f}"});
        }
        result.means = geometric_means(measured, group, values);
    }

    std::vector<report_column> columns() const {
        std::vector<report_column> result{
            {.key = "/matrix", .title = "matrix"},
            {.key = "/nnzb", .title = "blocks", .format = "{:.0f}"},
            {.key = "/block", .title = "of", .format = "{:.0f}"},
            {.key = "/type", .title = "type", .fold = true},
            {.key = "/function", .title = "function"},
            {.key = "/direction", .title = "by", .fold = true},
            {.key = "/op_b", .title = "op(B)", .fold = true},
            {.key = "/columns", .title = "n", .format = "{:.0f}"},
            {.key = "/triangle", .title = "triangle", .fold = true},
            {.key = "/op", .title = "op", .fold = true},
            {.key = "/contender", .title = "contender"},
            {.key = "/result", .title = "result", .fold = true},
            {.key = "/analysis_seconds", .title = "analysis us", .format = "{:.1f}", .scale = 1e6},
            {.key = "/seconds", .title = "us", .format = "{:.1f}", .scale = 1e6},
            {.key = "/gbytes_per_second", .title = "GB/s", .format = "{:.1f}"}};
        for (const auto& [key, title] : ratio_titles())
            result.push_back({.key = key, .title = title, .format = "{:.2f}"});
        result.push_back({.key = "/message", .title = "message"});
        return result;
    }

    const bsr_bench_options& options_;
    progress& progress_;
    const std::shared_ptr<contestants> opened_ = contestants_of(options_.who);
    contestants& contestants_ = *opened_;
    measured_rows rows_{progress_};
};

}  // namespace

bsr_bench_result run_bsr_bench(const bsr_bench_options& options, progress& progress) {
    return bsr_bench(options, progress).run();
}

}  // namespace heron::tools
