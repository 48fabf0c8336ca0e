#pragma once
// Kernels for the pattern of a sparse product: products per row, bins, lengths and columns of rows, offsets.
#include "rows.cuh"

namespace heron::HERON_LEVEL {

constexpr int spgemm_threads = 256;
constexpr int spgemm_warps = spgemm_threads / warp_size;

// What a block found in its share of the rows, or what all have found.
struct row_facts {
    int64_t sum, longest;
    int64_t sizes;  // as row_sizes of the arguments
};

static __device__ inline int64_t size_bit(int64_t products) {
    return products > 0 ? int64_t{1} << (64 - __clzll(products - 1)) : 0;
}

// The sum and maximum over the block; every thread calls it, and thread 0 gets the result.
static __device__ inline row_facts reduce_block(row_facts f) {
    __shared__ row_facts of_warp[spgemm_warps];
    const auto merge = [](row_facts a, row_facts b) {
        return row_facts{a.sum + b.sum, a.longest > b.longest ? a.longest : b.longest, a.sizes | b.sizes};
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
    __shared__ int64_t of_warp[warp_size];
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const int warps = static_cast<int>(blockDim.x) / warp_size;
    int64_t inclusive = v;
    for (int distance = 1; distance < warp_size; distance *= 2) {
        const int64_t below = from_lane_below(inclusive, distance);
        if (lane >= distance) inclusive += below;
    }
    if (lane == warp_size - 1) of_warp[warp] = inclusive;
    __syncthreads();
    int64_t before = 0, all = 0;
    for (int w = 0; w < warps; ++w) {
        if (w < warp) before += of_warp[w];
        all += of_warp[w];
    }
    __syncthreads();
    *total = all;
    return before + inclusive - v;
}

constexpr int rows_per_share = 8 * spgemm_threads;

static __device__ inline void add_facts(row_facts* to, row_facts f) {
    if (f.sum == 0) return;
    atomicAdd(reinterpret_cast<unsigned long long*>(&to->sum), static_cast<unsigned long long>(f.sum));
    atomicMax(reinterpret_cast<long long*>(&to->longest), static_cast<long long>(f.longest));
    atomicOr(reinterpret_cast<unsigned long long*>(&to->sizes), static_cast<unsigned long long>(f.sizes));
}

// Elements of B that so many elements of A name: every step-th one of [begin, end).
template <class OT, class IT>
static __device__ int64_t products_of(const row_pattern<OT, IT>& a, const OT* b_offsets, int64_t begin,
                                      int64_t end, int step) {
    constexpr int ahead = 4;
    int64_t sum = 0;
    for (int64_t k = begin; k < end; k += ahead * step) {
        IT indices[ahead];
        OT lengths[ahead];
#pragma unroll
        for (int u = 0; u < ahead; ++u) indices[u] = a.indices[k + u * step < end ? k + u * step : k];
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
            const OT* const of = b_offsets + (indices[u] - static_cast<IT>(a.base));
            lengths[u] = of[1] - of[0];
        }
#pragma unroll
        for (int u = 0; u < ahead; ++u) sum += k + u * step < end ? lengths[u] : 0;
    }
    return sum;
}

constexpr int counted_rows = 128;        // of a block
constexpr int most_counted_alone = 512;  // elements of a row that eight lanes count

// products[row], and the facts of all rows, which must be 0 before. Eight lanes take a row of A, and the
// block those that are long.
template <class OT, class IT>
__global__ void __launch_bounds__(spgemm_threads)
    count_row_products(row_pattern<OT, IT> a, const OT* b_offsets, int64_t most, int64_t* products,
                       row_facts* facts) {
    __shared__ int long_rows[counted_rows];
    __shared__ int long_count;
    if (threadIdx.x == 0) long_count = 0;
    __syncthreads();
    const lane_group<8> group;
    const auto sum_of = [&](int64_t begin, int64_t end, int step) {
        return products_of(a, b_offsets, begin, end, step);
    };
    row_facts mine{};
    const auto note = [&](int64_t row, int64_t sum) {
        products[row] = sum;
        mine.sum += sum;
        const int64_t bound = sum < most ? sum : most;
        mine.longest = bound > mine.longest ? bound : mine.longest;
        mine.sizes |= size_bit(sum);
    };
    const int64_t first = static_cast<int64_t>(blockIdx.x) * counted_rows;
    for (int i = threadIdx.x / 8; i < counted_rows; i += spgemm_threads / 8) {
        const int64_t row = first + i;
        const int64_t begin = row < a.rows ? a.begin(row) : 0;
        int64_t end = row < a.rows ? a.begin(row + 1) : 0;
        const bool is_long = end - begin > most_counted_alone;
        if (is_long) {
            if (group.lane == 0) long_rows[atomicAdd(&long_count, 1)] = i;
            end = begin;
        }
        int64_t sum = sum_of(begin + group.lane, end, 8);
        for (int distance = 4; distance > 0; distance /= 2) sum += from_lane_across(sum, distance);
        if (group.lane == 0 && row < a.rows && !is_long) note(row, sum);
    }
    __syncthreads();
    for (int n = 0; n < long_count; ++n) {
        const int64_t row = first + long_rows[n];
        const row_facts f =
            reduce_block({sum_of(a.begin(row) + threadIdx.x, a.begin(row + 1), spgemm_threads), 0, 0});
        if (threadIdx.x == 0) note(row, f.sum);
    }
    mine = reduce_block(mine);
    if (threadIdx.x == 0) add_facts(facts, mine);
}

// Piece number i of so many pieces of [begin, end).
static __device__ inline int64_t piece_begin(int64_t begin, int64_t end, int64_t i, int64_t pieces) {
    return begin + (end - begin) * i / pieces;
}

// products[row] += those of a segment of the row, of which each row has so many: for few and long rows.
template <class OT, class IT>
__global__ void __launch_bounds__(spgemm_threads)
    add_segment_products(row_pattern<OT, IT> a, const OT* b_offsets, int64_t segments, int64_t* products) {
    for (int64_t task = blockIdx.x; task < a.rows * segments; task += gridDim.x) {
        const int64_t row = task / segments, segment = task % segments;
        const int64_t begin = a.begin(row), end = a.begin(row + 1);
        const row_facts f =
            reduce_block({products_of(a, b_offsets, piece_begin(begin, end, segment, segments) + threadIdx.x,
                                      piece_begin(begin, end, segment + 1, segments), spgemm_threads),
                          0, 0});
        if (threadIdx.x == 0 && f.sum > 0)
            atomicAdd(reinterpret_cast<unsigned long long*>(products + row),
                      static_cast<unsigned long long>(f.sum));
    }
}

// The facts of so few rows, by one block. No row counts more than `most` of the longest.
static __global__ void __launch_bounds__(spgemm_threads)
    measure_products(const int64_t* products, int64_t rows, int64_t most, row_facts* facts) {
    row_facts mine{};
    for (int64_t row = threadIdx.x; row < rows; row += spgemm_threads) {
        const int64_t bound = products[row] < most ? products[row] : most;
        mine.sum += products[row];
        mine.longest = bound > mine.longest ? bound : mine.longest;
        mine.sizes |= size_bit(products[row]);
    }
    mine = reduce_block(mine);
    if (threadIdx.x == 0) *facts = mine;
}

// The facts of the block's share of the lengths, for thread 0.
static __device__ inline row_facts facts_of_share(const int64_t* lengths, int64_t rows) {
    row_facts mine{};
    const int64_t first = static_cast<int64_t>(blockIdx.x) * rows_per_share;
    for (int i = threadIdx.x; i < rows_per_share && first + i < rows; i += spgemm_threads) {
        const int64_t length = lengths[first + i];
        mine.sum += length;
        mine.longest = length > mine.longest ? length : mine.longest;
    }
    return reduce_block(mine);
}

static __global__ void __launch_bounds__(spgemm_threads)
    measure_lengths(const int64_t* lengths, int64_t rows, row_facts* facts) {
    const row_facts mine = facts_of_share(lengths, rows);
    if (threadIdx.x == 0) facts[blockIdx.x] = mine;
}

// One block: facts[s].sum becomes what precedes share s; facts[shares] gets the sum and the maximum of all.
static __global__ void scan_facts(row_facts* facts, int64_t shares) {
    int64_t before = 0;
    row_facts longest{};
    for (int64_t first = 0; first < shares; first += spgemm_threads) {
        const int64_t s = first + threadIdx.x;
        const row_facts f = s < shares ? facts[s] : row_facts{};
        longest.longest = f.longest > longest.longest ? f.longest : longest.longest;
        int64_t total = 0;
        const int64_t place = scan_block(f.sum, &total);
        if (s < shares) facts[s].sum = before + place;
        before += total;
    }
    longest = reduce_block(longest);
    if (threadIdx.x == 0) facts[shares] = {before, longest.longest, 0};
}

// The block's share of the lengths into offsets, in place; `before` is the sum of the shares before it.
static __device__ inline void scan_share(int64_t* offsets, int64_t rows, int64_t before) {
    constexpr int each = rows_per_share / spgemm_threads;
    constexpr int padded = each + 1;  // so that threads read their own from different banks
    __shared__ int64_t staged[spgemm_threads * padded];
    const int thread = static_cast<int>(threadIdx.x);
    int64_t* const first = offsets + static_cast<int64_t>(blockIdx.x) * rows_per_share;
    const int64_t left = rows - static_cast<int64_t>(blockIdx.x) * rows_per_share;
#pragma unroll
    for (int i = 0; i < each; ++i) {
        const int at = i * spgemm_threads + thread;
        staged[at / each * padded + at % each] = at < left ? first[at] : 0;
    }
    __syncthreads();
    int64_t* const own = staged + thread * padded;
    int64_t sum = 0;
    for (int i = 0; i < each; ++i) sum += own[i];
    int64_t total = 0;
    int64_t place = before + scan_block(sum, &total);
    for (int i = 0; i < each; ++i) {
        const int64_t length = own[i];
        own[i] = place;
        place += length;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < each; ++i) {
        const int at = i * spgemm_threads + thread;
        if (at < left) first[at] = staged[at / each * padded + at % each];
    }
}

static __global__ void __launch_bounds__(spgemm_threads)
    scan_lengths(int64_t* offsets, int64_t rows, const row_facts* facts, int64_t shares) {
    scan_share(offsets, rows, facts[blockIdx.x].sum);
    if (blockIdx.x == 0 && threadIdx.x == 0) offsets[rows] = facts[shares].sum;
}

// Lengths that are one share: *all gets their facts.
static __global__ void __launch_bounds__(spgemm_threads)
    scan_few_lengths(int64_t* offsets, int64_t rows, row_facts* all) {
    const row_facts facts = facts_of_share(offsets, rows);
    if (threadIdx.x == 0) *all = facts;
    scan_share(offsets, rows, 0);
    if (threadIdx.x == 0) offsets[rows] = facts.sum;
}

constexpr int bin_rows_each = 8;  // of a thread
constexpr int bin_rows = bin_rows_each * spgemm_threads;

enum class bin_pass { count, move, alone };

// Adds the block's rows to the sizes of bins, moves them there, or both, if one block has all rows. rule(row)
// is a row's bin or -1. Unless a block is alone, sizes and cursors must be 0 before; if it is, it sets
// zeros[0] and zeros[1], where there are any.
template <bin_pass pass, class Rule>
__global__ void __launch_bounds__(spgemm_threads)
    sort_into_bins(Rule rule, int64_t rows, row_bins to, int* zeros) {
    __shared__ int counts[row_bins::count], places[row_bins::count];
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < row_bins::count) counts[thread] = 0;
    if (pass == bin_pass::alone && zeros && thread < 2) zeros[thread] = 0;
    __syncthreads();
    const int64_t first = static_cast<int64_t>(blockIdx.x) * bin_rows + thread;
    const int lane = thread % warp_size;
    int bins[bin_rows_each], numbers[bin_rows_each];
#pragma unroll
    for (int i = 0; i < bin_rows_each; ++i) {
        const int64_t row = first + i * spgemm_threads;
        bins[i] = row < rows ? rule(row) : -1;
    }
#pragma unroll
    for (int i = 0; i < bin_rows_each; ++i) {
        const unsigned same = __match_any_sync(all_lanes, bins[i]);
        const int leader = __ffs(static_cast<int>(same)) - 1;
        int number = 0;
        if (lane == leader && bins[i] >= 0) number = atomicAdd(counts + bins[i], __popc(same));
        numbers[i] = __shfl_sync(all_lanes, number, leader) + __popc(same & ((1u << lane) - 1u));
    }
    __syncthreads();
    if (thread < row_bins::count) {
        int before = 0, others = 0;
        if (pass == bin_pass::alone)
            to.sizes[thread] = counts[thread];
        else if (counts[thread] > 0)
            before = atomicAdd((pass == bin_pass::move ? to.cursors : to.sizes) + thread, counts[thread]);
        if (pass != bin_pass::count)
            for (int bin = 0; bin < thread; ++bin)
                others += pass == bin_pass::alone ? counts[bin] : to.sizes[bin];
        places[thread] = before + others;
    }
    if (pass == bin_pass::count) return;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < bin_rows_each; ++i)
        if (bins[i] >= 0)
            to.lists[places[bins[i]] + numbers[i]] = static_cast<int>(first + i * spgemm_threads);
}

