// What heron bench survey measures operations on.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heron::tools {

enum class survey_kind {
    matrix,  // a sparse matrix: a file or a family
    vector,  // a sparse vector, N:STORED
    dense    // a dense matrix, MxN
};

struct survey_input {
    survey_kind kind = survey_kind::matrix;
    std::string family;  // what such inputs have in common
    std::string spec;
    double rows = 0, nnz = 0;  // about; rows: the longer side
};

// The families, and the Matrix Market files of these folders. Throws std::runtime_error for a folder that
// cannot be read.
std::vector<survey_input> survey_inputs(const std::vector<std::string>& folders);

}  // namespace heron::tools
