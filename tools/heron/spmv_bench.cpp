#include "spmv_bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "device_record.hpp"
#include "spmv_match.hpp"
#include "measured_rows.hpp"

namespace heron::tools {
namespace {

constexpr std::array<std::pair<const char*, cusparseSpMVAlg_t>, 7> algorithms{{
    {"default", CUSPARSE_SPMV_ALG_DEFAULT},
    {"coo1", CUSPARSE_SPMV_COO_ALG1},
    {"coo2", CUSPARSE_SPMV_COO_ALG2},
    {"csr1", CUSPARSE_SPMV_CSR_ALG1},
    {"csr2", CUSPARSE_SPMV_CSR_ALG2},
    {"sell1", CUSPARSE_SPMV_SELL_ALG1},
    {"bsr1", CUSPARSE_SPMV_BSR_ALG1},
}};

cusparseSpMVAlg_t find_algorithm(const std::string& name) {
    for (const auto& [known, value] : algorithms) {
        if (name == known) return value;
    }
    throw std::invalid_argument(
        fmt::format("'{}' is not one of the algorithms {}", name, spmv_algorithm_names()));
}

char find_op(const std::string& name) {
    if (name == "N" || name == "T" || name == "C") return name[0];
    throw std::invalid_argument(fmt::format("'{}' is not one of the operations N T C", name));
}

record head_of(const std::string& name, const csr_matrix& matrix) {
    const row_lengths lengths = measure_rows(matrix);
    record head;
    head["matrix"] = name;
    head["rows"] = matrix.rows;
    head["cols"] = matrix.cols;
    head["nnz"] = matrix.nnz();
    head["longest_row"] = lengths.max;
    return head;
}

class spmv_bench {
  public:
    spmv_bench(const spmv_bench_options& options, progress& progress)
        : options_(options), progress_(progress), contestants_(options.who) {}

    spmv_bench_result run() {
        for (const std::string& spec : options_.matrices) run_matrix(spec);
        progress_.clear();
        return {make_report(), failure_count(rows_)};
    }

  private:
    // A matrix that cannot be had is reported like a run that broke off: the others go on.
    void run_matrix(const std::string& spec) {
        record head;
        head["matrix"] = matrix_name(spec);
        try {
            progress_.step(fmt::format("{}: reading", matrix_name(spec)));
            const csr_matrix matrix = load_matrix(spec, options_.seed);
            head = head_of(matrix_name(spec), matrix);
            for (const std::string& type : options_.types) {
                for (const std::string& index : options_.indices) {
                    for (const std::string& format : options_.formats) {
                        head["type"] = type;
                        head["index"] = index;
                        head["format"] = format;
                        run_packed(head, matrix);
                    }
                }
            }
        } catch (const std::exception& error) {
            head["result"] = "failed";
            head["message"] = error.what();
            rows_.push_back(std::move(head));
        }
    }

    void run_packed(record head, const csr_matrix& matrix) {
        const std::string what =
            fmt::format("{} {} {} {}", head["matrix"].get<std::string>(), head["type"].get<std::string>(),
                        head["index"].get<std::string>(), head["format"].get<std::string>());
        progress_.step(fmt::format("{}: preparing", what));
        const product_type& type = find_product_type(head["type"].get<std::string>());
        const packing how{.format = find_sparse_format(head["format"].get<std::string>()),
                          .widths = find_index_widths(head["index"].get<std::string>()),
                          .type = type.input,
                          .slice = options_.slice,
                          .block = options_.block};
        const packed_case data(contestants_, matrix, type, how, options_.seed, options_.warm);
        for (const std::string& op : options_.ops) {
            for (const std::string& algorithm : options_.algorithms) {
                progress_.step(fmt::format("{} {} {}: measuring", what, op, algorithm));
                head["op"] = op;
                head["algorithm"] = algorithm;
                const spmv_match_options match{
                    .problem = {.op = find_op(op), .alpha = options_.alpha, .beta = options_.beta},
                    .algorithm = find_algorithm(algorithm),
                    .preprocess = options_.preprocess,
                    .check_only = options_.check_only,
                    .timing = options_.timing};
                for (record& row : run_spmv_match(contestants_, data, match, head))
                    rows_.push_back(std::move(row));
            }
        }
    }

    report make_report() const {
        report result;
        result.run = run_record();
        result.rows = rows_;
        result.means = means();
        result.columns = columns();
        result.mean_columns = mean_columns();
        result.heading = heading();
        result.notes = notes();
        return result;
    }

    record run_record() const {
        record options;
        options["alpha"] = options_.alpha;
        options["beta"] = options_.beta;
        options["preprocess"] = options_.preprocess;
        options["warm"] = options_.warm;
        options["slice"] = options_.slice;
        options["block"] = options_.block;
        options["seed"] = options_.seed;
        options["rounds"] = options_.timing.rounds;
        options["round_seconds"] = options_.timing.round_seconds;
        record result;
        result["benchmark"] = "spmv";
        result["version"] = library_version();
        result["options"] = std::move(options);
        result["devices"] = contestants_.devices_record();
        result["contenders"] = contestants_.names_record();
        return result;
    }

