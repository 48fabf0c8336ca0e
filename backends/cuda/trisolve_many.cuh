#pragma once
// Many right-hand sides at once: a warp solves one row, a lane one right-hand side of it.
#include "trisolve_sweep.cuh"
#include "../common/plans/trisolve.hpp"

namespace heron::HERON_LEVEL {

// Right-hand sides of one launch, in tiles of a warp; a row has a flag per tile.
constexpr int tiles_per_launch = 2;
constexpr int sides_per_launch = tiles_per_launch * warp_size;

template <class CT>
struct solve_operands {
    const CT* values;
    const CT* diagonal;  // NULL, or in place of that of the values
    bool unit, conjugate;
    scalar_argument<CT> alpha;
    const CT* b;
    int64_t b_row, b_column;
    CT* c;
    int64_t c_row, c_column;

    __device__ CT scale() const { return SCALAR(CT, alpha.value, alpha.device); }
    __device__ CT element(int64_t k) const { return conjugate ? conj(values[k]) : values[k]; }
    // The solution of a row from its right-hand side and what the other rows take away.
    __device__ CT solve(int64_t row, CT right, CT sum, CT pivot) const {
        const CT rest = sub(right, sum);
        if (unit) return rest;
        if (diagonal) pivot = conjugate ? conj(diagonal[row]) : diagonal[row];
        return divide(rest, pivot);
    }
};

// What another multiprocessor has written since the kernel began: past the first-level cache.
template <class T>
static __device__ inline T load_written(const T* p) {
    T value;
    if constexpr (sizeof(T) == 4) {
        const auto word = __ldcg(reinterpret_cast<const int*>(p));
        __builtin_memcpy(&value, &word, sizeof value);
    } else if constexpr (sizeof(T) == 8) {
        const auto word = __ldcg(reinterpret_cast<const long long*>(p));
        __builtin_memcpy(&value, &word, sizeof value);
    } else {
        const auto word = __ldcg(reinterpret_cast<const int4*>(p));
        __builtin_memcpy(&value, &word, sizeof value);
    }
    return value;
}

// Right-hand sides [0, sides) of the operands, in `tiles` tiles.
template <class CT, class OT, class IT>
__global__ void __launch_bounds__(sweep_threads)
    solve_many(solve_operands<CT> o, triangle_rows<OT, IT> triangle, row_order order, int64_t sides,
               int tiles, solve_control* control, unsigned* flags) {
    constexpr int rows = sweep_threads / warp_size;
    const block_ticket ticket = draw_ticket(control);
    const int tile = static_cast<int>(ticket.number % static_cast<unsigned>(tiles));
    const int64_t place =
        static_cast<int64_t>(ticket.number / static_cast<unsigned>(tiles)) * rows + threadIdx.x / warp_size;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    if (place < triangle.n) {
        const int64_t row = order.row_at(place);
        const int64_t side = tile * warp_size + lane;
        const bool active = side < sides;
        const CT* const x = o.c + side * o.c_column;
        const CT alpha = o.scale();
        const bool is_zero = equal(alpha, CT{});
        const CT right = active && !is_zero ? mul(alpha, o.b[row * o.b_row + side * o.b_column]) : CT{};
        CT sum{};
        CT pivot{};
        const int64_t end = is_zero ? 0 : triangle.begin(row + 1);
        for (int64_t first = triangle.begin(row); first < end; first += warp_size) {
            // The lanes wait for one element each.
            const int64_t k = first + lane;
            const int64_t column = k < end ? triangle.column(k) : -1;
            const bool needed = k < end && triangle.needs(row, column);
            const bool is_pivot = k < end && triangle.is_pivot(row, column);
            const CT element = needed || is_pivot ? o.element(triangle.source(k)) : CT{};
            bool waits = needed;
            while (__any_sync(all_lanes, waits))
                if (waits) waits = load_acquire(flags + column * tiles_per_launch + tile) != ticket.stamp;
            __syncwarp();
            // Then every lane adds all of them up, in the order in which they are stored.
            for (unsigned left = __ballot_sync(all_lanes, needed); left; left &= left - 1) {
                const int from = __ffs(static_cast<int>(left)) - 1;
                const CT a = value_of_lane(element, from);
                const int64_t other = value_of_lane(column, from);
                if (active) sum = mad(a, load_written(x + other * o.c_row), sum);
            }
            for (unsigned left = __ballot_sync(all_lanes, is_pivot); left; left &= left - 1)
                pivot = add(pivot, value_of_lane(element, __ffs(static_cast<int>(left)) - 1));
        }
        if (active) o.c[row * o.c_row + side * o.c_column] = is_zero ? CT{} : o.solve(row, right, sum, pivot);
        // The warp's stores come before the flag, which is released for all of them.
        __syncwarp();
        if (lane == 0) store_release(flags + row * tiles_per_launch + tile, ticket.stamp);
    }
    give_ticket_back(control, ticket);
}

}  // namespace heron::HERON_LEVEL
