// The commands of a build with HERON_BENCH=OFF, which has none that measure.
#include "commands.hpp"

namespace heron::tools {

void add_bench_command(CLI::App&) {}
void add_tune_command(CLI::App&) {}
void add_stress_command(CLI::App&) {}

}  // namespace heron::tools
