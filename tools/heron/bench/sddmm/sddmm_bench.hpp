// heron bench sddmm: sampled dense times dense on every backend, side by side with other libraries.
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

struct sddmm_bench_options {
    std::vector<std::string> matrices{};  // the pattern of C
    contestant_options who{};
    std::vector<std::string> types{"f32"};
    std::vector<std::string> layouts{"rc"};  // orders of A and of B: r by rows, c by columns
    std::vector<std::int64_t> inner{64};
    double alpha = 1;
    double beta = 0;
    bool preprocess = true;
    bool warm = false;
    std::uint64_t seed = default_seed;
    measure_options timing{};
};

struct sddmm_bench_result {
    report table{};
    int failures = 0;  // wrong results and runs that broke off; what is merely not supported is none
};

// Throws std::exception where options are wrong or nothing can be measured.
sddmm_bench_result run_sddmm_bench(const sddmm_bench_options& options, progress& progress);

}  // namespace heron::tools
