#pragma once
// Triangular systems with one right-hand side on the CPU, whose rows have edges and whose solution has no
// gaps.
#include "packed.hpp"
#include "pivots.hpp"
#include "rows.hpp"

namespace heron::HERON_LEVEL {

// What the rows of one right-hand side share.
template <class CT, class Rows>
struct vector_system {
    using R = real_of<CT>;

    vector_system(const Rows& given, const solve_operands<CT>& operands)
        : rows(given), o(operands), x(operands.c - given.base), sign(operands.conjugate ? R(-1) : R(1)) {}

    [[gnu::always_inline]] CT op(CT stored) const {
        if constexpr (is_complex_type<CT>)
            return {stored.re, stored.im * sign};
        else
            return stored;
    }
    [[gnu::always_inline]] CT pivot(int64_t row, int64_t at) const {
        return op(o.diagonal ? o.diagonal[row] : rows.value(at));
    }
    [[gnu::always_inline]] CT& needed(int64_t k) const { return x[rows.columns[k]]; }

    const Rows rows;
    const solve_operands<CT> o;
    CT* const x;   // at the stored indices
    const R sign;  // of the elements' imaginary parts
};

// The elements of a row beside the diagonal, and where they are near it.
template <bool lower>
struct row_body {
    int64_t begin, end;

    [[gnu::always_inline]] bool is_empty() const { return begin == end; }
    [[gnu::always_inline]] int64_t pivot() const { return lower ? end : begin - 1; }
    [[gnu::always_inline]] int64_t nearest() const { return lower ? end - 1 : begin; }
    [[gnu::always_inline]] row_body but_nearest() const {
        return lower ? row_body{begin, end - 1} : row_body{begin + 1, end};
    }
    // Those up to `count`, and those from `count` on, away from the diagonal.
    [[gnu::always_inline]] row_body near(int64_t count) const {
        return lower ? row_body{end - count, end} : row_body{begin, begin + count};
    }
    [[gnu::always_inline]] row_body far(int64_t count) const {
        return lower ? row_body{begin, end - count} : row_body{begin + count, end};
    }
    // From the farthest on.
    [[gnu::always_inline]] int64_t at(int64_t i) const { return lower ? begin + i : end - 1 - i; }
};

template <bool lower, class Rows>
[[gnu::always_inline]] inline row_body<lower> body_of(const Rows& rows, int64_t row) {
    return lower ? row_body<lower>{rows.begin(row), rows.edges[row]}
                 : row_body<lower>{rows.edges[row], rows.begin(row + 1)};
}

// The products of a body with the solution, those nearest the diagonal last. One sum alone would wait for
// each of its products.
template <bool lower, class CT, class Rows>
[[gnu::always_inline]] inline packed<CT> products(const vector_system<CT, Rows>& s, row_body<lower> body) {
    const int64_t count = body.end - body.begin;
    product_sum<CT> sum;
    const auto add = [&](int64_t i, product_sum<CT>& to) {
        const int64_t k = body.at(i);
        to.add(s.rows.value(k), s.needed(k));
    };
    int64_t i = 0;
    if (count >= 4) {
        product_sum<CT> second, third, fourth;
        for (; i + 4 <= count; i += 4) {
            add(i, sum);
            add(i + 1, second);
            add(i + 2, third);
            add(i + 3, fourth);
        }
        third.add(fourth);
        sum.add(second);
        sum.add(third);
    }
    if (i < count) add(i, sum);
    if (i + 1 < count) add(i + 1, sum);
    if (i + 2 < count) add(i + 2, sum);
    return sum.value(s.sign);
}

// Rows at places, one after the other.
template <bool lower>
struct in_place {
    template <class CT, class Rows>
    [[gnu::always_inline]] int64_t row(const vector_system<CT, Rows>& s, int64_t place, int64_t) const {
        return lower ? place : s.rows.n - 1 - place;
    }
};

// Those that an order has there, in no order of addresses: first it is asked for where they are, then for
// them.
template <class ST>
struct in_order_of {
    const ST* order;

