// heron bench spmv: sparse matrix times vector on every backend, side by side with other libraries.
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

struct spmv_bench_options {
    std::vector<std::string> matrices{};
    contestant_options who{};
    std::vector<std::string> types{"f64"};
    std::vector<std::string> ops{"N"};
    std::vector<std::string> indices{"32"};
    std::vector<std::string> formats{"csr"};
    std::vector<std::string> algorithms{"default"};
    std::int64_t slice = 32;
    std::int64_t block = 4;
    double alpha = 1;
    double beta = 0;
    bool preprocess = true;
    bool warm = false;
    bool check_only = false;
    std::uint64_t seed = default_seed;
    measure_options timing{};
};

// The names that `algorithms` may have, for help texts.
std::string spmv_algorithm_names();

struct spmv_bench_result {
    report table{};
    int failures = 0;  // wrong results and runs that broke off; what is merely not supported is none
};

// Throws std::exception where options are wrong or nothing can be measured.
spmv_bench_result run_spmv_bench(const spmv_bench_options& options, progress& progress);

}  // namespace heron::tools
