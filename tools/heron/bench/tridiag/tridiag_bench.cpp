#include "tridiag_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <complex>
#include <stdexcept>

#include "measure/device_record.hpp"
#include "measure/measured_rows.hpp"
#include "measure/time_contenders.hpp"
#include "tridiag_contenders.hpp"

namespace heron::tools {
namespace {

using number = std::complex<double>;

constexpr std::size_t diagonals = 5;

struct size_pair {
    std::int64_t m, count;
};

size_pair parse_size(const std::string& text) {
    size_pair size{};
    const char* const end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, size.m);
    const bool has_two = first.ec == std::errc() && first.ptr != end && *first.ptr == 'x';
    const auto second = has_two ? std::from_chars(first.ptr + 1, end, size.count) : first;
    if (!has_two || second.ec != std::errc() || second.ptr != end || size.m < 3 || size.count < 1 ||
        size.m > INT32_MAX / size.count)
        throw std::invalid_argument(fmt::format("'{}' is no size such as 4096x16 that an int counts", text));
    return size;
}

// Rows whose elements add up to one, so that solutions of solutions neither grow nor vanish: between 1/2 and
// 1 off the diagonal, and of the other sign than on it.
struct problem {
    number_array arrays[diagonals + 1];  // the last one is the right-hand side

    problem(const tridiag_case& what, splitmix64& random) {
        const auto elements = static_cast<std::size_t>(what.m * what.matrices());
        const int reach = what.function.is_pentadiagonal ? 2 : 1;
        for (int k = 2 - reach; k <= 2 + reach; ++k) {
            arrays[k] = random_numbers(what.type, elements, random);
            for (double& v : arrays[k].real) v = -(std::abs(v) + 1) / 2;
            std::fill(arrays[k].imag.begin(), arrays[k].imag.end(), 0);
        }
        for (std::int64_t matrix = 0; matrix < what.matrices(); ++matrix)
            for (std::int64_t i = 0; i < what.m; ++i) {
                const auto at = static_cast<std::size_t>(what.place(i, matrix));
                double sum = 0;
                for (int k = 2 - reach; k <= 2 + reach; ++k) {
                    const std::int64_t j = i + k - 2;
                    if (k == 2) continue;
                    if (j < 0 || j >= what.m) arrays[k].real[at] = 0;
                    sum -= arrays[k].real[at];
                }
                arrays[2].real[at] = 1 + sum;
            }
        arrays[diagonals] = random_numbers(what.type, static_cast<std::size_t>(what.m * what.count), random);
        // As the type holds them.
        for (number_array& array : arrays)
            if (array.size() > 0) array = decode(what.type, encode(what.type, array));
    }

    std::vector<std::vector<std::byte>> encoded(scalar_type type) const {
        std::vector<std::vector<std::byte>> all;
        for (const number_array& array : arrays) all.push_back(encode(type, array));
        return all;
    }

    number at(std::size_t which, std::int64_t place) const { return value(arrays[which], place); }
    static number value(const number_array& array, std::int64_t place) {
        const auto i = static_cast<std::size_t>(place);
        return {array.real[i], array.imag_at(i)};
    }

    // The largest residual as a multiple of what rounding explains.
    double worst_residual(const tridiag_case& what, const number_array& x) const {
        double worst = 0;
        for (std::int64_t k = 0; k < what.count; ++k)
            for (std::int64_t i = 0; i < what.m; ++i) {
                const number right = at(diagonals, what.place(i, k));
                number left = 0;
                double size = std::abs(right);
                const std::int64_t matrix = what.matrices() == 1 ? 0 : k;
                for (std::size_t which = 0; which < diagonals; ++which) {
                    const std::int64_t j = i + static_cast<std::int64_t>(which) - 2;
                    if (arrays[which].size() == 0 || j < 0 || j >= what.m) continue;
                    const number term = at(which, what.place(i, matrix)) * value(x, what.place(j, k));
                    left += term;
                    size += std::abs(term);
                }
                const double error = std::abs(left - right) / (100 * traits_of(what.type).epsilon * size);
                if (!(error <= worst)) worst = std::isnan(error) ? HUGE_VAL : error;
            }
        return worst;
    }
};

class tridiag_bench {
  public:
    tridiag_bench(const tridiag_bench_options& options, progress& progress)
        : options_(options), progress_(progress) {}

