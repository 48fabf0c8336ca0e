#pragma once
// A set of columns that gives them back in ascending order without sorting them: a bitmap, and the list of
// its words that are not zero. One thread's; empty between rows. Loops work on a copy, which the compiler
// keeps in registers.
#include "host/runtime/team.hpp"

namespace heron::HERON_LEVEL {

class column_set {
  public:
    // Memory for columns below cols, of which a row has at most `longest`; in bytes, and a multiple of 64.
    static int64_t bytes(int64_t cols, int64_t longest) {
        const int64_t bitmaps =
            (words_for(cols) + words_for(words_for(cols))) * static_cast<int64_t>(sizeof(uint64_t));
        const int64_t lists = (touched_limit(cols, longest) + 1) * static_cast<int64_t>(sizeof(int32_t));
        return (bitmaps + lists + 63) / 64 * 64;
    }

    // Word numbers have 32 bits.
    static bool serves(int64_t cols) { return words_for(cols) < INT32_MAX; }

    column_set(void* memory, int64_t cols)
        : words_(static_cast<uint64_t*>(memory)),
          summary_(words_ + words_for(cols)),
          touched_(reinterpret_cast<int32_t*>(summary_ + words_for(words_for(cols)))) {
        __builtin_memset(
            words_, 0, static_cast<size_t>(words_for(cols) + words_for(words_for(cols))) * sizeof(uint64_t));
    }

    void insert(int64_t column) { insert(static_cast<int32_t>(column >> 6), uint64_t{1} << (column & 63)); }

    // The columns 64*word + i for the bits i of the mask.
    void insert(int32_t word, uint64_t mask) {
        const uint64_t old = words_[word];
        touched_[count_] = word;
        count_ += old == 0;
        words_[word] = old | mask;
    }

    // The same of one column; whether it was not there.
    bool insert_new(int64_t column) {
        const uint64_t mask = uint64_t{1} << (column & 63);
        const bool is_new = (words_[column >> 6] & mask) == 0;
        insert(static_cast<int32_t>(column >> 6), mask);
        return is_new;
    }

    // The number of columns; empties the set.
    int64_t drain() {
        int64_t columns = 0;
        for (int64_t t = 0; t < count_; ++t) {
            columns += __builtin_popcountll(words_[touched_[t]]);
            words_[touched_[t]] = 0;
        }
        count_ = 0;
        return columns;
    }

    // Calls f(columns, count) for portions of the columns in ascending order; empties the set.
    template <class F>
    void drain(F&& f) {
        if (count_ == 1) return drain_only_word(f);
        int32_t low = INT32_MAX, high = 0;
        for (int64_t t = 0; t < count_; ++t) {
            low = touched_[t] < low ? touched_[t] : low;
            high = touched_[t] > high ? touched_[t] : high;
        }
        constexpr int64_t sorted_by_insertion = 24;
        const bool sort = count_ <= sorted_by_insertion && (high >> 6) - (low >> 6) > 2 * count_;
        portion p;
        if (count_ > 0 && sort)
            drain_sorted(p, f);
        else if (count_ > 0)
            drain_by_summary(low >> 6, high >> 6, p, f);
        if (p.count > 0) f(p.columns, p.count);
        count_ = 0;
    }

  private:
    // Columns on their way out: a portion that is not full has room for those of one word.
    struct portion {
        static constexpr int64_t full = 64;
        int64_t columns[full + 64];
        int64_t count = 0;
    };

    static int64_t words_for(int64_t bits) { return bits / 64 + 1; }
    static int64_t touched_limit(int64_t cols, int64_t longest) {
        return longest < words_for(cols) ? longest : words_for(cols);
    }

    // Mostly without branches: how many bits a word has is hard to predict (Langdale and Lemire, "Parsing
    // gigabytes of JSON per second", VLDB Journal 28, 2019). Places behind the last column get something too.
    template <class F>
    void drain_word(int64_t word, portion& p, F&& f) {
        uint64_t bits = words_[word];
        words_[word] = 0;
        const int64_t count = __builtin_popcountll(bits);
        int64_t* const to = p.columns + p.count;
        constexpr uint64_t never_zero = uint64_t{1} << 63;
        for (int i = 0; i < 4; ++i, bits &= bits - 1) to[i] = word * 64 + __builtin_ctzll(bits | never_zero);
        for (int64_t i = 4; i < count; ++i, bits &= bits - 1) to[i] = word * 64 + __builtin_ctzll(bits);
        p.count += count;
        if (p.count < portion::full) return;
        f(p.columns, p.count);
        p.count = 0;
    }

    // Of a set that has one word.
    template <class F>
    void drain_only_word(F&& f) {
        const int64_t word = touched_[0];
        int64_t columns[64];
        int64_t count = 0;
        for (uint64_t bits = words_[word]; bits != 0; bits &= bits - 1)
            columns[count++] = word * 64 + __builtin_ctzll(bits);
        words_[word] = 0;
        count_ = 0;
        f(columns, count);
    }

    template <class F>
    void drain_sorted(portion& p, F&& f) {
        for (int64_t t = 1; t < count_; ++t) {
            const int32_t moving = touched_[t];
            int64_t at = t;
            for (; at > 0 && touched_[at - 1] > moving; --at) touched_[at] = touched_[at - 1];
            touched_[at] = moving;
        }
        for (int64_t t = 0; t < count_; ++t) drain_word(touched_[t], p, f);
    }

    // The summary has a bit for every word that is not zero.
    template <class F>
    void drain_by_summary(int64_t low, int64_t high, portion& p, F&& f) {
        for (int64_t t = 0; t < count_; ++t) summary_[touched_[t] >> 6] |= uint64_t{1} << (touched_[t] & 63);
        for (int64_t place = low; place <= high; ++place) {
            for (uint64_t bits = summary_[place]; bits != 0; bits &= bits - 1)
                drain_word(place * 64 + __builtin_ctzll(bits), p, f);
            summary_[place] = 0;
        }
    }

    uint64_t* words_;
    uint64_t* summary_;
    int32_t* touched_;
    int64_t count_ = 0;
};

}  // namespace heron::HERON_LEVEL
