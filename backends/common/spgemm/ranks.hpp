#pragma once
// What the plans for rows of few products share, whose products have ranks (ranks.h).
#include "common/dialect/dialect_group.hpp"
#include "plan.hpp"
#include <algorithm>

namespace heron::HERON_LEVEL {

namespace kernels {
#include "ranked_rows.h"
#include "ranks.h"
}  // namespace kernels

inline constexpr kernel_family spgemm_ranking{"spgemm_ranks", "OT IT KEY GROUP LANES EACH"};
inline constexpr kernel_family spgemm_ranked_product{"spgemm_ranked_rows", "CT OT IT GROUP LANES"};

constexpr int most_ranks = 256;  // of a row, so that one fits a byte
constexpr int rank_bits = 8;     // of a number beside a column

// Ranked bin b has the rows of at most so many products, which have so many bytes each for their ranks.
constexpr int rank_limit(int bin) { return 32 << bin; }

// Local memory of a team that multiplies rows of a bin. Teams of eight lanes lie in different banks, or
// neighbouring rows of one pattern would meet there.
constexpr int ranked_elements(int bin) {
    return (rank_limit(bin) < most_ranks ? rank_limit(bin) : most_ranks) + 8;
}

// Columns that fit a key of 32 bits beside a number.
constexpr int64_t narrow_columns = int64_t{1} << (32 - rank_bits);

// Products of rows are known unless they were cut at what fits a row of C.
inline bool knows_products(const heron_spgemm_args& args) { return args.longest < plans::row_limit(args); }

// The elements of a row of B that are read at a time are few: eight lanes have enough of them.
inline bool has_short_rows(const heron_spgemm_args& args) {
    constexpr int64_t short_row = 12;
    return args.products <= short_row * args.a.matrix.nnz;
}

// The one of so many bins that takes all rows as they are, because most fill it; -1 if there is none.
inline int common_rank_bin(const heron_spgemm_args& args, int bins) {
    if (!knows_products(args)) return -1;
    int bin = 0;
    while (bin < bins && args.longest > rank_limit(bin)) ++bin;
    const bool is_filled = bin == 0 || 2 * args.products >= rank_limit(bin) * args.a.matrix.rows;
    return bin < bins && is_filled ? bin : -1;
}

// Bytes for the ranks of all products, 0 if there are none. Rows of bin b have more than rank_limit(b)/2.
inline int64_t rank_bytes(const heron_spgemm_args& args, int bins) {
    constexpr int64_t most_per_element = 64;
    const heron_spmat &a = args.a.matrix, &b = args.b.matrix;
    const heron_type t = args.c.type;
    const bool has_kernel = t == HERON_R_32F || t == HERON_R_64F || t == HERON_C_32F || t == HERON_C_64F;
    if (!args.scratch_stays || !has_kernel) return 0;
    int64_t bytes = rank_limit(0) * a.rows + 2 * args.products;
    for (int bin = bins - 1; bin >= 0; --bin)
        if (bin == bins - 1 || (knows_products(args) && args.longest <= rank_limit(bin)))
            bytes = std::min(bytes, rank_limit(bin) * a.rows);
    return bytes <= most_per_element * (a.nnz + b.nnz + a.rows) ? bytes : 0;
}

}  // namespace heron::HERON_LEVEL
