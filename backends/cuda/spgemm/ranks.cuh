#pragma once
// Rows of few products: see common/spgemm/ranks.h for those of up to 256. Of more products a hash table finds
// the columns, and the sorting network brings these in order.
#include "cuda/runtime/group_words.cuh"

#include "common/spgemm/ranks.hpp"
#include "values.cuh"

namespace heron::HERON_LEVEL {

constexpr int ranked_threads = 128;

// Rows by their products: ranked bin b holds those with at most limit(b), which have limit(b) bytes each for
// their ranks; the next one those that a hash table in shared memory counts, then the others, and heavy rows.
struct rank_space {
    static constexpr int ranked = 6;
    static constexpr int sorted = 4;  // of these, those whose rows are sorted, not looked up
    static constexpr int heavy = ranked + 2;
    static constexpr int most_products = 32 << (ranked - 1);
    static __host__ __device__ constexpr int limit(int bin) { return 32 << bin; }

    __device__ uint8_t* ranks_of(int bin) const {
        uint8_t* first = ranks;
        for (int b = 0; b < bin; ++b) first += static_cast<int64_t>(bins.sizes[b]) * limit(b);
        return first;
    }
    __host__ __device__ row_list rows_of(int bin) const { return {bins.sizes, bins.lists, bin}; }
    __host__ __device__ row_list rest() const { return {too_many_size, too_many, 0}; }

    row_bins bins;
    int* unordered;      // whether a row of B does not ascend
    int* too_many_size;  // rows of ranked bins that have more ranks than a byte holds
    int* too_many;
    uint8_t* ranks;
};

// The bins of a rank_space. `most`: what a row of C can have.
struct rank_rule {
    __device__ int operator()(int64_t row) const {
        const int64_t n = products[row];
        if (n == 0) return -1;
        for (int bin = 0; bin < rank_space::ranked; ++bin)
            if (n <= rank_space::limit(bin)) return bin;
        if (n > light) return rank_space::heavy;
        return (n < most ? n : most) <= hash_limit ? rank_space::ranked : rank_space::ranked + 1;
    }
    const int64_t* products;
    int64_t most, hash_limit, light;
};

// Rows of C by their lengths; of products that have ranks only the others, and with `products` those of more
// than `light` apart.
struct length_rule {
    static constexpr int heavy = length_limits::bins;
    __device__ int operator()(int64_t row) const {
        const int64_t length = offsets[row + 1] - offsets[row];
        if (has_ranks && products[row] <= rank_space::most_products && length <= most_ranks) return -1;
        return products && products[row] > light && length > 0 ? heavy : limits.bin_of(length);
    }
    const int64_t* offsets;
    const int64_t* products;
    length_limits limits;
    int64_t light;
    bool has_ranks;
};

// ---- the walk over a row's products ----

// Tells if neighbouring lanes have columns that do not ascend.
template <class IT>
static __device__ inline bool descends(bool is_inside, IT column) {
    const IT before = from_lane_below(column, 1);
    return is_inside && threadIdx.x % warp_size > 0 && before >= column;
}

// The products of a row of A, by a warp, a row of B at a time, or several that are short. For each lane it
// calls add(is_inside, index, number, descends) with an element of B, the number of the product in its row,
// and whether the element before it in B's row has no smaller column, several loads after it was read.
template <class OT, class IT>
class product_walk {
  public:
    __device__ product_walk(const row_pattern<OT, IT>& a, const row_pattern<OT, IT>& b) : a_(a), b_(b) {}

    template <class Add>
    __device__ void run(int64_t row, Add&& add) const {
        const int64_t end = a_.begin(row + 1);
        int passed = 0;
        for (int64_t k = a_.begin(row); k < end; k += warp_size) {
            OT first = 0;
            int length = 0;
            if (k + lane() < end) {
                const int64_t inner = a_.column(k + lane());
                first = static_cast<OT>(b_.begin(inner));
                length = static_cast<int>(b_.begin(inner + 1) - b_.begin(inner));
            }
            const int count = end - k < warp_size ? static_cast<int>(end - k) : warp_size;
            const joined_rows<OT> rows(first, length);
            passed =
                rows.are_short(count) ? join(rows, passed, add) : take(first, length, count, passed, add);
        }
    }

  private:
    static __device__ int lane() { return static_cast<int>(threadIdx.x) % warp_size; }

