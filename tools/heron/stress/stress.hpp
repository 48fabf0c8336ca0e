// Threads that do random operations on handles and matrices that they share, make and destroy.
#pragma once

#include <cstdint>
#include <string>

#include "measure/progress.hpp"
#include "measure/report.hpp"

namespace heron::tools {

struct stress_options {
    std::string backend;
    std::string library;  // a file with cuSPARSE's functions; empty: Heron's own
    double minutes = 1;
    int threads = 4;
    int handles = 3;      // that threads share; each has one more of its own
    int matrices = 4;     // that threads share
    int largest = 20000;  // rows of a matrix
    std::uint64_t seed = 0;
};

// What was done, what was wrong with it, and how much memory it took.
record run_stress(const stress_options& options, progress& steps);

}  // namespace heron::tools
