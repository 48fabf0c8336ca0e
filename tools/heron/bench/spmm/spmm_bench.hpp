// heron bench spmm: sparse matrix times dense matrix on every backend, side by side with other libraries.
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

struct spmm_bench_options {
    std::vector<std::string> matrices{};
    contestant_options who{};
    std::vector<std::string> types{"f32"};
    std::vector<std::string> ops{"N"};
    std::vector<std::string> indices{"32"};
    std::vector<std::string> formats{"csr"};
    std::vector<std::string> layouts{"rr"};  // of B and C: r by rows, c by columns
    std::vector<std::string> columns{"32", "128"};
    std::vector<std::string> algorithms{"default"};
    std::int64_t block = 4;
    double alpha = 1;
    double beta = 0;
    bool preprocess = true;
    bool check_only = false;
    std::uint64_t seed = default_seed;
    measure_options timing{};
};

// The names that `algorithms` may have, for help texts.
std::string spmm_algorithm_names();

struct spmm_bench_result {
    report table{};
    int failures = 0;  // wrong results and runs that broke off; what is merely not supported is none
};

// Throws std::exception where options are wrong or nothing can be measured.
spmm_bench_result run_spmm_bench(const spmm_bench_options& options, progress& progress);

}  // namespace heron::tools
