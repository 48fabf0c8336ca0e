#include "factor_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <exception>
#include <map>
#include <stdexcept>

#include "factor_contenders.hpp"
#include "matrix/shared_matrix.hpp"
#include "measure/device_record.hpp"
#include "measure/measured_rows.hpp"
#include "measure/time_contenders.hpp"

namespace heron::tools {
namespace {

using number = std::complex<double>;

// The pattern with every diagonal element, for which a factorisation exists.
csr_matrix with_diagonal(const csr_matrix& given) {
    if (given.rows != given.cols) throw std::invalid_argument("the matrix is not square");
    csr_matrix result;
    result.rows = result.cols = given.rows;
    for (std::int64_t row = 0; row < given.rows; ++row) {
        const auto begin = given.columns.begin() + given.offsets[static_cast<std::size_t>(row)];
        const auto end = given.columns.begin() + given.offsets[static_cast<std::size_t>(row + 1)];
        std::vector<std::int64_t> columns(begin, end);
        columns.push_back(row);
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        result.columns.insert(result.columns.end(), columns.begin(), columns.end());
        result.offsets.push_back(static_cast<std::int64_t>(result.columns.size()));
    }
    return result;
}

// Each element as a full block of size x size elements.
csr_matrix in_blocks(const csr_matrix& pattern, std::int64_t size) {
    csr_matrix result;
    result.rows = result.cols = pattern.rows * size;
    for (std::int64_t row = 0; row < result.rows; ++row) {
        const auto block_row = static_cast<std::size_t>(row / size);
        for (std::int64_t k = pattern.offsets[block_row]; k < pattern.offsets[block_row + 1]; ++k)
            for (std::int64_t c = 0; c < size; ++c)
                result.columns.push_back(pattern.columns[static_cast<std::size_t>(k)] * size + c);
        result.offsets.push_back(static_cast<std::int64_t>(result.columns.size()));
    }
    return result;
}

// Values of a matrix whose diagonal outweighs its rows and columns.
number_array make_values(const csr_matrix& pattern, scalar_type type, splitmix64& random) {
    std::vector<double> columns(static_cast<std::size_t>(pattern.rows));
    for (const std::int64_t column : pattern.columns) columns[static_cast<std::size_t>(column)] += 1;
    number_array values = random_numbers(type, pattern.columns.size(), random);
    for (std::int64_t row = 0; row < pattern.rows; ++row) {
        const std::int64_t begin = pattern.offsets[static_cast<std::size_t>(row)];
        const std::int64_t end = pattern.offsets[static_cast<std::size_t>(row + 1)];
        for (std::int64_t k = begin; k < end; ++k) {
            const auto i = static_cast<std::size_t>(k);
            const std::int64_t column = pattern.columns[i];
            const double count =
                std::max(static_cast<double>(end - begin), columns[static_cast<std::size_t>(column)]);
            values.real[i] = row == column ? 1 + std::abs(values.real[i]) : values.real[i] / count;
            if (!values.imag.empty()) values.imag[i] *= row == column ? 0 : 1 / count;
        }
    }
    return decode(type, encode(type, values));
}

// Values by the pattern's order, from the storage's: those of a block lie together.
number_array by_rows(const csr_matrix& pattern, const number_array& stored, std::int64_t size) {
    if (size <= 1) return stored;
    number_array result = stored;
    for (std::int64_t row = 0; row < pattern.rows; ++row) {
        const std::int64_t begin = pattern.offsets[static_cast<std::size_t>(row)];
        const std::int64_t width = pattern.offsets[static_cast<std::size_t>(row + 1)] - begin;
        const std::int64_t first = pattern.offsets[static_cast<std::size_t>(row / size * size)];
        for (std::int64_t c = 0; c < width; ++c) {
            const auto to = static_cast<std::size_t>(begin + c);
            const auto from =
                static_cast<std::size_t>(first + c / size * size * size + row % size * size + c % size);
            result.real[to] = stored.real[from];
            if (!stored.imag.empty()) result.imag[to] = stored.imag[from];
        }
    }
    return result;
}

// The largest difference of the factors' product from A on A's pattern, as a multiple of what rounding
// explains. Takes as many steps as the product, so that long rows are no burden.
class factor_check {
  public:
    factor_check(const csr_matrix& pattern, const number_array& a, const number_array& factors, bool lu,
                 double epsilon)
        : pattern_(pattern),
          a_(a),
          factors_(factors),
          lu_(lu),
          epsilon_(epsilon),
          places_(static_cast<std::size_t>(pattern.rows), nowhere) {}

