// Matrices of the command line tool as operands of the tests: generated ones, and real ones from
// $HERON_TEST_DATA.
#pragma once

#include "operands.hpp"

#include "matrix/generators.hpp"

#include <functional>

namespace heron::test {

// Complex types get an imaginary part where the matrix has none.
entries from_csr(const heron::tools::csr_matrix& m, cudaDataType type);

// Calls check(name, matrix), which says whether the matrix was taken, for every .mtx and .mtx.gz file in the
// folder. At least one must be. Without a folder it prints that `what` is skipped.
void for_each_real_matrix(
    const char* what,
    const std::function<bool(const std::string& name, const heron::tools::csr_matrix& matrix)>& check);

}  // namespace heron::test
