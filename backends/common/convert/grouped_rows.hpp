#pragma once
// The row of each element on GPUs: rows.h.
#include "common/dialect/dialect_group.hpp"
#include "pointers.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family convert_row_search{"convert_rows", "VT GROUP"};
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

}  // namespace heron::HERON_LEVEL::plans
