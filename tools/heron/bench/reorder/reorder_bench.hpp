// heron bench sort, color and geam: cuSPARSE's functions on patterns and sums on every backend, side by side
// with other libraries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure/contestants.hpp"
#include "matrix/generators.hpp"
#include "measure/measure.hpp"
#include "measure/progress.hpp"
#include "measure/report.hpp"

namespace heron::tools {

struct reorder_bench_options {
    std::vector<std::string> matrices{};
    contestant_options who{};
    std::vector<std::string> functions{};
    std::vector<std::string> types{""};  // of geam
    std::uint64_t seed = default_seed;
    measure_options timing{};
};

struct reorder_bench_result {
    report table{};
    int failures = 0;
};

std::vector<std::string> sort_functions();
std::vector<std::string> color_functions();
std::vector<std::string> geam_functions();

// Throw std::exception where options are wrong or nothing can be measured.
reorder_bench_result run_sort_bench(const reorder_bench_options& options, progress& progress);
reorder_bench_result run_color_bench(const reorder_bench_options& options, progress& progress);
reorder_bench_result run_geam_bench(const reorder_bench_options& options, progress& progress);

}  // namespace heron::tools