    double worst() {
        double result = 0;
        for (std::int64_t row = 0; row < pattern_.rows; ++row) {
            for (std::int64_t k = begin(row); k < begin(row + 1); ++k) place_of(column(k)) = k;
            sums_.assign(static_cast<std::size_t>(begin(row + 1) - begin(row)), {});
            lu_ ? multiply(row) : multiply_by_adjoint(row);
            for (std::int64_t k = begin(row); k < begin(row + 1); ++k) {
                place_of(column(k)) = nowhere;
                if (!lu_ && column(k) > row) continue;
                const double error = error_of(row, k);
                if (!(error <= result)) result = std::isnan(error) ? HUGE_VAL : error;
            }
        }
        return result;
    }

  private:
    // Of an element of the product.
    struct partial_sum {
        number value{};
        double size = 0;
    };
    static constexpr std::int64_t nowhere = -1;

    std::int64_t begin(std::int64_t row) const { return pattern_.offsets[static_cast<std::size_t>(row)]; }
    std::int64_t column(std::int64_t k) const { return pattern_.columns[static_cast<std::size_t>(k)]; }
    static number at(const number_array& values, std::int64_t k) {
        const auto i = static_cast<std::size_t>(k);
        return {values.real[i], values.imag_at(i)};
    }
    // Where the row at hand has a column.
    std::int64_t& place_of(std::int64_t wanted) { return places_[static_cast<std::size_t>(wanted)]; }
    partial_sum& sum_of(std::int64_t row, std::int64_t k) {
        return sums_[static_cast<std::size_t>(k - begin(row))];
    }
    void add(partial_sum& sum, number term) {
        sum.value += term;
        sum.size += std::abs(term);
    }

    // A row of L times U.
    void multiply(std::int64_t row) {
        for (std::int64_t p = begin(row); p < begin(row + 1) && column(p) <= row; ++p) {
            const std::int64_t inner = column(p);
            const number left = inner == row ? number{1} : at(factors_, p);
            for (std::int64_t q = begin(inner); q < begin(inner + 1); ++q)
                if (const std::int64_t k = place_of(column(q)); column(q) >= inner && k != nowhere)
                    add(sum_of(row, k), left * at(factors_, q));
        }
    }
    // A row of L times L^H, up to the diagonal.
    void multiply_by_adjoint(std::int64_t row) {
        for (std::int64_t k = begin(row); k < begin(row + 1) && column(k) <= row; ++k) {
            const std::int64_t other = column(k);
            for (std::int64_t q = begin(other); q < begin(other + 1) && column(q) <= other; ++q)
                if (const std::int64_t p = place_of(column(q)); p != nowhere)
                    add(sum_of(row, k), at(factors_, p) * std::conj(at(factors_, q)));
        }
    }

    // Rounding grows with the elements of the row that may have a share.
    double error_of(std::int64_t row, std::int64_t k) {
        const partial_sum& sum = sum_of(row, k);
        const auto upto_diagonal =
            std::upper_bound(pattern_.columns.begin() + begin(row), pattern_.columns.begin() + k + 1, row) -
            pattern_.columns.begin() - begin(row);
        const auto terms = static_cast<double>(upto_diagonal);
        const double allowed = 8 * (terms + 4) * epsilon_ * (sum.size + std::abs(at(a_, k)));
        return std::abs(sum.value - at(a_, k)) / allowed;
    }

    const csr_matrix& pattern_;
    const number_array &a_, &factors_;
    bool lu_;
    double epsilon_;
    std::vector<std::int64_t> places_;  // by column
    std::vector<partial_sum> sums_;     // by the row's elements
};

class factor_bench {
  public:
    factor_bench(const factor_bench_options& options, progress& progress)
        : options_(options), progress_(progress) {}

    factor_bench_result run() {
        for (const std::string& spec : options_.matrices) run_matrix(spec);
        progress_.clear();
        return {make_report(), failure_count(rows_)};
    }

