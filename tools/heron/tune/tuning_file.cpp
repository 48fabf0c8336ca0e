#include "tuning_file.hpp"

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "bench/dense/gemm_shapes.hpp"

namespace heron::tools {

tuning_file::tuning_file(const std::string& backend, const std::string& device_name) {
    const char* const xdg = std::getenv("XDG_CACHE_HOME");
    const char* const home = std::getenv("HOME");
    std::filesystem::path directory;
    if (xdg && *xdg)
        directory = xdg;
    else if (home && *home)
        directory = std::filesystem::path(home) / ".cache";
    else
        throw std::runtime_error("neither XDG_CACHE_HOME nor HOME is set: there is no place for the result");
    std::string name = device_name;
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '-';
    path_ = directory / "heron" / backend / ("gemm-" + name + ".txt");
}

void tuning_file::keep(const std::string& entry, const std::string& shape) const {
    std::ostringstream content;
    if (std::ifstream file(path_); file) content << file.rdbuf();
    std::filesystem::create_directories(path_.parent_path());
    const std::filesystem::path fresh = path_.string() + ".new";
    std::ofstream(fresh) << with_shape(content.str(), entry, shape);
    std::filesystem::rename(fresh, path_);
}

}  // namespace heron::tools
