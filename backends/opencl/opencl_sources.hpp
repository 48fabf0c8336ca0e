#pragma once
// The kernels' text, compiled into the plug-in. The definitions are written by EmbedText.cmake.
#include <cstddef>

namespace heron::opencl {

struct source_text {
    const char* name;  // file name without its extension: "dialect", "spmv"
    const char* const* parts;
    size_t part_count;
};

extern const source_text sources[];
extern const size_t source_count;

}  // namespace heron::opencl
