// heron bench vector: a sparse vector and a dense one on every backend, side by side with other libraries.
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

struct sparse_vector_bench_options {
    std::vector<std::string> sizes{"100000:5000", "10000000:100000", "10000000:2500000"};
    contestant_options who{};
    std::vector<std::string> types{"f32"};
    std::vector<std::string> functions{};
    double beta = 1;  // of axpby
    std::uint64_t seed = default_seed;
    measure_options timing{};
};

struct sparse_vector_bench_result {
    report table{};
    int failures = 0;
};

std::vector<std::string> sparse_vector_functions();

// Throws std::exception where options are wrong or nothing can be measured.
sparse_vector_bench_result run_sparse_vector_bench(const sparse_vector_bench_options& options,
                                                   progress& progress);

}  // namespace heron::tools
