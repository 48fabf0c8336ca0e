// Finds the fastest shape of the dense OpenCL kernels for a device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "progress.hpp"
#include "report.hpp"

namespace heron::tools {

struct gemm_tuning_options {
    std::vector<std::string> types{"f32", "f64", "c32", "c64"};
    double budget_seconds = 120;  // for all types together
    std::int64_t size = 0;        // of the square matrices; 0: by the kind of device
    bool keep = true;             // write the result where the plug-in looks for it
};

// A row for each type with the default's and the best shape's speed. Each candidate is built, checked and
// timed in a process of its own, so that one that crashes a driver or takes too long costs nothing but its
// time.
record tune_gemm(const gemm_tuning_options& options, progress& steps);

// What such a process does: times the shape that HERON_OPENCL_GEMM names and prints GFLOP/s. Ends after
// `seconds` whatever happens.
void measure_gemm_shape(const std::string& type, std::int64_t size, unsigned seconds);

}  // namespace heron::tools
