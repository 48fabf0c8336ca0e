// heron bench prune: counting and dropping elements of dense and CSR matrices, and the conversions between
// dense and sparse ones, on every backend, side by side with other libraries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "matrix/generators.hpp"
#include "measure/contestants.hpp"
#include "measure/measure.hpp"
#include "measure/progress.hpp"
#include "measure/report.hpp"

namespace heron::tools {

struct prune_bench_options {
    std::vector<std::string> matrices{};                       // of functions that take CSR
    std::vector<std::string> sizes{"1000x1000", "4000x4000"};  // of those that take dense matrices
    contestant_options who{};
    std::vector<std::string> types{"f32"};
    std::vector<std::string> functions{};
    std::vector<std::string> formats{"csr"}, orders{"col"};
    std::vector<double> shares{0.05};
    std::uint64_t seed = default_seed;
    measure_options timing{};
};

struct prune_bench_result {
    report table{};
    int failures = 0;
};

std::vector<std::string> prune_function_names();

// Throws std::exception where options are wrong or nothing can be measured.
prune_bench_result run_prune_bench(const prune_bench_options& options, progress& progress);

}  // namespace heron::tools
