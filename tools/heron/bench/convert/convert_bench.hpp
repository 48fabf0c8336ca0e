// heron bench convert: conversions between sparse formats on every backend, side by side with other libraries
// and Eigen's transpose.
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

struct convert_bench_options {
    std::vector<std::string> matrices{};
    contestant_options who{};
    std::vector<std::string> types{"f32"};
    std::vector<std::string> functions{};
    std::vector<int> blocks{4};
    std::uint64_t seed = default_seed;
    measure_options timing{};
};

struct convert_bench_result {
    report table{};
    int failures = 0;
};

// Throws std::exception where options are wrong or nothing can be measured.
convert_bench_result run_convert_bench(const convert_bench_options& options, progress& progress);

}  // namespace heron::tools
