#pragma once
// The row of each element, and the offsets of rows, on GPUs: rows.h and offsets.h.
#include "common/dialect/dialect_group.hpp"
#include "pointers.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family convert_offset_tiles{"convert_offsets", "GROUP"};
inline constexpr kernel_family convert_row_search{"convert_rows", "VT GROUP"};
#include "offsets.h"
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

template <class Device>
void compress_in_groups(Device& device, const heron_indices_to_pointers_args& args) {
    using program = kernels::convert_offsets<256>;
    // Where most rows are empty, an item per row searches for its offset.
    if (args.rows / 2 >= args.nnz) return compress_indices(device, args);
    const int64_t row_tiles = args.rows / program::most_rows + 1;
    device.template launch_groups<typename program::compress_indices>(
        kernels::convert_offset_tiles, row_tiles + args.nnz / program::tile + 1, args.indices,
        heron_index{args.base}, heron_index{args.rows}, heron_index{args.nnz}, static_cast<int>(row_tiles),
        args.offsets);
}

}  // namespace heron::HERON_LEVEL::plans
