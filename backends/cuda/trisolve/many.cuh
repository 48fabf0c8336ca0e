#pragma once
// Many right-hand sides at once: lanes of a warp solve one row, each for one or a few right-hand sides. Rows
// hand over their solutions through a matrix that is filled with a mark before the solve: whoever reads
// anything else there reads the solution, so that there is neither a flag nor a fence between two rows. The
// matrix is stored by rows, so that a row is read in few pieces; operands that are not are turned.
#include "sweep.cuh"
#include "common/trisolve/plan.hpp"
#include <type_traits>

namespace heron::HERON_LEVEL {

// Most of a division by the pivot can be done before there is anything to divide: Newton's step for the
// quotient, with the remainder of a fused operation, then rounds it as a division does. Where that overflows
// or divides by zero, the result is that of a division.
template <class CT>
struct divisor {
    CT pivot{};
    CT inverse{};

    divisor() = default;
    explicit __device__ divisor(CT p) : pivot(p), inverse(CT{1} / p) {}
    __device__ CT of(CT rest) const {
        const CT rough = rest * inverse;
        const CT quotient = fma(fma(-rough, pivot, rest), inverse, rough);
        return isfinite(quotient) ? quotient : rest / pivot;
    }
};
template <class CT>
requires(std::is_same_v<CT, c32> || std::is_same_v<CT, c64>) struct divisor<CT> {
    CT pivot{};
    CT inverse{};

    divisor() = default;
    explicit __device__ divisor(CT p) : pivot(p), inverse(divide(one<CT>(), p)) {}
    __device__ CT of(CT rest) const {
        const CT rough = mul(rest, inverse);
        const CT quotient = mad(mad(CT{-rough.re, -rough.im}, pivot, rest), inverse, rough);
        return isfinite(quotient.re) && isfinite(quotient.im) ? quotient : divide(rest, pivot);
    }
};

template <class CT>
struct solve_operands {
    const CT* values;
    const CT* diagonal;  // NULL, or in place of that of the values
    bool unit, conjugate;
    heron_zero_pivot* zero_pivot;  // NULL: not asked for
    scalar_argument<CT> alpha;
    const CT* b;
    int64_t b_row, b_column;
    CT* c;
    int64_t c_row, c_column;

    __device__ CT scale() const { return SCALAR(CT, alpha.value, alpha.device); }
    // What a stored element is in op(A).
    __device__ CT of_operation(CT stored) const { return conjugate ? conj(stored) : stored; }
    __device__ CT element(int64_t k) const { return of_operation(values[k]); }
    // What the row is divided by.
    __device__ divisor<CT> by(int64_t row, CT pivot) const {
        if (unit) return divisor<CT>(one<CT>());
        if (diagonal) pivot = of_operation(diagonal[row]);
        return divisor<CT>(pivot);
    }
    // Of a row that has been solved. Without an alpha no elements are read.
    __device__ void look_at_pivot(int row, const divisor<CT>& by) const {
        if (zero_pivot && equal(by.pivot, CT{}) && !equal(scale(), CT{})) {
            atomicMin(&zero_pivot->next, row);
            __threadfence();
        }
    }
};

// Neighbouring right-hand sides of a solution in memory, all of whose bits are set until it is there. They
// are those of a NaN, in whose place a solve writes another one.
template <class CT, int count>
struct alignas(count * sizeof(CT)) solution_pack {
    CT of[count];
};
template <class CT, int count>
struct solution_box {
    using pack = solution_pack<CT, count>;
    using word = std::conditional_t<std::is_same_v<CT, f64> || std::is_same_v<CT, c64>, uint64_t, unsigned>;
    static constexpr int parts = sizeof(pack) / sizeof(word);
    static constexpr word unset = ~word{0};