// Bins by limits: bin b has the lengths above limit[b - 1] (0 for the first) and at most limit[b]; the last
// has no limit. Length 0 has no bin.
struct length_limits {
    static constexpr int bins = 5;
    __device__ int bin_of(int64_t length) const {
        if (length == 0) return -1;
        int bin = 0;
        while (bin < bins - 1 && length > limit[bin]) ++bin;
        return bin;
    }
    int limit[bins - 1];
};

// Rows by what they can have at most; those of more than `light` products are apart.
struct bound_rule {
    static constexpr int heavy = length_limits::bins;
    __device__ int operator()(int64_t row) const {
        if (products[row] > light) return heavy;
        return limits.bin_of(products[row] < most ? products[row] : most);
    }
    const int64_t* products;
    int64_t most;
    length_limits limits;
    int64_t light;
};

// *unordered += neighbours in a row whose columns do not ascend strictly: those of all elements, less those
// where two rows meet. So long rows cost no more than short ones.
template <class OT, class IT>
__global__ void __launch_bounds__(spgemm_threads)
    count_unordered(row_pattern<OT, IT> p, unsigned long long* unordered) {
    const int64_t begin = p.begin(0), last = p.begin(p.rows) - 1;
    const int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
    const auto descends = [&](int64_t k) { return p.indices[k] >= p.indices[k + 1] ? 1 : 0; };
    int64_t found = 0;
#pragma unroll 4
    for (int64_t k = begin + thread; k < last; k += threads) found += descends(k);
    for (int64_t row = thread; row < p.rows; row += threads) {
        const int64_t first = p.begin(row);
        if (first > begin && first < p.begin(row + 1)) found -= descends(first - 1);
    }
    found = reduce_block({found, 0, 0}).sum;
    if (threadIdx.x == 0 && found != 0) atomicAdd(unordered, static_cast<unsigned long long>(found));
}

