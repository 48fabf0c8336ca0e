#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include "commands.hpp"
#include "measure/device.hpp"
#include "stress/stress.hpp"

namespace heron::tools {
namespace {

struct stress_arguments {
    stress_options stress;
    std::string format = "table";
    std::string file;
    double growth = 64;
    bool progress = false;
};

constexpr double mebibyte = 1 << 20;

std::string memory_line(const std::string& name, const record& use) {
    if (use.empty()) return {};
    return fmt::format(
        "{:<10} {:.1f} MiB at first, {:.1f} at half of the time, {:.1f} at last, {:+.3f} MiB per minute in "
        "the second half\n",
        name, use["first"].get<double>() / mebibyte, use["half"].get<double>() / mebibyte,
        use["last"].get<double>() / mebibyte, use["slope_per_minute"].get<double>() / mebibyte);
}

std::string text_of(const record& result) {
    std::string text = fmt::format("{} ({}): {} calls by {} threads in {:.0f} s, seed {}\n",
                                   result["backend"].get<std::string>(), result["device"].get<std::string>(),
                                   result["calls"].get<std::int64_t>(), result["threads"].get<int>(),
                                   result["seconds"].get<double>(), result["seed"].get<std::uint64_t>());
    for (const auto& [name, count] : result["operations"].items())
        text += fmt::format("{:<10} {}\n", name, count.get<std::int64_t>());
    text += memory_line("resident", result["memory"]["resident"]) +
            memory_line("device", result["memory"]["device"]);
    for (const record& message : result["messages"]) text += message.get<std::string>() + "\n";
    return text;
}

bool grows(const record& result, double most_mebibytes) {
    for (const record& use : result["memory"])
        if (!use.empty() && use["growth"].get<double>() > most_mebibytes * mebibyte) return true;
    return false;
}

void run_command(const stress_arguments& arguments) {
    const reason_log reasons;
    stress_options options = arguments.stress;
    if (options.seed == 0) options.seed = std::random_device{}();
    if (options.backend.empty()) options.backend = usable_backends({}).at(0);
    progress steps(arguments.progress);
    steps.keep(fmt::format("seed {}", options.seed));
    record result = run_stress(options, steps);
    const bool too_much = grows(result, arguments.growth);
    result["flat"] = !too_much;
    write_text(arguments.file, arguments.format == "json" ? result.dump(2) + "\n" : text_of(result));
    const auto failures = result["failures"].get<std::int64_t>();
    if (failures > 0) throw std::runtime_error(fmt::format("{} calls failed or had wrong results", failures));
    if (too_much)
        throw std::runtime_error(fmt::format("memory grows by more than {:g} MiB", arguments.growth));
}

}  // namespace

void add_stress_command(CLI::App& app) {
    const auto arguments = std::make_shared<stress_arguments>();
    stress_options& options = arguments->stress;
    CLI::App* command =
        app.add_subcommand("stress", "Random operations by several threads, with every result checked");
    command->add_option("--minutes", options.minutes, "For how long")
        ->check(number_between(1e-3, 1e5))
        ->capture_default_str();
    command->add_option("--backend", options.backend, "cuda, opencl or host; by default the first that works")
        ->check(CLI::IsMember({"cuda", "opencl", "host"}).description(""));
    command->add_option("--threads", options.threads, "Threads, each with a handle of its own")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    command->add_option("--handles", options.handles, "Handles that they share")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    command->add_option("--matrices", options.matrices, "Matrices that they share")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    command->add_option("--largest", options.largest, "Rows of the largest matrix")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    command
        ->add_option("--seed", options.seed,
                     "Repeats what each thread asks for; 0: a random one, which is printed")
        ->capture_default_str();
    command
        ->add_option("--library", options.library,
                     "Another library with cuSPARSE's functions to put under stress")
        ->check(CLI::ExistingFile.description(""));
    command
        ->add_option("--growth", arguments->growth,
                     "MiB of memory by which the second half of the time may grow")
        ->check(number_between(0, 1e6))
        ->capture_default_str();
    command->add_option("--output", arguments->format, "table or json")
        ->check(CLI::IsMember({"table", "json"}).description(""))
        ->capture_default_str();
    command->add_option("--file", arguments->file, "Where to write that")->check(writable_file());
    command->add_flag("--progress", arguments->progress,
                      "Show progress even if standard error is no terminal");
    command->footer(
        "Products, solves and conversions run on handles, streams and matrices that threads share, replace "
        "and destroy.\n"
        "Exit status 1: a call failed, a result differs from the oracle's, or memory grows.");
    command->callback([arguments] { run_command(*arguments); });
}

}  // namespace heron::tools
