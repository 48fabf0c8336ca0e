// Matrices made from others.
#pragma once

#include <cstdint>

#include "generators.hpp"
#include "sparse_matrix.hpp"

namespace heron::tools {

csr_matrix transposed(const csr_matrix& matrix);

// Rows and columns in random orders: the same one where the matrix is square, as meshes come from a generator
// that does not order their points.
csr_matrix shuffled(const csr_matrix& matrix, splitmix64& random);

// Each entry becomes a dense block of `size` x `size`, as a mesh has with several unknowns at a point.
csr_matrix blocks_of_entries(const csr_matrix& matrix, std::int64_t size);

}  // namespace heron::tools