    std::vector<record> means() const {
        std::vector<record> measured;
        std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(measured),
                     [](const record& row) { return row.contains("seconds"); });
        const std::vector<std::string> group{"/contender", "/type", "/index", "/format", "/op", "/algorithm"};
        std::vector<std::string> values{"/gflops", "/gbytes_per_second", "/bandwidth/percent",
                                        "/bandwidth/percent_with_write_allocate"};
        for (std::string& key : contestants_.ratio_keys()) values.push_back(std::move(key));
        std::vector<record> result;
        for (record& mean : geometric_means(measured, group, values)) {
            record row;
            row["matrix"] = "geometric mean";
            row.update(mean);
            result.push_back(std::move(row));
        }
        return result;
    }

    static std::vector<report_column> case_columns() {
        return {{.key = "/type", .title = "type", .fold = true},
                {.key = "/index", .title = "index", .fold = true},
                {.key = "/format", .title = "format", .fold = true},
                {.key = "/op", .title = "op", .fold = true},
                {.key = "/algorithm", .title = "alg", .fold = true}};
    }

    static std::vector<report_column> rate_columns() {
        return {{.key = "/gflops", .title = "GFLOP/s", .format = "{:.2f}"},
                {.key = "/gbytes_per_second", .title = "GB/s", .format = "{:.1f}"},
                {.key = "/bandwidth/percent", .title = "% bw", .format = "{:.1f}"},
                {.key = "/bandwidth/percent_with_write_allocate", .title = "% bw wa", .format = "{:.1f}"}};
    }

    std::vector<report_column> columns() const {
        std::vector<report_column> result{{.key = "/matrix", .title = "matrix"},
                                          {.key = "/nnz", .title = "nnz", .format = "{:.0f}"}};
        for (report_column& column : case_columns()) result.push_back(std::move(column));
        result.push_back({.key = "/cache", .title = "cache", .fold = true});
        result.push_back({.key = "/copies", .title = "copies", .format = "{:.0f}"});
        result.push_back({.key = "/contender", .title = "contender"});
        result.push_back({.key = "/result", .title = "result", .fold = true});
        result.push_back({.key = "/seconds", .title = "us", .format = "{:.1f}", .scale = 1e6});
        result.push_back({.key = "/seconds_min", .title = "us min", .format = "{:.1f}", .scale = 1e6});
        for (report_column& column : rate_columns()) result.push_back(std::move(column));
        result.push_back({.key = "/bandwidth/gbytes_per_second", .title = "bw GB/s", .format = "{:.1f}"});
        contestants_.add_ratio_columns(result);
        result.push_back({.key = "/message", .title = "message"});
        return result;
    }

    std::vector<report_column> mean_columns() const {
        std::vector<report_column> result{{.key = "/contender", .title = "contender"}};
        for (report_column& column : case_columns()) result.push_back(std::move(column));
        result.push_back({.key = "/count", .title = "matrices", .format = "{:.0f}"});
        for (report_column& column : rate_columns()) result.push_back(std::move(column));
        contestants_.add_mean_ratio_columns(result);
        return result;
    }

    std::vector<std::string> heading() const {
        std::vector<std::string> lines = contestants_.heading();
        lines.insert(lines.begin(), fmt::format("heron bench spmv, Heron {}", library_version()));
        lines.push_back(
            fmt::format("alpha {}, beta {}, {} preprocess, seed {}, {} rounds of at least {:g} ms",
                        options_.alpha, options_.beta, options_.preprocess ? "with" : "without",
                        options_.seed, options_.timing.rounds, options_.timing.round_seconds * 1e3));
        return lines;
    }

    std::vector<std::string> notes() const {
        if (options_.check_only) return {};
        std::vector<std::string> lines{
            "us: median per call over the rounds; GB/s: compulsory bytes (matrix, x and y once) per second;",
            "% bw: of what the memory was measured to do in between (bw GB/s): on a GPU a copy, bytes read "
            "and written;",
            "on the processor a triad of all threads, 24 bytes per element, or 32 with the write-allocate (% "
            "bw wa).",
            "cache cold: the copies of A, x and y together exceed four times the cache; vs: how many times "
            "as fast."};
        if (options_.who.eigen)
            lines.push_back("Eigen multiplies in CSR alone, and by a transposed matrix on one thread.");
        if (!options_.preprocess) lines.push_back("No side preprocessed its matrix.");
        return lines;
    }

    const spmv_bench_options& options_;
    progress& progress_;
    contestants contestants_;
    measured_rows rows_{progress_};
};

}  // namespace

std::string spmv_algorithm_names() {
    std::vector<const char*> names;
    for (const auto& [name, value] : algorithms) names.push_back(name);
    return fmt::format("{}", fmt::join(names, ", "));
}

spmv_bench_result run_spmv_bench(const spmv_bench_options& options, progress& progress) {
    for (const std::string& name : options.types) find_product_type(name);
    for (const std::string& name : options.ops) find_op(name);
    for (const std::string& name : options.indices) find_index_widths(name);
    for (const std::string& name : options.formats) find_sparse_format(name);
    for (const std::string& name : options.algorithms) find_algorithm(name);
    return spmv_bench(options, progress).run();
}

}  // namespace heron::tools
