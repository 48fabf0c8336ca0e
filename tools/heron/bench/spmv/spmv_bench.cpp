#include "spmv_bench.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "matrix/shared_matrix.hpp"
#include "measure/measured_rows.hpp"
#include "measure/product_report.hpp"
#include "spmv_match.hpp"

namespace heron::tools {
namespace {

constexpr algorithm_names<cusparseSpMVAlg_t, 7> algorithms{{
    {"default", CUSPARSE_SPMV_ALG_DEFAULT},
    {"coo1", CUSPARSE_SPMV_COO_ALG1},
    {"coo2", CUSPARSE_SPMV_COO_ALG2},
    {"csr1", CUSPARSE_SPMV_CSR_ALG1},
    {"csr2", CUSPARSE_SPMV_CSR_ALG2},
    {"sell1", CUSPARSE_SPMV_SELL_ALG1},
    {"bsr1", CUSPARSE_SPMV_BSR_ALG1},
}};

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
        : options_(options), progress_(progress) {}

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
            const std::shared_ptr<const csr_matrix> kept = shared_matrix(spec, options_.seed);
            const csr_matrix& matrix = *kept;
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
            head["message"] = reason_of(error);
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
                    .algorithm = find_algorithm(algorithms, algorithm),
                    .preprocess = options_.preprocess,
                    .check_only = options_.check_only,
                    .timing = options_.timing};
                for (record& row : run_spmv_match(contestants_, data, match, head))
                    rows_.push_back(std::move(row));
            }
        }
    }

    report make_report() const {
        const product_report shown("spmv", contestants_, {case_columns(), rate_columns()});
        report result;
        result.run = shown.run(options_);
        result.rows = rows_;
        result.means = shown.means(result.rows);
        result.columns = shown.table(
            {{.key = "/cache", .title = "cache", .fold = true},
             {.key = "/copies", .title = "copies", .format = "{:.0f}"}},
            {}, {{.key = "/bandwidth/gbytes_per_second", .title = "bw GB/s", .format = "{:.1f}"}});
        result.mean_columns = shown.mean_table();
        result.heading = shown.heading(options_);
        result.notes = notes();
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
    const std::shared_ptr<contestants> opened_ = contestants_of(options_.who);
    contestants& contestants_ = *opened_;
    measured_rows rows_{progress_};
};

}  // namespace

std::string spmv_algorithm_names() { return listed(algorithms); }

spmv_bench_result run_spmv_bench(const spmv_bench_options& options, progress& progress) {
    for (const std::string& name : options.types) find_product_type(name);
    for (const std::string& name : options.ops) find_op(name);
    for (const std::string& name : options.indices) find_index_widths(name);
    for (const std::string& name : options.formats) find_sparse_format(name);
    for (const std::string& name : options.algorithms) find_algorithm(algorithms, name);
    return spmv_bench(options, progress).run();
}

}  // namespace heron::tools
