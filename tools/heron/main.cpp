#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "commands.hpp"
#include "measure/device_record.hpp"
#include "measure/report.hpp"

namespace {

int report(const std::string& reason) {
    fmt::print(stderr, "heron: {}\n", reason);
    return 1;
}

// What is no subcommand is reported as such, and not as one that is missing.
int report(const CLI::App& app, const CLI::ParseError& error) {
    const std::vector<std::string> unknown = app.remaining(true);
    const bool is_subcommand = error.get_name() == "RequiredError" && !unknown.empty();
    if (!is_subcommand) return app.exit(error);
    report(fmt::format("'{}' is not one of its subcommands; run with --help for those", unknown.front()));
    return error.get_exit_code();
}

}  // namespace

int main(int argc, char** argv) {
    try {
        CLI::App app{"Heron: sparse and dense linear algebra on NVIDIA GPUs, OpenCL devices and CPUs",
                     "heron"};
        app.set_version_flag("--version", "Heron " + heron::tools::library_version());
        app.require_subcommand(1);
        heron::tools::add_info_command(app);
        heron::tools::add_check_command(app);
        const bool runs = argc > 1 && std::string(argv[1]) == "run";
        const auto command_line =
            runs ? heron::tools::split_at_program(argc, argv) : heron::tools::split_command_line{};
        heron::tools::add_run_command(app, command_line);
        heron::tools::add_report_command(app);
        heron::tools::add_bench_command(app);
        heron::tools::add_spy_command(app);
        heron::tools::add_plot_command(app);
        heron::tools::add_tune_command(app);
        heron::tools::add_stress_command(app);
        try {
            // CLI11 takes its words from the last one.
            if (runs)
                app.parse(std::vector<std::string>(command_line.own.rbegin(), command_line.own.rend()));
            else
                app.parse(argc, argv);
        } catch (const CLI::ParseError& error) {
            return report(app, error);
        }
        return 0;
    } catch (const std::exception& error) {
        return report(heron::tools::reason_of(error));
    }
}
