#pragma once
// How many columns of the dense operands a product takes at a time, so that its workspace stays in proportion
// to the sparse matrix: B may be far larger.
#include <heron/args.h>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace heron::HERON_LEVEL {

template <class VA, class OT, class IT>
int64_t sparse_bytes(const heron_spmat& a) {
    const int64_t lines = a.format == HERON_FORMAT_COO ? a.nnz * static_cast<int64_t>(sizeof(IT))
                                                       : (a.rows + 1) * static_cast<int64_t>(sizeof(OT));
    return lines + a.nnz * static_cast<int64_t>(sizeof(IT) + sizeof(VA));
}

// What a product may take: as much as A, which a transposed one has spent on the pattern by columns, and a
// constant. Part of it is left for gaps between arrays.
template <class VA, class OT, class IT>
int64_t spmm_strip_budget(const heron_spmat& a, bool transposed) {
    constexpr int64_t constant = int64_t{64} << 20, gaps = 8192;
    return constant - gaps + (transposed ? 0 : sparse_bytes<VA, OT, IT>(a));
}

// The widest strip of whole vectors of `width` columns for which bytes_of(columns) is at most `most`: all of
// them, or the next that tiles of 16 vectors or a power of two of lanes divide. One vector where nothing
// fits.
template <class Bytes>
int64_t spmm_strip_columns(int64_t columns, int64_t width, int64_t most, Bytes&& bytes_of) {
    constexpr int64_t tile = 16;
    int64_t vectors = (columns + width - 1) / width;
    while (vectors > 1 && bytes_of(vectors * width) > most)
        vectors = vectors > tile ? (vectors / 2 + tile - 1) / tile * tile
                                 : static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(vectors))) / 2;
    return vectors * width;
}

}  // namespace heron::HERON_LEVEL
