// heron bench tridiag: tridiagonal and pentadiagonal systems on every backend, side by side with other
// libraries.
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

struct tridiag_bench_options {
    contestant_options who{};
    std::vector<std::string> functions{};  // none: all
    std::vector<std::string> types{"f64"};
    std::vector<std::string> sizes{"1048576x1"};   // rows x right-hand sides
    std::vector<std::string> batches{"256x4096"};  // rows x systems
    std::uint64_t seed = default_seed;
    measure_options timing{};
};

struct tridiag_bench_result {
    report table{};
    int failures = 0;
};

std::vector<std::string> tridiag_function_names();

// Throws std::exception where options are wrong or nothing can be measured.
tridiag_bench_result run_tridiag_bench(const tridiag_bench_options& options, progress& progress);

}  // namespace heron::tools