  private:
    struct entry {
        const contestant* who = nullptr;
        record row;
        std::unique_ptr<factor_operands> operands{};
        std::unique_ptr<factor_contender> contender{};
        double analysis = 0, copy = 0, seconds = 0;  // 0: not measured
    };

    void run_matrix(const std::string& spec) {
        record head;
        head["matrix"] = matrix_name(spec);
        try {
            progress_.step(fmt::format("{}: reading", matrix_name(spec)));
            const csr_matrix given = with_diagonal(*shared_matrix(spec, options_.seed));
            for (const std::int64_t block : options_.blocks) {
                const csr_matrix pattern = block > 1 ? in_blocks(given, block) : given;
                head["nnz"] = pattern.nnz();
                head["block"] = block;
                for (const std::string& type : options_.types) {
                    head["type"] = type;
                    run_type(head, pattern, block, find_product_type(type).input);
                }
            }
        } catch (const std::exception& error) {
            head["result"] = "failed";
            head["message"] = reason_of(error);
            rows_.push_back(std::move(head));
        }
    }

    void run_type(record& head, const csr_matrix& pattern, std::int64_t block, scalar_type type) {
        splitmix64 random(options_.seed);
        const number_array values = make_values(pattern, type, random);
        packing how{.type = type};
        if (block > 0) {
            how.format = sparse_format::bsr;
            how.block = block;
        }
        const packed_matrix matrix = pack(pattern, values, how);
        for (const std::string& kind : options_.kinds) {
            head["kind"] = kind;
            progress_.step(fmt::format("{} {} {}: measuring", head["matrix"].get<std::string>(),
                                       head["type"].get<std::string>(), kind));
            run_case(head, {matrix, type, kind == "ilu0"}, pattern, values);
        }
    }

    void run_case(const record& head, const factor_case& what, const csr_matrix& pattern,
                  const number_array& values) {
        std::vector<entry> entries;
        for (const contestant& who : contestants_.all()) {
            entry each{.who = &who, .row = head};
            each.row["contender"] = who.name;
            if (who.eigen_threads > 1) continue;
            enter(each, what, pattern, values);
            entries.push_back(std::move(each));
        }
        for (const bool processor : {false, true}) measure(entries, processor);
        for (entry& each : entries) add_ratios(each, entries);
        for (entry& each : entries) rows_.push_back(std::move(each.row));
    }

    void enter(entry& each, const factor_case& what, const csr_matrix& pattern, const number_array& values) {
        try {
            each.operands = std::make_unique<factor_operands>(*each.who->where, what);
            each.contender = each.who->handle ? make_cusparse_factor(*each.who->handle, *each.operands, what)
                                              : make_eigen_factor(*each.operands, what);
            if (!each.contender) return give_up(each, "not supported", "");
            std::vector<double> analyses;
            for (int i = 0; i <= options_.analyses; ++i) analyses.push_back(each.contender->analyse());
            // The first one also loads code.
            analyses.erase(analyses.begin());
            each.analysis = median_of(analyses);
            each.contender->factor();
            each.who->where->synchronize();
            each.row["result"] =
                each.contender->is_in_place() ? checked(each, what, pattern, values) : "unchecked";
            if (each.row["result"] == "WRONG") each.contender.reset();
        } catch (const cusparse_error& error) {
            give_up(each, error.is_unsupported() ? "not supported" : "failed", error.what());
        } catch (const std::exception& error) {
            give_up(each, "failed", reason_of(error));
        }
    }

    static const char* checked(const entry& each, const factor_case& what, const csr_matrix& pattern,
                               const number_array& values) {
        std::vector<std::byte> bytes(each.operands->bytes);
        each.who->where->copy(bytes.data(), each.operands->matrix.values, bytes.size());
        each.who->where->synchronize();
        const std::int64_t block = what.matrix.how.format == sparse_format::bsr ? what.matrix.how.block : 1;
        const number_array factors = by_rows(pattern, decode(what.type, bytes), block);
        factor_check check(pattern, values, factors, what.lu, traits_of(what.type).epsilon);
        return check.worst() <= 1 ? "right" : "WRONG";
    }

    static void give_up(entry& each, const char* result, const std::string& why) {
        each.row["result"] = result;
        each.row["message"] = why;
        each.contender.reset();
    }

