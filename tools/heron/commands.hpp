// The subcommands of the program. Each lives in a file of its own and adds itself to the command line.
#pragma once

#include <CLI/CLI.hpp>

namespace heron::tools {

void add_info_command(CLI::App& app);
void add_bench_command(CLI::App& app);
void add_spy_command(CLI::App& app);
void add_tune_command(CLI::App& app);

}  // namespace heron::tools
