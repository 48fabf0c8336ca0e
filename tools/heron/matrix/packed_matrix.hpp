// A sparse matrix as the arrays that a library takes: one of its formats, index types and element types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "measure/bench_values.hpp"
#include "sparse_matrix.hpp"

namespace heron::tools {

enum class sparse_format { csr, csc, coo, sell, bsr, ell };  // ell: Blocked-ELL

// Throws std::invalid_argument with the list.
sparse_format find_sparse_format(std::string_view name);
std::string_view name_of(sparse_format format);

// Bytes per element of the offsets (the rows of COO are indices) and of the indices.
struct index_widths {
    int offsets = 4;
    int indices = 4;
};
// "32", "64" or "64/32". Throws std::invalid_argument with the list.
index_widths find_index_widths(std::string_view name);

struct packing {
    sparse_format format = sparse_format::csr;
    index_widths widths{};
    scalar_type type = scalar_type::f64;
    std::int64_t slice = 32;  // rows of a slice of SELL
    std::int64_t block = 4;   // rows and columns of a block of BSR and Blocked-ELL

    bool has_blocks() const { return format == sparse_format::bsr || format == sparse_format::ell; }
};

// Indices are 0-based. Unused arrays are empty.
struct packed_matrix {
    packing how{};
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t nnz = 0;                  // entries of the matrix, without padding; BSR: blocks
    std::int64_t stored = 0;               // elements of `values`, padding included
    std::int64_t ell_cols = 0;             // columns that Blocked-ELL stores of each row
    std::vector<std::byte> offsets{};      // of rows (CSR), columns (CSC), slices (SELL), block rows (BSR)
    std::vector<std::byte> row_indices{};  // COO only
    std::vector<std::byte> indices{};      // of columns (CSC: rows; with blocks: block columns); -1 in the
                                           // padding of SELL and Blocked-ELL
    std::vector<std::byte> values{};       // BSR: row by row inside a block

    // Bytes that a product has to read of the matrix at least: all arrays, but not the padding of SELL.
    std::size_t compulsory_bytes() const;
};

// The same matrix with empty rows and columns added until both sizes are multiples of `block`.
csr_matrix padded_to_blocks(csr_matrix matrix, std::int64_t block);

// `values` are those of the pattern's entries in its order. Blocks want a padded pattern. Throws
// std::overflow_error if an index does not fit its type.
packed_matrix pack(const csr_matrix& pattern, const number_array& values, const packing& how);

}  // namespace heron::tools
