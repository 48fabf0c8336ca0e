#pragma once
// Words of the group dialect that only texts with wide stores need.
#include "group_words.cuh"

namespace heron::HERON_LEVEL {

// The compiler may take an assignment of an int4 whose parts were computed alone to pieces, of 4 bytes each.
HERON_FN void store_wide(int4* p, int4 v) {
    asm volatile("st.global.v4.s32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}

}  // namespace heron::HERON_LEVEL
