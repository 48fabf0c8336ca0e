// What a conversion is given and what it must answer, as plain arrays.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "matrix/sparse_matrix.hpp"
#include "measure/function_contest.hpp"

namespace heron::tools {

using int_list = std::vector<std::int32_t>;

// A matrix in blocks by rows. CSR has blocks of 1 x 1.
template <class T>
struct block_matrix {
    int rows = 0, cols = 0;  // of blocks
    int block_rows = 1, block_cols = 1;
    int_list offsets{}, columns{};
    std::vector<T> values{};

    int nnz() const { return static_cast<int>(columns.size()); }
    double bytes() const {
        return 4.0 * static_cast<double>(offsets.size() + columns.size()) +
               static_cast<double>(sizeof(T)) * static_cast<double>(values.size());
    }
};

template <class T>
struct convert_case {
    std::string function;
    block_matrix<T> from, to;
    int_list row_of;  // of each element, for COO

    // Of what is read and written once.
    double bytes() const;
};

const std::vector<std::string>& convert_functions();
// Functions that go from or to blocks.
bool has_blocks(const std::string& function);

template <class T>
convert_case<T> make_convert_case(const csr_matrix& matrix, const std::string& function, int block);

template <class T>
std::unique_ptr<function_contender> make_convert_contender(const contestant& who,
                                                           const convert_case<T>& what);

// NULL for all but csr2csc.
std::unique_ptr<function_contender> make_eigen_transpose(const convert_case<float>& what);
std::unique_ptr<function_contender> make_eigen_transpose(const convert_case<double>& what);

}  // namespace heron::tools
