#pragma once
// Dense vectors on the CPU, in blocks that follow each other in memory. A vector that does so already is
// worked on where it is; of others, and of those stored in fewer bits, a block is copied to where the
// first-level cache has it.
#include "common/blas1/sums.hpp"
#include "host/runtime/lanes.hpp"
#include "host/runtime/team.hpp"

namespace heron::HERON_LEVEL {

inline constexpr int64_t vector_block = 512;

template <class VT, class CT>
class vector_blocks {
  public:
    explicit vector_blocks(const heron_vector_operand& v)
        : first_(as<VT>(v.memory) + v.offset), inc_(v.inc) {}

    // Elements begin ... begin + count - 1, as compute types.
    CT* load(int64_t begin, int64_t count) {
        if constexpr (is_same)
            if (inc_ == 1) return first_ + begin;
        for (int64_t i = 0; i < count; ++i)
            buffer_[i] = heron::HERON_LEVEL::load<CT>(first_[(begin + i) * inc_]);
        return buffer_;
    }

    // Puts what was loaded back.
    void store(int64_t begin, int64_t count) {
        if constexpr (is_same)
            if (inc_ == 1) return;
        for (int64_t i = 0; i < count; ++i) heron::HERON_LEVEL::store(first_[(begin + i) * inc_], buffer_[i]);
    }

    // For values alone.
    const CT* read(int64_t begin, int64_t count) { return load(begin, count); }

    // Elements that may be loaded at a time: of what is not copied any number.
    int64_t longest() const { return is_same && inc_ == 1 ? INT64_MAX : vector_block; }

  private:
    static constexpr bool is_same = std::is_same_v<VT, CT>;

    VT* first_;
    int64_t inc_;
    alignas(64) CT buffer_[vector_block];
};

// Whether nothing of a vector has to be copied, so that it is one block: most are so, and do without the
// stack that blocks take.
template <class VT, class CT>
bool is_in_place(const heron_vector_operand& v) {
    return std::is_same_v<VT, CT> && v.inc == 1;
}
template <class CT>
CT* in_place(const heron_vector_operand& v, range part) {
    return as<CT>(v.memory) + v.offset + part.begin;
}

// Part number `part` of [0, n), which begins at a whole cache line of an array that does: vectors do not lie
// across two.
inline range aligned_part(int64_t n, int part, int parts) {
    constexpr int64_t line = 64;
    const range exact = equal_part(n, part, parts);
    return {exact.begin / line * line, part + 1 == parts ? n : exact.end / line * line};
}

// Calls f(begin, count) for the blocks of a range.
template <class F>
void for_blocks(range part, int64_t longest, const F& f) {
    for (int64_t begin = part.begin; begin < part.end;) {
        const int64_t count = part.end - begin < longest ? part.end - begin : longest;
        f(begin, count);
        begin += count;
    }
}
template <class X, class F>
void for_blocks_of(range part, const X& x, const F& f) {
    for_blocks(part, x.longest(), f);
}
template <class X, class Y, class F>
void for_blocks_of(range part, const X& x, const Y& y, const F& f) {
    for_blocks(part, x.longest() < y.longest() ? x.longest() : y.longest(), f);
}

}  // namespace heron::HERON_LEVEL
