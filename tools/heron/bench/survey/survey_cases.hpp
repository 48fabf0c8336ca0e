// The operations of heron bench survey, each with its variants.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "matrix/sparse_matrix.hpp"
#include "measure/contestants.hpp"
#include "measure/measure.hpp"
#include "survey_inputs.hpp"

namespace heron::tools {

// What all measurements of a survey share.
struct survey_settings {
    contestant_options who{};
    measure_options timing{};
    std::uint64_t seed = 0;
};

// What one measurement may take.
struct survey_limits {
    double elements = 0;  // stored in the sparse matrix, or in the dense one
    double dense = 0;     // in all dense operands together
    double products = 0;  // multiply-adds
};

struct survey_case {
    std::string operation, variant;
    survey_kind kind = survey_kind::matrix;
    double columns = 1;  // of dense operands
    // Makes the rows that a benchmark of its own would make of this input.
    std::function<std::vector<record>(const survey_settings&, const std::string& spec)> run;
    // Whether the operation is defined for the matrix, and within the limits.
    std::function<bool(const csr_matrix&, const survey_limits&)> takes;
};

std::vector<survey_case> survey_cases();

}  // namespace heron::tools
