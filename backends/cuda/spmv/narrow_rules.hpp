#pragma once
// Which matrices get which of the kernels of narrow.cuh, and which kernels there are.
#include "narrow.hpp"
#include <type_traits>

namespace heron::HERON_LEVEL {

// What is tried where rows have that many elements on average, the rows of the table in their order. The
// lanes, which the bits of a sum depend on, are the same for both kinds.
struct narrow_rule {
    heron_type type;
    int64_t least_mean, end_of_means;
    narrow_kind kind;
    narrow_shares shares;

    bool applies(const heron_spmat& a) const {
        const int64_t mean = a.nnz / a.rows;
        return a.type == type && mean >= least_mean && mean < end_of_means;
    }
};

// The best at 5 and 7, 27 and 131 elements in spmv-9 and spmv-11. A class ends at the geometric mean of its
// length and the next; of c32 also where a lane has two pieces of a row, which it loads together (spmv-16).
constexpr narrow_rule narrow_rules[] = {{HERON_R_32F, 4, 14, narrow_kind::bands, {1, 1, 2}},
                                        {HERON_R_32F, 14, 60, narrow_kind::shapes, {4, 2, 2}},
                                        {HERON_R_32F, 14, 60, narrow_kind::bands, {4, 2, 2}},
                                        {HERON_R_32F, 60, 256, narrow_kind::shapes, {8, 2, 1}},
                                        {HERON_R_32F, 60, 256, narrow_kind::bands, {8, 1, 1}},
                                        {HERON_R_64F, 14, 60, narrow_kind::bands, {8, 1, 1}},
                                        {HERON_R_64F, 14, 60, narrow_kind::shapes, {8, 2, 1}},
                                        {HERON_R_64F, 60, 256, narrow_kind::shapes, {8, 1, 1}},
                                        {HERON_R_64F, 60, 256, narrow_kind::bands, {8, 2, 1}},
                                        {HERON_C_32F, 4, 14, narrow_kind::shapes, {1, 1, 2}},
                                        {HERON_C_32F, 4, 14, narrow_kind::bands, {1, 1, 2}},
                                        {HERON_C_32F, 14, 33, narrow_kind::bands, {8, 1, 1}},
                                        {HERON_C_32F, 14, 33, narrow_kind::shapes, {8, 2, 1}},
                                        {HERON_C_32F, 33, 60, narrow_kind::bands, {8, 1, 2}},
                                        {HERON_C_32F, 33, 60, narrow_kind::shapes, {8, 1, 2}},
                                        {HERON_C_32F, 60, 256, narrow_kind::shapes, {8, 1, 1}},
                                        {HERON_C_32F, 60, 256, narrow_kind::bands, {8, 2, 1}},
                                        {HERON_C_64F, 4, 14, narrow_kind::shapes, {1, 1, 1}},
                                        {HERON_C_64F, 4, 14, narrow_kind::bands, {1, 1, 1}},
                                        {HERON_C_64F, 14, 256, narrow_kind::shapes, {8, 1, 1}},
                                        {HERON_C_64F, 14, 256, narrow_kind::bands, {8, 1, 1}}};

template <class CT>
constexpr heron_type narrow_type = std::is_same_v<CT, f32>   ? HERON_R_32F
                                   : std::is_same_v<CT, f64> ? HERON_R_64F
                                   : std::is_same_v<CT, c32> ? HERON_C_32F
                                                             : HERON_C_64F;

// Whether a rule asks for so many bands and pieces.
template <class CT>
constexpr bool has_narrow_rule(narrow_kind kind, int bands, int pieces) {
    for (const narrow_rule& rule : narrow_rules)
        if (rule.type == narrow_type<CT> && rule.kind == kind && rule.shares.bands == bands &&
            rule.shares.pieces == pieces)
            return true;
    return false;
}

}  // namespace heron::HERON_LEVEL
