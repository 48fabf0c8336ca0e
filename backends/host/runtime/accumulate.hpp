#pragma once
// Products that add to places of y in any order (op = T, and COO): every thread adds into an accumulator of
// its own, and one pass adds the accumulators up in a fixed order. No atomic operations, and the same bits on
// every run.
#include "most_threads.hpp"

namespace heron::HERON_LEVEL {

// A thread's own y of compute type. Only the part that the thread touches, [low, high), holds values; on a
// banded matrix the parts of all threads together are hardly longer than y.
template <class CT>
struct accumulator {
    CT* values;
    int64_t low, high;
    bool is_whole = false;  // covers all that can be touched

    void cover_all(int64_t n) {
        clear(0, n);
        low = 0;
        high = n;
        is_whole = true;
    }

    // Makes [from, to) part of what holds values; new places are zero.
    void cover(int64_t from, int64_t to) {
        if (low == high) {
            low = high = from;
        }
        if (from < low) {
            clear(from, low);
            low = from;
        }
        if (to > high) {
            clear(high, to);
            high = to;
        }
    }

  private:
    void clear(int64_t from, int64_t to) {
        __builtin_memset(static_cast<void*>(values + from), 0, static_cast<size_t>(to - from) * sizeof(CT));
    }
};

// Where a product adds alone, straight into y, and nothing needs to be covered.
template <class CT>
struct whole_vector {
    CT* values;
};

template <class IT>
struct unsigned_index;
template <>
struct unsigned_index<i32> {
    using value = uint32_t;
};
template <>
struct unsigned_index<i64> {
    using value = uint64_t;
};

// Smallest and largest of count > 0 indices; a negative one (padding) is ignored. {0, 0} if there is nothing
// else.
template <class IT>
range hull_of(const IT* indices, int64_t count, int64_t base) {
    using bits_type = typename unsigned_index<IT>::value;
    // As unsigned, padding is larger than any index.
    bits_type low = ~bits_type{};
    IT high = -1;
    for (int64_t k = 0; k < count; ++k) {
        const IT index = indices[k];
        const auto bits = static_cast<bits_type>(index);
        low = bits < low ? bits : low;
        high = index > high ? index : high;
    }
    if (high < 0) return {0, 0};
    return {static_cast<int64_t>(low) - base, static_cast<int64_t>(high) + 1 - base};
}

// Number of accumulators for a product that adds nnz elements into a y of n, and so its largest useful team.
// It depends on nothing that can change between the query of the workspace and the run. Accumulators cost
// traffic of their own, so a matrix with few elements per place of y gets few, and one with less than an
// eighth of one gets none.
inline int accumulator_count(int64_t nnz, int64_t n) {
    if (nnz < smallest_parallel_work || 8 * nnz < n) return 1;
    const int64_t useful = 4 + nnz / (2 * (n > 0 ? n : 1));
    return useful < most_threads() ? static_cast<int>(useful) : most_threads();
}

// Whether clearing and adding up whole accumulators costs less than to look where elements go first: six
// elements are looked at in the time of a place that is cleared, read and added up.
inline bool covers_all(int64_t nnz, int64_t n, int adders) { return nnz >= 6 * n * adders; }

// y := sum of accumulators + beta*y on [begin, end), in the accumulators' order.
template <class VY, class CT>
void add_up(const accumulator<CT>* accumulators, int count, range part, VY* y, CT beta) {
    constexpr int64_t block = 512;
    CT sums[block];
    for (int64_t begin = part.begin; begin < part.end; begin += block) {
        const int64_t end = begin + block < part.end ? begin + block : part.end;
        for (int64_t i = begin; i < end; ++i) sums[i - begin] = CT{};
        for (const accumulator<CT>* from = accumulators; from != accumulators + count; ++from) {
            const int64_t low = from->low > begin ? from->low : begin;
            const int64_t high = from->high < end ? from->high : end;
            for (int64_t i = low; i < high; ++i) sums[i - begin] = add(sums[i - begin], from->values[i]);
        }
        if (equal(beta, CT{})) {
            for (int64_t i = begin; i < end; ++i) store(y[i], sums[i - begin]);
        } else {
            for (int64_t i = begin; i < end; ++i) store(y[i], mad(beta, load<CT>(y[i]), sums[i - begin]));
        }
    }
}

// y := beta*y; beta = 0 does not read y.
template <class VY, class CT>
void scale_part(range part, VY* y, CT beta) {
    if (equal(beta, one<CT>())) return;
    if (equal(beta, CT{})) {
        for (int64_t i = part.begin; i < part.end; ++i) store(y[i], CT{});
    } else {
        for (int64_t i = part.begin; i < part.end; ++i) store(y[i], mul(beta, load<CT>(y[i])));
    }
}

}  // namespace heron::HERON_LEVEL
