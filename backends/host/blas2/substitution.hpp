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
    static constexpr int unknowns = most_lanes<R> / parts < 4 ? 4 : most_lanes<R> / parts,
                         L = unknowns * parts;
    using vector = lanes<R, L>;

    small_triangle(const stored_columns<CT>& a, int64_t first, bool turned, bool unit, int64_t band)
        : band_(band), is_unit_(unit) {
        for (int k = 0; k < unknowns; ++k) {
            const CT* const column = a.column(first + k) + first;
            if (!unit) diagonal_[k] = column[k];
            if (!turned) {
                __builtin_memcpy(columns_[k], column, sizeof columns_[k]);
                continue;
            }
            const range own = a.rows(first + k, {first, first + unknowns});
            for (int64_t i = own.begin - first; i < own.end - first; ++i) columns_[i][k] = column[i];
        }
        if (!unit)
            for (int k = 0; k < unknowns; ++k)
                inverse_[k] = heron::HERON_LEVEL::divide(one<CT>(), diagonal_[k]);
    }

    // x := the unknowns of the right-hand sides v, the first one first or, of an upper triangle, last. False
    // where the divided columns are not finite.
    template <bool is_lower>
    [[gnu::always_inline]] bool solve(vector v, CT* x) const {
        lanes<R, L> size{};
        [&]<int... step>(std::integer_sequence<int, step...>) {
            (eliminate < is_lower ? step : unknowns - 1 - step, is_lower > (v, size), ...);
        }
        (std::make_integer_sequence<int, unknowns>{});
        if (!is_zero(size)) return false;
        store_lanes<L>(reinterpret_cast<R*>(x), is_unit_ ? v : divided(v));
        return true;
    }

  private:
    // Subtracts from the others what unknown k contributes; size stays 0 while all is finite.
    template <int k, bool is_lower>
    [[gnu::always_inline]] void eliminate(vector& v, vector& size) const {
        auto column = load_lanes<L>(reinterpret_cast<const R*>(columns_[k]));
        const auto depends = is_lower ? lanes_between<R, L>(parts * (k + 1), parts * (k + 1 + band_))
                                      : lanes_between<R, L>(parts * (k - band_), parts * k);
        if (!is_unit_) column = times(column, inverse_[k]);
        size = depends ? size + column * R(0) : size;
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
        for (int k = 0; k < unknowns; ++k) x[k] = heron::HERON_LEVEL::divide(x[k], diagonal_[k]);
        return load_lanes<L>(reinterpret_cast<const R*>(x));
    }

    int64_t band_;
    bool is_unit_;
    CT diagonal_[unknowns], inverse_[unknowns];
    alignas(64) CT columns_[unknowns][unknowns];
};

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

// sums[j - own.begin] := what these unknowns lose by those that are solved.
template <class CT>
void sum_solved(const stored_columns<CT>& triangle, bool turned, range own, range solved, const CT* x,
                CT* sums) {
    if (solved.end <= solved.begin) return;
    if (turned) return column_dots(triangle, own, solved, x, false, sums);
    add_columns(triangle, triangle.columns_with(own, solved), own, x, sums);
}

// The rows `rest` lose what these unknowns contribute.
template <class CT>
void subtract_from(const stored_columns<CT>& triangle, range rest, range solved, CT* x) {
    CT factors[small_triangle<CT>::unknowns];
    for (int64_t j = solved.begin; j < solved.end; ++j) factors[j - solved.begin] = sub(CT{}, x[j]);
    add_columns(triangle, solved, rest, static_cast<const CT*>(factors - solved.begin), x + rest.begin);
}

// The unknowns of a block, by one thread.
template <class CT>
void solve_block(const stored_columns<CT>& triangle, const heron_trsv_args& a, range block, CT* x) {
    using small = small_triangle<CT>;
    constexpr int most = small::unknowns;
    const bool turned = plans::is_transposed(a.op), lower = plans::is_lower(a);
    // Long columns of several unknowns go together; else each unknown asks for what is solved.
    const bool is_asked_for = turned || triangle.is_narrow();
    // A band wider than the small triangle is the same as one of its width.
    const int64_t band = plans::triangle_band(a.a, a.n) < most ? plans::triangle_band(a.a, a.n) : most;
    for (int64_t done = 0; done < block.end - block.begin; done += most) {
        const int64_t left = block.end - block.begin - done, count = left < most ? left : most;
        const int64_t first = lower ? block.begin + done : block.end - done - count;
        const range own{first, first + count};
        const range before{block.begin, own.begin}, behind{own.end, block.end};
        const auto subtract_solved = [&] {
            if (!is_asked_for || done == 0) return;
            alignas(64) CT sums[most]{};
            sum_solved<CT>(triangle, turned, own, lower ? before : behind, x, sums);
            for (int64_t i = 0; i < count; ++i) x[first + i] = sub(x[first + i], sums[i]);
        };
        bool is_solved = false;
        if (count == most) {
            const small s(triangle, first, turned, a.diag == HERON_DIAG_UNIT, band);
            subtract_solved();
            const auto v = load_lanes<small::L>(reinterpret_cast<const real_of<CT>*>(x + first));
            is_solved = lower ? s.template solve<true>(v, x + first) : s.template solve<false>(v, x + first);
        } else {
            subtract_solved();
        }
        if (!is_solved) solve_singly(triangle, a, own, x);
        if (!is_asked_for) subtract_from(triangle, lower ? behind : before, own, x);
    }
}

}  // namespace heron::HERON_LEVEL