    static __device__ void post(CT* to, const pack& value) {
        word w[parts];
        __builtin_memcpy(w, &value, sizeof value);
        for (word& each : w)
            if (each == unset) each = unset >> 1;
        auto* const p = reinterpret_cast<word*>(to);
        if constexpr (parts == 1)
            store_relaxed(p, w[0]);
        else if constexpr (parts == 2)
            store_relaxed(p, w[0], w[1]);
        else
            store_relaxed(p, w[0], w[1], w[2], w[3]);
    }
    static __device__ void clear(pack& value) { __builtin_memset(&value, 0xff, sizeof value); }
    static __device__ void peek(bool wanted, const CT* from, pack& value) {
        word w[parts];
        __builtin_memcpy(w, &value, sizeof value);
        const auto* const p = reinterpret_cast<const word*>(from);
        if constexpr (parts == 1)
            load_relaxed_if(wanted, p, w[0]);
        else if constexpr (parts == 2)
            load_relaxed_if(wanted, p, w[0], w[1]);
        else
            load_relaxed_if(wanted, p, w[0], w[1], w[2], w[3]);
        __builtin_memcpy(&value, w, sizeof value);
    }
    static __device__ bool is_set(const pack& value) {
        word w[parts];
        __builtin_memcpy(w, &value, sizeof value);
        bool set = true;
        for (const word each : w) set = set && each != unset;
        return set;
    }
};

// Elements of a row on their way into its sums.
template <class CT, int count, int batch>
struct element_batch {
    using box = solution_box<CT, count>;

    CT elements[batch];
    typename box::pack x[batch];
    int columns[batch];
    unsigned needed = 0;   // which elements have a share
    unsigned waiting = 0;  // and for which of them there is no x yet

    // Elements q, q + step, ... of the first `end` of a row.
    template <class OT, class IT>
    __device__ void take(const solve_operands<CT>& o, const triangle_rows<OT, IT>& triangle,
                         const row_record& record, unsigned q, unsigned step, unsigned end, CT& pivot) {
        needed = 0;
        unsigned values[batch];
        triangle.locate(record, q, step, end, columns, values);
#pragma unroll
        for (int i = 0; i < batch; ++i) elements[i] = q + i * step < end ? o.values[values[i]] : CT{};
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            elements[i] = o.of_operation(elements[i]);
            if (triangle.needs(record.row, columns[i])) needed |= 1u << i;
            if (columns[i] >= 0 && triangle.is_pivot(record.row, columns[i])) pivot = add(pivot, elements[i]);
            box::clear(x[i]);
        }
        waiting = needed;
    }
    __device__ void look(const CT* sides, int width) {
#pragma unroll
        for (int i = 0; i < batch; ++i)
            box::peek(waiting >> i & 1u, sides + static_cast<int64_t>(columns[i]) * width, x[i]);
#pragma unroll
        for (int i = 0; i < batch; ++i)
            if (box::is_set(x[i])) waiting &= ~(1u << i);
    }
    __device__ void add_to(CT (&sum)[count]) {
#pragma unroll
        for (int i = 0; i < batch; ++i)
            if (needed >> i & 1u)
#pragma unroll
                for (int s = 0; s < count; ++s) sum[s] = mad(elements[i], x[i].of[s], sum[s]);
        needed = 0;
    }
};

constexpr int many_threads = 256;
// As many on a multiprocessor as their registers allow (trisolve-18).
template <class CT, int count, int batch>
constexpr int blocks_of_many = batch > 4 ? 2 : (count > 1 || sizeof(CT) == 16 ? 3 : 4);

// Divides what is left of the scaled right-hand sides of a row, and hands the solution over.
template <int count, class CT>
static __device__ void finish_row(const solve_operands<CT>& o, int row, int side, int sides, bool is_zero,
                                  const CT (&right)[count], const CT (&sum)[count], const divisor<CT>& by,
                                  CT* own_sides, int width, bool write_c) {
    using box = solution_box<CT, count>;
    typename box::pack result{};
#pragma unroll
    for (int s = 0; s < count; ++s)
        if (!is_zero) result.of[s] = by.of(sub(right[s], sum[s]));
    box::post(own_sides + static_cast<int64_t>(row) * width, result);
    o.look_at_pivot(row, by);
    if (!write_c) return;
#pragma unroll
    for (int s = 0; s < count; ++s)
        if (side + s < sides) o.c[row * o.c_row + (side + s) * o.c_column] = result.of[s];
}

