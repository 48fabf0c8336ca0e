#pragma once
// The kernels' text, compiled into the plug-in. The definitions are written by EmbedText.cmake.
#include <cstddef>

namespace heron::opencl {

struct source_text {
    const char* name;  // as heron_kernel_texts makes it: "dialect", "spmv", "spmv_columns"
    const char* const* parts;
    size_t part_count;
};

extern const source_text sources[];
extern const size_t source_count;

}  // namespace heron::opencl
