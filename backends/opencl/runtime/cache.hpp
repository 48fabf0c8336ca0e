#pragma once
// Program binaries on disk, under $XDG_CACHE_HOME/heron/opencl or ~/.cache/heron/opencl.
#include <string>

namespace heron::opencl {

// The binary that was stored under exactly this key, or an empty string: no file, no directory, a damaged or
// foreign file.
std::string read_cached_binary(const std::string& key);

// Readers never see half a file. A cache that cannot be written is no error: one hint is logged per process.
void write_cached_binary(const std::string& key, const std::string& binary);

}  // namespace heron::opencl
