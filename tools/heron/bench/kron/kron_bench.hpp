// heron bench kron: batched Kronecker products on every backend.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "matrix/generators.hpp"
#include "measure/measure.hpp"
#include "measure/progress.hpp"
#include "measure/report.hpp"

namespace heron::tools {

struct kron_bench_options {
    std::vector<std::string> backends{};            // empty: every usable one
    std::vector<std::string> sizes{"2", "4", "8"};  // n or FIRST..LAST
    std::vector<std::string> dims{"3", "6"};
    std::vector<std::string> types{"f64"};
    std::vector<std::string> modes{"add"};
    std::vector<std::string> algorithms{"fused"};
    std::int64_t batch = 0;            // items; 0: by batch_bytes
    std::int64_t batch_bytes = 0;      // of X and as large a Y; 0: more than the caches, on GPUs 1 GiB
    std::int64_t outputs = 5;          // distinct outputs in the modes that allow overlap; 0: all
    std::string operands = "strided";  // or pointers, indexed
    bool shared_factors = false;
    std::uint64_t seed = default_seed;
    measure_options timing{};
};

struct kron_bench_result {
    report table{};
    int failures = 0;
};

// Throws std::exception where options are wrong or nothing can be measured.
kron_bench_result run_kron_bench(const kron_bench_options& options, progress& progress);

}  // namespace heron::tools
