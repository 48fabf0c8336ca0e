// One function of one library on one matrix.
#pragma once

#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "matrix/sparse_matrix.hpp"
#include "measure/contestants.hpp"

namespace heron::tools {

using number = std::complex<double>;

struct bsr_case {
    const csr_matrix& blocks;  // the pattern
    std::string function;
    int block;
    int columns;      // right-hand sides
    bool is_upper;    // of a solve
    char op;          // of a solve
    bool by_columns;  // how a block is stored
    bool turns_b;     // of bsrmm
    // Values of the blocks row by row, x or the right-hand sides column by column, as they are before a
    // contender stores them otherwise.
    const std::vector<number>& values;
    const std::vector<number>& x;

    bool is_solve() const { return function == "bsrsv2" || function == "bsrsm2"; }
    bool has_columns() const { return function == "bsrmm" || function == "bsrsm2"; }
};

class bsr_contender {
  public:
    virtual ~bsr_contender() = default;
    // Seconds until the device is done. Products have none: 0.
    virtual double analyse() = 0;
    virtual void call() = 0;
    // The result of the last call.
    virtual std::vector<number> result() const = 0;
};

// type: f32, f64, c32 or c64.
std::unique_ptr<bsr_contender> make_bsr_contender(const contestant& who, const bsr_case& what,
                                                  const std::string& type);

}  // namespace heron::tools
