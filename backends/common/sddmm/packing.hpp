#pragma once
// What it is worth to pack operands of SDDMM that are not contiguous along the inner dimension.
#include "common/runtime/dispatch.hpp"
#include <algorithm>

namespace heron::HERON_LEVEL::plans {

// Numbers of a piece of 16 bytes.
template <class VX>
inline constexpr int64_t piece_size = 16 / int64_t{sizeof(VX)};

// Whether kernels can read the operand by pieces where it is, if its address is aligned.
template <class VX>
bool has_pieces(const heron_sddmm_vectors& v, int64_t k) {
    constexpr int64_t size = piece_size<VX>;
    return v.element_step == 1 && k % size == 0 && v.vector_step % size == 0 && v.batch_stride % size == 0;
}

// SIZE knows no addresses: an operand that only its address keeps from being read in pieces has no room in
// the workspace.
template <class VX>
bool is_misaligned(const heron_sddmm_vectors& v, int64_t k) {
    return has_pieces<VX>(v, k) && reinterpret_cast<uintptr_t>(v.values) % 16 != 0;
}

// Elements of C, of one item of a batch.
inline int64_t elements_of(const heron_spmat& c) {
    return c.format == HERON_FORMAT_BSR ? c.nnz * c.block_rows * c.block_cols : c.nnz;
}

// The bits of how many of 32 lanes share an element: as many as have something to load, while there are lanes
// for all elements.
inline int lane_bits_of(int64_t elements, int64_t parts, int64_t multiprocessors) {
    const int64_t lanes = 1024 * multiprocessors;
    int bits = 0;
    while (bits < 5 && int64_t{1} << bits < parts && elements << (bits + 1) <= lanes) ++bits;
    return bits;
}

// Sectors of 32 bytes. The elements of a row of C in a warp share the numbers of op(A). Those of op(B) share
// sectors where C is so full that its neighbours are near, and otherwise half of them, as rows do that have
// columns in common. Where an element has fewer than eight lanes, lines of a contiguous op(B) are looked up
// again.
template <class VX>
double sectors_spared_by_packing(const heron_sddmm_args& args, int64_t multiprocessors) {
    constexpr double lanes_of_line = 8, share_of_sector = sizeof(VX) / 32.0, not_shared = 0.5;
    constexpr double lanes_together = 32;
    const int64_t elements = elements_of(args.c) * args.c.batch_count;
    const auto all = static_cast<double>(elements);
    const auto k = static_cast<double>(args.k);
    const double lanes =
        1 << lane_bits_of(elements, std::max<int64_t>(args.k / piece_size<VX>, 1), multiprocessors);
    const auto rows = static_cast<double>(args.c.rows * args.c.batch_count);
    const double distance = rows * static_cast<double>(args.c.cols) / all;  // of elements in a row
    const double of_a = std::min(rows, all) + all * lanes / lanes_together;
    const double of_b = all * not_shared * (std::min(1.0, distance * share_of_sector) - share_of_sector);
    const double looked_up =
        all / static_cast<double>(piece_size<VX>) * std::max(0.0, 1 - lanes / lanes_of_line);
    return k * ((has_pieces<VX>(args.a, args.k) ? 0 : of_a) +
                (has_pieces<VX>(args.b, args.k) ? looked_up : of_b));
}

}  // namespace heron::HERON_LEVEL::plans
