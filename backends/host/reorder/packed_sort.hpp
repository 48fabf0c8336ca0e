#pragma once
// A stable sort of pairs of numbers by one thread: a pair and its place are one word where they fit, whose
// digits are all counted at once.
#include "common/reorder/pair_sort.hpp"

namespace heron::HERON_LEVEL {

// Which numbers occur, and how many bits tell them apart.
struct number_range {
    int32_t least, greatest;

    uint32_t place_of(int32_t number) const {
        return static_cast<uint32_t>(number) - static_cast<uint32_t>(least);
    }
    int32_t at(uint64_t place) const {
        return static_cast<int32_t>(static_cast<uint32_t>(place) + static_cast<uint32_t>(least));
    }
    int bits() const { return least == greatest ? 0 : 32 - __builtin_clz(place_of(greatest)); }
};

class packed_sort {
  public:
    packed_sort(const plans::pair_arrays& pairs, int64_t n) : pairs_(pairs), n_(n) {
        const int32_t* const major = pairs.major;
        const int32_t* const minor = pairs.minor;
        major_ = {major[0], major[0]};
        minor_ = {minor[0], minor[0]};
        // Without branches, so that these are loops of vectors.
        int32_t descents = 0;
        for (int64_t k = 1; k < n; ++k)
            descents |= (major[k] < major[k - 1]) | ((major[k] == major[k - 1]) & (minor[k] < minor[k - 1]));
        is_sorted_ = !descents;
        if (is_sorted_) return;
        measure(major, n, major_);
        measure(minor, n, minor_);
        minor_bits_ = minor_.bits();
        key_bits_ = major_.bits() + minor_bits_;
        place_bits_ = number_range{0, static_cast<int32_t>(n - 1)}.bits();
    }

    bool fits() const { return key_bits_ + place_bits_ <= 64; }

    // With memory for n words each.
    void run(uint64_t* words, uint64_t* others) const {
        if (is_sorted_) return;
        if (n_ <= few) return insert_all(words, others);
        // More digits than that have their counts in the first-level cache too, but take long to add up.
        const int most = n_ < many ? 8 : most_bits;
        const int passes = (key_bits_ + most - 1) / most;
        switch (passes) {
            case 1: return pass_all<1>(words, others);
            case 2: return pass_all<2>(words, others);
            case 3: return pass_all<3>(words, others);
            case 4: return pass_all<4>(words, others);
            case 5: return pass_all<5>(words, others);
            case 6: return pass_all<6>(words, others);
            default: return pass_all<most_passes>(words, others);
        }
    }

  private:
    static constexpr int64_t few = 24, many = 8192;
    static constexpr int most_bits = 11, most_passes = 8;

    static void measure(const int32_t* numbers, int64_t n, number_range& range) {
        int32_t least = range.least, greatest = range.greatest;
        for (int64_t k = 0; k < n; ++k) {
            least = numbers[k] < least ? numbers[k] : least;
            greatest = numbers[k] > greatest ? numbers[k] : greatest;
        }
        range = {least, greatest};
    }

    uint64_t word_of(int64_t k) const {
        const uint64_t major = major_.place_of(pairs_.major[k]), minor = minor_.place_of(pairs_.minor[k]);
        return (major << minor_bits_ | minor) << place_bits_ | static_cast<uint64_t>(k);
    }

    // A pair from its word.
    void put(int64_t to, uint64_t word, const int32_t* permutation) const {
        const uint64_t minor_mask = (uint64_t{1} << minor_bits_) - 1;
        const uint64_t place_mask = (uint64_t{1} << place_bits_) - 1;
        const uint64_t key = word >> place_bits_;
        pairs_.major[to] = major_.at(key >> minor_bits_);
        pairs_.minor[to] = minor_.at(key & minor_mask);
        if (permutation) pairs_.permutation[to] = permutation[word & place_mask];
    }

    // Of all pairs as it was, in memory for n numbers.
    const int32_t* copied_permutation(uint64_t* memory) const {
        if (!pairs_.permutation) return nullptr;
        __builtin_memcpy(memory, pairs_.permutation, static_cast<size_t>(n_) * sizeof(int32_t));
        return reinterpret_cast<const int32_t*>(memory);
    }

    void insert_all(uint64_t* words, uint64_t* others) const {
        for (int64_t k = 0; k < n_; ++k) {
            const uint64_t word = word_of(k);
            int64_t to = k;
            for (; to > 0 && words[to - 1] > word; --to) words[to] = words[to - 1];
            words[to] = word;
        }
        const int32_t* const permutation = copied_permutation(others);
        for (int64_t k = 0; k < n_; ++k) put(k, words[k], permutation);
    }

    template <int passes>
    void pass_all(uint64_t* from, uint64_t* to) const {
        const int bits = (key_bits_ + passes - 1) / passes;
        const uint64_t mask = (uint64_t{1} << bits) - 1;
        uint32_t places[passes][1 << most_bits];
        for (int pass = 0; pass < passes; ++pass)
            __builtin_memset(places[pass], 0, static_cast<size_t>(mask + 1) * sizeof(uint32_t));
        for (int64_t k = 0; k < n_; ++k) {
            const uint64_t word = word_of(k);
            from[k] = word;
            for (int pass = 0; pass < passes; ++pass)
                ++places[pass][word >> (place_bits_ + pass * bits) & mask];
        }
        for (int pass = 0; pass < passes; ++pass) {
            uint32_t before = 0;
            for (uint64_t digit = 0; digit <= mask; ++digit) {
                const uint32_t count = places[pass][digit];
                places[pass][digit] = before;
                before += count;
            }
        }
        for (int pass = 0; pass + 1 < passes; ++pass) {
            const int shift = place_bits_ + pass * bits;
            for (int64_t k = 0; k < n_; ++k) to[places[pass][from[k] >> shift & mask]++] = from[k];
            uint64_t* const sorted = to;
            to = from;
            from = sorted;
        }
        const int32_t* const permutation = copied_permutation(to);
        const int shift = place_bits_ + (passes - 1) * bits;
        for (int64_t k = 0; k < n_; ++k)
            put(places[passes - 1][from[k] >> shift & mask]++, from[k], permutation);
    }

    plans::pair_arrays pairs_;
    int64_t n_;
    number_range major_, minor_;
    bool is_sorted_;
    int place_bits_ = 0, minor_bits_ = 0, key_bits_ = 0;
};

}  // namespace heron::HERON_LEVEL
