#pragma once
// Kernels for the pattern of a sparse product: products per row, bins, lengths and columns of rows, offsets.
#include "spgemm_rows.cuh"

namespace heron::HERON_LEVEL {

constexpr int spgemm_threads = 256;
constexpr int spgemm_warps = spgemm_threads / warp_size;

// What a block found in its share of the rows, and later of all.
struct row_facts {
    int64_t sum, longest;
};

// The sum and maximum over the block; every thread calls it, and thread 0 gets the result.
static __device__ inline row_facts reduce_block(row_facts f) {
    __shared__ row_facts of_warp[spgemm_warps];
    const auto merge = [](row_facts a, row_facts b) {
        return row_facts{a.sum + b.sum, a.longest > b.longest ? a.longest : b.longest};
    };
    for (int distance = warp_size / 2; distance > 0; distance /= 2)
        f = merge(f, from_lane_across(f, distance));
    if (threadIdx.x % warp_size == 0) of_warp[threadIdx.x / warp_size] = f;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int w = 1; w < spgemm_warps; ++w) f = merge(f, of_warp[w]);
    __syncthreads();
    return f;
}

// Exclusive sums over the block's threads in their order; *total gets the sum of all.
static __device__ inline int64_t scan_block(int64_t v, int64_t* total) {
    __shared__ int64_t of_warp[spgemm_warps];
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    int64_t inclusive = v;
    for (int distance = 1; distance < warp_size; distance *= 2) {
        const int64_t below = from_lane_below(inclusive, distance);
        if (lane >= distance) inclusive += below;
    }
    if (lane == warp_size - 1) of_warp[warp] = inclusive;
    __syncthreads();
    int64_t before = 0, all = 0;
    for (int w = 0; w < spgemm_warps; ++w) {
        if (w < warp) before += of_warp[w];
        all += of_warp[w];
    }
    __syncthreads();
    *total = all;
    return before + inclusive - v;
}

constexpr int rows_per_share = 8 * spgemm_threads;

// Eight lanes per row of A: products[row], and the facts of each share of rows_per_share rows.
template <class OT, class IT>
__global__ void count_row_products(row_pattern<OT, IT> a, const OT* b_offsets, int64_t most,
                                   int64_t* products, row_facts* facts) {
    const lane_group<8> group;
    row_facts mine{0, 0};
    const int64_t first = static_cast<int64_t>(blockIdx.x) * rows_per_share;
    for (int i = threadIdx.x / 8; i < rows_per_share; i += spgemm_threads / 8) {
        const int64_t row = first + i;
        int64_t sum = 0;
        if (row < a.rows)
            for (int64_t k = a.begin(row) + group.lane; k < a.begin(row + 1); k += 8) {
                const int64_t inner = a.column(k);
                sum += static_cast<int64_t>(b_offsets[inner + 1]) - static_cast<int64_t>(b_offsets[inner]);
            }
        for (int distance = 4; distance > 0; distance /= 2)
            sum += __shfl_xor_sync(all_lanes, sum, distance, 8);
        if (group.lane == 0 && row < a.rows) {
            products[row] = sum;
            mine.sum += sum;
            const int64_t bound = sum < most ? sum : most;
            mine.longest = bound > mine.longest ? bound : mine.longest;
        }
    }
    mine = reduce_block(mine);
    if (threadIdx.x == 0) facts[blockIdx.x] = mine;
}

// The facts of each share of the lengths.
static __global__ void measure_lengths(const int64_t* lengths, int64_t rows, row_facts* facts) {
    row_facts mine{0, 0};
    const int64_t first = static_cast<int64_t>(blockIdx.x) * rows_per_share;
    for (int i = threadIdx.x; i < rows_per_share && first + i < rows; i += spgemm_threads) {
        const int64_t length = lengths[first + i];
        mine.sum += length;
        mine.longest = length > mine.longest ? length : mine.longest;
    }
    mine = reduce_block(mine);
    if (threadIdx.x == 0) facts[blockIdx.x] = mine;
}

// One block: facts[s].sum becomes what precedes share s; facts[shares] gets the sum and the maximum of all.
static __global__ void scan_facts(row_facts* facts, int64_t shares) {
    int64_t before = 0;
    row_facts longest{0, 0};
    for (int64_t first = 0; first < shares; first += spgemm_threads) {
        const int64_t s = first + threadIdx.x;
        const row_facts f = s < shares ? facts[s] : row_facts{0, 0};
        longest.longest = f.longest > longest.longest ? f.longest : longest.longest;
        int64_t total = 0;
        const int64_t place = scan_block(f.sum, &total);
        if (s < shares) facts[s].sum = before + place;
        before += total;
    }
    longest = reduce_block(longest);
    if (threadIdx.x == 0) facts[shares] = {before, longest.longest};
}

