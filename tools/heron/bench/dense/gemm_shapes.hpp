// The shapes among which `heron tune gemm` searches: of the OpenCL kernels, as texts that HERON_OPENCL_GEMM
// takes, and of the CUDA kernels.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace heron::tools {

// The parameters of a shape: "columns VW MV NR" or "tiles WX WY VW MV UW NV KT".
struct gemm_shape {
    bool columns = false;
    std::vector<int> parameters;

    std::string text() const;
    auto operator<=>(const gemm_shape&) const = default;
};

// type: f32, f64, c32 or c64. For processors, or for GPUs. Only what the kernels can be built for and what
// does not obviously exceed registers or local memory.
std::vector<gemm_shape> gemm_shapes(const std::string& type, bool is_processor);

// Those of them that were the best on some device, to begin a search with.
std::vector<gemm_shape> promising_shapes(const std::string& type, bool is_processor);

// The rows and columns of the large tiles of the CUDA kernels, as HERON_CUDA_GEMM takes them.
std::vector<std::array<int, 2>> gemm_tiles(const std::string& type);

// In how many parameters the shapes differ.
int distance(const gemm_shape& a, const gemm_shape& b);

// The line of `type` in a tuning file replaced by, or with, this shape.
std::string with_shape(const std::string& file, const std::string& type, const std::string& shape);

}  // namespace heron::tools
