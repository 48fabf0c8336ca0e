#pragma once
// What the tuned sparse products share: operands, hash tables of column indices in shared memory, and sorting
// there.
//
// Rows are put into bins by their length, or by what bounds it, and each bin has its kernel: groups of lanes,
// warps or blocks per row, with a table that fits (Nagasaka, Nukada and Matsuoka, ICPP 2017; Parger et al.,
// "spECK: accelerating GPU sparse matrix-matrix multiplication through lightweight analysis", PPoPP 2020; Du
// et al., "OpSparse", IEEE Access 10, 2022). The products of an output row are added in the order of A's
// elements: the lanes work on one row of B at a time, whose columns differ. So the sums have the same bits on
// every run.
#include "common/spgemm/plan.hpp"
#include "cuda/runtime/device.cuh"
#include "cuda/runtime/warp.cuh"

namespace heron::HERON_LEVEL {

template <class OT, class IT>
struct row_pattern {
    explicit row_pattern(const heron_spmat& m)
        : offsets(static_cast<const OT*>(m.offsets)),
          indices(static_cast<const IT*>(m.indices)),
          base(m.base),
          rows(m.rows) {}
    __device__ int64_t begin(int64_t row) const { return static_cast<int64_t>(offsets[row]) - base; }
    __device__ IT column(int64_t k) const { return static_cast<IT>(indices[k] - static_cast<IT>(base)); }

    const OT* offsets;
    const IT* indices;
    int64_t base;
    int64_t rows;
};

// Rows sorted into bins, whose lists lie one behind the other.
struct row_bins {
    static constexpr int count = 9;
    int* sizes;    // [count], on the device
    int* cursors;  // [count]
    int* lists;
};

// The rows of one bin.
struct row_list {
    __device__ int size() const { return sizes[bin]; }
    __device__ const int* rows() const {
        const int* first = lists;
        for (int b = 0; b < bin; ++b) first += sizes[b];
        return first;
    }

    const int* sizes;
    const int* lists;
    int bin;
};

// `lanes` neighbouring lanes of a warp that work on one row: 8 or 32.
template <int lanes>
struct lane_group {
    __device__ lane_group()
        : lane(static_cast<int>(threadIdx.x) % lanes),
          first(static_cast<int>(threadIdx.x) % warp_size - lane),
          mask(lanes == warp_size ? all_lanes : ((1u << (lanes % warp_size)) - 1u) << first) {}

    __device__ void sync() const { __syncwarp(mask); }
    // Lanes of the group below this one for which the flag holds, and all of them.
    __device__ unsigned ballot(bool flag) const { return __ballot_sync(mask, flag) >> first; }
    template <class T>
    __device__ T broadcast(T v, int from) const {
        words<T> w = to_words(v);
        for (int& word : w.word) word = __shfl_sync(mask, word, from, lanes);
        return from_words(w);
    }
    __device__ int sum(int v) const {
        for (int distance = lanes / 2; distance > 0; distance /= 2)
            v += __shfl_xor_sync(mask, v, distance, lanes);
        return v;
    }

    int lane;
    int first;  // lane of the warp
    unsigned mask;
};

// The elements of up to 32 rows of B, of which each lane knows one, as one list in the order of the lanes:
// for rows so short that most lanes would have nothing to do if these took one row after the other. All lanes
// of the warp take part in every call.
template <class OT>
class joined_rows {
  public:
    __device__ joined_rows(OT begin, int length) {
        constexpr int too_long = 1024;  // to be joined
        const int own = length < too_long ? length : too_long;
        end_ = own;
        for (int distance = 1; distance < warp_size; distance *= 2) {
            const int below = from_lane_below(end_, distance);
            if (static_cast<int>(threadIdx.x) % warp_size >= distance) end_ += below;
        }
        origin_ = begin - static_cast<OT>(end_ - own);
        size_ = value_of_lane(end_, warp_size - 1);
    }

