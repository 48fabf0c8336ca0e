// heron bench bsr: cuSPARSE's legacy functions of BSR matrices on every backend, side by side with other
// libraries. Each element of a pattern stands for a full block.
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

struct bsr_bench_options {
    std::vector<std::string> matrices{};
    contestant_options who{};
    std::vector<std::string> functions{"bsrmv", "bsrmm", "bsrsv2", "bsrsm2"};
    std::vector<std::string> types{"f64"};
    std::vector<int> blocks{2, 4, 8, 16};
    std::vector<std::string> triangles{"lower"};
    std::vector<std::string> ops{"N"};
    std::vector<std::string> directions{"row"};  // of the blocks
    std::vector<std::string> dense_ops{"N"};     // of bsrmm's B
    std::vector<int> columns{32};                // of bsrmm's and bsrsm2's dense operands
    int analyses = 5;
    std::uint64_t seed = default_seed;
    measure_options timing{};
};

struct bsr_bench_result {
    report table{};
    int failures = 0;
};

// Throws std::exception where options are wrong or nothing can be measured.
bsr_bench_result run_bsr_bench(const bsr_bench_options& options, progress& progress);

}  // namespace heron::tools
