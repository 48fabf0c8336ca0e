// What `heron tune gemm` finds for a device, where the plug-ins look for it
// (backends/common/runtime/tuning_file.hpp): a line for each entry, its name and its shape.
#pragma once

#include <filesystem>
#include <string>

namespace heron::tools {

class tuning_file {
  public:
    // Throws std::runtime_error where the environment names no place for it.
    tuning_file(const std::string& backend, const std::string& device_name);

    const std::filesystem::path& path() const { return path_; }
    // Replaces the entry's line; readers never see half a file.
    void keep(const std::string& entry, const std::string& shape) const;

  private:
    std::filesystem::path path_;
};

}  // namespace heron::tools
