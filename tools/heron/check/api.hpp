// The interfaces of other vendors that Heron stands in for, told by names.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace heron::tools {

enum class api { cusparse, cublas, clblas, clamdblas, cudart, none };

enum backend_number { on_host, on_opencl, on_cuda, backend_count };
constexpr std::array<const char*, backend_count> backend_titles = {"host", "opencl", "cuda"};

const char* title_of(api a);

// "libcusparse.so.11" -> cusparse.
api api_of_library(std::string_view soname);
// "cusparseSpMV" -> cusparse. Types, status names and names of kernels are none.
api api_of_function(std::string_view name);

// A library of NVIDIA's that Heron has nothing for, such as libcufft.so.11.
bool is_other_of_nvidia(std::string_view soname);

}  // namespace heron::tools