// Lengths into offsets, in place.
static __global__ void scan_lengths(int64_t* offsets, int64_t rows, const row_facts* facts, int64_t shares) {
    constexpr int each = rows_per_share / spgemm_threads;
    const int64_t first = static_cast<int64_t>(blockIdx.x) * rows_per_share + threadIdx.x * each;
    int64_t lengths[each];
    int64_t sum = 0;
    for (int i = 0; i < each; ++i) {
        lengths[i] = first + i < rows ? offsets[first + i] : 0;
        sum += lengths[i];
    }
    int64_t total = 0;
    int64_t place = facts[blockIdx.x].sum + scan_block(sum, &total);
    for (int i = 0; i < each; ++i) {
        if (first + i < rows) offsets[first + i] = place;
        place += lengths[i];
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) offsets[rows] = facts[shares].sum;
}

// Rows into bins. by_offsets: `rows_of` are offsets and a row's length is their difference, else it is
// rows_of[row], at most `most`. Rows of length 0 are in no bin. sizes must be 0 before.
static __global__ void bin_rows(const int64_t* rows_of, bool by_offsets, int64_t most, int64_t rows,
                                row_bins bins) {
    const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    int64_t length = 0;
    if (row < rows)
        length = by_offsets ? rows_of[row + 1] - rows_of[row] : rows_of[row] < most ? rows_of[row] : most;
    const int own = length > 0 ? bins.bin_of(length) : -1;
    const int lane = threadIdx.x % warp_size;
    for (int bin = 0; bin < row_bins::count; ++bin) {
        const unsigned members = __ballot_sync(all_lanes, own == bin);
        if (members == 0) continue;
        int place = 0;
        if (lane == 0) place = atomicAdd(bins.sizes + bin, __popc(members));
        place = __shfl_sync(all_lanes, place, 0) + __popc(members & ((1u << lane) - 1u));
        if (own == bin) bins.lists[bin * rows + place] = static_cast<int>(row);
    }
}

// *unordered := 1 unless the columns of every row ascend strictly. Eight lanes per row.
template <class OT, class IT>
__global__ void find_unordered_rows(row_pattern<OT, IT> p, int* unordered) {
    const int64_t step = static_cast<int64_t>(gridDim.x) * (blockDim.x / 8);
    for (int64_t row = static_cast<int64_t>(blockIdx.x) * (blockDim.x / 8) + threadIdx.x / 8; row < p.rows;
         row += step) {
        const int64_t end = p.begin(row + 1) - 1;
        for (int64_t k = p.begin(row) + threadIdx.x % 8; k < end; k += 8)
            if (p.indices[k] >= p.indices[k + 1]) *unordered = 1;
    }
}

// ---- short rows: a group of lanes each ----

// counts[row] := length of the rows in the list. Each group has `places` keys of shared memory.
template <int lanes, class OT, class IT>
__global__ void count_short_rows(row_pattern<OT, IT> a, row_pattern<OT, IT> b, row_list list,
                                 const int64_t* products, int64_t most, int places, int64_t* counts) {
    extern __shared__ int64_t shared[];
    const lane_group<lanes> group;
    const int groups = blockDim.x / lanes;
    key_table<IT> table{reinterpret_cast<IT*>(shared) + static_cast<int>(threadIdx.x) / lanes * places, 0};
    for (int i = blockIdx.x * groups + threadIdx.x / lanes; i < *list.size; i += gridDim.x * groups) {
        const int64_t row = list.rows[i];
        table.mask = table_places(products[row] < most ? products[row] : most) - 1;
        table.clear(group.lane, lanes);
        group.sync();
        int found = 0;
        for (int64_t k = a.begin(row); k < a.begin(row + 1); ++k) {
            const int64_t inner = a.column(k);
            const int64_t end = b.begin(inner + 1);
            for (int64_t l = b.begin(inner) + group.lane; l < end; l += lanes) {
                bool is_new;
                table.claim(b.column(l), is_new);
                found += is_new;
            }
        }
        group.sync();
        found = group.sum(found);
        if (group.lane == 0) counts[row] = found;
    }
}

// ---- longer rows: a block each ----

// The products of a row, shared out to the warps of the block in any order: calls f(column) for each.
template <class OT, class IT, class F>
static __device__ void for_each_product(const row_pattern<OT, IT>& a, const row_pattern<OT, IT>& b,
                                        int64_t row, F&& f) {
    const int64_t end = a.begin(row + 1);
    for (int64_t k = a.begin(row) + threadIdx.x / warp_size; k < end; k += spgemm_warps) {
        const int64_t inner = a.column(k);
        const int64_t inner_end = b.begin(inner + 1);
        for (int64_t l = b.begin(inner) + threadIdx.x % warp_size; l < inner_end; l += warp_size)
            f(b.column(l));
    }
}

