#pragma once
// Column indices of a CSR matrix in 16 bits, relative to the smallest of their row: fewer bytes to stream for
// every product. ANALYSE makes them, since the pattern may not change after it. One thread of Zen 4, from
// memory: 1.2 times as fast in single precision, 1.05 in double.
#include "host_plan.hpp"
#include "host_spmv_rows.hpp"
#include "host_team.hpp"
#include <cstdlib>

namespace heron::HERON_LEVEL {

struct column_plan : heron_plan {
    const void* indices;  // of the matrix that it was made for
    int64_t rows, nnz;
    uint16_t* distances;  // of the elements, from their row's smallest column
    i32* first;  // every row's smallest column; -1: the row spans too many columns and keeps its indices

    bool fits(const heron_spmat& a) const {
        return a.format == HERON_FORMAT_CSR && a.indices == indices && a.rows == rows && a.nnz == nnz;
    }
};

inline void destroy_column_plan(heron_plan* plan) {
    column_plan* const columns = static_cast<column_plan*>(plan);
    std::free(columns->distances);
    std::free(columns->first);
    std::free(columns);
}

// NULL if there is no memory for it.
inline column_plan* new_column_plan(const heron_spmat& a) {
    column_plan* const plan = static_cast<column_plan*>(std::malloc(sizeof(column_plan)));
    if (!plan) return nullptr;
    plan->destroy = destroy_column_plan;
    plan->indices = a.indices;
    plan->rows = a.rows;
    plan->nnz = a.nnz;
    plan->distances = static_cast<uint16_t*>(std::malloc(static_cast<size_t>(a.nnz) * sizeof(uint16_t)));
    plan->first = static_cast<i32*>(std::malloc(static_cast<size_t>(a.rows) * sizeof(i32)));
    if (plan->distances && plan->first) return plan;
    destroy_column_plan(plan);
    return nullptr;
}

// Fills one row of the plan; returns the number of elements that are shorter now.
template <class IT>
int64_t shorten_row(const IT* indices, int64_t base, range elements, i32* first, uint16_t* distances) {
    *first = 0;
    if (elements.begin == elements.end) return 0;
    IT low = indices[elements.begin];
    IT high = low;
    for (int64_t k = elements.begin; k < elements.end; ++k) {
        low = indices[k] < low ? indices[k] : low;
        high = indices[k] > high ? indices[k] : high;
    }
    if (high - low > UINT16_MAX) {
        *first = -1;
        return 0;
    }
    *first = static_cast<i32>(low - base);
    for (int64_t k = elements.begin; k < elements.end; ++k)
        distances[k] = static_cast<uint16_t>(indices[k] - low);
    return elements.end - elements.begin;
}

// NULL unless most elements get shorter.
template <class IT>
heron_plan* make_column_plan(const heron_spmat& a, int team) {
    if (a.cols > INT32_MAX || a.nnz < 1) return nullptr;
    column_plan* const plan = new_column_plan(a);
    if (!plan) return nullptr;
    const offset_array offsets(a.offsets, a.offset_type);
    const IT* const indices = as<const IT>(a.indices);
    int64_t shortened = 0;
    run_team(team, [&](int member, int members) {
        const row_cutter cutter(offsets, a.base, a.rows, 1, false, members);
        const int64_t end = cutter.find(member + 1).row;
        int64_t mine = 0;
        for (int64_t row = cutter.find(member).row; row < end; ++row)
            mine += shorten_row(indices, a.base, {cutter.element(row), cutter.element(row + 1)},
                                plan->first + row, plan->distances);
#pragma omp atomic
        shortened += mine;
    });
    if (4 * shortened >= 3 * a.nnz) return plan;
    destroy_column_plan(plan);
    return nullptr;
}

// Where the loops over rows get columns from: the matrix...
template <bool conjugate, class VA, class VX, class CT, class IT>
struct own_columns {
    const VA* values;
    const IT* indices;
    const VX* x;  // shifted by the base

    [[gnu::always_inline]] void prefetch(int64_t begin, int64_t end) const {
        prefetch_ahead(values, begin, end);
        prefetch_ahead(indices, begin, end);
    }

    template <bool wide>
    [[gnu::always_inline]] CT sum(int64_t, int64_t begin, int64_t end) const {
        return row_sum<wide, conjugate, VA, VX, CT, IT>::of(values, indices, x, begin, end);
    }
};

// ... or a plan.
template <bool conjugate, class VA, class VX, class CT, class IT>
struct short_columns {
    own_columns<conjugate, VA, VX, CT, IT> own;
    const VX* x;
    const i32* first;
    const uint16_t* distances;

    [[gnu::always_inline]] void prefetch(int64_t begin, int64_t end) const {
        prefetch_ahead(own.values, begin, end);
        prefetch_ahead(distances, begin, end);
    }

    template <bool wide>
    [[gnu::always_inline]] CT sum(int64_t row, int64_t begin, int64_t end) const {
        if (first[row] < 0) return sum_own(own.values, own.indices, own.x, begin, end);
        return row_sum<wide, conjugate, VA, VX, CT, uint16_t>::of(own.values, distances, x + first[row],
                                                                  begin, end);
    }

  private:
    // Rare, so out of the loops; without `this`, whose members would then have to live in memory.
    [[gnu::noinline]] static CT sum_own(const VA* values, const IT* indices, const VX* x, int64_t begin,
                                        int64_t end) {
        return row_sum<true, conjugate, VA, VX, CT, IT>::of(values, indices, x, begin, end);
    }
};

}  // namespace heron::HERON_LEVEL
