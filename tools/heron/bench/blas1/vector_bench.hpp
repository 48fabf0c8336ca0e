// heron bench blas1 and heron bench gemv: dense vectors, and a matrix and vectors, on every backend, side by
// side with cuBLAS and with libraries of CBLAS's interface.
#pragma once

#include <string>
#include <vector>

#include "measure/measure.hpp"
#include "measure/progress.hpp"
#include "measure/report.hpp"

namespace heron::tools {

struct vector_bench_options {
    std::vector<std::string> backends{};
    std::vector<std::string> against{};  // cublas=FILE, on cuda; cblas=FILE, on host
    std::vector<std::string> functions{};
    std::vector<std::string> types{"f32", "f64"};
    std::vector<std::string> sizes{};  // N, or MxN of a matrix
    std::int64_t batch = 0;            // matrices of a batch
    measure_options timing{};
};

struct vector_bench_result {
    report table{};
    int failures = 0;
};

std::vector<std::string> level1_functions();
std::vector<std::string> level2_functions();
std::vector<std::string> matrix_functions();

// Throw std::exception where options are wrong or nothing can be measured.
vector_bench_result run_level1_bench(const vector_bench_options& options, progress& progress);
vector_bench_result run_level2_bench(const vector_bench_options& options, progress& progress);
vector_bench_result run_matrix_bench(const vector_bench_options& options, progress& progress);

}  // namespace heron::tools