// Which elements of A a group of lanes takes: those from its number on, `groups` apart. The groups of a warp
// stay together, the first of them `behind_first` numbers ahead.
struct group_share {
    template <int lanes>
    static __device__ group_share of_block() {
        const int number = static_cast<int>(threadIdx.x) / lanes;
        return {number, static_cast<int>(blockDim.x) / lanes, number % (warp_size / lanes)};
    }

    int number = 0, groups = 1, behind_first = 0;
};

// Calls f(column) for every step-th element of a row of B of so many, whose first one is number `from` of
// all.
template <class OT, class IT, class F>
static __device__ void for_each_column(const row_pattern<OT, IT>& b, OT from, int begin, int length, int step,
                                       F&& f) {
    constexpr int ahead = 4;
    for (int l = begin; l < length; l += ahead * step) {
        IT indices[ahead];
#pragma unroll
        for (int u = 0; u < ahead; ++u)
            indices[u] = b.indices[l + u * step < length ? from + l + u * step : 0];
#pragma unroll
        for (int u = 0; u < ahead; ++u)
            if (l + u * step < length) f(static_cast<IT>(indices[u] - static_cast<IT>(b.base)));
    }
}

// Calls f(column) for all elements of the rows.
template <class OT, class IT, class F>
static __device__ void for_each_joined(const row_pattern<OT, IT>& b, const joined_rows<OT>& rows, F&& f) {
    constexpr int ahead = 2;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    for (int first = 0; first < rows.size(); first += ahead * warp_size) {
        IT indices[ahead];
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
            const int number = min(first + u * warp_size + lane, rows.size() - 1);
            indices[u] = b.indices[rows.place_of(number, rows.row_of(number))];
        }
#pragma unroll
        for (int u = 0; u < ahead; ++u)
            if (first + u * warp_size + lane < rows.size())
                f(static_cast<IT>(indices[u] - static_cast<IT>(b.base)));
    }
}

