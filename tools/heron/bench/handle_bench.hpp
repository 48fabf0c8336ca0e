// heron bench handle: what a first handle costs a process, beside the driver's own context and other
// libraries.
#pragma once

#include <string>
#include <vector>

#include "measure/measure.hpp"
#include "measure/progress.hpp"
#include "measure/report.hpp"

namespace heron::tools {

struct handle_bench_options {
    std::vector<std::string> backends{};  // none: all, of which only the host must be there
    std::vector<std::string> against{};   // FILE or NAME=FILE: other libraries with cuSPARSE's interface
    std::string library{};                // Heron's libcusparse, if not the one beside the Heron library
    measure_options timing{};             // of which the rounds count: a process each
};

struct handle_bench_result {
    report table{};
    int failures = 0;
};

handle_bench_result run_handle_bench(const handle_bench_options& options, progress& progress);

}  // namespace heron::tools
