#pragma once
// What the kernels know of a launch in which rows of a CSR matrix hand over to rows.
#include "rows.cuh"
#include "cuda/trisolve/units.cuh"

namespace heron::HERON_LEVEL {

// Elements of a row that are waited for at a time.
template <class CT>
constexpr int awaited(int lanes) {
    return lanes == 4 || (sizeof(CT) > 8 && lanes == warp_size) ? 4 : 8;
}

// Without levels most rows wait for long: they look the less often the longer they wait. In ns.
static __device__ inline unsigned longer_nap(unsigned nap) { return min(max(2 * nap, 32u), 100u); }

// What all blocks of a launch know.
template <class CT>
struct factor_launch {
    using box = mailbox<CT>;

    factor_operands<CT> o;
    row_order order;
    row_units units;
    solve_control* control;
    typename box::slot *pivots, *elements;
    bool has_posted_alone;  // the order's first rows, which need no other (alone.cuh)

    // The first place of a row that is to be factored.
    __device__ int first_place() const { return has_posted_alone ? order.alone() : 0; }
    // By all lanes of a warp: holds it back until the row is done that comes some levels before this place.
    // Not a block, whose warps come here from several places of the code.
    __device__ void hold_back(int place, unsigned stamp) const {
        if (!order.is_ordered()) return;
        const int64_t ahead = order.place_ahead(place);
        if (threadIdx.x % warp_size == 0 && ahead >= 0) {
            const auto* const awaited = pivots + order.records[ahead].row;
            typename box::slot seen{};
            for (CT value{}; !box::open(seen, value, stamp);) box::peek(true, awaited, seen);
        }
        __syncwarp();
    }
    __device__ int row_at(int place) const { return order.is_ordered() ? order.records[place].row : place; }
};

}  // namespace heron::HERON_LEVEL
