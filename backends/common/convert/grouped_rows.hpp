#pragma once
// The row of each element on GPUs, rows.h, and the offsets of rows from it, bounds.h.
#include "common/dialect/dialect_group.hpp"
#include "pointers.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family convert_row_search{"convert_rows", "VT GROUP"};
inline constexpr kernel_family convert_row_bounds{"convert_bounds", "GROUP"};
#include "bounds.h"
#include "rows.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

template <class VT>
using typed_row_kernels = kernels::convert_rows<VT, 256>;
using row_kernels = typed_row_kernels<raw32>;

inline int64_t tiles_of(int64_t elements) { return (elements + row_kernels::tile - 1) / row_kernels::tile; }

template <class Device>
void expand_in_groups(Device& device, const heron_pointers_to_indices_args& args) {
    device.template launch_groups<row_kernels::expand_offsets>(
        kernels::convert_row_search, tiles_of(args.nnz), args.offsets, int{args.base},
        static_cast<int>(args.rows), heron_index{args.nnz}, args.indices);
}

// Groups have more rows where most of these are empty. Where rows have many elements it takes longer to read
// these than to search for each row.
template <class Device>
void compress_in_groups(Device& device, const heron_indices_to_pointers_args& args) {
    using program = kernels::convert_bounds<256>;
    constexpr int64_t most_of_row = 8;
    if (args.nnz == 0 || args.nnz > most_of_row * args.rows) return compress_indices(device, args);
    const int each = args.rows > 2 * args.nnz ? 4 : 1;
    const int64_t rows = int64_t{each} * program::find_bounds::group;
    device.template launch_groups<program::find_bounds>(
        kernels::convert_row_bounds, (args.rows + rows) / rows, args.indices, int{args.base},
        heron_index{args.rows}, heron_index{args.nnz}, each, args.offsets);
}

}  // namespace heron::HERON_LEVEL::plans
