#pragma once
// Vectors of any increment, and what becomes of sums.
#include "common/blas2/plan.hpp"
#include "host/blas1/blocks.hpp"

namespace heron::HERON_LEVEL {

// Nothing, for which there need be no workspace, or so many elements of it.
template <class CT>
CT* some_of(workspace_layout& layout, int64_t count) {
    return count > 0 ? layout.take<CT>(count) : nullptr;
}

// A vector without gaps: where it is, or a copy, conjugated or not, in `memory`.
template <class CT>
bool lies_apart(const heron_vector_operand& v, bool conjugates) {
    return v.inc != 1 || conjugates;
}
template <class CT>
const CT* without_gaps(const heron_vector_operand& v, int64_t n, bool conjugates, CT* memory) {
    const CT* const first = as<const CT>(v.memory) + v.offset;
    if (!lies_apart<CT>(v, conjugates)) return first;
    for (int64_t i = 0; i < n; ++i) memory[i] = conjugates ? conj(first[i * v.inc]) : first[i * v.inc];
    return memory;
}

template <class CT>
CT number_of(const heron_scalar& s) {
    const auto argument = as_argument<CT>(s);
    return argument.device ? *argument.device : argument.value;
}

// y := alpha*sums + beta*y at first, first + 1, ...; beta = 0 does not read it.
template <class CT>
void update(const heron_vector_operand& v, int64_t first, const CT* sums, int64_t count, CT alpha, CT beta) {
    CT* const y = as<CT>(v.memory) + v.offset + first * v.inc;
    const auto run = [&](int64_t inc) {
        if (equal(beta, CT{}))
            for (int64_t i = 0; i < count; ++i) y[i * inc] = mul(alpha, sums[i]);
        else
            for (int64_t i = 0; i < count; ++i) y[i * inc] = mad(beta, y[i * inc], mul(alpha, sums[i]));
    };
    // A loop of its own, which becomes one of vectors.
    v.inc == 1 ? run(1) : run(v.inc);
}

// y := beta*y.
template <class CT>
void scale(const heron_vector_operand& y, int64_t n, CT beta) {
    for (int64_t i = 0; i < n; ++i) {
        const CT zero{};
        update(y, i, &zero, 1, zero, beta);
    }
}

}  // namespace heron::HERON_LEVEL
