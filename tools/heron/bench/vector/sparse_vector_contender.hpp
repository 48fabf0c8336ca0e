// One function of one library on a sparse vector X and a dense one, Y.
#pragma once

// NVIDIA calls most of these functions deprecated.
#ifndef DISABLE_CUSPARSE_DEPRECATED
#define DISABLE_CUSPARSE_DEPRECATED
#endif

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "measure/bench_values.hpp"
#include "measure/function_contest.hpp"

namespace heron::tools {

struct sparse_vector_case {
    std::string function;
    scalar_type type;
    std::vector<std::int32_t> indices{};
    number_array x{}, y{};
    double beta = 1;

    // Of what is read and written once.
    double bytes() const;
};

std::unique_ptr<function_contender> make_sparse_vector_contender(const contestant& who,
                                                                 const sparse_vector_case& what);

}  // namespace heron::tools
