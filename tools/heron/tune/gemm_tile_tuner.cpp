#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "bench/dense/dense_operands.hpp"
#include "bench/dense/gemm_shapes.hpp"
#include "gemm_tuner.hpp"
#include "measure/measure.hpp"
#include "tuning_file.hpp"

namespace heron::tools {
namespace {

using clock = std::chrono::steady_clock;

constexpr const char* variable = "HERON_CUDA_GEMM";

// A kind of product, as the plug-in names it, in a class of sizes.
struct tuned_case {
    std::string type, kind, size_class;
    dense_problem problem;

    std::string entry() const { return fmt::format("{}-{}-{}", type, kind, size_class); }
};

struct sample_size {
    const char* size_class;
    const char* text;
};
constexpr sample_size samples[] = {
    {"512", "512"},          {"1024", "1024"},           {"2048", "2048"},         {"4096", "4096"},
    {"low", "16x4096x4096"}, {"narrow", "4096x16x4096"}, {"long", "256x256x16384"}};

tuned_case make_case(const std::string& type, const std::string& kind, const sample_size& size) {
    tuned_case result{type, kind, size.size_class, {}};
    dense_problem& p = result.problem;
    p.type = find_dense_element(type).type;
    if (kind == "rankN")
        p.operation = dense_operation::rank_k;
    else if (kind == "symmL")
        p.operation = dense_operation::symmetric;
    else
        set_operations(p, kind);
    set_sizes(p, size.text);
    return result;
}

std::vector<tuned_case> cases_of(const std::string& type, std::int64_t size) {
    std::vector<tuned_case> cases;
    const bool is_double = type == "f64" || type == "c64";
    const std::string one = std::to_string(size);
    const auto add = [&](const std::string& kind, const sample_size& sample) {
        cases.push_back(make_case(type, kind, sample));
    };
    for (const sample_size& sample : samples) {
        const bool is_square = std::isdigit(static_cast<unsigned char>(sample.size_class[0]));
        if (size > 0 && one != sample.size_class) continue;
        for (const char* const kind : {"NN", "NT", "TN"}) add(kind, sample);
        if (is_square) add("rankN", sample);
        if (is_square && is_double) add("symmL", sample);
    }
    return cases;
}

// A handle whose products are computed as the variable says, which it reads with the first of them.
std::unique_ptr<device> handle_with(const std::string& choice, dense_operands& data) {
    if (choice.empty())
        unsetenv(variable);
    else
        setenv(variable, choice.c_str(), 1);
    auto result = std::make_unique<device>("cuda");
    data.use(result->handle());
    data.run_heron(HERON_RANK_2K_FUSED);
    unsetenv(variable);
    return result;
}

struct candidate {
    std::string shape;  // empty: what is in use now
    std::unique_ptr<device> handle;
    double seconds = 0;
};

// All tiles side by side, first what is in use now.
std::vector<candidate> measure_tiles(const tuned_case& what, dense_operands& data) {
    std::vector<candidate> candidates;
    candidates.push_back({"", handle_with("", data)});
    for (const auto& [rows, columns] : gemm_tiles(what.type)) {
        const std::string shape = fmt::format("tile {} {}", rows, columns);
        candidates.push_back({shape, handle_with(fmt::format("{} {}", what.type, shape), data)});
    }
    std::vector<timed_task> tasks;
    for (const candidate& each : candidates)
        tasks.push_back({[&](std::int64_t calls) {
            data.use(each.handle->handle());
            return each.handle->seconds([&] {
                for (std::int64_t i = 0; i < calls; ++i) data.run_heron(HERON_RANK_2K_FUSED);
            });
        }});
    const measure_options options{.rounds = 5, .round_seconds = 0.01, .warm_up_seconds = 0.03};
    const std::vector<timing> times = measure_interleaved(tasks, options);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (!times[i].error.empty()) throw std::runtime_error(times[i].error);
        candidates[i].seconds = times[i].median;
    }
    return candidates;
}

record tune_case(const device& where, const tuned_case& what, bool keep) {
    // A gain below this may be noise.
    constexpr double worthwhile = 1.03;
    dense_operands data(where, what.problem, find_dense_element(what.type), default_seed);
    const std::vector<candidate> candidates = measure_tiles(what, data);
    const auto best =
        std::min_element(candidates.begin() + 1, candidates.end(),
                         [](const candidate& a, const candidate& b) { return a.seconds < b.seconds; });
    data.use(best->handle->handle());
    if (!data.is_right([&] { data.run_heron(HERON_RANK_2K_FUSED); }))
        throw std::runtime_error(fmt::format("{}: the product by {} is wrong", what.entry(), best->shape));
    const double operations = what.problem.operations();
    const bool is_better = candidates[0].seconds > worthwhile * best->seconds;
    record row;
    row["type"] = what.entry();
    row["size"] = what.problem.n;
    row["tried"] = candidates.size() - 1;
    row["before"] = operations / candidates[0].seconds * 1e-9;
    row["best"] = operations / best->seconds * 1e-9;
    row["shape"] = best->shape;
    row["kept"] = is_better && keep;
    if (is_better && keep) tuning_file("cuda", where.info().name).keep(what.entry(), best->shape);
    return row;
}

}  // namespace

record tune_gemm_tiles(const gemm_tuning_options& options, progress& steps) {
    const device where("cuda");
    const auto start = clock::now();
    record rows = record::array();
    for (std::size_t t = 0; t < options.types.size(); ++t) {
        const double until =
            options.budget_seconds * static_cast<double>(t + 1) / static_cast<double>(options.types.size());
        const std::vector<tuned_case> cases = cases_of(options.types[t], options.size);
        if (cases.empty())
            throw std::runtime_error(fmt::format("there is no class of size {}", options.size));
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const double spent = std::chrono::duration<double>(clock::now() - start).count();
            if (spent > until) break;
            steps.step(fmt::format("{}: {} of {} for {}, {:.0f} of {:.0f} s", cases[i].entry(), i + 1,
                                   cases.size(), options.types[t], spent, options.budget_seconds));
            rows.push_back(tune_case(where, cases[i], options.keep));
        }
    }
    steps.clear();
    record result;
    result["device"] = std::string(where.info().name);
    result["file"] = tuning_file("cuda", where.info().name).path().string();
    result["rows"] = std::move(rows);
    return result;
}

}  // namespace heron::tools
