// Matrices that several measurements take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "sparse_matrix.hpp"

namespace heron::tools {

// As load_matrix(), but what matrix_keeper keeps is not made again.
std::shared_ptr<const csr_matrix> shared_matrix(const std::string& spec, std::uint64_t seed);

// While it lives, those last asked for are kept, up to so many bytes. One per process.
class matrix_keeper {
  public:
    explicit matrix_keeper(std::size_t most_bytes);
    ~matrix_keeper();
    matrix_keeper(const matrix_keeper&) = delete;
    matrix_keeper& operator=(const matrix_keeper&) = delete;
};

}  // namespace heron::tools
