#include "tuning_file.hpp"

#include <stdexcept>

#include "bench/dense/gemm_shapes.hpp"
#include "common/runtime/tuning_file.hpp"

namespace heron::tools {

tuning_file::tuning_file(const std::string& backend, const std::string& device_name)
    : path_(tuning_path(backend.c_str(), device_name)) {
    if (path_.empty())
        throw std::runtime_error("neither XDG_CACHE_HOME nor HOME is set: there is no place for the result");
}

void tuning_file::keep(const std::string& entry, const std::string& shape) const {
    const std::string problem = write_private_file(path_, with_shape(read_private_file(path_), entry, shape));
    if (!problem.empty()) throw std::runtime_error(problem);
}

}  // namespace heron::tools
