#pragma once
// The row of each element on GPUs, rows.h, and the offsets of rows from it, starts.h and bounds.h.
#include "common/dialect/dialect_group.hpp"
#include "pointers.hpp"
#include <algorithm>

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family convert_row_search{"convert_rows", "VT GROUP"};
inline constexpr kernel_family convert_row_bounds{"convert_bounds", "GROUP"};
inline constexpr kernel_family convert_row_starts{"convert_starts", "GROUP EACH"};
#include "bounds.h"
#include "rows.h"
#include "starts.h"
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

// A group has 256 rows `each` times.
template <class Device>
void compress_by_rows(Device& device, const heron_indices_to_pointers_args& args, int each) {
    using program = kernels::convert_bounds<256>;
    const int64_t rows = int64_t{each} * program::find_bounds::group;
    device.template launch_groups<program::find_bounds>(
        kernels::convert_row_bounds, (args.rows + rows) / rows, args.indices, int{args.base},
        heron_index{args.rows}, heron_index{args.nnz}, each, args.offsets);
}

template <int each, class Device>
void find_starts(Device& device, const heron_indices_to_pointers_args& args) {
    using program = kernels::convert_starts<256, each>;
    constexpr int64_t share = each * int64_t{program::find_starts::group};
    const int64_t slice = std::max<int64_t>(args.rows / 64, 4096);
    const int64_t slices = args.rows > 2 * slice ? args.rows / slice + 1 : 0;
    const int64_t longest = slices > 0 ? slice : args.rows + 1;
    device.template launch_groups<at_once<typename program::find_starts, 8>>(
        kernels::convert_row_starts, slices + args.nnz / share + 1, args.indices, int{args.base},
        static_cast<i32>(args.rows), static_cast<u32>(args.nnz), static_cast<int>(slices), heron_index{slice},
        heron_index{longest}, args.offsets);
}

// As many elements for an item as let all groups be at work at a time, as far as that goes.
template <class Device>
void compress_by_starts(Device& device, const heron_indices_to_pointers_args& args) {
    if (args.nnz <= int64_t{1} << 18) return find_starts<1>(device, args);
    if (args.nnz <= int64_t{1} << 20) return find_starts<4>(device, args);
    find_starts<8>(device, args);
}

// What is faster where (convert-6, convert-11): by what elements begin, unless most rows are empty; and where
// rows are long and elements many, each row is searched for.
template <class Device>
void compress_in_groups(Device& device, const heron_indices_to_pointers_args& args) {
    constexpr int64_t most_elements = 1 << 21, most_of_row = 64;
    if (args.nnz == 0) return compress_indices(device, args);
    if (args.rows > 2 * args.nnz) return compress_by_rows(device, args, 4);
    if (args.nnz <= most_elements || args.nnz <= most_of_row * args.rows)
        return compress_by_starts(device, args);
    compress_indices(device, args);
}

}  // namespace heron::HERON_LEVEL::plans