// The sums of what lanes `first`, 2 * first, ... below `end` apart have.
template <int first, int end, class CT>
static __device__ CT sum_across(CT v) {
#pragma unroll
    for (int distance = first; distance < end; distance *= 2) v = add(v, from_lane_across(v, distance));
    return v;
}

// What the pieces of long rows but the last ones hand over: their sums, and their parts of the pivot, in as
// many more lines. Marked as a solution is.
template <class CT>
struct piece_lines {
    CT* sums;  // NULL: rows are whole
    int count;

    template <int width_of_pack>
    __device__ void post(unsigned at, int side, int width, const CT (&sum)[width_of_pack], CT pivot) const {
        using box = solution_box<CT, width_of_pack>;
        typename box::pack of_sum, of_pivot;
#pragma unroll
        for (int s = 0; s < width_of_pack; ++s) {
            of_sum.of[s] = sum[s];
            of_pivot.of[s] = pivot;
        }
        box::post(sums + static_cast<int64_t>(at) * width + side, of_sum);
        box::post(sums + (static_cast<int64_t>(count) + at) * width + side, of_pivot);
    }
    template <int width_of_pack>
    __device__ void await(unsigned at, int side, int width, CT (&sum)[width_of_pack], CT& pivot) const {
        using box = solution_box<CT, width_of_pack>;
        typename box::pack of_sum, of_pivot;
        box::clear(of_sum);
        box::clear(of_pivot);
        while (!box::is_set(of_sum)) box::peek(true, sums + static_cast<int64_t>(at) * width + side, of_sum);
        while (!box::is_set(of_pivot))
            box::peek(true, sums + (static_cast<int64_t>(count) + at) * width + side, of_pivot);
#pragma unroll
        for (int s = 0; s < width_of_pack; ++s) sum[s] = add(sum[s], of_sum.of[s]);
        pivot = add(pivot, of_pivot.of[0]);
    }
};

