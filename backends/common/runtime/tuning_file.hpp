#pragma once
// What `heron tune` found for a device: a text in the user's cache directory, which every backend reads
// alike.
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace heron {

// $XDG_CACHE_HOME/heron/<backend> or ~/.cache/heron/<backend>; empty where the environment names no home.
inline std::filesystem::path cache_directory(const char* backend) {
    const char* const xdg = std::getenv("XDG_CACHE_HOME");
    if (xdg && *xdg) return std::filesystem::path(xdg) / "heron" / backend;
    const char* const home = std::getenv("HOME");
    if (home && *home) return std::filesystem::path(home) / ".cache" / "heron" / backend;
    return {};
}

// The file gemm-<device>.txt of that directory, with what is no letter or digit in the name replaced by '-'.
// Empty without one.
inline std::string read_tuning(const char* backend, const std::string& device_name) {
    const std::filesystem::path directory = cache_directory(backend);
    if (directory.empty()) return {};
    std::string name = device_name;
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '-';
    std::ifstream file(directory / ("gemm-" + name + ".txt"));
    std::ostringstream content;
    if (file) content << file.rdbuf();
    return content.str();
}

}  // namespace heron
