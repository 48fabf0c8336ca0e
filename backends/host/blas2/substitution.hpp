#pragma once
// Substitution by few unknowns at a time, which stay in registers: what has been solved of a block is
// subtracted from all of them at once, and each one that is found from all the others.
#include "groups.hpp"

namespace heron::HERON_LEVEL {

// The triangle between the unknowns of a vector. Its columns are divided by the diagonal beforehand: then an
// unknown waits for a product of the one before it, and the division comes last, for all of them.
template <class CT>
class small_triangle {
  public:
    using R = real_of<CT>;
    static constexpr int parts = parts_of<CT>::count;
    static constexpr int L = most_lanes<R>, unknowns = L / parts;
    using vector = lanes<R, L>;

    small_triangle(const stored_columns<CT>& triangle, const heron_trsv_args& a, int64_t first)
        : is_unit_(a.diag == HERON_DIAG_UNIT) {
        // A wider band is the same.
        const int64_t band = plans::triangle_band(a.a, a.n);
        band_ = band < unknowns ? static_cast<int>(band) : unknowns;
        const bool turned = plans::is_transposed(a.op);
        for (int k = 0; k < unknowns; ++k) {
            const CT* const column = triangle.column(first + k) + first;
            if (!is_unit_) diagonal_[k] = column[k];
            if (!turned) {
                __builtin_memcpy(columns_[k], column, sizeof columns_[k]);
                continue;
            }
            const range own = triangle.rows(first + k, {first, first + unknowns});
            for (int64_t i = own.begin - first; i < own.end - first; ++i) columns_[i][k] = column[i];
        }
        if (!is_unit_)
            for (int k = 0; k < unknowns; ++k) inverse_[k] = divide(one<CT>(), diagonal_[k]);
    }

    // x, the right-hand sides, becomes the unknowns: the first one first or, of an upper triangle, last.
    // False, and x is as it was, where the divided columns are not finite.
    template <bool is_lower>
    bool solve(CT* x) const {
        auto v = load_lanes<L>(reinterpret_cast<const R*>(x));
        vector size{};
        const auto eliminate_all = [&]<int... step>(std::integer_sequence<int, step...>) {
            (eliminate<is_lower>(std::integral_constant < int, is_lower ? step : unknowns - 1 - step > {}, v,
                                 size),
             ...);
        };
        eliminate_all(std::make_integer_sequence<int, unknowns>{});
        if (!is_zero(size)) return false;
        store_lanes<L>(reinterpret_cast<R*>(x), is_unit_ ? v : divided(v));
        return true;
    }

  private:
    // Subtracts from the others what unknown k contributes; size stays 0 while all is finite.
    template <bool is_lower, int k>
    [[gnu::always_inline]] void eliminate(std::integral_constant<int, k>, vector& v, vector& size) const {
        auto column = load_lanes<L>(reinterpret_cast<const R*>(columns_[k]));
        const auto depends = is_lower ? lanes_between<R, L>(parts * (k + 1), parts * (k + 1 + band_))
                                      : lanes_between<R, L>(parts * (k - band_), parts * k);
        column = depends ? column : vector{};
        if (!is_unit_) column = times(column, inverse_[k]);
        size += column * R(0);
        CT x;
        if constexpr (parts == 1)
            x = v[k];
        else
            x = {v[2 * k], v[2 * k + 1]};
        v = depends ? v - times(column, x) : v;
    }
    [[gnu::always_inline]] static vector times(vector v, CT x) {
        if constexpr (parts == 1)
            return v * x;
        else
            return v * x.re + times_i<R, L>(v) * x.im;
    }
    [[gnu::always_inline]] static bool is_zero(vector v) {
        const auto differs = v != 0;
        for (int l = 0; l < L; ++l)
            if (differs[l]) return false;
        return true;
    }
    [[gnu::always_inline]] vector divided(vector v) const {
        if constexpr (parts == 1) return v / load_lanes<L>(diagonal_);
        CT x[unknowns];
        store_lanes<L>(reinterpret_cast<R*>(x), v);
        for (int k = 0; k < unknowns; ++k) x[k] = divide(x[k], diagonal_[k]);
        return load_lanes<L>(reinterpret_cast<const R*>(x));
    }

