// The subcommands of the program. Each lives in a file of its own and adds itself to the command line.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace heron::tools {

void add_info_command(CLI::App& app);
void add_bench_command(CLI::App& app);
void add_spy_command(CLI::App& app);
void add_tune_command(CLI::App& app);
void add_stress_command(CLI::App& app);
void add_check_command(CLI::App& app);

// A command line of heron run, cut before the program whose options are none of ours.
struct split_command_line {
    std::vector<std::string> own, program;
};
split_command_line split_at_program(int argc, char** argv);
void add_run_command(CLI::App& app, const split_command_line& command_line);
void add_report_command(CLI::App& app);
void add_plot_command(CLI::App& app);

// Checks of options' values. Their messages follow the option's name.

// Refuses the name of a file that cannot be written, before anything is measured for it.
CLI::Validator writable_file();

CLI::Validator number_between(double least, double most);

}  // namespace heron::tools
