#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "commands.hpp"
#include "launch.hpp"
#include "memory_limit.hpp"

namespace heron::tools {
namespace {

struct run_arguments {
    std::vector<std::string> program;  // and its arguments
    std::string backend, device, log_level, log_file, report;
    std::vector<std::string> own_libraries;
    bool validates = false, reports = false, asks_limit = false, is_verbose = false;
};

class environment {
  public:
    explicit environment(bool is_verbose) : is_verbose_(is_verbose) {}

    void set(const char* name, const std::string& value) const {
        if (is_verbose_) fmt::print(stderr, "heron run: {}={}\n", name, value);
        setenv(name, value.c_str(), 1);
    }

    // Before what is there.
    void prepend(const char* name, const std::vector<std::string>& items) const {
        std::string value = fmt::format("{}", fmt::join(items, ":"));
        if (value.empty()) return;
        const char* const present = std::getenv(name);
        set(name, present && *present ? value + ":" + present : value);
    }

  private:
    bool is_verbose_;
};

std::string now_in_nanoseconds() {
    return std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(
                              std::chrono::system_clock::now().time_since_epoch())
                              .count());
}

std::string chosen_backend(const run_arguments& arguments) {
    const char* const by_variable = std::getenv("HERON_BACKEND");
    return arguments.backend.empty() && by_variable ? by_variable : arguments.backend;
}

void set_variables(const run_arguments& arguments, const launch& how, const environment& variables) {
    variables.prepend("LD_LIBRARY_PATH", how.library_path);
    variables.prepend("LD_PRELOAD", how.preload);
    if (!arguments.backend.empty()) variables.set("HERON_BACKEND", arguments.backend);
    if (!arguments.device.empty()) variables.set("HERON_DEVICE", arguments.device);
    if (!arguments.log_level.empty()) variables.set("HERON_LOG_LEVEL", arguments.log_level);
    if (!arguments.log_file.empty()) variables.set("HERON_LOG_FILE", arguments.log_file);
    if (arguments.validates) variables.set("HERON_VALIDATE", "1");
    if (!arguments.reports) return;
    variables.set("HERON_REPORT", arguments.report.empty() ? "-" : arguments.report);
    variables.set("HERON_REPORT_SINCE", now_in_nanoseconds());
}

// After the variables, which choose the device.
void set_limit(const run_arguments& arguments, const environment& variables) {
    try {
        variables.set("HERON_REPORT_BANDWIDTH",
                      fmt::format("{:.4g}", memory_limit(chosen_backend(arguments))));
    } catch (const std::exception& error) {
        fmt::print(stderr, "heron run: no limit to compare with: {}\n", error.what());
    }
}

// The program takes this process over, so that signals and its exit status need no passing on.
[[noreturn]] void become(const std::string& path, const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(path.c_str(), arguments.data());
    fmt::print(stderr, "heron run: cannot run {}: {}\n", path, std::strerror(errno));
    throw CLI::RuntimeError(126);
}

launch planned(const run_arguments& arguments) {
    try {
        return plan_launch({arguments.program.front(), chosen_backend(arguments), arguments.own_libraries});
    } catch (const std::exception& error) {
        fmt::print(stderr, "heron run: {}\n", error.what());
        throw CLI::RuntimeError(127);
    }
}

void run_program(const run_arguments& arguments) {
    const launch how = planned(arguments);
    for (const std::string& warning : how.warnings) fmt::print(stderr, "heron run: {}\n", warning);
    if (arguments.is_verbose)
        for (const std::string& note : how.notes) fmt::print(stderr, "heron run: {}\n", note);
    const environment variables(arguments.is_verbose);
    set_variables(arguments, how, variables);
    if (arguments.asks_limit) set_limit(arguments, variables);
    become(how.path, arguments.program);
}

// Whether the value of an option of heron run is the next word. --report has one only where -- tells it from
// the program.
bool takes_next_word(const std::string& word, bool has_mark) {
    if (word == "--report") return has_mark;
    const auto is = [&](const char* option) { return word == option; };
    constexpr const char* options[] = {"--backend", "--device", "--log", "--log-file", "--own"};
    return std::any_of(std::begin(options), std::end(options), is);
}

}  // namespace

split_command_line split_at_program(int argc, char** argv) {
    split_command_line result;
    const std::vector<std::string> words(argv + 1, argv + argc);
    const bool has_mark = std::find(words.begin(), words.end(), "--") != words.end();
    std::size_t i = 0;
    for (; i < words.size(); ++i) {
        if (words[i] == "--" || (i > 0 && words[i].front() != '-')) break;
        result.own.push_back(words[i]);
        if (takes_next_word(words[i], has_mark) && i + 1 < words.size() && words[i + 1] != "--")
            result.own.push_back(words[++i]);
    }
    if (i < words.size() && words[i] == "--") ++i;
    result.program.assign(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
    return result;
}

void add_run_command(CLI::App& app, const split_command_line& command_line) {
    const auto arguments = std::make_shared<run_arguments>();
    CLI::App* command =
        app.add_subcommand("run", "Run a program with Heron's libraries in place of the original ones");
    command->add_option("--backend", arguments->backend, "Where to compute; without it the first that works")
        ->check(CLI::IsMember({"cuda", "opencl", "host"}));
    command->add_option("--device", arguments->device, "Number of the device")->check(CLI::NonNegativeNumber);
    command->add_option("--log", arguments->log_level, "1 errors, 2 trace, 3 hints, 4 info, 5 every call")
        ->check(CLI::Range(0, 5));
    command->add_option("--log-file", arguments->log_file, "File for the log instead of standard output");
    command->add_flag("--validate", arguments->validates,
                      "Check the contents of index arrays before each use");
    CLI::Option* report = command->add_option(
        "--report", arguments->report,
        "At exit write which calls were made: to standard error, or to a file (JSON if it "
        "ends with .json)");
    report->expected(0, 1);
    command
        ->add_flag(
            "--limit", arguments->asks_limit,
            "Measure the memory first: the report says which share of its bandwidth each function reached")
        ->needs(report);
    command
        ->add_option("--own", arguments->own_libraries,
                     "cudart, cublas: Heron's even where NVIDIA's is installed")
        ->check(CLI::IsMember({"cudart", "cublas"}))
        ->delimiter(',');
    command->add_flag("--verbose", arguments->is_verbose, "Say what is done");
    command->footer(
        "heron run [OPTIONS] [--] PROGRAM ARGUMENTS, such as heron run --backend host --report -- ./app "
        "--its-options\n"
        "Exit status: the program's; 126 and 127 where it cannot be started.");
    command->callback([arguments, report, command_line] {
        if (command_line.program.empty()) throw CLI::RequiredError("PROGRAM");
        arguments->program = command_line.program;
        arguments->reports = report->count() > 0;
        run_program(*arguments);
    });
}

}  // namespace heron::tools
