// Finds the fastest kernels of the dense products for a device: the shape of the OpenCL kernels, and which of
// the tiles of the CUDA kernels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure/progress.hpp"
#include "measure/report.hpp"

namespace heron::tools {

struct gemm_tuning_options {
    std::string backend = "opencl";
    std::vector<std::string> types{"f32", "f64", "c32", "c64"};
    double budget_seconds = 120;  // for all types together
    std::int64_t size = 0;        // of the square matrices; 0: by the device, or several
    bool keep = true;             // write the result where the plug-in looks for it
};

// A row for each entry of the file with the speed before and that of the best shape. An OpenCL shape is
// built, checked and timed in a process of its own, so that one that crashes a driver or takes too long costs
// nothing but its time.
record tune_gemm(const gemm_tuning_options& options, progress& steps);
record tune_gemm_tiles(const gemm_tuning_options& options, progress& steps);  // of CUDA

// What such a process does: times the shape that HERON_OPENCL_GEMM names and prints GFLOP/s. Ends after
// `seconds` whatever happens.
void measure_gemm_shape(const std::string& type, std::int64_t size, unsigned seconds);

}  // namespace heron::tools
