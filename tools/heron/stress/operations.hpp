// What heron stress does with a lane and a matrix. Each call waits for its results and compares them with the
// oracle's.
#pragma once

#include <functional>
#include <span>
#include <stdexcept>

#include "lane.hpp"
#include "stressed_matrix.hpp"

namespace heron::tools {

class wrong_result : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct stress_operation {
    const char* name;
    // Throws wrong_result, cusparse_error or heron_error.
    void (*run)(const lane& on, const stressed_matrix& a, splitmix64& random);
    // Whether it takes memory or time that is a square of the matrix's size.
    bool small_only = false;
};

std::span<const stress_operation> stress_operations();

}  // namespace heron::tools