    tridiag_bench_result run() {
        for (const tridiag_function& function : tridiag_functions()) {
            const auto& wanted = options_.functions;
            if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), function.name) == wanted.end())
                continue;
            const bool is_one = function.layout == tridiag_layout::one_matrix;
            for (const std::string& type : options_.types)
                for (const std::string& size : is_one ? options_.sizes : options_.batches) {
                    const auto [m, count] = parse_size(size);
                    run_case({function, find_product_type(type).input, m, count}, type);
                }
        }
        progress_.clear();
        return {make_report(), failure_count(rows_)};
    }

  private:
    struct entry {
        const contestant* who = nullptr;
        record row{};
        std::unique_ptr<tridiag_operands> operands{};
        std::unique_ptr<tridiag_contender> contender{};
        double seconds = 0;  // 0: not measured
    };

    void run_case(const tridiag_case& what, const std::string& type) {
        progress_.step(fmt::format("{} {} {}x{}: measuring", what.function.name, type, what.m, what.count));
        splitmix64 random(options_.seed);
        const problem given(what, random);
        const std::vector<std::vector<std::byte>> arrays = given.encoded(what.type);
        std::vector<contestant> all;
        for (const contestant& who : contestants_.all())
            if (who.handle) all.push_back(who);
        for (const auto& where : contestants_.devices())
            if (where->backend() == "host") all.push_back({.name = "lapack", .where = where.get()});
        std::vector<entry> entries(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            entry& each = entries[i];
            each.who = &all[i];
            each.row["function"] = what.function.name;
            each.row["type"] = type;
            each.row["m"] = what.m;
            each.row["count"] = what.count;
            each.row["contender"] = each.who->name;
            enter(each, what, given, arrays);
        }
        time_contenders(
            entries, false, options_.timing, [](entry& each) { each.contender->solve(); },
            [&](entry& each, const timing& measured) { add_timing(each, measured, what); });
        time_on_processors(entries, what);
        for (entry& each : entries) add_ratios(each, entries);
        for (entry& each : entries)
            if (each.row.contains("result")) rows_.push_back(std::move(each.row));
    }

    // A row without a result has nothing to say: the contender does not take part.
    static void enter(entry& each, const tridiag_case& what, const problem& given,
                      const std::vector<std::vector<std::byte>>& arrays) {
        try {
            each.operands = std::make_unique<tridiag_operands>(*each.who->where, arrays);
            each.contender = each.who->handle ? make_cusparse_tridiag(*each.who->handle, *each.operands, what)
                                              : make_lapack_tridiag(*each.operands, what);
            if (!each.contender) return;
            each.contender->solve();
            each.who->where->synchronize();
            std::vector<std::byte> bytes(arrays.back().size());
            each.who->where->copy(bytes.data(), each.operands->at(diagonals), bytes.size());
            each.who->where->synchronize();
            const double worst = given.worst_residual(what, decode(what.type, bytes));
            each.row["residual"] = worst;
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

    // Each call alone, with its operands as they were: numbers that have become too small slow processors
    // down.
    void time_on_processors(std::vector<entry>& entries, const tridiag_case& what) const {
        std::vector<std::vector<double>> seconds(entries.size());
        for (int round = 0; round <= 2 * options_.timing.rounds; ++round)
            for (std::size_t i = 0; i < entries.size(); ++i) {
                entry& each = entries[i];
                if (!each.contender || !each.who->where->is_processor()) continue;
                each.operands->restore();
                const auto start = std::chrono::steady_clock::now();
                each.contender->solve();
                each.who->where->synchronize();
                const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
                if (round > 0) seconds[i].push_back(taken.count());
            }
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (seconds[i].empty()) continue;
            timing measured;
            measured.median = median_of(seconds[i]);
            measured.min = *std::min_element(seconds[i].begin(), seconds[i].end());
            add_timing(entries[i], measured, what);
        }
    }

    static void add_timing(entry& each, const timing& measured, const tridiag_case& what) {
        if (!measured.error.empty()) return give_up(each, "failed", measured.error);
        const double arrays = what.function.is_pentadiagonal ? 5 : 3;
        const double bytes =
            static_cast<double>(traits_of(what.type).size) * static_cast<double>(what.m) *
            (arrays * static_cast<double>(what.matrices()) + 2 * static_cast<double>(what.count));
        each.seconds = measured.median;
        each.row["seconds"] = measured.median;
        each.row["seconds_min"] = measured.min;
        each.row["gbytes_per_second"] = bytes / measured.median * 1e-9;
        each.row["buffer_bytes"] = each.contender->buffer_bytes;
    }

    static void add_ratios(entry& each, const std::vector<entry>& entries) {
        for (const entry& peer : entries)
            if (each.seconds > 0 && peer.seconds > 0 && is_baseline(*each.who, *peer.who))
                each.row["ratio"][peer.who->name] = peer.seconds / each.seconds;
    }

    report make_report() const {
        report result;
        result.run["benchmark"] = "tridiag";
        result.run["version"] = library_version();
        result.run["options"] = {{"seed", options_.seed}};
        result.run["devices"] = contestants_.devices_record();
        result.run["contenders"] = contestants_.names_record();
        result.rows = rows_;
        result.columns = columns();
        result.heading = contestants_.heading();
        result.heading.insert(result.heading.begin(),
                              fmt::format("heron bench tridiag, Heron {}", library_version()));
        result.notes = {
            "us: median per solve; on GPUs each goes on with what the one before has left in the operands. "
            "GB/s: the",
            "diagonals, right-hand sides and solutions once. vs: how many times as fast."};
        return result;
    }

    std::vector<report_column> columns() const {
        std::vector<report_column> result{
            {.key = "/function", .title = "function"},
            {.key = "/type", .title = "type", .fold = true},
            {.key = "/m", .title = "m", .format = "{:.0f}"},
            {.key = "/count", .title = "count", .format = "{:.0f}"},
            {.key = "/contender", .title = "contender"},
            {.key = "/result", .title = "result", .fold = true},
            {.key = "/seconds", .title = "us", .format = "{:.1f}", .scale = 1e6},
            {.key = "/gbytes_per_second", .title = "GB/s", .format = "{:.1f}"},
            {.key = "/buffer_bytes", .title = "buffer MB", .format = "{:.2f}", .scale = 1e-6}};
        for (const std::string& key : ratio_keys())
            result.push_back({.key = key, .title = "vs " + key.substr(7), .format = "{:.2f}"});
        result.push_back({.key = "/message", .title = "message"});
        return result;
    }

    std::vector<std::string> ratio_keys() const {
        std::vector<std::string> keys = contestants_.ratio_keys();
        const bool has_lapack = std::any_of(rows_.begin(), rows_.end(),
                                            [](const record& row) { return row["contender"] == "lapack"; });
        if (has_lapack) keys.push_back("/ratio/lapack");
        return keys;
    }

    const tridiag_bench_options& options_;
    progress& progress_;
    const std::shared_ptr<contestants> opened_ = contestants_of(options_.who);
    contestants& contestants_ = *opened_;
    measured_rows rows_{progress_};
};

}  // namespace

std::vector<std::string> tridiag_function_names() {
    std::vector<std::string> names;
    for (const tridiag_function& function : tridiag_functions()) names.push_back(function.name);
    return names;
}

tridiag_bench_result run_tridiag_bench(const tridiag_bench_options& options, progress& progress) {
    return tridiag_bench(options, progress).run();
}

}  // namespace heron::tools
