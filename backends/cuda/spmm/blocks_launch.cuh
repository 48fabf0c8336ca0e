#pragma once
// Launches the SpMM kernels for matrices of dense blocks in one row of the table of data types.
#include "blocks.cuh"
#include "blocks.hpp"
#include <algorithm>
#include <bit>

namespace heron::HERON_LEVEL {

template <class VA, class VC, class CT>
blocked_product<VA, VC, CT> product_of(const heron_spmm_args& args) {
    const auto array_of = [](const void* values, heron_index_type type) {
        return index_array{values, type == HERON_INDEX_64};
    };
    const heron_spmat& a = args.a;
    const int64_t block = a.block_rows;
    blocked_product<VA, VC, CT> p{};
    if (a.format == HERON_FORMAT_BSR) {
        p.offsets = array_of(a.offsets, a.offset_type);
        p.row_step = block;
        p.block_step = block * block;
    } else {
        p.slots = a.ell_cols / block;
        p.row_step = a.ell_cols;
        p.block_step = block;
        p.line_step = block * a.ell_cols;
    }
    p.indices = array_of(a.indices, a.index_type);
    p.block_bits = std::countr_zero(static_cast<uint64_t>(block));
    p.values = as<const VA>(a.values);
    p.inner = static_cast<int>(a.cols);
    p.b = as<const VA>(args.b.values);
    p.b_ld = args.b.ld;
    p.c = as<VC>(args.c.values);
    p.shape = plans::shape_of(args);
    p.alpha = as_argument<CT>(args.alpha);
    p.beta = as_argument<CT>(args.beta);
    p.c_has_pieces = has_pieces(args.c.values, args.c.ld, args.c.batch_stride, 16 / sizeof(VC));
    return p;
}

template <class Shape, class VC>
void launch_blocks(cuda_device& device, const heron_spmm_args& args) {
    using VA = typename Shape::VA;
    using CT = typename Shape::CT;
    auto p = product_of<VA, VC, CT>(args);
    const int64_t height = std::min(Shape::block, Shape::rows);
    p.across = static_cast<unsigned>((p.shape.columns + Shape::columns - 1) / Shape::columns);
    p.down = static_cast<unsigned>((p.shape.rows + height - 1) / height);
    p.tiles = p.across * p.down * static_cast<unsigned>(args.c.batch_count);
    const auto kernel = multiply_blocks<Shape, VC>;
    const int64_t most = device.blocks_at_once(kernel, Shape::threads, Shape::bytes);
    device.launch_blocks(kernel, std::min<int64_t>(p.tiles, most), Shape::threads, Shape::bytes, p);
}

template <class VA, class VC, int block, bool b_by_rows>
void launch_blocks(cuda_device& device, const heron_spmm_args& args) {
    if (args.c.cols <= 64) return launch_blocks<block_shape<VA, block, 64, b_by_rows>, VC>(device, args);
    // Sizes and numbers of tiles that leave few multiprocessors idle in the end.
    if constexpr (sizeof(VA) == 2 && block == 64 && b_by_rows) {
        if (args.c.cols > 192) return launch_blocks<block_shape<VA, block, 256, true, 8>, VC>(device, args);
        launch_blocks<block_shape<VA, block, 128, true, 4, 6>, VC>(device, args);
    } else {
        launch_blocks<block_shape<VA, block, 128, b_by_rows>, VC>(device, args);
    }
}

template <class VA, class VC, int block>
void launch_blocks(cuda_device& device, const heron_spmm_args& args) {
    if (args.b.order == HERON_ORDER_ROW) return launch_blocks<VA, VC, block, true>(device, args);
    launch_blocks<VA, VC, block, false>(device, args);
}

template <class VA, class VC>
void multiply_blocks_of(cuda_device& device, const heron_spmm_args& args) {
    if (args.a.block_rows == 8) return launch_blocks<VA, VC, 8>(device, args);
    if (args.a.block_rows == 16) return launch_blocks<VA, VC, 16>(device, args);
    if (args.a.block_rows == 32) return launch_blocks<VA, VC, 32>(device, args);
    launch_blocks<VA, VC, 64>(device, args);
}

}  // namespace heron::HERON_LEVEL