// Where the rows found go: their lengths to counts, or, with offsets, their columns.
template <class IT>
struct row_results {
    int64_t* counts;
    const int64_t* offsets;
    IT* columns;
    int64_t base;
};

// Rows by a hash table of `places` keys. With columns half as many keys of shared memory follow, to sort
// them.
template <bool with_columns, class OT, class IT>
__global__ void find_rows_by_hash(row_pattern<OT, IT> a, row_pattern<OT, IT> b, row_list list, int places,
                                  row_results<IT> results) {
    extern __shared__ int64_t shared[];
    __shared__ int found;
    const key_table<IT> table{reinterpret_cast<IT*>(shared), places - 1};
    IT* const sorted = table.keys + places;
    for (int i = blockIdx.x; i < *list.size; i += gridDim.x) {
        const int64_t row = list.rows[i];
        if (threadIdx.x == 0) found = 0;
        table.clear(threadIdx.x, spgemm_threads);
        __syncthreads();
        int mine = 0;
        for_each_product(a, b, row, [&](IT column) {
            bool is_new;
            table.claim(column, is_new);
            mine += is_new;
        });
        if (!with_columns) {
            if (mine > 0) atomicAdd(&found, mine);
            __syncthreads();
            if (threadIdx.x == 0) results.counts[row] = found;
        } else {
            __syncthreads();
            const int64_t first = results.offsets[row];
            for (int place = threadIdx.x; place < places; place += spgemm_threads) {
                if (table.keys[place] == static_cast<IT>(-1)) continue;
                const int at = atomicAdd(&found, 1);
                if (at < places / 2) sorted[at] = table.keys[place];
            }
            __syncthreads();
            const int64_t length = results.offsets[row + 1] - first;
            const int count = found < places / 2 ? found : places / 2;
            sort_shared(sorted, count, threadIdx.x, spgemm_threads, [] { __syncthreads(); });
            for (int k = threadIdx.x; k < count && k < length; k += spgemm_threads)
                results.columns[first + k] = static_cast<IT>(sorted[k] + static_cast<IT>(results.base));
        }
        __syncthreads();
    }
}

// Rows by a bitmap in shared memory of `words` words of 32 columns; wider rows take several rounds over their
// products.
template <bool with_columns, class OT, class IT>
__global__ void find_rows_by_bitmap(row_pattern<OT, IT> a, row_pattern<OT, IT> b, row_list list, int64_t cols,
                                    int words, row_results<IT> results) {
    extern __shared__ int64_t shared[];
    unsigned* const bits = reinterpret_cast<unsigned*>(shared);
    const int each = words / spgemm_threads;  // a thread reads this many words in a row
    for (int i = blockIdx.x; i < *list.size; i += gridDim.x) {
        const int64_t row = list.rows[i];
        int64_t found = 0;
        for (int64_t low = 0; low < cols; low += int64_t{words} * 32) {
            for (int w = threadIdx.x; w < words; w += spgemm_threads) bits[w] = 0;
            __syncthreads();
            for_each_product(a, b, row, [&](IT column) {
                const int64_t place = static_cast<int64_t>(column) - low;
                if (place < 0 || place >= int64_t{words} * 32) return;
                const unsigned bit = 1u << (place % 32);
                if (!(static_cast<volatile unsigned*>(bits)[place / 32] & bit))
                    atomicOr(bits + place / 32, bit);
            });
            __syncthreads();
            int mine = 0;
            for (int w = 0; w < each; ++w) mine += __popc(bits[threadIdx.x * each + w]);
            int64_t total = 0;
            int64_t place = found + scan_block(mine, &total);
            if (with_columns) {
                const int64_t first = results.offsets[row], length = results.offsets[row + 1] - first;
                for (int w = 0; w < each; ++w)
                    for (unsigned left = bits[threadIdx.x * each + w]; left != 0; left &= left - 1, ++place) {
                        const int64_t column =
                            low + (threadIdx.x * each + w) * int64_t{32} + __ffs(static_cast<int>(left)) - 1;
                        if (place < length)
                            results.columns[first + place] = static_cast<IT>(column + results.base);
                    }
            }
            found += total;
            __syncthreads();
        }
        if (!with_columns && threadIdx.x == 0) results.counts[row] = found;
    }
}

}  // namespace heron::HERON_LEVEL
