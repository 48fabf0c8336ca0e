#include "spmm_bench.hpp"

#include <fmt/format.h>

#include <exception>
#include <stdexcept>
#include <utility>

#include "matrix/shared_matrix.hpp"
#include "measure/measured_rows.hpp"
#include "measure/product_report.hpp"
#include "spmm_match.hpp"
#include "whole_number.hpp"

namespace heron::tools {
namespace {

constexpr algorithm_names<cusparseSpMMAlg_t, 10> algorithms{{
    {"default", CUSPARSE_SPMM_ALG_DEFAULT},
    {"coo1", CUSPARSE_SPMM_COO_ALG1},
    {"coo2", CUSPARSE_SPMM_COO_ALG2},
    {"coo3", CUSPARSE_SPMM_COO_ALG3},
    {"coo4", CUSPARSE_SPMM_COO_ALG4},
    {"csr1", CUSPARSE_SPMM_CSR_ALG1},
    {"csr2", CUSPARSE_SPMM_CSR_ALG2},
    {"csr3", CUSPARSE_SPMM_CSR_ALG3},
    {"bsr1", CUSPARSE_SPMM_BSR_ALG1},
    {"ell1", CUSPARSE_SPMM_BLOCKED_ELL_ALG1},
}};

void require_layout(const std::string& name) {
    if (name == "rr" || name == "rc" || name == "cr" || name == "cc") return;
    throw std::invalid_argument(fmt::format("'{}' is not one of the layouts rr rc cr cc", name));
}

std::int64_t find_columns(const std::string& text) {
    const std::int64_t n = whole_number(text).value_or(0);
    if (n > 0) return n;
    throw std::invalid_argument(fmt::format("'{}' is not a number of columns", text));
}

class spmm_bench {
  public:
    spmm_bench(const spmm_bench_options& options, progress& progress)
        : options_(options), progress_(progress) {}

    spmm_bench_result run() {
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
            head["rows"] = matrix.rows;
            head["cols"] = matrix.cols;
            head["nnz"] = matrix.nnz();
            for (const std::string& type : options_.types)
                for (const std::string& index : options_.indices)
                    for (const std::string& format : options_.formats) {
                        head["type"] = type;
                        head["index"] = index;
                        head["format"] = format;
                        run_packed(head, matrix);
                    }
        } catch (const std::exception& error) {
            head["result"] = "failed";
            head["message"] = reason_of(error);
            rows_.push_back(std::move(head));
        }
    }

    void run_packed(record head, const csr_matrix& given) {
        const product_type& type = find_product_type(head["type"].get<std::string>());
        const packing how{.format = find_sparse_format(head["format"].get<std::string>()),
                          .widths = find_index_widths(head["index"].get<std::string>()),
                          .type = type.input,
                          .block = options_.block};
        const csr_matrix pattern = how.has_blocks() ? padded_to_blocks(given, how.block) : given;
        splitmix64 random(options_.seed);
        const number_array values = random_numbers(type.input, pattern.columns.size(), random);
        const packed_matrix matrix = pack(pattern, values, how);
        for (const std::string& op : options_.ops)
            for (const std::string& layout : options_.layouts)
                for (const std::string& n : options_.columns)
                    for (const std::string& algorithm : options_.algorithms) {
                        head["op"] = op;
                        head["layout"] = layout;
                        head["n"] = find_columns(n);
                        head["algorithm"] = algorithm;
                        progress_.step(fmt::format("{} {} {} n {}: measuring",
                                                   head["matrix"].get<std::string>(), op, layout, n));
                        const spmm_case what{.pattern = pattern,
                                             .values = values,
                                             .matrix = matrix,
                                             .type = type,
                                             .op = find_op(op),
                                             .n = find_columns(n),
                                             .b_by_rows = layout[0] == 'r',
                                             .c_by_rows = layout[1] == 'r',
                                             .alpha = options_.alpha,
                                             .beta = options_.beta,
                                             .algorithm = find_algorithm(algorithms, algorithm),
                                             .preprocess = options_.preprocess,
                                             .check_only = options_.check_only,
                                             .seed = options_.seed,
                                             .timing = options_.timing};
                        for (record& row : run_spmm_match(contestants_, what, head))
                            rows_.push_back(std::move(row));
                    }
    }

    report make_report() const {
        const product_report shown("spmm", contestants_, {case_columns(), rate_columns()});
        report result;
        result.run = shown.run(options_);
        result.rows = rows_;
        result.means = shown.means(result.rows);
        result.columns = shown.table(
            {}, {{.key = "/preprocess_seconds", .title = "us prep", .format = "{:.1f}", .scale = 1e6}}, {});
        result.mean_columns = shown.mean_table();
        result.heading = shown.heading(options_);
        if (!options_.check_only)
            result.notes = {
                "layout: of B and C, r by rows, c by columns; us: median per call over the rounds;",
                "GB/s: compulsory bytes (A, B and C once) per second; vs: how many times as fast."};
        return result;
    }

    static std::vector<report_column> case_columns() {
        return {{.key = "/type", .title = "type", .fold = true},
                {.key = "/index", .title = "index", .fold = true},
                {.key = "/format", .title = "format", .fold = true},
                {.key = "/op", .title = "op", .fold = true},
                {.key = "/layout", .title = "layout", .fold = true},
                {.key = "/n", .title = "n", .format = "{:.0f}"},
                {.key = "/algorithm", .title = "alg", .fold = true}};
    }

    static std::vector<report_column> rate_columns() {
        return {{.key = "/gflops", .title = "GFLOP/s", .format = "{:.2f}"},
                {.key = "/gbytes_per_second", .title = "GB/s", .format = "{:.1f}"}};
    }

    const spmm_bench_options& options_;
    progress& progress_;
    const std::shared_ptr<contestants> opened_ = contestants_of(options_.who);
    contestants& contestants_ = *opened_;
    measured_rows rows_{progress_};
};

}  // namespace

std::string spmm_algorithm_names() { return listed(algorithms); }

spmm_bench_result run_spmm_bench(const spmm_bench_options& options, progress& progress) {
    for (const std::string& name : options.types) find_product_type(name);
    for (const std::string& name : options.ops) find_op(name);
    for (const std::string& name : options.indices) find_index_widths(name);
    for (const std::string& name : options.formats) find_sparse_format(name);
    for (const std::string& name : options.layouts) require_layout(name);
    for (const std::string& name : options.columns) find_columns(name);
    for (const std::string& name : options.algorithms) find_algorithm(algorithms, name);
    return spmm_bench(options, progress).run();
}

}  // namespace heron::tools
