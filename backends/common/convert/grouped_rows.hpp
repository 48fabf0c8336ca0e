#pragma once
// The row of each element on GPUs, rows.h, and the offsets of rows from it, bounds.h.
#include "common/dialect/dialect_group.hpp"
#include "pointers.hpp"
#include <algorithm>

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

// By elements, unless most rows are empty.
template <class Device>
void compress_in_groups(Device& device, const heron_indices_to_pointers_args& args) {
    using program = kernels::convert_bounds<256>;
    constexpr int64_t group = program::find_bounds::group;
    if (args.nnz == 0) return compress_indices(device, args);
    if (args.rows > 2 * args.nnz) {
        constexpr int each = 4;
        constexpr int64_t rows = each * group;
        return device.template launch_groups<typename program::find_bounds>(
            kernels::convert_row_bounds, (args.rows + rows) / rows, args.indices, int{args.base},
            heron_index{args.rows}, heron_index{args.nnz}, each, args.offsets);
    }
    // Few elements are spread over all groups.
    constexpr int64_t groups_at_once = 1024;
    const int64_t each = std::clamp<int64_t>(args.nnz / (groups_at_once * group), 1, program::loads);
    const int64_t groups = args.nnz / (each * group) + 1;
    const int64_t slices = std::min<int64_t>(groups, 256);
    const int64_t slice = args.rows / slices + 1;
    const int64_t longest = std::max<int64_t>(args.rows / 64, 4096);
    device.template launch_groups<typename program::find_by_elements>(
        kernels::convert_row_bounds, groups, args.indices, int{args.base}, heron_index{args.rows},
        heron_index{args.nnz}, static_cast<int>(each), static_cast<int>(slices), heron_index{slice},
        heron_index{longest}, args.offsets);
}

}  // namespace heron::HERON_LEVEL::plans
