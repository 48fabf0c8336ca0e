#pragma once
// The words that values consist of where groups hand them over to each other: one or two, each of which is
// written and read as a whole.
#include "common/dialect/dialect_group.hpp"

namespace heron::HERON_LEVEL::plans {

template <class CT>
struct word_of {
    using type = u32;
};
template <>
struct word_of<f64> {
    using type = u64;
};
template <>
struct word_of<c64> {
    using type = u64;
};

}  // namespace heron::HERON_LEVEL::plans