    // A factorisation is in place, so each one is measured with the copy of the values before it, and the
    // copy alone.
    void measure(std::vector<entry>& entries, bool processor) {
        const auto restores = [](const entry& each) { return each.contender->is_in_place(); };
        time_contenders(
            entries, processor, options_.timing,
            [&](entry& each) {
                if (restores(each)) each.operands->restore();
            },
            [&](entry& each, const timing& measured) {
                each.copy = restores(each) && measured.error.empty() ? measured.median : 0;
            });
        time_contenders(
            entries, processor, options_.timing,
            [&](entry& each) {
                if (restores(each)) each.operands->restore();
                each.contender->factor();
            },
            [&](entry& each, const timing& measured) { add_timing(each, measured); });
    }

    static void add_timing(entry& each, const timing& measured) {
        if (!measured.error.empty()) return give_up(each, "failed", measured.error);
        each.seconds = std::max(measured.median - each.copy, 1e-9);
        each.row["analysis_seconds"] = each.analysis;
        each.row["seconds"] = each.seconds;
        each.row["copy_seconds"] = each.copy;
        each.row["buffer_bytes"] = each.contender->buffer_bytes;
    }

    static void add_ratios(entry& each, const std::vector<entry>& entries) {
        for (const entry& peer : entries) {
            if (each.seconds == 0 || peer.seconds == 0 || !is_baseline(*each.who, *peer.who)) continue;
            each.row["ratio"][peer.who->name] = peer.seconds / each.seconds;
            if (peer.analysis > 0 && each.analysis > 0)
                each.row["analysis_ratio"][peer.who->name] = peer.analysis / each.analysis;
        }
    }

    report make_report() const {
        report result;
        result.run["benchmark"] = "factor";
        result.run["version"] = library_version();
        result.run["options"] = {{"seed", options_.seed}, {"analyses", options_.analyses}};
        result.run["devices"] = contestants_.devices_record();
        result.run["contenders"] = contestants_.names_record();
        result.rows = rows_;
        result.columns = columns();
        result.heading = contestants_.heading();
        result.heading.insert(result.heading.begin(),
                              fmt::format("heron bench factor, Heron {}", library_version()));
        result.heading.push_back(fmt::format("seed {}, {} analyses, {} rounds of at least {:g} ms",
                                             options_.seed, options_.analyses, options_.timing.rounds,
                                             options_.timing.round_seconds * 1e3));
        result.notes = {
            "us: median per factorisation, without the copy of the values before it, which is measured "
            "alone.",
            "analysis: median, each with a new info, until the device is done. block 0: CSR. right: the "
            "product",
            "of the factors is A on A's pattern. Eigen: IncompleteLUT without fill. vs: how many times as "
            "fast."};
        return result;
    }

    std::vector<report_column> columns() const {
        std::vector<report_column> result{
            {.key = "/matrix", .title = "matrix"},
            {.key = "/nnz", .title = "nnz", .format = "{:.0f}"},
            {.key = "/kind", .title = "kind"},
            {.key = "/block", .title = "block", .format = "{:.0f}"},
            {.key = "/type", .title = "type", .fold = true},
            {.key = "/contender", .title = "contender"},
            {.key = "/result", .title = "result", .fold = true},
            {.key = "/analysis_seconds", .title = "analysis us", .format = "{:.1f}", .scale = 1e6},
            {.key = "/seconds", .title = "us", .format = "{:.1f}", .scale = 1e6},
            {.key = "/buffer_bytes", .title = "buffer MB", .format = "{:.1f}", .scale = 1e-6}};
        for (const std::string& key : contestants_.ratio_keys()) {
            const std::string peer = key.substr(7);
            result.push_back({.key = key, .title = "vs " + peer, .format = "{:.2f}"});
            result.push_back(
                {.key = "/analysis_ratio/" + peer, .title = "analysis vs " + peer, .format = "{:.2f}"});
        }
        result.push_back({.key = "/message", .title = "message"});
        return result;
    }

    const factor_bench_options& options_;
    progress& progress_;
    const std::shared_ptr<contestants> opened_ = contestants_of(options_.who);
    contestants& contestants_ = *opened_;
    measured_rows rows_{progress_};
};

}  // namespace

factor_bench_result run_factor_bench(const factor_bench_options& options, progress& progress) {
    return factor_bench(options, progress).run();
}

}  // namespace heron::tools
