// What the reports of the benchmarks of SpMV and SpMM have in common.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "contestants.hpp"
#include "measure.hpp"
#include "report.hpp"

namespace heron::tools {

template <class Algorithm, std::size_t count>
using algorithm_names = std::array<std::pair<const char*, Algorithm>, count>;

template <class Algorithm, std::size_t count>
std::string listed(const algorithm_names<Algorithm, count>& algorithms) {
    std::vector<const char*> names;
    for (const auto& [name, value] : algorithms) names.push_back(name);
    return fmt::format("{}", fmt::join(names, ", "));
}

// Throws std::invalid_argument for a name that is not listed.
template <class Algorithm, std::size_t count>
Algorithm find_algorithm(const algorithm_names<Algorithm, count>& algorithms, const std::string& name) {
    for (const auto& [known, value] : algorithms)
        if (name == known) return value;
    throw std::invalid_argument(
        fmt::format("'{}' is not one of the algorithms {}", name, listed(algorithms)));
}

// N, T or C; throws std::invalid_argument for others.
char find_op(const std::string& name);

class product_report {
  public:
    // `cases` are the columns that tell one case from another, `rates` those that are averaged over matrices.
    struct columns {
        std::vector<report_column> cases, rates;
    };

    product_report(std::string benchmark, const contestants& who, columns shown)
        : benchmark_(std::move(benchmark)), who_(who), shown_(std::move(shown)) {}

    // The options are those of either benchmark.
    template <class Options>
    std::vector<std::string> heading(const Options& o) const {
        std::vector<std::string> lines = who_.heading();
        lines.insert(lines.begin(), title());
        lines.push_back(fmt::format(
            "alpha {}, beta {}, {} preprocess, seed {}, {} rounds of at least {:g} ms", o.alpha, o.beta,
            o.preprocess ? "with" : "without", o.seed, o.timing.rounds, o.timing.round_seconds * 1e3));
        return lines;
    }

    template <class Options>
    record run(const Options& o) const {
        record options;
        options["alpha"] = o.alpha;
        options["beta"] = o.beta;
        options["preprocess"] = o.preprocess;
        if constexpr (requires { o.warm; }) options["warm"] = o.warm;
        if constexpr (requires { o.slice; }) options["slice"] = o.slice;
        options["block"] = o.block;
        options["seed"] = o.seed;
        options["rounds"] = o.timing.rounds;
        options["round_seconds"] = o.timing.round_seconds;
        return run_record(std::move(options));
    }

    // The columns of the table: those of the case, `before` the contender and its result and times, `after`
    // them, the rates, `last`.
    std::vector<report_column> table(std::vector<report_column> before, std::vector<report_column> after,
                                     std::vector<report_column> last) const;
    std::vector<report_column> mean_table() const;
    std::vector<record> means(std::span<const record> rows) const;

  private:
    std::string title() const;
    record run_record(record options) const;

    std::string benchmark_;
    const contestants& who_;
    columns shown_;
};

}  // namespace heron::tools
