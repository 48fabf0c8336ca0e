#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "commands.hpp"
#include "measure/device.hpp"
#include "tune/gemm_tuner.hpp"

namespace heron::tools {
namespace {

struct tune_arguments {
    gemm_tuning_options tuning;
    bool measure = false;
    bool progress = false;
    unsigned limit = 60;
};

// BLAS's letters are accepted as well.
std::string type_name(const std::string& type) {
    static const std::map<std::string, std::string> letters{
        {"s", "f32"}, {"d", "f64"}, {"c", "c32"}, {"z", "c64"}};
    const auto found = letters.find(type);
    return found == letters.end() ? type : found->second;
}

std::string outcome_text(const record& row) {
    const std::string tried =
        fmt::format("{:<16}{:>6}{:>7}{:>10.1f}", row["type"].get<std::string>(),
                    row["size"].get<std::int64_t>(), row["tried"].get<int>(), row["before"].get<double>());
    if (row["tried"] == 0) return tried + fmt::format("{:>10}  the budget ended before the first shape", "-");
    if (row["best"] == 0) return tried + fmt::format("{:>10}  no shape that was tried works", "-");
    return fmt::format("{}{:>10.1f}  {}, {}", tried, row["best"].get<double>(),
                       row["shape"].get<std::string>(), row["kept"].get<bool>() ? "kept" : "not kept");
}

bool is_in_vain(const record& rows) {
    return std::all_of(rows.begin(), rows.end(), [](const record& row) { return row["tried"] == 0; });
}

void run_tune(const tune_arguments& arguments) {
    gemm_tuning_options options = arguments.tuning;
    for (std::string& type : options.types) type = type_name(type);
    if (arguments.measure) return measure_gemm_shape(options.types.front(), options.size, arguments.limit);
    const reason_log reasons;
    progress steps(arguments.progress);
    const record result = tune_gemm(options, steps);
    fmt::print("{}\n{:<16}{:>6}{:>7}{:>10}{:>10}  {}\n", result["device"].get<std::string>(), "type", "n",
               "tried", "before", "best", "shape (GFLOP/s)");
    for (const record& row : result["rows"]) fmt::print("{}\n", outcome_text(row));
    if (is_in_vain(result["rows"]))
        throw std::runtime_error(
            fmt::format("a budget of {:g} s is too small to try one shape: give more by --budget",
                        options.budget_seconds));
    if (options.keep) fmt::print("results: {}\n", result["file"].get<std::string>());
}

}  // namespace

void add_tune_command(CLI::App& app) {
    CLI::App* tune = app.add_subcommand("tune", "Find the fastest kernels for this machine's devices");
    tune->require_subcommand(1);
    const auto arguments = std::make_shared<tune_arguments>();
    CLI::App* command =
        tune->add_subcommand("gemm", "Shapes of the dense OpenCL kernels, tiles of the CUDA kernels");
    command->add_option("--backend", arguments->tuning.backend, "opencl or cuda")
        ->check(CLI::IsMember({"opencl", "cuda"}).description(""))
        ->capture_default_str();
    command->add_option("--type", arguments->tuning.types, "f32, f64, c32, c64, or s, d, c, z")
        ->delimiter(',')
        ->check(CLI::IsMember({"f32", "f64", "c32", "c64", "s", "d", "c", "z"}).description(""))
        ->capture_default_str();
    command->add_option("--budget", arguments->tuning.budget_seconds, "Seconds, for all types together")
        ->check(number_between(1e-3, 1e6))
        ->capture_default_str();
    command
        ->add_option("--size", arguments->tuning.size,
                     "Rows and columns of the matrices; 0: by the device, on CUDA several")
        ->check(number_between(0, 1e6))
        ->capture_default_str();
    command->add_flag("!--dry-run", arguments->tuning.keep, "Print the result and write nothing");
    command->add_flag("--progress", arguments->progress,
                      "Show progress even if standard error is no terminal");
    command
        ->add_flag("--measure", arguments->measure, "Time one shape, HERON_OPENCL_GEMM's, and print GFLOP/s")
        ->group("");
    command->add_option("--limit", arguments->limit, "Seconds after which --measure gives up")->group("");
    command->footer("HERON_DEVICE chooses the device. What is found is used by every program from then on.");
    command->callback([arguments] { run_tune(*arguments); });
}

}  // namespace heron::tools
