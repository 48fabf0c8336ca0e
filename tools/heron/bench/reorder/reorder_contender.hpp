// One function of one library on one matrix.
#pragma once

// NVIDIA calls most of these functions deprecated.
#ifndef DISABLE_CUSPARSE_DEPRECATED
#define DISABLE_CUSPARSE_DEPRECATED
#endif

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "matrix/sparse_matrix.hpp"
#include "measure/contestants.hpp"
#include "measure/device_array.hpp"

namespace heron::tools {

class reorder_contender {
  public:
    virtual ~reorder_contender() = default;
    // Makes the operands what they are before a call, where a call changes them. It takes part in what is
    // measured, and its own time is taken off.
    virtual void restore() {}
    virtual void call() = 0;
    // What is wrong with the results of the call before; empty where nothing is. May add facts to the row.
    virtual std::string check(record& row) = 0;
};

// What all functions of a matrix share.
struct reorder_case {
    const csr_matrix& matrix;
    std::string function;
    std::string type;  // of geam
    std::uint64_t seed;
};

std::unique_ptr<reorder_contender> make_sort(const contestant& who, const reorder_case& what);
std::unique_ptr<reorder_contender> make_color(const contestant& who, const reorder_case& what);
std::unique_ptr<reorder_contender> make_geam(const contestant& who, const reorder_case& what);
// NULL unless the function sorts a COO matrix.
std::unique_ptr<reorder_contender> make_standard_sort(const reorder_case& what);

}  // namespace heron::tools
