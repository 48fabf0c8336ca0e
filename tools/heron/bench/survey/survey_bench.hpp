// heron bench survey: every operation on many matrices, side by side with other libraries, worst rows first.
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

struct survey_bench_options {
    contestant_options who{};
    std::string against_backend{};          // one of Heron's own, to compare with
    std::vector<std::string> operations{};  // none: all
    std::vector<std::string> folders{};     // of Matrix Market files
    bool quick = false;                     // small inputs and short rounds
    double minutes = 0;                     // 0: until all is measured
    bool launches = false;                  // count them, on CUDA
    std::string rows_file{};                // where rows are kept; those that it has are not measured again
    std::string piece = "1/1";              // K/N: of each N-th input, beginning with the K-th
    std::string plot{};
    std::int64_t worst = 40;  // rows of the table
    std::uint64_t seed = default_seed;
    measure_options timing{};
};

struct survey_bench_result {
    report table{};
    int failures = 0;
};

std::vector<std::string> survey_operations();

// Throws std::exception where options are wrong or nothing can be measured.
survey_bench_result run_survey_bench(const survey_bench_options& options, progress& progress);

}  // namespace heron::tools
