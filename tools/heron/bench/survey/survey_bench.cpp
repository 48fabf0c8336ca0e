#include "survey_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "matrix/shared_matrix.hpp"
#include "measure/device_record.hpp"
#include "plot/figure.hpp"
#include "survey_cases.hpp"
#include "survey_inputs.hpp"
#include "survey_log.hpp"
#include "survey_plan.hpp"
#include "survey_report.hpp"

namespace heron::tools {
namespace {

// Below this a row is worth looking at.
constexpr double floor_of_ratios = 0.9;
constexpr std::size_t kept_matrix_bytes = std::size_t{6} << 30;
constexpr std::size_t most_failure_lines = 30;
constexpr int picture_width = 1000, picture_height = 640;

constexpr survey_limits quick_limits{.elements = 3e6, .dense = 8e6, .products = 3e7};
constexpr survey_limits full_limits{.elements = 3e8, .dense = 2e8, .products = 4e9};

measure_options timing_of(const survey_bench_options& o) {
    measure_options timing = o.timing;
    timing.counts_launches = o.launches;
    timing.warm_up_calls = o.quick ? 5 : 10;
    timing.warm_up_seconds = o.quick ? 0.01 : 0.05;
    if (o.quick) {
        timing.rounds = std::min(timing.rounds, 3);
        timing.round_seconds = std::min(timing.round_seconds, 0.002);
    }
    return timing;
}

std::string time_text(double seconds) {
    const auto whole = static_cast<std::int64_t>(seconds + 0.5);
    return whole < 60 ? fmt::format("{} s", whole) : fmt::format("{}:{:02} min", whole / 60, whole % 60);
}

class survey {
  public:
    survey(const survey_bench_options& options, progress& steps)
        : options_(options),
          progress_(steps),
          contestants_(contestants_of(who(options))),
          settings_{.who = {.opened = contestants_}, .timing = timing_of(options), .seed = options.seed},
          limits_(options.quick ? quick_limits : full_limits),
          inputs_(survey_inputs(options.folders)),
          log_(options.rows_file, measured_with()) {}

    survey_bench_result run() {
        const matrix_keeper keeper(kept_matrix_bytes);
        const std::vector<survey_item> items =
            in_survey_order(items_of(survey_piece_from(options_.piece), items_to_measure()), options_.seed);
        planned_ = items.size();
        for (const survey_item& item : items) {
            if (is_time_up()) break;
            show(item);
            if (!log_.has(item.key())) {
                const double begin = elapsed();
                const std::vector<record> rows = measure(item);
                log_.add(item.key(), rows, elapsed() - begin);
                ++measured_;
            }
            ++done_;
        }
        progress_.clear();
        survey_bench_result result{make_report(), 0};
        result.failures = failure_count(result.table.rows);
        if (!options_.plot.empty()) draw_profile(result.table);
        return result;
    }

  private:
    using clock = std::chrono::steady_clock;

    static contestant_options who(const survey_bench_options& options) {
        contestant_options who = options.who;
        const bool is_new = std::find(who.backends.begin(), who.backends.end(), options.against_backend) ==
                            who.backends.end();
        if (!options.against_backend.empty() && !who.backends.empty() && is_new)
            who.backends.push_back(options.against_backend);
        return who;
    }

    // A row means the same only if these are the same.
    record measured_with() const {
        record contenders = record::array(), devices = record::array();
        for (const record& each : contestants_->names_record())
            contenders.push_back(
                fmt::format("{} {}", each["name"].get<std::string>(), each["version"].get<std::string>()));
        for (const auto& device : contestants_->devices())
            devices.push_back(fmt::format("{} {}", device->backend(), device->info().name));
        return {{"contenders", contenders},
                {"devices", devices},
                {"version", library_version()},
                {"quick", options_.quick},
                {"launches", options_.launches},
                {"rounds", settings_.timing.rounds},
                {"round_seconds", settings_.timing.round_seconds},
                {"seed", options_.seed}};
    }

    std::vector<survey_item> items_to_measure() const {
        std::vector<survey_item> items;
        for (std::size_t c = 0; c < cases_.size(); ++c) {
            const survey_case& each = cases_[c];
            if (!is_asked_for(each.operation)) continue;
            for (std::size_t i = 0; i < inputs_.size(); ++i)
                if (inputs_[i].kind == each.kind && is_within_limits(each, inputs_[i]))
                    items.push_back(
                        {each.operation, each.variant, inputs_[i].family,
                         each.kind == survey_kind::matrix ? matrix_name(inputs_[i].spec) : inputs_[i].spec, c,
                         i});
        }
        if (items.empty()) throw std::runtime_error("there is nothing to measure");
        return items;
    }

    bool is_asked_for(const std::string& operation) const {
        const auto& wanted = options_.operations;
        return wanted.empty() || std::find(wanted.begin(), wanted.end(), operation) != wanted.end();
    }

    bool is_within_limits(const survey_case& c, const survey_input& input) const {
        return input.nnz <= limits_.elements && c.columns * input.rows <= limits_.dense &&
               c.columns * input.nnz <= limits_.products;
    }

