#include "spgemm_bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "matrix/shared_matrix.hpp"
#include "matrix/transforms.hpp"
#include "spgemm_contenders.hpp"
#include "measure/time_contenders.hpp"
#include "measure/measured_rows.hpp"

namespace heron::tools {
namespace {

struct named_algorithm {
    const char* name;
    cusparseSpGEMMAlg_t value;
    bool reuse;
};
constexpr std::array<named_algorithm, 5> algorithms{{{"default", CUSPARSE_SPGEMM_DEFAULT, false},
                                                     {"alg1", CUSPARSE_SPGEMM_ALG1, false},
                                                     {"alg2", CUSPARSE_SPGEMM_ALG2, false},
                                                     {"alg3", CUSPARSE_SPGEMM_ALG3, false},
                                                     {"reuse", CUSPARSE_SPGEMM_DEFAULT, true}}};

const named_algorithm& find_algorithm(const std::string& name) {
    for (const named_algorithm& each : algorithms)
        if (name == each.name) return each;
    throw std::invalid_argument(
        fmt::format("'{}' is not one of the algorithms {}", name, spgemm_algorithm_names()));
}

// The product in double, with the absolute sums that bound the error.
struct reference {
    std::vector<std::int32_t> offsets{0}, columns{};
    std::vector<double> values{}, magnitudes{};
    double products = 0;
};

class reference_product {
  public:
    reference_product(const csr_matrix& a, const number_array& av, const csr_matrix& b,
                      const number_array& bv)
        : a_(a),
          b_(b),
          av_(av),
          bv_(bv),
          sums_(static_cast<std::size_t>(b.cols)),
          magnitudes_(sums_),
          seen_(sums_.size()) {}

    reference run() {
        reference result;
        for (std::size_t row = 0; row < static_cast<std::size_t>(a_.rows); ++row) {
            std::vector<std::size_t> columns;
            for (auto k = at(a_, row); k < at(a_, row + 1); ++k) add_row(k, columns, result.products);
            std::sort(columns.begin(), columns.end());
            for (const std::size_t column : columns) {
                result.columns.push_back(static_cast<std::int32_t>(column));
                result.values.push_back(std::exchange(sums_[column], 0));
                result.magnitudes.push_back(std::exchange(magnitudes_[column], 0));
                seen_[column] = 0;
            }
            result.offsets.push_back(static_cast<std::int32_t>(result.columns.size()));
        }
        return result;
    }

  private:
    static std::size_t at(const csr_matrix& m, std::size_t row) {
        return static_cast<std::size_t>(m.offsets[row]);
    }

    void add_row(std::size_t k, std::vector<std::size_t>& columns, double& products) {
        const auto inner = static_cast<std::size_t>(a_.columns[k]);
        for (auto l = at(b_, inner); l < at(b_, inner + 1); ++l) {
            const auto column = static_cast<std::size_t>(b_.columns[l]);
            if (!std::exchange(seen_[column], char{1})) columns.push_back(column);
            const double product = av_.real[k] * bv_.real[l];
            sums_[column] += product;
            magnitudes_[column] += std::abs(product);
            ++products;
        }
    }

    const csr_matrix &a_, &b_;
    const number_array &av_, &bv_;
    std::vector<double> sums_, magnitudes_;
    std::vector<char> seen_;
};

// Empty if right.
std::string difference(const spgemm_output& found, const reference& expected, scalar_type type,
                       std::int64_t inner) {
    if (found.offsets != expected.offsets) return "the offsets differ";
    if (found.columns != expected.columns) return "the columns differ, or are not sorted";
    const number_array values = decode(type, found.values);
    const double epsilon = 2 * static_cast<double>(inner + 3) * traits_of(type).epsilon;
    for (std::size_t k = 0; k < values.size(); ++k)
        if (!(std::abs(values.real[k] - expected.values[k]) <= epsilon * expected.magnitudes[k]))
            return fmt::format("value {} is {}, not {}", k, values.real[k], expected.values[k]);
    return {};
}

class spgemm_bench {
  public:
    spgemm_bench(const spgemm_bench_options& options, progress& progress)
        : options_(options), progress_(progress) {}

