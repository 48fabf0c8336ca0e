// Chooses the SpMM kernels for matrices of dense blocks.
#include "blocks.hpp"
#include "common/spmm/plan.hpp"
#include <bit>

namespace heron::HERON_LEVEL {

namespace {

bool has_blocks(const heron_spmat& a) {
    const bool is_bsr =
        a.format == HERON_FORMAT_BSR && a.block_rows == a.block_cols && (a.block_order == HERON_ORDER_ROW);
    const bool counts_in_32_bits =
        a.cols <= INT32_MAX / 2 && (!is_bsr || a.nnz <= INT32_MAX / 2 / a.block_rows);
    return (is_bsr || a.format == HERON_FORMAT_BLOCKED_ELL) && counts_in_32_bits && a.block_rows >= 8 &&
           std::has_single_bit(static_cast<uint64_t>(a.block_rows));
}

bool has_types(const heron_spmm_args& args) {
    switch (args.a.type) {
        case HERON_R_16F:
        case HERON_R_16BF: return args.compute_type == HERON_R_32F;
        case HERON_R_32F:
        case HERON_R_64F: return args.c.type == args.a.type && args.compute_type == args.a.type;
        default: return false;
    }
}

template <class VA>
void multiply_halves_of(cuda_device& device, const heron_spmm_args& args) {
    if (args.c.type == HERON_R_32F) return multiply_blocks_of<VA, f32>(device, args);
    multiply_blocks_of<VA, VA>(device, args);
}

}  // namespace

bool has_pieces(const void* values, int64_t ld, int64_t stride, int64_t elements) {
    return reinterpret_cast<uintptr_t>(values) % 16 == 0 && ld % elements == 0 && stride % elements == 0;
}

bool takes_blocked(const heron_spmm_args& args) {
    const heron_spmat& a = args.a;
    if (!has_types(args) || plans::is_transposed(args.op) || !has_blocks(a)) return false;
    const int64_t piece = a.type == HERON_R_64F ? 2 : a.type == HERON_R_32F ? 4 : 8;
    const int64_t most_tiles = (a.rows / 8 + 1) * (args.c.cols / 64 + 1) * args.c.batch_count;
    return most_tiles <= INT32_MAX && has_pieces(a.values, 0, a.values_stride, piece) &&
           has_pieces(args.b.values, args.b.ld, args.b.batch_stride, piece);
}

void multiply_blocked(cuda_device& device, const heron_spmm_args& args) {
    switch (args.a.type) {
        case HERON_R_16F: return multiply_halves_of<f16>(device, args);
        case HERON_R_16BF: return multiply_halves_of<bf16>(device, args);
        case HERON_R_32F: return multiply_blocks_of<f32, f32>(device, args);
        default: return multiply_blocks_of<f64, f64>(device, args);
    }
}

}  // namespace heron::HERON_LEVEL