    template <class CT, class Rows>
    [[gnu::always_inline]] int64_t row(const vector_system<CT, Rows>& s, int64_t place, int64_t end) const {
        constexpr int64_t near = 8, far = 16;
        if (place + far < end) {
            const int64_t later = order[place + far];
            __builtin_prefetch(s.rows.offsets + later);
            __builtin_prefetch(s.rows.edges + later);
            __builtin_prefetch(s.o.b + later);
            const int64_t next = s.rows.begin(order[place + near]);
            __builtin_prefetch(s.rows.columns + next);
            __builtin_prefetch(s.rows.values + next);
        }
        return order[place];
    }
};

// right/pivot, in lanes.
template <bool unit, class CT, class Rows>
[[gnu::always_inline]] inline packed<CT> over_pivot(const vector_system<CT, Rows>& s, int64_t row, int64_t at,
                                                    packed<CT> right) {
    if constexpr (unit) return right;
    if constexpr (is_complex_type<CT>)
        return to_packed<CT>(quotient(CT{right[0], right[1]}, s.pivot(row, at)));
    else
        return quotient(right, s.pivot(row, at));
}

// Whether the row of the nearest element is so far away that it is not waited for. Then complex numbers do
// without a product and its bounds; real ones gain nothing (results: trisolve-16).
template <class CT, class Rows, bool lower>
[[gnu::always_inline]] inline bool is_far(const vector_system<CT, Rows>& s, int64_t row,
                                          row_body<lower> body) {
    constexpr int64_t near = 8;
    if constexpr (!is_complex_type<CT>) return false;
    const int64_t distance = row + s.rows.base - s.rows.columns[body.nearest()];
    return lower ? distance > near : distance < -near;
}

// A row from what is left of its right-hand side beside the element nearest the diagonal.
template <bool unit, bool lower, class CT, class Rows>
[[gnu::always_inline]] inline packed<CT> end_of_row(const vector_system<CT, Rows>& s, int64_t row,
                                                    row_body<lower> body, packed<CT> rest) {
    const CT factor = s.op(s.rows.value(body.nearest()));
    const packed<CT> awaited = load_packed(s.needed(body.nearest()));
    if constexpr (!unit) {
        const folded_pivot<CT> folded(s.pivot(row, body.pivot()), factor);
        if (folded.serves()) [[likely]]
            return times(folded.inverse, rest) - times(folded.scaled, awaited);
    }
    return over_pivot<unit>(s, row, body.pivot(), rest - times(factor, awaited));
}

template <bool unit, bool lower, class CT, class Rows>
[[gnu::always_inline]] inline packed<CT> solved_row(const vector_system<CT, Rows>& s, int64_t row,
                                                    row_body<lower> body) {
    const packed<CT> right = times(s.o.alpha, load_packed(s.o.b[row]));
    if (body.is_empty()) return over_pivot<unit>(s, row, body.pivot(), right);
    prefetch_ahead<lower>(s.rows.values + body.begin);
    prefetch_ahead<lower>(s.rows.columns + body.begin);
    if (is_far(s, row, body)) return over_pivot<unit>(s, row, body.pivot(), right - products(s, body));
    return end_of_row<unit>(s, row, body, right - products(s, body.but_nearest()));
}

// The same with the hardware's gathers. The latest elements of a long row may still be on their way to the
// cache: they are loaded one by one.
template <bool unit, bool lower, class CT, class Rows>
[[gnu::always_inline]] inline CT solved_row_by_gathers(const vector_system<CT, Rows>& s, int64_t row,
                                                       row_body<lower> body) {
    using index = std::remove_cvref_t<decltype(*s.rows.columns)>;
    constexpr int64_t latest = 16;
    const auto gathered = [&](row_body<lower> some) {
        return row_sum<row_way::gathered, false, CT, CT, CT, index>::of(s.rows.values, s.rows.columns, s.x,
                                                                        some.begin, some.end);
    };
    const CT right = s.o.alpha * s.o.b[row];
    if (body.end - body.begin < 2 * latest)
        return over_pivot<unit>(s, row, body.pivot(), right - gathered(body));
    const CT sum = gathered(body.far(latest)) + products(s, body.near(latest).but_nearest());
    return end_of_row<unit>(s, row, body, right - sum);
}

// Rows at places [places.begin, places.end): what is the same in all rows is known here, so that as many rows
// as possible are under way at a time. Never inlined: a row gets the same bits whoever solves it.
template <bool unit, bool lower, bool gathers, class CT, class Rows, class Order>
[[gnu::noinline]] void solve_places(const Rows& rows, const solve_operands<CT>& o, range places,
                                    Order order) {
    const vector_system<CT, Rows> s(rows, o);
    for (int64_t place = places.begin; place < places.end; ++place) {
        const int64_t row = order.row(s, place, places.end);
        const row_body<lower> body = body_of<lower>(s.rows, row);
        if constexpr (gathers)
            s.o.c[row] = solved_row_by_gathers<unit>(s, row, body);
        else
            store_packed(s.o.c[row], solved_row<unit>(s, row, body));
    }
}

// What a column of a transposed system, which is a row of A, has found; the nearest row that needs it, which
// may come next, gets it at once.
template <bool unit, bool lower, class CT, class Rows>
[[gnu::always_inline]] inline packed<CT> begin_column(const vector_system<CT, Rows>& s, int64_t row,
                                                      row_body<lower> body, packed<CT> right) {
    const CT factor = s.op(s.rows.value(body.nearest()));
    CT& awaiting = s.needed(body.nearest());
    const packed<CT> before = load_packed(awaiting);
    if (!unit && !is_far(s, row, body)) {
        const folded_pivot<CT> folded(s.pivot(row, body.pivot()), factor);
        if (folded.serves()) [[likely]] {
            store_packed(awaiting, before - times(folded.scaled, right));
            return times(folded.inverse, right);
        }
    }
    const packed<CT> found = over_pivot<unit>(s, row, body.pivot(), right);
    store_packed(awaiting, before - times(factor, found));
    return found;
}

// Columns of a transposed system, which are rows of A, at places [places.begin, places.end): what each has
// found is taken from the rows that need it. C holds alpha*B at first.
template <bool unit, bool lower, class CT, class Rows>
[[gnu::noinline]] void scatter_places(const Rows& rows, const solve_operands<CT>& o, range places) {
    const vector_system<CT, Rows> s(rows, o);
    for (int64_t place = places.begin; place < places.end; ++place) {
        const int64_t row = lower ? s.rows.n - 1 - place : place;
        const row_body<lower> body = body_of<lower>(s.rows, row);
        CT& own = s.o.c[row];
        if (body.is_empty()) {
            store_packed(own, over_pivot<unit>(s, row, body.pivot(), load_packed(own)));
            continue;
        }
        prefetch_ahead<!lower>(s.rows.values + body.begin);
        prefetch_ahead<!lower>(s.rows.columns + body.begin);
        const packed<CT> found = begin_column<unit>(s, row, body, load_packed(own));
        store_packed(own, found);
        const row_body<lower> others = body.but_nearest();
        for (int64_t k = others.begin; k < others.end; ++k)
            store_packed(s.needed(k), load_packed(s.needed(k)) - times(s.op(s.rows.value(k)), found));
    }
}

// Rows [first, first + lone_batch), of which none needs another, in lanes; B without gaps. only_pivots: they
// have no other elements.
template <bool only_pivots, class CT, class Rows>
[[gnu::noinline]] void solve_lone_batch(const Rows& rows, const solve_operands<CT>& o, int64_t first) {
    const CT* const b = o.b + first;
    CT* const c = o.c + first;
    const int64_t before_edge = rows.stored_lower ? 0 : 1;
    CT right[lone_batch], inverse[lone_batch];
    if (is_complex_type<CT> && equal(o.alpha, one<CT>()))
        for (int64_t i = 0; i < lone_batch; ++i) right[i] = b[i];
    else
        for (int64_t i = 0; i < lone_batch; ++i) right[i] = mul(o.alpha, b[i]);
    bool serve = !o.unit;
    if (serve) {
        if (o.diagonal)
            for (int64_t i = 0; i < lone_batch; ++i) inverse[i] = o.diagonal[first + i];
        else if (only_pivots)
            for (int64_t i = 0, pivot = rows.begin(first); i < lone_batch; ++i)
                inverse[i] = rows.value(pivot + i);
        else
            for (int64_t i = 0; i < lone_batch; ++i)
                inverse[i] = rows.value(rows.edges[first + i] - before_edge);
        serve = invert(inverse, o.conjugate);
    }
    if (serve)
        for (int64_t i = 0; i < lone_batch; ++i) c[i] = mul(right[i], inverse[i]);
    else
        for (int64_t i = 0; i < lone_batch; ++i)
            c[i] = o.unit ? right[i]
                          : quotient(right[i], o.pivot(first + i, rows.value(rows.pivot_at(first + i))));
}

// Calls solve(places) for the rows that need others, and their neighbours.
template <class CT, class Rows, class F>
void solve_between_lone_rows(const Rows& rows, const solve_operands<CT>& o, range places, F&& solve) {
    const auto first_row = [&](int64_t place) { return rows.lower ? place : rows.n - place - lone_batch; };
    int64_t solved = places.begin;
    for (int64_t place = places.begin; place + lone_batch <= places.end; place += lone_batch) {
        const int64_t first = first_row(place);
        // Real numbers lose by it (results: trisolve-16).
        const bool only_pivots = is_complex_type<CT> && !o.unit &&
                                 rows.offsets[first + lone_batch] - rows.offsets[first] == lone_batch;
        if (!only_pivots && !are_lone(rows, first)) continue;
        if (solved < place) solve(range{solved, place});
        only_pivots ? solve_lone_batch<true>(rows, o, first) : solve_lone_batch<false>(rows, o, first);
        solved = place + lone_batch;
    }
    if (solved < places.end) solve(range{solved, places.end});
}

// Calls f(unit, lower) with whether rows have pivots of 1 and which triangle of the stored rows they are, as
// constants.
template <class F>
[[gnu::always_inline]] inline void visit_kind(bool unit, bool lower, F&& f) {
    if (unit) return lower ? f.template operator()<true, true>() : f.template operator()<true, false>();
    lower ? f.template operator()<false, true>() : f.template operator()<false, false>();
}

template <bool unit, bool lower, bool gathers, class CT, class Rows, class ST>
void solve_some_by(const Rows& rows, const solve_operands<CT>& o, range places, const ST* order) {
    order ? solve_places<unit, lower, gathers>(rows, o, places, in_order_of<ST>{order})
          : solve_places<unit, lower, gathers>(rows, o, places, in_place<lower>{});
}

// Rows at some places, or those that `order` has there.
template <class CT, class Rows, class ST>
void solve_some(const Rows& rows, const solve_operands<CT>& o, range places, const ST* order) {
    visit_kind(o.unit, rows.lower, [&]<bool unit, bool lower>() {
        if constexpr (Rows::can_gather_needed)
            if (rows.gathers) return solve_some_by<unit, lower, true>(rows, o, places, order);
        solve_some_by<unit, lower, false>(rows, o, places, order);
    });
}

template <class CT, class Rows, class ST>
[[gnu::noinline]] void solve_dense_vector(const Rows& rows, const solve_operands<CT>& o, range places,
                                          const ST* order) {
    const auto solve = [&](range some) { solve_some(rows, o, some, order); };
    if (rows.has_lone_rows && !order) return solve_between_lone_rows(rows, o, places, solve);
    solve(places);
}

// All rows of a transposed system.
template <class CT, class Rows>
[[gnu::noinline]] void scatter_dense_vector(const Rows& rows, const solve_operands<CT>& given) {
    solve_operands<CT> o = given;
    if (is_complex_type<CT> && equal(o.alpha, one<CT>()))
        __builtin_memmove(o.c, o.b, static_cast<size_t>(rows.n) * sizeof(CT));
    else
        for (int64_t row = 0; row < rows.n; ++row)
            store_packed(o.c[row], times(o.alpha, load_packed(o.b[row])));
    o.b = o.c;
    o.alpha = from_double<CT>(__builtin_bit_cast(i64, 1.0));
    const auto scatter = [&](range places) {
        visit_kind(o.unit, rows.stored_lower,
                   [&]<bool unit, bool lower>() { scatter_places<unit, lower>(rows, o, places); });
    };
    rows.has_lone_rows ? solve_between_lone_rows(rows, o, {0, rows.n}, scatter) : scatter({0, rows.n});
}

}  // namespace heron::HERON_LEVEL