    spgemm_bench_result run() {
        for (const std::string& spec : options_.matrices) run_matrix(spec);
        progress_.clear();
        return {make_report(), failure_count(rows_)};
    }

  private:
    struct entry {
        const contestant* who;
        record row;
        std::unique_ptr<spgemm_contender> contender{};
        double seconds = 0;
    };

    void run_matrix(const std::string& spec) {
        record head;
        head["matrix"] = matrix_name(spec);
        try {
            progress_.step(fmt::format("{}: reading", matrix_name(spec)));
            const std::shared_ptr<const csr_matrix> kept = shared_matrix(spec, options_.seed);
            const csr_matrix& a = *kept;
            const csr_matrix b = a.rows == a.cols ? a : transposed(a);
            head["rows"] = a.rows;
            head["nnz"] = a.nnz();
            for (const std::string& type : options_.types) {
                head["type"] = type;
                run_type(head, a, b, find_product_type(type).input);
            }
        } catch (const std::exception& error) {
            head["result"] = "failed";
            head["message"] = reason_of(error);
            rows_.push_back(std::move(head));
        }
    }

    void run_type(record head, const csr_matrix& a, const csr_matrix& b, scalar_type type) {
        splitmix64 random(options_.seed);
        const number_array a_values = random_numbers(type, a.columns.size(), random);
        const number_array b_values =
            a.rows == a.cols ? a_values : random_numbers(type, b.columns.size(), random);
        const packing how{.format = sparse_format::csr, .widths = {}, .type = type};
        const packed_matrix packed_a = pack(a, a_values, how), packed_b = pack(b, b_values, how);
        progress_.step(fmt::format("{}: multiplying for reference", head["matrix"].get<std::string>()));
        const reference expected = reference_product(a, a_values, b, b_values).run();
        head["products"] = expected.products;
        head["c_nnz"] = expected.columns.size();
        for (const std::string& name : options_.algorithms) {
            const named_algorithm& algorithm = find_algorithm(name);
            head["algorithm"] = name;
            progress_.step(fmt::format("{} {}: measuring", head["matrix"].get<std::string>(), name));
            run_case(head, {packed_a, packed_b, algorithm.value, algorithm.reuse}, expected, a.cols);
        }
    }

    void run_case(const record& head, const spgemm_case& what, const reference& expected,
                  std::int64_t inner) {
        std::vector<entry> entries;
        for (const contestant& who : contestants_.all()) {
            if (!who.handle && who.eigen_threads > 1) continue;
            entries.push_back({&who, head});
            prepare(entries.back(), what, expected, inner);
        }
        for (const bool processor : {false, true}) measure(entries, processor);
        for (entry& each : entries) {
            if (each.seconds > 0) add_rates(each, entries, expected);
            rows_.push_back(std::move(each.row));
        }
    }

