#pragma once
// What `heron tune` found for a device: a text in the user's cache directory, which every backend reads
// alike.
#include "private_files.hpp"
#include <cctype>
#include <string>

namespace heron {

// The file gemm-<device>.txt of the cache directory, with what is no letter or digit in the name replaced by
// '-'. Empty where there is no such directory.
inline std::filesystem::path tuning_path(const char* backend, const std::string& device_name) {
    const std::filesystem::path directory = cache_directory(backend);
    if (directory.empty()) return {};
    std::string name = device_name;
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '-';
    return directory / ("gemm-" + name + ".txt");
}

// Its content; empty without one.
inline std::string read_tuning(const char* backend, const std::string& device_name) {
    const std::filesystem::path file = tuning_path(backend, device_name);
    return file.empty() ? std::string() : read_private_file(file);
}

}  // namespace heron