// A row, or a piece of it, that all threads of a block walk together: each group of lanes some of its
// elements, then one group adds up the sums of the warps. The last piece adds those of the others.
template <int count, int batch, int tile_sides, class CT, class OT, class IT>
static __device__ void solve_long_row(const solve_operands<CT>& o, const triangle_rows<OT, IT>& triangle,
                                      const row_record& whole, unsigned piece, CT alpha, int side, int sides,
                                      CT* own_sides, int width, bool write_c, const piece_lines<CT>& lines) {
    constexpr int lanes = tile_sides / count;
    constexpr int groups = many_threads / lanes;
    constexpr int warps = many_threads / warp_size;
    __shared__ CT sums[warps][tile_sides];
    __shared__ CT pivots[warps];
    const int group = static_cast<int>(threadIdx.x) / lanes;
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    const bool is_used = side < sides;
    const bool finishes = group == 0 && is_used;
    const unsigned pieces = lines.sums ? pieces_of_length(whole.count()) : 1u;
    const bool is_last = piece + 1 == pieces;
    const row_record record = piece_of_row(whole, piece, pieces, triangle.lower);
    const unsigned elements = record.count();
    CT right[count] = {};
    if (finishes)
#pragma unroll
        for (int s = 0; s < count; ++s)
            if (side + s < sides) right[s] = o.b[record.row * o.b_row + (side + s) * o.b_column];
    CT sum[count] = {};
    CT pivot{};
    divisor<CT> by;
    if (is_last && is_used)
        for (unsigned other = group; other + 1 < pieces; other += groups)
            lines.await(place_of_piece(whole, other), side, width, sum, pivot);
    const unsigned missing = missing_in_first(elements, groups * batch);
    for (unsigned first = 0; first < elements + missing; first += groups * batch) {
        element_batch<CT, count, batch> next;
        next.take(o, triangle, record, first + group - missing, groups, is_used ? elements : 0u, pivot);
        // Most of a division comes before what is divided.
        if (first + groups * batch == elements + missing) {
            pivot = sum_across<lanes, warp_size>(pivot);
            if (threadIdx.x % warp_size == 0) pivots[warp] = pivot;
            __syncthreads();
            if (finishes) {
                pivot = pivots[0];
                for (int w = 1; w < warps; ++w) pivot = add(pivot, pivots[w]);
                if (is_last) by = o.by(record.row, pivot);
#pragma unroll
                for (CT& each : right) each = mul(alpha, each);
            }
        }
        while (next.waiting != 0) next.look(own_sides, width);
        next.add_to(sum);
    }
#pragma unroll
    for (int s = 0; s < count; ++s) sum[s] = sum_across<lanes, warp_size>(sum[s]);
    if (static_cast<int>(threadIdx.x) % warp_size < lanes)
#pragma unroll
        for (int s = 0; s < count; ++s) sums[warp][lane * count + s] = sum[s];
    __syncthreads();
    if (!finishes) return;
    for (int w = 1; w < warps; ++w)
#pragma unroll
        for (int s = 0; s < count; ++s) sum[s] = add(sum[s], sums[w][lane * count + s]);
    if (!is_last) return lines.post(place_of_piece(whole, piece), side, width, sum, pivot);
    finish_row<count>(o, record.row, side, sides, false, right, sum, by, own_sides, width, write_c);
}

// How the lanes of a warp share rows: `count` right-hand sides a lane, as many lanes beside each other as
// tile_sides take, and `shares` of these teams for the elements of a row, of each of which a lane waits for
// `batch` at a time.
template <int count_, int tile_sides_, int shares_, int batch_, bool with_long_>
struct many_shape {
    static constexpr int count = count_;
    static constexpr int tile_sides = tile_sides_;
    static constexpr int shares = shares_;
    static constexpr int batch = batch_;
    static constexpr bool with_long = with_long_;
    static constexpr int side_lanes = tile_sides / count;
    static constexpr int lanes = side_lanes * shares;
    static constexpr int rows = many_threads / lanes;
    static_assert(lanes <= warp_size);
};

