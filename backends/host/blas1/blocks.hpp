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

  private:
    static constexpr bool is_same = std::is_same_v<VT, CT>;

    VT* first_;
    int64_t inc_;
    alignas(64) CT buffer_[vector_block];
};

// Calls f(begin, count) for the blocks of a range.
template <class F>
void for_blocks(range part, const F& f) {
    for (int64_t begin = part.begin; begin < part.end; begin += vector_block)
        f(begin, part.end - begin < vector_block ? part.end - begin : vector_block);
}

}  // namespace heron::HERON_LEVEL
