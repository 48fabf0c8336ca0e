// One product with operators of the caller's on the device, and what it must be.
#pragma once

#include "ops/operands.hpp"

#include <functional>

namespace heron::test {

struct operator_types {
    cudaDataType ab, c, compute;
    std::string name() const;
};

std::vector<operator_types> operator_rows();

heron_type native_type(cudaDataType type);

// add, mul, the epilogue and the sum of a row that stores nothing, in the oracle's numbers.
struct oracle_operators {
    std::function<number(number, number)> add, mul, epilogue;
    number identity = 0.0;
    bool reads_c = true;  // else C is poison
};

oracle_operators named_operators(heron_semiring semiring, heron_epilogue epilogue, cudaDataType compute);

struct operand_layout {
    heron_order b_order = HERON_ORDER_ROW, c_order = HERON_ORDER_ROW;
    heron_operation op_b = HERON_OP_NONE;
    std::int64_t padding = 0;  // elements between the lines of B and C
};

std::vector<operand_layout> operand_layouts();

class spmm_op_problem {
  public:
    spmm_op_problem(const sparse_arrays& csr, const operator_types& types, std::int64_t columns,
                    const operand_layout& l, std::size_t misalignment = 0);

    // Everything but the operators.
    const heron_spmm_op_desc& desc() const { return desc_; }
    // Sets C, runs with a workspace of exactly the size asked for, and returns the first status that is not
    // success.
    heron_status try_run(const heron_operators& operators, bool poisoned = false);
    // The same, and compares C, its padding included, with the oracle.
    void run(const heron_operators& operators, const oracle_operators& oracle);
    std::vector<unsigned char> c_bytes() const { return c_.bytes(); }

  private:
    expectation expected(const oracle_operators& oracle, const std::vector<number>& before) const;
    std::size_t c_place(std::int64_t i, std::int64_t j) const;
    number b_value(std::int64_t l, std::int64_t j) const;

    sparse_arrays arrays_;
    operator_types types_;
    std::int64_t columns_;
    operand_layout layout_;
    std::int64_t b_rows_, b_cols_, b_ld_, c_ld_;
    std::vector<number> b_start_, c_start_;
    index_array offsets_, indices_;
    typed_array values_, b_, c_;
    heron_spmm_op_desc desc_{};
};

}  // namespace heron::test
