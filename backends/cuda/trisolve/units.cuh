#pragma once
// How rows are shared out to blocks: in the order in which they are solved or factored, a few neighbours that
// a few lanes each work on, or one long row alone, so that no row stands still for a long one beside it that
// it does not need. ANALYSE lists them if there are long rows.
#include "cuda/runtime/early_launch.cuh"
#include "cuda/runtime/group_words.cuh"
#include <cstdint>

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
    const unsigned* pieces = nullptr;  // which piece of its long row each unit is; NULL: all of it

    static constexpr unsigned long_bit = 1u << 31;

    // Of all rows. What is asked for a unit is that of this.
    __device__ unit_summary known() const { return summary ? *summary : unit_summary{}; }
    // Of n rows, if `rows` short ones make a unit.
    static __device__ int count(const unit_summary& known, int n, int rows) {
        return known.has_long ? static_cast<int>(known.count) : (n + rows - 1) / rows;
    }
    __device__ row_unit at(const unit_summary& known, int number, int n, int rows) const {
        if (!known.has_long) return {number * rows, min(number * rows + rows, n), false};
        const unsigned start = starts[number];
        return {static_cast<int>(start & ~long_bit), static_cast<int>(starts[number + 1] & ~long_bit),
                (start & long_bit) != 0};
    }
    // Of a unit that is listed.
    __device__ unsigned piece(int number) const { return pieces ? pieces[number] : 0u; }
};

// A long row that one unit has all of.
struct whole_rows {
    __device__ unsigned operator()(unsigned) const { return 1; }
};

// Which rows have more than `longest_shared` elements, a bit for each place of the order; length(place) says
// how many there are. Units are listed if one has more than `longest_unlisted`.
template <class Length>
static __global__ void mark_long_rows(Length length, int n, unsigned longest_shared,
                                      unsigned longest_unlisted, unsigned* marks, unit_summary* summary) {
    const int place = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const unsigned own = place < n ? length(place) : 0u;
    const unsigned mark = __ballot_sync(all_lanes, own > longest_shared);
    const bool has_long = __any_sync(all_lanes, own > longest_unlisted) != 0;
    if (threadIdx.x % warp_size != 0 || place >= n) return;
    marks[place / warp_size] = mark;
    if (has_long) summary->has_long = 1;
}

// Calls f(start) for each unit of the places [first, end), of which all but long rows are one.
template <class F>
static __device__ void split_at_long_rows(const unsigned* marks, int first, int end, F&& f) {
    int next = first;
    for (int word = first / warp_size; word * warp_size < end; ++word) {
        unsigned mark = marks[word];
        if (word * warp_size < first) mark &= all_lanes << first % warp_size;
        for (; mark != 0; mark &= mark - 1) {
            const int place = word * warp_size + __ffs(static_cast<int>(mark)) - 1;
            if (place >= end) break;
            if (place > next) f(static_cast<unsigned>(next));
            f(static_cast<unsigned>(place) | row_units::long_bit);
            next = place + 1;
        }
    }
    if (next < end) f(static_cast<unsigned>(next));
}

// Calls f(start) for each unit of the places [first, end), of at most `rows` short rows.
template <class F>
static __device__ void each_unit(const unsigned* marks, int first, int end, int rows, F&& f) {
    for (; first < end; first += rows) split_at_long_rows(marks, first, min(first + rows, end), f);
}

constexpr int listing_threads = 1024;

// One block. At most `rows` short rows make a unit, and the long row at a place pieces_of(place), which
// follow each other. report: of the host's memory, or NULL; which of two words says whether there are long
// rows.
template <class Pieces>
static __global__ void __launch_bounds__(listing_threads)
    list_units(const unsigned* marks, int n, int rows, unsigned* starts, unsigned* pieces, Pieces pieces_of,
               unit_summary* summary, unsigned* report, unsigned long_word, unsigned short_word) {
    __shared__ unsigned parts[listing_threads / warp_size];
    begin_behind_kernel_before();
    if (threadIdx.x == 0 && report)
        *static_cast<volatile unsigned*>(report) = summary->has_long ? long_word : short_word;
    if (!summary->has_long) return;
    const auto units_at = [&](unsigned start) {
        return start & row_units::long_bit ? pieces_of(start & ~row_units::long_bit) : 1u;
    };
    unsigned before = 0;
    const int span = max(rows, warp_size);
    for (int64_t first = 0; first < n; first += int64_t{listing_threads} * span) {
        const int64_t wanted = first + static_cast<int64_t>(threadIdx.x) * span;
        const int own_first = static_cast<int>(min(wanted, int64_t{n}));
        const int own_end = min(own_first + span, n);
        unsigned own = 0;
        each_unit(marks, own_first, own_end, rows, [&](unsigned start) { own += units_at(start); });
        unsigned all = 0;
        unsigned at = before + scan_group<listing_threads>(parts, own, all);
        each_unit(marks, own_first, own_end, rows, [&](unsigned start) {
            const unsigned count = units_at(start);
            for (unsigned piece = 0; piece < count; ++piece, ++at) {
                starts[at] = start;
                if (pieces) pieces[at] = piece;
            }
        });
        before += all;
    }
    if (threadIdx.x != 0) return;
    starts[before] = static_cast<unsigned>(n);
    summary->count = before;
}

}  // namespace heron::HERON_LEVEL