    static void prepare(entry& each, const spgemm_case& what, const reference& expected, std::int64_t inner) {
        each.row["contender"] = each.who->name;
        try {
            each.contender = each.who->handle
                                 ? make_cusparse_spgemm(*each.who->handle, *each.who->where, what)
                                 : make_eigen_spgemm(what);
            if (!each.contender) return give_up(each, "unsupported", "has no such product");
            each.contender->call();
            each.who->where->synchronize();
            const std::string wrong = difference(each.contender->output(), expected, what.a.how.type, inner);
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

    void measure(std::vector<entry>& entries, bool processor) const {
        time_contenders(
            entries, processor, options_.timing, [](entry& each) { each.contender->call(); }, add_timing);
    }

    static void add_timing(entry& each, const timing& measured) {
        if (!measured.error.empty()) return give_up(each, "failed", measured.error);
        each.seconds = measured.median;
        each.row["seconds_min"] = measured.min;
    }

    static void add_rates(entry& each, const std::vector<entry>& entries, const reference& expected) {
        record& row = each.row;
        row["seconds"] = each.seconds;
        row["gflops"] = 2 * expected.products / each.seconds * 1e-9;
        row["work_bytes"] = each.contender->work_bytes;
        for (const entry& peer : entries)
            if (peer.seconds > 0 && is_baseline(*each.who, *peer.who))
                row["ratio"][peer.who->name] = peer.seconds / each.seconds;
    }

    report make_report() const {
        report result;
        result.run["benchmark"] = "spgemm";
        result.run["devices"] = contestants_.devices_record();
        result.run["contenders"] = contestants_.names_record();
        result.rows = rows_;
        std::vector<record> measured;
        for (const record& row : rows_)
            if (row.contains("seconds")) measured.push_back(row);
        const std::vector<std::string> group{"/contender", "/type", "/algorithm"};
        std::vector<std::string> values{"/gflops"};
        for (std::string& key : contestants_.ratio_keys()) values.push_back(std::move(key));
        result.means = geometric_means(measured, group, values);
        result.columns = columns();
        result.mean_columns = mean_columns();
        result.heading = contestants_.heading();
        result.notes = {
            "ms: median of whole products, from descriptors to values, without allocations (reuse: values "
            "alone);",
            "work MB: workspaces that live at one time; vs: how many times as fast."};
        return result;
    }

    std::vector<report_column> columns() const {
        std::vector<report_column> result{
            {.key = "/matrix", .title = "matrix"},
            {.key = "/nnz", .title = "nnz", .format = "{:.0f}"},
            {.key = "/products", .title = "products", .format = "{:.0f}"},
            {.key = "/c_nnz", .title = "nnz of C", .format = "{:.0f}"},
            {.key = "/type", .title = "type", .fold = true},
            {.key = "/algorithm", .title = "alg", .fold = true},
            {.key = "/contender", .title = "contender"},
            {.key = "/result", .title = "result", .fold = true},
            {.key = "/seconds", .title = "ms", .format = "{:.3f}", .scale = 1e3},
            {.key = "/gflops", .title = "GFLOP/s", .format = "{:.2f}"},
            {.key = "/work_bytes", .title = "work MB", .format = "{:.1f}", .scale = 1e-6}};
        contestants_.add_ratio_columns(result);
        result.push_back({.key = "/message", .title = "message"});
        return result;
    }

    std::vector<report_column> mean_columns() const {
        std::vector<report_column> result{{.key = "/contender", .title = "contender"},
                                          {.key = "/type", .title = "type", .fold = true},
                                          {.key = "/algorithm", .title = "alg", .fold = true},
                                          {.key = "/count", .title = "matrices", .format = "{:.0f}"},
                                          {.key = "/gflops", .title = "GFLOP/s", .format = "{:.2f}"}};
        contestants_.add_mean_ratio_columns(result);
        return result;
    }

    const spgemm_bench_options& options_;
    progress& progress_;
    const std::shared_ptr<contestants> opened_ = contestants_of(options_.who);
    contestants& contestants_ = *opened_;
    measured_rows rows_{progress_};
};

}  // namespace

std::string spgemm_algorithm_names() {
    std::vector<const char*> names;
    for (const named_algorithm& each : algorithms) names.push_back(each.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

spgemm_bench_result run_spgemm_bench(const spgemm_bench_options& options, progress& progress) {
    for (const std::string& name : options.algorithms) find_algorithm(name);
    for (const std::string& name : options.types)
        if (name != "f32" && name != "f64")
            throw std::invalid_argument("the types of SpGEMM are f32 and f64");
    return spgemm_bench(options, progress).run();
}

}  // namespace heron::tools
