#include "survey_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace heron::tools {
namespace {

struct known_input {
    const char* family;
    const char* spec;
    double rows, nnz;
};

// What collections of real matrices have, from hundreds of elements to 10^8.
constexpr std::array matrices{
    known_input{"stencil", "poisson2d:10", 1e2, 5e2},
    known_input{"stencil", "poisson2d:64", 4e3, 2e4},
    known_input{"stencil", "poisson2d:512", 2.6e5, 1.3e6},
    known_input{"stencil", "poisson2d:2000", 4e6, 2e7},
    known_input{"stencil", "poisson3d:20", 8e3, 5.4e4},
    known_input{"stencil", "poisson3d:100", 1e6, 7e6},
    known_input{"stencil", "poisson3d:240", 1.4e7, 9.6e7},
    known_input{"wide stencil", "poisson3d27:6", 2.2e2, 4.1e3},
    known_input{"wide stencil", "poisson3d27:20", 8e3, 2e5},
    known_input{"wide stencil", "poisson3d27:40", 6.4e4, 1.6e6},
    known_input{"wide stencil", "poisson3d27:100", 1e6, 2.6e7},
    known_input{"wide stencil", "poisson3d27:155", 3.7e6, 1e8},
    known_input{"shuffled mesh", "poisson3d27:10@shuffled", 1e3, 2.2e4},
    known_input{"shuffled mesh", "poisson3d27:40@shuffled", 6.4e4, 1.6e6},
    known_input{"shuffled mesh", "poisson2d:512@shuffled", 2.6e5, 1.3e6},
    known_input{"shuffled mesh", "poisson3d27:100@shuffled", 1e6, 2.6e7},
    known_input{"several unknowns", "poisson3d:12@dof3", 5.2e3, 1e5},
    known_input{"several unknowns", "poisson3d27:20@dof3", 2.4e4, 1.8e6},
    known_input{"several unknowns", "poisson3d27:40@dof3@shuffled", 1.9e5, 1.5e7},
    known_input{"band", "banded:100,1", 1e2, 3e2},
    known_input{"band", "banded:1000,8", 1e3, 1.7e4},
    known_input{"band", "banded:10000,65", 1e4, 1.3e6},
    known_input{"band", "banded:1000000,2", 1e6, 5e6},
    known_input{"band", "banded:200000,65", 2e5, 2.6e7},
    known_input{"blocks", "blocks:400,3,4", 4e2, 4.8e3},
    known_input{"blocks", "blocks:40000,6,4", 4e4, 9.6e5},
    known_input{"blocks", "blocks:40000,3,16", 4e4, 1.9e6},
    known_input{"blocks", "blocks:400000,6,8", 4e5, 1.9e7},
    known_input{"power law", "rmat:8", 2.6e2, 3e3},
    known_input{"power law", "rmat:13,8", 8.2e3, 6e4},
    known_input{"power law", "rmat:16", 6.6e4, 1e6},
    known_input{"power law", "rmat:20", 1e6, 1.6e7},
    known_input{"power law", "rmat:18,64", 2.6e5, 1.6e7},
    known_input{"uniform", "uniform:100,5", 1e2, 5e2},
    known_input{"uniform", "uniform:10000,8", 1e4, 8e4},
    known_input{"uniform", "uniform:200000,8", 2e5, 1.6e6},
    known_input{"uniform", "uniform:1000000,16", 1e6, 1.6e7},
    known_input{"uniform", "uniform:4000000,25", 4e6, 1e8},
    known_input{"dense row", "longrows:1000,1", 1e3, 6e3},
    known_input{"dense row", "longrows:100000,1", 1e5, 6e5},
    known_input{"dense row", "longrows:100000,4", 1e5, 9e5},
    known_input{"dense row", "longrows:1000000,3", 1e6, 8e6},
    known_input{"dense column", "longrows:1000,1@transposed", 1e3, 6e3},
    known_input{"dense column", "longrows:100000,1@transposed", 1e5, 6e5},
    known_input{"dense column", "longrows:1000000,3@transposed", 1e6, 8e6},
    known_input{"arrow", "arrow:300", 3e2, 9e2},
    known_input{"arrow", "arrow:200000", 2e5, 6e5},
    known_input{"empty rows", "gaps:1000,6,3", 1e3, 2e3},
    known_input{"empty rows", "gaps:200000,12,4", 2e5, 6e5},
    known_input{"empty rows", "gaps:3000000,20,8", 3e6, 7.5e6},
    known_input{"hypersparse", "hypersparse:10000,300", 1e4, 3e2},
    known_input{"hypersparse", "hypersparse:1000000,50000", 1e6, 5e4},
    known_input{"hypersparse", "hypersparse:20000000,1000000", 2e7, 1e6},
    known_input{"tall", "rectangle:2000,20,3", 2e3, 6e3},
    known_input{"tall", "rectangle:100000,300,8", 1e5, 8e5},
    known_input{"tall", "rectangle:4000000,100,4", 4e6, 1.6e7},
    known_input{"wide", "rectangle:20,2000,300", 2e3, 6e3},
    known_input{"wide", "rectangle:300,100000,2700", 1e5, 8.1e5},
    known_input{"wide", "rectangle:100,1000000,40000", 1e6, 4e6},
    known_input{"few long rows", "rectangle:30,1000,200", 1e3, 6e3},
    known_input{"few long rows", "rectangle:100,30000,1500", 3e4, 1.5e5},
    known_input{"few long rows", "rectangle:1000,30000,300", 3e4, 3e5},
    known_input{"few long rows", "rectangle:10,200000,60000", 2e5, 6e5},
    known_input{"diagonal", "diag:100", 1e2, 1e2},
    known_input{"diagonal", "diag:100000", 1e5, 1e5},
    known_input{"diagonal", "diag:10000000", 1e7, 1e7},
    known_input{"full", "dense:30,30", 3e1, 9e2},
    known_input{"full", "dense:300,300", 3e2, 9e4},
    known_input{"full", "dense:3000,3000", 3e3, 9e6},
};

constexpr std::array vectors{
    known_input{"short vector", "1000:100", 1e3, 1e2},
    known_input{"short vector", "100000:5000", 1e5, 5e3},
    known_input{"sparse vector", "1000000:10000", 1e6, 1e4},
    known_input{"sparse vector", "10000000:100000", 1e7, 1e5},
    known_input{"sparse vector", "400000000:150000", 4e8, 1.5e5},
    known_input{"full vector", "1000000:250000", 1e6, 2.5e5},
    known_input{"full vector", "100000000:25000000", 1e8, 2.5e7},
};

constexpr std::array dense_matrices{
    known_input{"small dense", "100x100", 1e2, 1e4},
    known_input{"small dense", "1000x1000", 1e3, 1e6},
    known_input{"large dense", "4000x4000", 4e3, 1.6e7},
    known_input{"large dense", "16000x16000", 1.6e4, 2.6e8},
    known_input{"long dense", "100000x30", 1e5, 3e6},
    known_input{"long dense", "30x100000", 1e5, 3e6},
};

template <class Known>
void append(std::vector<survey_input>& inputs, survey_kind kind, const Known& known) {
    for (const known_input& each : known)
        inputs.push_back({kind, each.family, each.spec, each.rows, each.nnz});
}

void append_files(std::vector<survey_input>& inputs, const std::string& folder) {
    std::error_code error;
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string file = entry.path().string();
        if (file.ends_with(".mtx") || file.ends_with(".mtx.gz")) files.push_back(file);
    }
    if (error) throw std::runtime_error(fmt::format("cannot read {}: {}", folder, error.message()));
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) {
        // A line of text for an entry, compressed to about a third.
        const auto bytes = static_cast<double>(std::filesystem::file_size(file, error));
        const double entries = bytes / (file.ends_with(".gz") ? 5 : 20);
        inputs.push_back({survey_kind::matrix, "file", file, entries / 4, entries});
    }
}

}  // namespace

std::vector<survey_input> survey_inputs(const std::vector<std::string>& folders) {
    std::vector<survey_input> inputs;
    append(inputs, survey_kind::matrix, matrices);
    append(inputs, survey_kind::vector, vectors);
    append(inputs, survey_kind::dense, dense_matrices);
    for (const std::string& folder : folders) append_files(inputs, folder);
    return inputs;
}

}  // namespace heron::tools
