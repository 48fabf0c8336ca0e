// Matrix Market files (https://math.nist.gov/MatrixMarket/formats.html), plain or compressed with gzip.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "sparse_matrix.hpp"

namespace heron::tools {

enum class matrix_symmetry { general, symmetric, skew_symmetric, hermitian };

// what() is "FILE:LINE: reason", or "FILE: reason" (line() is 0) where no line is to blame.
class matrix_market_error : public std::runtime_error {
  public:
    matrix_market_error(const std::string& file, std::int64_t line, const std::string& reason);
    std::int64_t line() const { return line_; }

  private:
    std::int64_t line_;
};

// Reads coordinate and array files of every field and symmetry, decompressing where the content is gzip's.
// A symmetric, skew-symmetric or Hermitian file is expanded to the full matrix; it may store either triangle,
// but not both. A pattern's values are 1. An array file gives all its entries, zeros too, of a skew-symmetric
// one all but the diagonal. Comments and blank lines may stand anywhere after the banner, keywords are read
// in either case, and Fortran's exponent letter D is understood. Throws matrix_market_error.
coo_matrix read_matrix_market(const std::filesystem::path& file);

// Writes a coordinate file, compressed if its name ends in ".gz", that reads back bit for bit. With a
// symmetry other than general only the lower triangle is written; throws std::invalid_argument, and writes
// nothing, if the matrix does not have that symmetry. Throws matrix_market_error if the file cannot be
// written.
void write_matrix_market(const std::filesystem::path& file, const csr_matrix& matrix,
                         matrix_symmetry symmetry = matrix_symmetry::general);

}  // namespace heron::tools