// The rows of a unit that is not a long one, each by the lanes of its team.
template <class Shape, class CT, class OT, class IT>
static __device__ void solve_team_rows(const solve_operands<CT>& o, const triangle_rows<OT, IT>& triangle,
                                       const row_record& record, bool active, bool is_zero, CT alpha,
                                       int side, int sides, CT* own_sides, int width, bool write_c) {
    constexpr int count = Shape::count;
    constexpr int batch = Shape::batch;
    constexpr int lanes = Shape::lanes;
    constexpr unsigned shares = Shape::shares;
    const int share = static_cast<int>(threadIdx.x) % lanes / Shape::side_lanes;
    const int row = record.row;
    const unsigned end = is_zero || !active ? 0u : record.count();
    unsigned k = static_cast<unsigned>(share) - missing_in_first(end, batch * shares);
    CT right[count] = {};
    if (active && !is_zero)
#pragma unroll
        for (int s = 0; s < count; ++s)
            if (side + s < sides) right[s] = o.b[row * o.b_row + (side + s) * o.b_column];
    CT sum[count] = {};
    CT pivot{};
    divisor<CT> by;
    element_batch<CT, count, batch> next;
    const auto take = [&] {
        next.take(o, triangle, record, k, shares, end, pivot);
        k += batch * shares;
        if (shares == 1 && k >= end) by = o.by(row, pivot);
    };
    take();
#pragma unroll
    for (CT& each : right) each = mul(alpha, each);
    bool posted = !active;
    bool has_pivots = shares == 1;
    while (!__all_sync(all_lanes, posted)) {
        next.look(own_sides, width);
        if constexpr (shares == 1) {
            if (next.waiting != 0 || posted) continue;
            next.add_to(sum);
            if (k < end) {
                take();
                continue;
            }
            finish_row<count>(o, row, side, sides, is_zero, right, sum, by, own_sides, width, write_c);
            posted = true;
        } else {
            const bool through = next.waiting == 0 && k >= end;
            if (next.waiting == 0) {
                next.add_to(sum);
                if (k < end) take();
            }
            // Most of a division comes before what is divided.
            if (!has_pivots && __all_sync(all_lanes, k >= end)) {
                by = o.by(row, sum_across<Shape::side_lanes, lanes>(pivot));
                has_pivots = true;
            }
            constexpr unsigned of_row = lanes == warp_size ? all_lanes : (1u << lanes) - 1u;
            const int first_lane = static_cast<int>(threadIdx.x) % warp_size / lanes * lanes;
            const unsigned missing = __ballot_sync(all_lanes, !through) >> first_lane & of_row;
            const bool complete = !posted && missing == 0;
            if (!__any_sync(all_lanes, complete)) continue;
            if (!has_pivots) by = o.by(row, sum_across<Shape::side_lanes, lanes>(pivot));
            CT all[count];
#pragma unroll
            for (int s = 0; s < count; ++s) all[s] = sum_across<Shape::side_lanes, lanes>(sum[s]);
            if (complete && share == 0)
                finish_row<count>(o, row, side, sides, is_zero, right, all, by, own_sides, width, write_c);
            posted = posted || complete;
        }
    }
}

// The rows that need no other are solved before those that wait, and marked is what is not known of the
// others: one item has `count` right-hand sides of a row.
template <class CT, class OT, class IT, int count>
__global__ void __launch_bounds__(many_threads)
    start_many(solve_operands<CT> o, triangle_rows<OT, IT> triangle, row_order order, int sides, int width,
               CT* solved, bool write_c, piece_lines<CT> lines) {
    using box = solution_box<CT, count>;
    const int packs = width / count;
    const int64_t item = static_cast<int64_t>(blockIdx.x) * many_threads + threadIdx.x;
    const int64_t place = item / packs;
    const int side = static_cast<int>(item % packs) * count;
    typename box::pack unknown;
    box::clear(unknown);
    if (place >= order.n) {
        const int64_t line = place - order.n;
        if (line < 2 * static_cast<int64_t>(lines.count))
            *reinterpret_cast<typename box::pack*>(lines.sums + line * width + side) = unknown;
        return;
    }
    CT* const own_sides = solved + side;
    if (place >= order.short_alone()) {
        const int64_t row = order.is_ordered() ? order.records[place].row : place;
        *reinterpret_cast<typename box::pack*>(own_sides + row * width) = unknown;
        return;
    }
    const row_record record = order.records[place];
    const CT alpha = o.scale();
    const bool is_zero = equal(alpha, CT{});
    CT right[count] = {}, nothing[count] = {};
    CT pivot{};
    for (unsigned q = 0; !is_zero && q < record.count(); ++q) {
        const unsigned k = triangle.place(record, q);
        if (triangle.is_pivot(record.row, triangle.column(k)))
            pivot = add(pivot, o.element(triangle.source(k)));
    }
#pragma unroll
    for (int s = 0; s < count; ++s)
        if (!is_zero && side + s < sides)
            right[s] = mul(alpha, o.b[record.row * o.b_row + (side + s) * o.b_column]);
    finish_row<count>(o, record.row, side, sides, is_zero, right, nothing, o.by(record.row, pivot), own_sides,
                      width, write_c);
}