    // Both return what is passed then.
    template <class Add>
    __device__ int join(const joined_rows<OT>& rows, int passed, Add&& add) const {
        constexpr int ahead = 2;
        for (int done = 0; done < rows.size(); done += ahead * warp_size) {
            IT indices[ahead], before[ahead];
            bool follows[ahead];
#pragma unroll
            for (int u = 0; u < ahead; ++u) {
                const int number = min(done + u * warp_size + lane(), rows.size() - 1);
                const int row = rows.row_of(number);
                const OT place = rows.place_of(number, row);
                follows[u] = number > rows.first_of(row);
                indices[u] = b_.indices[place];
                before[u] = b_.indices[follows[u] ? place - 1 : place];
            }
#pragma unroll
            for (int u = 0; u < ahead; ++u) {
                const int number = done + u * warp_size + lane();
                const bool is_inside = number < rows.size();
                add(is_inside, indices[u], passed + number,
                    is_inside && follows[u] && before[u] >= indices[u]);
            }
        }
        return passed + rows.size();
    }

    template <class Add>
    __device__ int take(OT first_of_lane, int length_of_lane, int count, int passed, Add&& add) const {
        constexpr int ahead = 4;
        for (int t = 0; t < count; t += ahead) {
            OT first[ahead];
            int length[ahead], number[ahead];
            IT indices[ahead];
#pragma unroll
            for (int u = 0; u < ahead; ++u) {
                first[u] = value_of_lane(first_of_lane, t + u);
                length[u] = value_of_lane(length_of_lane, t + u);
                number[u] = passed;
                passed += length[u];
                indices[u] = b_.indices[lane() < length[u] ? first[u] + lane() : 0];
            }
#pragma unroll
            for (int u = 0; u < ahead; ++u) {
                const bool is_inside = lane() < length[u];
                add(is_inside, indices[u], number[u] + lane(), descends(is_inside, indices[u]));
                for (int done = warp_size; done < length[u]; done += warp_size) {
                    const int l = done + lane();
                    const IT index = b_.indices[l < length[u] ? first[u] + l : 0];
                    add(l < length[u], index, number[u] + l, descends(l < length[u], index));
                }
            }
        }
        return passed;
    }

    const row_pattern<OT, IT>& a_;
    const row_pattern<OT, IT>& b_;
};

// ---- rows whose columns a table finds ----

// Shared memory of a group for the ranks of a row of a bin. K: a column and, in its last byte, a number.
template <class K, class IT>
struct rank_memory {
    static __host__ __device__ int unique(int limit) { return limit < most_ranks ? limit : most_ranks; }
    static __host__ __device__ int places(int limit) {
        return limit <= most_ranks / 2 ? 2 * limit : 2 * most_ranks;
    }
    static __host__ __device__ size_t bytes(int limit) {
        return unique(limit) * sizeof(K) + places(limit) * (sizeof(IT) + 1) + limit;
    }

    __device__ rank_memory(char* memory, int limit)
        : columns(reinterpret_cast<K*>(memory)),
          keys(reinterpret_cast<IT*>(columns + unique(limit))),
          number_at(reinterpret_cast<uint8_t*>(keys + places(limit))),
          numbers(number_at + places(limit)) {}

