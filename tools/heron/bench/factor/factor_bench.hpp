// heron bench factor: incomplete factorisations on every backend, side by side with other libraries.
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

struct factor_bench_options {
    std::vector<std::string> matrices{};
    contestant_options who{};
    std::vector<std::string> types{"f64"};
    std::vector<std::string> kinds{"ilu0", "ic0"};
    std::vector<std::int64_t> blocks{0};
    int analyses = 5;
    std::uint64_t seed = default_seed;
    measure_options timing{};
};

struct factor_bench_result {
    report table{};
    int failures = 0;
};

// Throws std::exception where options are wrong or nothing can be measured.
factor_bench_result run_factor_bench(const factor_bench_options& options, progress& progress);

}  // namespace heron::tools