// Right-hand sides [0, sides) of the operands, tile_sides of them by a block. solved has rows of `width`
// elements, a multiple of count. What start_many has solved is left out; with units of long rows it has
// solved nothing.
template <class CT, class OT, class IT, class Shape>
__global__ void __launch_bounds__(many_threads, blocks_of_many<CT, Shape::count, Shape::batch>)
    solve_many(solve_operands<CT> o, triangle_rows<OT, IT> triangle, row_order order, int sides, int width,
               CT* solved, bool write_c, row_units units, solve_control* control, piece_lines<CT> lines) {
    constexpr int lanes = Shape::lanes;
    constexpr int rows = Shape::rows;
    constexpr int tile_sides = Shape::tile_sides;
    constexpr bool with_long = Shape::with_long;
    const bool ordered = order.is_ordered();
    const int alone = order.short_alone();
    const unsigned tiles = static_cast<unsigned>(sides + tile_sides - 1) / tile_sides;
    const unit_summary known = with_long ? units.known() : unit_summary{};
    const unsigned count = static_cast<unsigned>(row_units::count(known, order.n - alone, rows)) * tiles;
    const int own = static_cast<int>(threadIdx.x) / lanes;
    const CT alpha = o.scale();
    const bool is_zero = equal(alpha, CT{});
    block_ticket ticket = draw_ticket(control);
    while (ticket.number < count) {
        const int first_side = static_cast<int>(ticket.number % tiles) * tile_sides;
        const int number = static_cast<int>(ticket.number / tiles);
        const row_unit unit = units.at(known, number, order.n - alone, rows);
        const int first = alone + unit.first;
        const int side = first_side + static_cast<int>(threadIdx.x) % Shape::side_lanes * Shape::count;
        CT* const own_sides = solved + side;
        if (with_long && unit.is_long && !is_zero) {
            solve_long_row<Shape::count, Shape::batch, tile_sides>(
                o, triangle, order.at(triangle, first, ordered), units.piece(number), alpha, side, sides,
                own_sides, width, write_c, lines);
        } else {
            const bool present = own < unit.end - unit.first;
            const row_record record = present ? order.at(triangle, first + own, ordered) : row_record{};
            solve_team_rows<Shape>(o, triangle, record, present && side < sides, is_zero, alpha, side, sides,
                                   own_sides, width, write_c);
        }
        if (gridDim.x >= count) break;
        __syncthreads();
        ticket = draw_ticket(control);
    }
    give_ticket_back(control, ticket, o.zero_pivot);
}

// To := from, tile by tile: whichever of the two has neighbouring rows beside each other is walked that way.
template <class CT>
__global__ void __launch_bounds__(many_threads)
    turn_tiles(const CT* from, int64_t from_row, int64_t from_column, CT* to, int64_t to_row,
               int64_t to_column, int64_t n, int sides) {
    __shared__ CT tile[warp_size][warp_size + 1];
    constexpr int lines = many_threads / warp_size;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int line = static_cast<int>(threadIdx.x) / warp_size;
    const int tiles = (sides + warp_size - 1) / warp_size;
    const int64_t first_row = static_cast<int64_t>(blockIdx.x / tiles) * warp_size;
    const int first_side = static_cast<int>(blockIdx.x % tiles) * warp_size;
    const bool reads_rows = from_column == 1;
    for (int i = line; i < warp_size; i += lines) {
        const int r = reads_rows ? i : lane;
        const int s = reads_rows ? lane : i;
        if (first_row + r < n && first_side + s < sides)
            tile[r][s] = from[(first_row + r) * from_row + (first_side + s) * from_column];
    }
    __syncthreads();
    for (int i = line; i < warp_size; i += lines) {
        const int r = reads_rows ? lane : i;
        const int s = reads_rows ? i : lane;
        if (first_row + r < n && first_side + s < sides)
            to[(first_row + r) * to_row + (first_side + s) * to_column] = tile[r][s];
    }
}

}  // namespace heron::HERON_LEVEL