    std::vector<record> measure(const survey_item& item) const {
        const survey_case& chosen = cases_[item.which_case];
        const survey_input& input = inputs_[item.which_input];
        std::vector<record> rows;
        try {
            if (input.kind == survey_kind::matrix &&
                !chosen.takes(*shared_matrix(input.spec, options_.seed), limits_))
                return {};
            rows = chosen.run(settings_, input.spec);
        } catch (const std::exception& error) {
            rows.push_back({{"result", "failed"}, {"message", reason_of(error)}});
        }
        for (record& row : rows) {
            record named{{"key", item.key()},
                         {"operation", item.operation},
                         {"variant", item.variant},
                         {"family", item.family},
                         {"input", item.spec}};
            named.update(row);
            row = std::move(named);
        }
        return rows;
    }

    double elapsed() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

    bool is_time_up() const { return options_.minutes > 0 && elapsed() >= options_.minutes * 60; }

    // What is left at the pace so far, or until the time is up.
    void show(const survey_item& item) {
        std::string rest;
        if (measured_ > 0) {
            double seconds =
                elapsed() / static_cast<double>(measured_) * static_cast<double>(planned_ - done_);
            if (options_.minutes > 0) seconds = std::min(seconds, options_.minutes * 60 - elapsed());
            rest = fmt::format(", about {} to go", time_text(seconds));
        }
        progress_.step(
            fmt::format("{} of {} after {}{}: {}", done_, planned_, time_text(elapsed()), rest, item.key()));
    }

    report make_report() const {
        report result;
        result.run["benchmark"] = "survey";
        result.run.update(measured_with());
        result.run["contenders"] = contestants_->names_record();
        result.run["devices"] = contestants_->devices_record();
        result.run["planned"] = planned_;
        result.run["done"] = done_;
        result.rows = log_.rows();
        add_comparisons(result.rows);
        sort_by_worst(result.rows);
        result.means = survey_means(result.rows, peers(), floor_of_ratios);
        result.columns = columns();
        result.mean_columns = mean_columns();
        result.most_table_rows = static_cast<std::size_t>(options_.worst);
        result.heading = contestants_->heading();
        result.heading.insert(result.heading.begin(),
                              fmt::format("heron bench survey, Heron {}", library_version()));
        result.heading.push_back(fmt::format("{} of {} measurements, {} of them in this run in {}", done_,
                                             planned_, measured_, time_text(elapsed())));
        result.notes = failure_lines(result.rows, most_failure_lines);
        result.notes.push_back(fmt::format(
            "vs: how many times as fast; below: rows under {}; workspace: the peer's over Heron's, 1 MiB "
            "added to both.",
            floor_of_ratios));
        return result;
    }

    std::vector<std::string> peers() const {
        std::vector<std::string> names;
        for (const std::string& key : contestants_->ratio_keys()) names.push_back(key.substr(7));
        return names;
    }

    std::vector<std::string> peers_with_workspace() const {
        std::vector<std::string> names = peers();
        for (const contestant& each : contestants_->all())
            if (each.allocates) std::erase(names, each.name);
        return names;
    }

    static std::vector<report_column> columns() {
        return {{.key = "/worst", .title = "vs", .format = "{:.2f}"},
                {.key = "/operation", .title = "operation"},
                {.key = "/variant", .title = "variant"},
                {.key = "/input", .title = "matrix"},
                {.key = "/nnz", .title = "nnz", .format = "{:.0f}"},
                {.key = "/contender", .title = "contender", .fold = true},
                {.key = "/peer", .title = "peer", .fold = true},
                {.key = "/result", .title = "result", .fold = true},
                {.key = "/launches", .title = "launches", .format = "{:.0f}"},
                {.key = "/peer_launches", .title = "peer's", .format = "{:.0f}"},
                {.key = "/seconds", .title = "us", .format = "{:.1f}", .scale = 1e6}};
    }

    std::vector<report_column> mean_columns() const {
        std::vector<report_column> result{{.key = "/contender", .title = "contender", .fold = true},
                                          {.key = "/operation", .title = "operation"},
                                          {.key = "/count", .title = "rows", .format = "{:.0f}"},
                                          {.key = "/below", .title = "below", .format = "{:.0f}"}};
        contestants_->add_mean_ratio_columns(result);
        for (const std::string& peer : peers_with_workspace())
            for (const auto& [key, title] : {std::pair{"/workspace_ratio/", "workspace vs "},
                                             std::pair{"/smallest/workspace_ratio/", "least vs "}})
                result.push_back({.key = key + peer, .title = title + peer, .format = "{:.2f}"});
        return result;
    }

    void draw_profile(const report& table) const {
        record results = table.run;
        results["results"] = table.rows;
        draw(profile_figure(results), options_.plot, picture_width, picture_height);
    }

    const survey_bench_options& options_;
    progress& progress_;
    const std::shared_ptr<contestants> contestants_;
    const survey_settings settings_;
    const survey_limits limits_;
    const std::vector<survey_case> cases_ = survey_cases();
    const std::vector<survey_input> inputs_;
    survey_log log_;
    const clock::time_point start_ = clock::now();
    std::size_t planned_ = 0, done_ = 0, measured_ = 0;
};

}  // namespace

std::vector<std::string> survey_operations() {
    std::vector<std::string> names;
    for (const survey_case& each : survey_cases())
        if (std::find(names.begin(), names.end(), each.operation) == names.end())
            names.push_back(each.operation);
    return names;
}

survey_bench_result run_survey_bench(const survey_bench_options& options, progress& progress) {
    return survey(options, progress).run();
}

}  // namespace heron::tools