    __device__ int size() const { return size_; }
    // Of so many rows: whether they are to be joined.
    __device__ bool are_short(int rows) const {
        constexpr int short_row = 8, few = 8;
        return rows > few && size_ <= short_row * rows;
    }
    // The lane of the row that has an element.
    __device__ int row_of(int number) const {
        int row = 0;
#pragma unroll
        for (int half = warp_size / 2; half > 0; half /= 2)
            if (value_of_lane(end_, row + half - 1) <= number) row += half;
        return row;
    }
    // Where in B an element of such a row is, and the number of the row's first one.
    __device__ OT place_of(int number, int row) const {
        return value_of_lane(origin_, row) + static_cast<OT>(number);
    }
    __device__ int first_of(int row) const {
        const int end_before = value_of_lane(end_, row > 0 ? row - 1 : 0);
        return row > 0 ? end_before : 0;
    }

  private:
    OT origin_;  // the place of the row's first element less its number
    int end_;    // the number behind the row's last element
    int size_;
};

// ---- tables ----

static __device__ inline int swap_if_free(int* at, int value) { return atomicCAS(at, -1, value); }
static __device__ inline int64_t swap_if_free(int64_t* at, int64_t value) {
    return static_cast<int64_t>(
        atomicCAS(reinterpret_cast<unsigned long long*>(at), ~0ull, static_cast<unsigned long long>(value)));
}

// Places of a table for n keys, at least twice as many.
static __host__ __device__ inline int table_places(int64_t n) {
    int places = 16;
    while (places < 2 * n) places *= 2;
    return places;
}

// Keys in shared memory, -1 where a place is free. Several threads may use one table at a time.
template <class IT>
struct key_table {
    IT* keys;
    int mask;

    // Threads `thread` of `threads` clear it together; they must synchronise before and after.
    __device__ void clear(int thread, int threads) const {
        for (int place = thread; place <= mask; place += threads) keys[place] = static_cast<IT>(-1);
    }

    // The place of a key, which is taken if it is new; -1 if the table is full.
    __device__ int claim(IT key, bool& is_new) const {
        int place = first_place(key);
        is_new = false;
        for (int tries = 0; tries <= mask; ++tries, place = (place + 1) & mask) {
            IT seen = static_cast<volatile IT*>(keys)[place];
            if (seen == static_cast<IT>(-1)) {
                seen = swap_if_free(keys + place, key);
                is_new = seen == static_cast<IT>(-1);
                if (is_new) return place;
            }
            if (seen == key) return place;
        }
        return -1;
    }

    // The place of a key, -1 if it is not there.
    __device__ int find(IT key) const {
        int place = first_place(key);
        for (int tries = 0; tries <= mask; ++tries, place = (place + 1) & mask) {
            const IT seen = static_cast<volatile IT*>(keys)[place];
            if (seen == key) return place;
            if (seen == static_cast<IT>(-1)) return -1;
        }
        return -1;
    }

  private:
    __device__ int first_place(IT key) const {
        return static_cast<int>(static_cast<unsigned>(key) * 2654435761u >> 7) & mask;
    }
};

// Sorts x[0, n) in shared memory; x has room for the next power of two. Bitonic sort (Batcher, AFIPS 1968).
// All threads call it, and sync() makes them wait for each other.
template <class IT, class Sync>
static __device__ void sort_shared(IT* x, int n, int thread, int threads, Sync&& sync) {
    constexpr IT last = sizeof(IT) == 4 ? static_cast<IT>(INT32_MAX) : static_cast<IT>(INT64_MAX);
    int padded = 2;
    while (padded < n) padded *= 2;
    for (int i = n + thread; i < padded; i += threads) x[i] = last;
    sync();
    for (int size = 2; size <= padded; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            for (int i = thread; i < padded / 2; i += threads) {
                const int low = 2 * i - (i & (stride - 1));
                const IT a = x[low], b = x[low + stride];
                const bool ascending = (low & size) == 0;
                if ((a > b) == ascending) {
                    x[low] = b;
                    x[low + stride] = a;
                }
            }
            sync();
        }
}

// First of [low, high) whose column is at least `column`; the columns ascend.
template <class OT, class IT>
static __device__ int64_t lower_bound(const row_pattern<OT, IT>& p, int64_t low, int64_t high,
                                      int64_t column) {
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (static_cast<int64_t>(p.column(middle)) < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

}  // namespace heron::HERON_LEVEL
