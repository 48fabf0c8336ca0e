#pragma once
// Between the offsets of rows and the row of each element, for any device.
#include "common/scan/holder.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family convert_pointers{"scan_holder convert_pointers", "OT"};
#include "pointers.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

template <class Device>
void expand_pointers(Device& device, const heron_pointers_to_indices_args& args) {
    if constexpr (!Device::strided)
        return device.template launch<kernels::elements_of_row<i32>>(kernels::convert_pointers, args.rows,
                                                                     args.offsets, heron_index{args.base},
                                                                     heron_index{args.nnz}, args.indices);
    device.template launch<kernels::row_of_element<i32>>(kernels::convert_pointers, args.nnz, args.offsets,
                                                         heron_index{args.base}, heron_index{args.rows},
                                                         args.indices);
}

// Offsets that are all the base, of which there are rows + 1. They may be NULL.
template <class Device>
void set_empty_offsets(Device& device, i32* offsets, int64_t rows, heron_index base) {
    if (offsets)
        device.template launch<kernels::set_offset<i32>>(kernels::convert_pointers, rows + 1, offsets, base);
}

template <class Device>
void compress_indices(Device& device, const heron_indices_to_pointers_args& args) {
    if (args.nnz == 0) return set_empty_offsets(device, args.offsets, args.rows, args.base);
    device.template launch<kernels::offset_of_row<i32>>(kernels::convert_pointers, args.rows + 1,
                                                        args.indices, heron_index{args.base},
                                                        heron_index{args.nnz}, args.offsets);
}

}  // namespace heron::HERON_LEVEL::plans
