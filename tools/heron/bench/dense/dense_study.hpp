// heron bench gemm --study: what binds the kernel of a dense product. It is run with parts of its work left
// out and with one part alone, each beside what the device could do at best.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "picture/canvas.hpp"
#include "dense_bench.hpp"

namespace heron::tools {

// One part of the work. Times in seconds per product.
struct study_part {
    std::string name;
    double bytes = 0, operations = 0;
    double alone = 0;    // all other parts left out
    double without = 0;  // this part left out
    double limit = 0;    // at the measured bandwidth or the peak; 0: unknown
};

struct dense_study {
    std::string title;
    double whole = 0;
    std::vector<study_part> parts{};
};

// Throws std::exception where options are wrong or nothing can be measured.
dense_bench_result run_dense_study(const dense_bench_options& options, progress& progress);

// Bars of the times of each study, one below the other.
drawing draw_studies(const std::vector<dense_study>& studies);

}  // namespace heron::tools
