// One sparse matrix times a dense one by all contestants.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "measure/contestants.hpp"
#include "measure/measure.hpp"
#include "matrix/packed_matrix.hpp"
#include "measure/report.hpp"
#include "bench/spmv/spmv_reference.hpp"

namespace heron::tools {

struct spmm_case {
    const csr_matrix& pattern;
    const number_array& values;  // of the pattern's entries
    const packed_matrix& matrix;
    const product_type& type;
    char op;
    std::int64_t n;
    bool b_by_rows, c_by_rows;
    double alpha, beta;
    cusparseSpMMAlg_t algorithm;
    bool preprocess;
    bool check_only;
    std::uint64_t seed;
    measure_options timing;
};

// Checks all contestants on some columns of C, times them together, and makes a record of each that begins
// with `head`. There is one copy of the operands. Eigen does not take part.
std::vector<record> run_spmm_match(const contestants& who, const spmm_case& what, const record& head);

}  // namespace heron::tools
