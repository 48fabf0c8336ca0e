// heron bench trisolve: sparse triangular systems on every backend, side by side with other libraries.
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

struct trisolve_bench_options {
    std::vector<std::string> matrices{};
    contestant_options who{};
    std::vector<std::string> types{"f64"};
    std::vector<std::string> ops{"N"};
    std::vector<std::string> triangles{"lower"};
    std::vector<std::int64_t> right_sides{1};
    std::string order = "column";
    int analyses = 5;
    bool fresh_workspace = false;
    std::uint64_t seed = default_seed;
    measure_options timing{};
};

struct trisolve_bench_result {
    report table{};
    int failures = 0;
};

// Throws std::exception where options are wrong or nothing can be measured.
trisolve_bench_result run_trisolve_bench(const trisolve_bench_options& options, progress& progress);

}  // namespace heron::tools