    int band_;
    bool is_unit_;
    CT diagonal_[unknowns], inverse_[unknowns];
    alignas(64) CT columns_[unknowns][unknowns];
};

// Four unknowns of a full triangle, which the rest of their block gets rid of together: it would wait for
// each of them.
template <class CT, bool is_lower>
void solve_four(const stored_columns<CT>& triangle, const heron_trsv_args& a, int64_t first, range rest,
                CT* x) {
    constexpr int count = 4;
    const column_pointers<count, CT> own(triangle, first, first);
    CT found[count];
    for (int k = 0; k < count; ++k) found[k] = x[first + k];
#pragma GCC unroll 4
    for (int step = 0; step < count; ++step) {
        const int k = is_lower ? step : count - 1 - step;
        if (a.diag != HERON_DIAG_UNIT) found[k] = divide(found[k], own.at[k][k]);
#pragma GCC unroll 4
        for (int i = is_lower ? k + 1 : 0; i < (is_lower ? count : k); ++i)
            found[i] = sub(found[i], mul(own.at[k][i], found[k]));
    }
    CT factors[count];
    for (int k = 0; k < count; ++k) {
        x[first + k] = found[k];
        factors[k] = sub(CT{}, found[k]);
    }
    const column_pointers<count, CT> others(triangle, first, rest.begin);
    add_columns<count>(x + rest.begin, others.at, static_cast<const CT*>(factors), rest.end - rest.begin);
}

// The unknowns of a block in fours, but for the last ones. Returns how many are left.
template <class CT, bool is_lower>
int64_t solve_fours(const stored_columns<CT>& triangle, const heron_trsv_args& a, range block, CT* x) {
    while (block.end - block.begin >= 4) {
        const int64_t first = is_lower ? block.begin : block.end - 4;
        (is_lower ? block.begin : block.end) += is_lower ? 4 : -4;
        solve_four<CT, is_lower>(triangle, a, first, block, x);
    }
    return block.end - block.begin;
}

// A few unknowns of a full triangle that is transposed, when `solved` are: a row is a column that is stored.
template <int count, class CT, bool is_lower>
void solve_few_turned(const stored_columns<CT>& triangle, const heron_trsv_args& a, int64_t first,
                      range solved, CT* x) {
    const column_pointers<count, CT> before(triangle, first, solved.begin), own(triangle, first, first);
    CT found[count];
    column_dots<count>(before.at, solved.end - solved.begin, false, found,
                       static_cast<const CT*>(x + solved.begin));
    for (int k = 0; k < count; ++k) found[k] = sub(x[first + k], found[k]);
#pragma GCC unroll 4
    for (int step = 0; step < count; ++step) {
        const int k = is_lower ? step : count - 1 - step;
#pragma GCC unroll 4
        for (int i = is_lower ? 0 : k + 1; i < (is_lower ? k : count); ++i)
            found[k] = sub(found[k], mul(own.at[k][i], found[i]));
        if (a.diag != HERON_DIAG_UNIT) found[k] = divide(found[k], own.at[k][k]);
    }
    for (int k = 0; k < count; ++k) x[first + k] = found[k];
}

// The unknowns of a block of such a triangle, in fours.
template <class CT, bool is_lower>
void solve_turned(const stored_columns<CT>& triangle, const heron_trsv_args& a, range block, CT* x) {
    const int64_t count = block.end - block.begin;
    const auto solve_next = [&]<int K>(std::integral_constant<int, K>, int64_t done) {
        const int64_t first = is_lower ? block.begin + done : block.end - done - K;
        const range solved = is_lower ? range{block.begin, first} : range{first + K, block.end};
        solve_few_turned<K, CT, is_lower>(triangle, a, first, solved, x);
        return done + K;
    };
    int64_t done = 0;
    while (done + 4 <= count) done = solve_next(std::integral_constant<int, 4>{}, done);
    while (done < count) done = solve_next(std::integral_constant<int, 1>{}, done);
}

// Unknowns one after the other.
template <class CT>
void solve_singly(const stored_columns<CT>& triangle, const heron_trsv_args& a, range block, CT* x) {
    const bool turned = plans::is_transposed(a.op), lower = plans::is_lower(a);
    for (int64_t k = 0; k < block.end - block.begin; ++k) {
        const int64_t j = lower ? block.begin + k : block.end - 1 - k;
        if (turned) {
            const range before = lower ? range{block.begin, j} : range{j + 1, block.end};
            x[j] = sub(x[j], column_dot<CT>(triangle, j, before, x, false));
        }
        if (a.diag != HERON_DIAG_UNIT) x[j] = divide(x[j], triangle.diagonal(j));
        if (turned) continue;
        const range rest = triangle.rows(j, block);
        const CT* const column[] = {triangle.column(j) + rest.begin};
        const CT factor = sub(CT{}, x[j]);
        add_columns<1>(x + rest.begin, column, &factor, rest.end - rest.begin);
    }
}

// Few unknowns lose what those contribute that are solved.
template <class CT>
void subtract_solved(const stored_columns<CT>& triangle, const heron_trsv_args& a, range own, range solved,
                     CT* x) {
    CT sums[small_triangle<CT>::unknowns]{};
    const CT* const known = x;
    if (plans::is_transposed(a.op))
        column_dots(triangle, own, solved, known, false, sums);
    else
        add_columns(triangle, solved, own, known, sums);
    for (int64_t j = own.begin; j < own.end; ++j) x[j] = sub(x[j], sums[j - own.begin]);
}

// The rows `rest` lose what these unknowns contribute.
template <class CT>
void subtract_from(const stored_columns<CT>& triangle, range rest, range solved, CT* x) {
    CT factors[small_triangle<CT>::unknowns];
    for (int64_t j = solved.begin; j < solved.end; ++j) factors[j - solved.begin] = sub(CT{}, x[j]);
    add_columns(triangle, solved, rest, static_cast<const CT*>(factors - solved.begin), x + rest.begin);
}

// Few unknowns, together where they are as many as a small triangle has. What they lose by others is
// subtracted when the small triangle has been read, which need not wait for it.
template <class CT, class Subtract>
void solve_few(const stored_columns<CT>& triangle, const heron_trsv_args& a, range own,
               const Subtract& subtract, CT* x) {
    using small = small_triangle<CT>;
    bool is_solved = false;
    if (own.end - own.begin == small::unknowns) {
        const small s(triangle, a, own.begin);
        subtract();
        is_solved = plans::is_lower(a) ? s.template solve<true>(x + own.begin)
                                       : s.template solve<false>(x + own.begin);
    } else {
        subtract();
    }
    if (!is_solved) solve_singly(triangle, a, own, x);
}

// The unknowns of a block, by one thread.
template <class CT>
void solve_block(const stored_columns<CT>& triangle, const heron_trsv_args& a, range block, CT* x) {
    constexpr int64_t few = small_triangle<CT>::unknowns;
    const bool lower = plans::is_lower(a);
    // Columns of a narrow band and rows are asked for what is solved; long columns go to all rows behind.
    const bool asks = plans::is_transposed(a.op) || triangle.is_narrow();
    if (plans::is_transposed(a.op) && parts_of<CT>::count == 1 && a.a.storage != HERON_STORAGE_BANDED)
        return lower ? solve_turned<CT, true>(triangle, a, block, x)
                     : solve_turned<CT, false>(triangle, a, block, x);
    // Real ones are found as fast without small triangles (results: blas-20), and of so few none gains.
    if ((!asks && parts_of<CT>::count == 1) || few < 4) {
        range left = block;
        if (!asks && a.a.storage != HERON_STORAGE_BANDED) {
            const int64_t count = lower ? solve_fours<CT, true>(triangle, a, block, x)
                                        : solve_fours<CT, false>(triangle, a, block, x);
            left = lower ? range{block.end - count, block.end} : range{block.begin, block.begin + count};
        }
        return solve_singly(triangle, a, left, x);
    }
    for (int64_t done = 0; done < block.end - block.begin; done += few) {
        const int64_t left = block.end - block.begin - done, count = left < few ? left : few;
        const int64_t first = lower ? block.begin + done : block.end - done - count;
        const range own{first, first + count}, before{block.begin, first}, behind{own.end, block.end};
        solve_few(
            triangle, a, own,
            [&] {
                if (asks && done > 0) subtract_solved(triangle, a, own, lower ? before : behind, x);
            },
            x);
        if (!asks) subtract_from(triangle, lower ? behind : before, own, x);
    }
}

}  // namespace heron::HERON_LEVEL