    K* columns;          // with their numbers, in the order of these
    IT* keys;            // a hash table of columns
    uint8_t* number_at;  // the number of the column at a place; later the rank of a number
    uint8_t* numbers;    // of the products
};

// memory.number_at[number] := rank for all numbers below `found`
template <int lanes, int each, class K, class IT>
static __device__ inline void find_ranks(const rank_memory<K, IT>& memory, int found, int lane) {
    K x[each];
#pragma unroll
    for (int i = 0; i < each; ++i) {
        const int at = i * lanes + lane;
        x[i] = at < found ? memory.columns[at] : ~K{0};
    }
    kernels::spgemm_ranks<i32, i32, K, ranked_threads, lanes, each>::sort_keys(x, lane, {});
#pragma unroll
    for (int i = 0; i < each; ++i)
        if (lane * each + i < found)
            memory.number_at[x[i] & K{most_ranks - 1}] = static_cast<uint8_t>(lane * each + i);
}

// The same with the network that fits the longest row of the warp.
template <int lanes, int each, int most, class K, class IT>
static __device__ inline void find_ranks_of(const rank_memory<K, IT>& memory, int longest, int found,
                                            int lane) {
    if constexpr (each < most) {
        if (longest > lanes * each) return find_ranks_of<lanes, 2 * each, most>(memory, longest, found, lane);
    }
    find_ranks<lanes, each>(memory, found, lane);
}

// A power of two that holds n keys with room for short searches.
static __device__ inline int ranked_places(int n, int most) {
    const int places = 1 << (32 - __clz(n + n / 4));
    return places < 16 ? 16 : places < most ? places : most;
}

// counts[row] := length of a row of at most `limit` products, and their ranks, by a warp. A row with too many
// elements is left to others.
template <class K, class OT, class IT>
static __device__ void rank_row(const row_pattern<OT, IT>& a, const row_pattern<OT, IT>& b,
                                const rank_space& space, const rank_memory<K, IT>& memory, int limit,
                                int64_t row, const int64_t* row_products, int64_t* counts, uint8_t* ranks) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int unique = rank_memory<K, IT>::unique(limit);
    const unsigned below = (1u << lane) - 1u;
    const int products = static_cast<int>(row_products[row]);
    const key_table<IT> table{memory.keys, ranked_places(products, rank_memory<K, IT>::places(limit)) - 1};
    table.clear(lane, warp_size);
    __syncwarp();
    int found = 0;
    product_walk<OT, IT>(a, b).run(row, [&](bool is_inside, IT index, int number, bool descends) {
        if (descends) *space.unordered = 1;
        const IT column = static_cast<IT>(index - static_cast<IT>(b.base));
        bool is_new = false;
        int place = -1;
        if (is_inside && found <= unique) place = table.claim(column, is_new);
        __syncwarp();
        const unsigned members = __ballot_sync(all_lanes, is_new);
        if (is_new) {
            const int at = found + __popc(members & below);
            if (at < unique) {
                memory.number_at[place] = static_cast<uint8_t>(at);
                memory.columns[at] = static_cast<K>(column) << rank_bits | static_cast<K>(at);
            }
        }
        found += __popc(members);
        __syncwarp();
        if (place >= 0) memory.numbers[number] = memory.number_at[place];
    });
    __syncwarp();
    if (found > unique) {
        if (lane == 0) space.too_many[atomicAdd(space.too_many_size, 1)] = static_cast<int>(row);
        return;
    }
    find_ranks_of<warp_size, 1, most_ranks / warp_size>(memory, found, found, lane);
    __syncwarp();
    const int last = unique - 1;  // what is behind the products is no number
    const auto* const from = reinterpret_cast<const uchar4*>(memory.numbers);
    auto* const to = reinterpret_cast<uchar4*>(ranks);
    for (int w = lane; 4 * w < products; w += warp_size) {
        const uchar4 of = from[w];
        to[w] = {memory.number_at[of.x & last], memory.number_at[of.y & last], memory.number_at[of.z & last],
                 memory.number_at[of.w & last]};
    }
    if (lane == 0) counts[row] = found;
    __syncwarp();
}

// counts[row] := length of the rows of ranked bins from `first_bin` to `last_bin`, and their ranks, a warp
// each: those of most products first. Rows with too many elements are left to others.
template <class K, class OT, class IT>
__global__ void __launch_bounds__(ranked_threads)
    rank_rows(const __grid_constant__ row_pattern<OT, IT> a, const __grid_constant__ row_pattern<OT, IT> b,
              rank_space space, int first_bin, int last_bin, const int64_t* row_products, int64_t* counts) {
    extern __shared__ int4 shared_quads[];
    const size_t bytes = rank_memory<K, IT>::bytes(rank_space::limit(last_bin));
    char* const memory = reinterpret_cast<char*>(shared_quads) + threadIdx.x / warp_size * bytes;
    const int warps = blockDim.x / warp_size;
    int i = blockIdx.x * warps + threadIdx.x / warp_size;
    for (int bin = last_bin; bin >= first_bin; --bin) {
        const int size = space.bins.sizes[bin], limit = rank_space::limit(bin);
        const int* const rows = space.rows_of(bin).rows();
        uint8_t* const ranks = space.ranks_of(bin);
        for (; i < size; i += gridDim.x * warps)
            rank_row(a, b, space, rank_memory<K, IT>(memory, limit), limit, rows[i], row_products, counts,
                     ranks + static_cast<int64_t>(i) * limit);
        i -= size;
    }
}

}  // namespace heron::HERON_LEVEL
