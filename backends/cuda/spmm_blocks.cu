// Launches the SpMM kernels for matrices of dense blocks.
#include "spmm_blocks.cuh"
#include "spmm_blocks.hpp"
#include <bit>

namespace heron::HERON_LEVEL {

namespace {

bool has_blocks(const heron_spmat& a) {
    const bool is_bsr =
        a.format == HERON_FORMAT_BSR && a.block_rows == a.block_cols && (a.block_order == HERON_ORDER_ROW);
    const bool counts_in_32_bits =
        a.cols <= INT32_MAX / 2 && (!is_bsr || a.nnz <= INT32_MAX / 2 / a.block_rows);
    return (is_bsr || a.format == HERON_FORMAT_BLOCKED_ELL) && counts_in_32_bits &&
           a.block_rows >= block_piece && std::has_single_bit(static_cast<uint64_t>(a.block_rows));
}

// Pieces of 16 bytes from every row or column on.
bool has_pieces(const void* values, int64_t ld, int64_t stride) {
    return reinterpret_cast<uintptr_t>(values) % 16 == 0 && ld % block_piece == 0 &&
           stride % block_piece == 0;
}

index_array array_of(const void* values, heron_index_type type) { return {values, type == HERON_INDEX_64}; }

template <class VA, class VC>
blocked_product<VA, VC> product_of(const heron_spmm_args& args) {
    const heron_spmat& a = args.a;
    const int64_t block = a.block_rows;
    blocked_product<VA, VC> p{};
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
    p.alpha = as_argument<f32>(args.alpha);
    p.beta = as_argument<f32>(args.beta);
    return p;
}

template <class VA, class VC, int rows, int columns, bool b_by_rows>
void launch(cuda_device& device, const blocked_product<VA, VC>& p, int64_t batches) {
    const int64_t height = p.block_bits < 4 ? 8 : rows;
    const int64_t tiles =
        (p.shape.rows + height - 1) / height * ((p.shape.columns + columns - 1) / columns) * batches;
    constexpr size_t bytes = block_layout<rows, columns, b_by_rows>::all * sizeof(VA);
    device.launch_blocks(multiply_blocks<VA, VC, rows, columns, b_by_rows>, tiles, block_threads, bytes, p,
                         batches);
}

template <class VA, class VC, int rows>
void launch(cuda_device& device, const heron_spmm_args& args) {
    const blocked_product<VA, VC> p = product_of<VA, VC>(args);
    const int64_t batches = args.c.batch_count;
    if (args.b.order == HERON_ORDER_ROW) {
        if (args.c.cols <= 64) return launch<VA, VC, rows, 64, true>(device, p, batches);
        return launch<VA, VC, rows, 128, true>(device, p, batches);
    }
    if (args.c.cols <= 64) return launch<VA, VC, rows, 64, false>(device, p, batches);
    launch<VA, VC, rows, 128, false>(device, p, batches);
}

template <class VA, class VC>
void launch(cuda_device& device, const heron_spmm_args& args) {
    if (args.a.block_rows <= 16) return launch<VA, VC, 16>(device, args);
    if (args.a.block_rows == 32) return launch<VA, VC, 32>(device, args);
    launch<VA, VC, 64>(device, args);
}

template <class VA>
void launch(cuda_device& device, const heron_spmm_args& args) {
    if (args.c.type == HERON_R_32F) return launch<VA, f32>(device, args);
    launch<VA, VA>(device, args);
}

}  // namespace

bool takes_blocked(const heron_spmm_args& args) {
    const heron_spmat& a = args.a;
    const bool is_half = a.type == HERON_R_16F || a.type == HERON_R_16BF;
    return is_half && args.compute_type == HERON_R_32F && !plans::is_transposed(args.op) && has_blocks(a) &&
           has_pieces(a.values, 0, a.values_stride) &&
           has_pieces(args.b.values, args.b.ld, args.b.batch_stride);
}

void multiply_blocked(cuda_device& device, const heron_spmm_args& args) {
    if (args.a.type == HERON_R_16F) return launch<f16>(device, args);
    launch<bf16>(device, args);
}

}  // namespace heron::HERON_LEVEL
