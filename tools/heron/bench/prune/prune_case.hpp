// What a function that counts or drops elements is given and what it must answer, as plain arrays.
#pragma once

// NVIDIA calls most of these functions deprecated.
#ifndef DISABLE_CUSPARSE_DEPRECATED
#define DISABLE_CUSPARSE_DEPRECATED
#endif

#include <cusparse.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "matrix/sparse_matrix.hpp"
#include "measure/function_contest.hpp"

namespace heron::tools {

// Of a function: what it takes, and what tells its rows apart.
struct prune_function {
    std::string name;
    bool takes_dense;
    bool has_halves = true;
    bool is_generic = false;  // has formats and orders
};
const std::vector<prune_function>& prune_function_list();

template <class T>
struct csr_arrays {
    std::vector<std::int32_t> offsets{0}, columns{};
    std::vector<T> values{};

    int nnz() const { return static_cast<int>(columns.size()); }
};

// A matrix with random values in (-1, 1), of which about `share` are larger than the threshold.
template <class T>
struct prune_case {
    prune_function function{};
    int rows = 0, cols = 0;
    bool is_row_order = false, is_coo = false;
    double share = 0;
    std::uint64_t seed = 0;
    std::vector<T> dense{};
    csr_arrays<T> sparse{};
    T threshold{};
    csr_arrays<T> kept{};
    std::vector<std::int32_t> counts{};  // of nnz and nnz_compress

    float percentage() const { return static_cast<float>(100 * (1 - share)); }
    bool is(const char* name) const { return function.name == name; }
    // Of what is read and written once.
    double bytes() const;
};

// Fills in what the function takes and answers. `pattern` is for functions that take CSR.
template <class T>
void make_operands(prune_case<T>& what, const csr_matrix* pattern);

template <class T>
std::unique_ptr<function_contender> make_prune_contender(const contestant& who, const prune_case<T>& what);

}  // namespace heron::tools
