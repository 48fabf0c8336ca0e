// heron bench gemm, herk, her2k, hemm, trmm and trsm: dense products and solves on every backend, beside
// other BLAS libraries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "peers/blas_peers.hpp"
#include "matrix/generators.hpp"
#include "measure/measure.hpp"
#include "measure/progress.hpp"
#include "measure/report.hpp"

namespace heron::tools {

struct dense_bench_options {
    dense_operation operation = dense_operation::gemm;
    std::vector<std::string> backends{};  // empty: every usable one
    std::vector<std::string> sizes{
        "256", "1024"};  // n, or m x n x k as "1000x20x300" (rank updates: n x k, A on one side: m x n)
    std::vector<std::string> types{"f32", "f64", "c32", "c64"};
    std::vector<std::string> operations{"NN"};       // gemm: op of A and of B, each N, T or C
    std::vector<std::string> algorithms{"default"};  // gemm
    int batch = 1;                                   // gemm: so many products in one call
    bool study = false;                              // gemm: take the kernel apart instead
    std::string plot{};                              // where the study is drawn; empty: nowhere
    std::vector<std::string> against{};              // on OpenCL: other libraries, FILE or NAME=FILE
    bool two_passes = false;  // her2k by two products one after the other, beside the other
    std::uint64_t seed = default_seed;
    measure_options timing{};
};

struct dense_bench_result {
    report table{};
    int failures = 0;
};

// Throws std::invalid_argument for sizes, types and operations that there are not.
void require_dense_options(const dense_bench_options& options);

// Throws std::exception where options are wrong or nothing can be measured.
dense_bench_result run_dense_bench(const dense_bench_options& options, progress& progress);

}  // namespace heron::tools
