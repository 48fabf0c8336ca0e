// One sparse matrix times vector by all contestants.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "measure/contestants.hpp"
#include "measure/measure.hpp"
#include "matrix/packed_matrix.hpp"
#include "measure/report.hpp"
#include "spmv_contenders.hpp"
#include "spmv_operands.hpp"
#include "spmv_reference.hpp"

namespace heron::tools {

// One matrix in one format and type with random values, and x and y: here and on the devices.
class packed_case {
  public:
    packed_case(const contestants& who, const csr_matrix& given, const product_type& type, const packing& how,
                std::uint64_t seed, bool warm);

    const product_type& type() const { return type_; }
    const packed_matrix& matrix() const { return matrix_; }
    std::int64_t nnz() const { return pattern_.nnz(); }

    // Throws why the device has no copies of the operands.
    const spmv_operands& operands(const device& where) const;
    spmv_reference reference(const spmv_problem& problem) const;
    // The vectors that the reference is for, in all copies.
    void set_vectors(const spmv_operands& operands, const spmv_problem& problem, std::size_t y_size) const;

  private:
    void open(const device& where, bool warm);

    const product_type& type_;
    csr_matrix pattern_;
    splitmix64 random_;
    number_array values_;
    packed_matrix matrix_;
    number_array x_;
    number_array y_;
    std::map<const device*, std::unique_ptr<spmv_operands>> operands_;
    std::map<const device*, std::string> errors_;
};

struct spmv_match_options {
    spmv_problem problem{};
    cusparseSpMVAlg_t algorithm = CUSPARSE_SPMV_ALG_DEFAULT;
    bool preprocess = true;
    bool check_only = false;
    measure_options timing{};
};

// Checks all contestants, times them together, and makes a record of each that begins with `head`.
std::vector<record> run_spmv_match(contestants& who, const packed_case& data,
                                   const spmv_match_options& options, const record& head);

}  // namespace heron::tools
