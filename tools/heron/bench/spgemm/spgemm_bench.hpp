// heron bench spgemm: sparse matrix times sparse matrix on every backend, side by side with other libraries.
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

struct spgemm_bench_options {
    std::vector<std::string> matrices{};
    contestant_options who{};
    std::vector<std::string> types{"f64"};
    std::vector<std::string> algorithms{"default"};
    std::uint64_t seed = default_seed;
    measure_options timing{};
};

std::string spgemm_algorithm_names();

struct spgemm_bench_result {
    report table{};
    int failures = 0;  // wrong results and runs that broke off; what is merely not supported is none
};

// Throws std::exception where options are wrong or nothing can be measured.
spgemm_bench_result run_spgemm_bench(const spgemm_bench_options& options, progress& progress);

}  // namespace heron::tools
