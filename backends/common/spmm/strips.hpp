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

// The workspace of a product whose work is cut into shares: B packed by rows, if it is, where each share
// begins and, for every share of every item, the sums of a row that began before it and of one that goes on,
// and a place in a list.
struct spmm_shares_layout {
    spmm_shares_layout(const heron_spmm_args& args, bool packs, size_t element_of_b, size_t sum_size,
                       size_t size_of_place)
        : batches(args.c.batch_count),
          patterns(args.a.offsets_stride == 0 ? 1 : batches),
          packed_items(args.b.batch_stride == 0 ? 1 : batches),
          packed_rows(packs ? args.b.rows * packed_items : 0),
          b_bytes(static_cast<int64_t>(element_of_b)),
          sum_bytes(static_cast<int64_t>(sum_size)),
          place_bytes(static_cast<int64_t>(size_of_place)) {}

    // For so many shares of an item and strips of so many columns.
    int64_t bytes(int64_t shares, int64_t strip) const {
        return packed_rows * strip * b_bytes + (shares + 1) * patterns * place_bytes +
               shares * batches * (2 * strip * sum_bytes + 8);
    }

    int64_t batches, patterns, packed_items, packed_rows;
    int64_t b_bytes, sum_bytes, place_bytes;
};

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
