#pragma once
// How rows are shared out to blocks: in the order in which they are factored, a few neighbours that a few
// lanes each factor, or one long row alone, so that no row stands still for a long one beside it that it does
// not need. ANALYSE lists them if there are long rows.
#include "rows.cuh"

namespace heron::HERON_LEVEL {

struct row_unit {
    int first, end;  // places in the order
    bool is_long;
};

// What the device knows of the units. Zeros before they are listed.
struct unit_summary {
    unsigned has_long;
    unsigned count;  // of those that are listed
};

struct row_units {
    const unit_summary* summary;  // NULL: all rows are short
    const unsigned* starts;       // the first place of each unit, and n; with long_bit if it is a long row's

    static constexpr unsigned long_bit = 1u << 31;

    // Of n rows, if `rows` short ones make a unit.
    __device__ int count(int n, int rows) const {
        return is_listed() ? static_cast<int>(summary->count) : (n + rows - 1) / rows;
    }
    __device__ row_unit at(int number, int n, int rows) const {
        if (!is_listed()) return {number * rows, min(number * rows + rows, n), false};
        const unsigned start = starts[number];
        return {static_cast<int>(start & ~long_bit), static_cast<int>(starts[number + 1] & ~long_bit),
                (start & long_bit) != 0};
    }

  private:
    __device__ bool is_listed() const { return summary && summary->has_long; }
};

// Which rows have more than `longest` elements, a bit for each place of the order.
static __global__ void mark_long_rows(const row_parts* parts, row_order order, int longest, unsigned* marks,
                                      unit_summary* summary) {
    const int place = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    bool is_long = false;
    if (place < order.n) {
        const row_parts row = load_parts(parts + (order.is_ordered() ? order.records[place].row : place));
        is_long = row.end - row.begin > longest;
    }
    const unsigned mark = __ballot_sync(all_lanes, is_long);
    if (threadIdx.x % warp_size != 0 || place >= order.n) return;
    marks[place / warp_size] = mark;
    if (mark != 0) summary->has_long = 1;
}

// Calls f(start) for each unit of the 32 places from `first` on.
template <class F>
static __device__ void each_unit(unsigned marks, int first, int n, int rows, F&& f) {
    for (int group = first; group < min(first + warp_size, n); group += rows) {
        bool follows_long = true;
        for (int place = group; place < min(group + rows, n); ++place) {
            const bool is_long = (marks >> (place - first) & 1u) != 0;
            if (is_long || follows_long)
                f(static_cast<unsigned>(place) | (is_long ? row_units::long_bit : 0u));
            follows_long = is_long;
        }
    }
}

constexpr int listing_threads = 1024;

// One block. report: of the host's memory, or NULL; which of two words says whether there are long rows.
static __global__ void __launch_bounds__(listing_threads)
    list_units(const unsigned* marks, int n, int rows, unsigned* starts, unit_summary* summary,
               unsigned* report, unsigned long_word, unsigned short_word) {
    __shared__ unsigned parts[listing_threads / warp_size];
    if (threadIdx.x == 0 && report)
        *static_cast<volatile unsigned*>(report) = summary->has_long ? long_word : short_word;
    if (!summary->has_long) return;
    unsigned before = 0;
    for (int first = 0; first < n; first += listing_threads * warp_size) {
        const int own_first = first + static_cast<int>(threadIdx.x) * warp_size;
        const unsigned own_marks = own_first < n ? marks[own_first / warp_size] : 0u;
        unsigned own = 0;
        each_unit(own_marks, own_first, n, rows, [&](unsigned) { ++own; });
        unsigned all = 0;
        unsigned at = before + scan_group<listing_threads>(parts, own, all);
        each_unit(own_marks, own_first, n, rows, [&](unsigned start) { starts[at++] = start; });
        before += all;
    }
    if (threadIdx.x != 0) return;
    starts[before] = static_cast<unsigned>(n);
    summary->count = before;
}

}  // namespace heron::HERON_LEVEL
