#pragma once
// What recorded operands have to be.
#include "catch.hpp"
#include <heron/args.h>

namespace heron::test {

inline void check_dense(const heron_dnmat& m, int64_t rows, int64_t cols, heron_order order, int64_t ld,
                        const void* data) {
    CHECK(m.rows == rows);
    CHECK(m.cols == cols);
    CHECK(m.order == order);
    CHECK(m.ld == ld);
    CHECK(m.values == data);
    CHECK(m.batch_count == 1);
}

}  // namespace heron::test