// The products of a share of elements [begin, end) of A in any order: calls f(column) for each. A lane looks
// up an element of A for each of its group's next turns. Several rows of B are read at a time, and what is
// longer than `most` one after the other. Rows of B of more than `longest_taken` elements are left out.
template <int lanes, class OT, class IT, class F>
static __device__ void for_each_product(const row_pattern<OT, IT>& a, const row_pattern<OT, IT>& b,
                                        int64_t begin, int64_t end, group_share share, F&& f,
                                        int64_t longest_taken = INT32_MAX) {
    constexpr int ahead = 4, most = 4 * lanes;
    const lane_group<lanes> group;
    const int64_t step = static_cast<int64_t>(share.groups) * lanes;
    for (int64_t first = begin + share.number; first - share.behind_first < end; first += step) {
        const int64_t own = first + group.lane * share.groups;
        OT begin_of_lane = 0;
        int length_of_lane = 0;
        if (own < end) {
            const int64_t inner = a.column(own);
            begin_of_lane = static_cast<OT>(b.begin(inner));
            const int64_t length = b.begin(inner + 1) - b.begin(inner);
            length_of_lane = length <= longest_taken ? static_cast<int>(length) : 0;
        }
        if constexpr (lanes == warp_size) {
            const joined_rows<OT> rows(begin_of_lane, length_of_lane);
            if (rows.are_short(__popc(group.ballot(own < end)))) {
                for_each_joined(b, rows, f);
                continue;
            }
        }
        for (int t = 0; t < lanes && first - share.behind_first + t * share.groups < end; t += ahead) {
            OT from[ahead];
            int length[ahead];
            int longest = 0;
#pragma unroll
            for (int u = 0; u < ahead; ++u) {
                from[u] = group.broadcast(begin_of_lane, t + u);
                length[u] = group.broadcast(length_of_lane, t + u);
                longest = max(longest, length[u]);
            }
            for (int l = group.lane; l - group.lane < min(longest, most); l += lanes) {
                IT indices[ahead];
#pragma unroll
                for (int u = 0; u < ahead; ++u) indices[u] = b.indices[l < length[u] ? from[u] + l : 0];
#pragma unroll
                for (int u = 0; u < ahead; ++u)
                    if (l < length[u]) f(static_cast<IT>(indices[u] - static_cast<IT>(b.base)));
            }
            if (longest <= most) continue;
#pragma unroll 1
            for (int u = 0; u < ahead; ++u)
                for_each_column(b, group.broadcast(begin_of_lane, t + u), most + group.lane,
                                group.broadcast(length_of_lane, t + u), lanes, f);
        }
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
    const int size = list.size();
    const int* const rows = list.rows();
    for (int i = blockIdx.x * groups + threadIdx.x / lanes; i < size; i += gridDim.x * groups) {
        const int64_t row = rows[i];
        table.mask = table_places(products[row] < most ? products[row] : most) - 1;
        table.clear(group.lane, lanes);
        group.sync();
        int found = 0;
        for_each_product<lanes>(a, b, a.begin(row), a.begin(row + 1), group_share{}, [&](IT column) {
            bool is_new;
            table.claim(column, is_new);
            found += is_new;
        });
        group.sync();
        found = group.sum(found);
        if (group.lane == 0) counts[row] = found;
    }
}

// ---- longer rows: a block each ----

// The products of a row.
template <class OT, class IT, class F>
static __device__ void for_each_product(const row_pattern<OT, IT>& a, const row_pattern<OT, IT>& b,
                                        int64_t row, F&& f) {
    for_each_product<warp_size>(a, b, a.begin(row), a.begin(row + 1), group_share::of_block<warp_size>(), f);
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
    const int size = list.size();
    const int* const rows = list.rows();
    for (int i = blockIdx.x; i < size; i += gridDim.x) {
        const int64_t row = rows[i];
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
// products. With marks the bitmaps of the list's rows are there already.
template <bool with_columns, class OT, class IT>
__global__ void __launch_bounds__(1024, 1)
    find_rows_by_bitmap(row_pattern<OT, IT> a, row_pattern<OT, IT> b, row_list list, int64_t cols, int words,
                        row_results<IT> results, const unsigned* marks) {
    extern __shared__ int64_t shared[];
    unsigned* const bits = reinterpret_cast<unsigned*>(shared);
    const int each = words / static_cast<int>(blockDim.x);  // a thread reads this many words in a row
    const int size = list.size();
    const int* const rows = list.rows();
    for (int i = blockIdx.x; i < size; i += gridDim.x) {
        const int64_t row = rows[i];
        int64_t found = 0;
        for (int64_t low = 0; low < cols; low += int64_t{words} * 32) {
            for (int w = threadIdx.x; w < words; w += blockDim.x)
                bits[w] = marks ? marks[static_cast<int64_t>(i) * words + w] : 0;
            __syncthreads();
            if (!marks) {
                for_each_product(a, b, row, [&](IT column) {
                    const int64_t place = static_cast<int64_t>(column) - low;
                    if (place < 0 || place >= int64_t{words} * 32) return;
                    const unsigned bit = 1u << (place % 32);
                    if (!(static_cast<volatile unsigned*>(bits)[place / 32] & bit))
                        atomicOr(bits + place / 32, bit);
                });
                __syncthreads();
            }
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
