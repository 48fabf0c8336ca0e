#pragma once
// Triangular products and solves in place: halves by recursion, so that nearly all work is a product of
// blocks (Elmroth, Gustavson, Jonsson and Kagstrom, SIAM Review 46(1), 2004, 10.1137/S0036144503428693), and
// small triangles on vectors over neighbouring right-hand sides. Members of a team work on right-hand sides
// of their own.
#include "common/dense/plan.hpp"
#include "product.hpp"

namespace heron::HERON_LEVEL::dense_host {

template <class CT>
class triangular_run {
  public:
    triangular_run(const host_device& device, const heron_triangular_args& args, CT alpha, bool solves)
        : device_(device),
          v_(args),
          a_(as<const CT>(args.a.memory) + args.a.offset),
          b_(as<CT>(args.b.memory) + args.b.offset),
          conjugates_(plans::is_conjugated(args.op_a)),
          unit_(args.diag == HERON_DIAG_UNIT),
          solves_(solves),
          alpha_(alpha) {}

    void run() const {
        const double work = product_work<CT>(v_.order, v_.order, v_.count) / 2;
        const host::packing_memory& packing = device_.packing();
        run_team(product_team(device_, work), [&](int member, int team) {
            constexpr int64_t unit = width;
            const range share = equal_part(divided_up(v_.count, unit), member, team);
            const range vectors{share.begin * unit, least(share.end * unit, v_.count)};
            if (vectors.begin >= vectors.end) return;
            char* const own = static_cast<char*>(packing.own(member));
            constexpr int64_t size = host::packing_memory::own_bytes;
            const panels<CT> memory =
                team == 1 ? panels<CT>{reinterpret_cast<CT*>(own), static_cast<CT*>(packing.shared()), size,
                                       host::packing_memory::shared_bytes}
                          : panels<CT>{reinterpret_cast<CT*>(own), reinterpret_cast<CT*>(own + size / 2),
                                       size / 2, size / 2};
            solves_ ? solve(0, v_.order, alpha_, vectors, memory) : multiply_by(0, v_.order, vectors, memory);
        });
    }

  private:
    using R = real_of<CT>;
    static constexpr int parts = parts_of<CT>::count;
    static constexpr int L = most_lanes<R>;
    static constexpr int groups = 4 / parts;  // vectors of right-hand sides that are worked on at once
    static constexpr int width = groups * L;  // right-hand sides
    static constexpr int64_t smallest = 32;   // order of the triangles that are not halved
    using vector = lanes<R, L>;

    static int64_t half(int64_t order) { return rounded_up(order / 2, smallest); }

    // Rows [at, at + order) of the vectors, of which the other rows' part has been subtracted.
    void solve(int64_t at, int64_t order, CT alpha, range vectors, const panels<CT>& memory) const {
        if (order <= smallest) return small(at, order, alpha, vectors);
        const int64_t first = half(order), second = order - first;
        const int64_t from = v_.lower ? at : at + first, to = v_.lower ? at + first : at;
        solve(from, v_.lower ? first : second, alpha, vectors, memory);
        add_product(to, v_.lower ? second : first, from, v_.lower ? first : second, sub(CT{}, one_), alpha,
                    vectors, memory);
        solve(to, v_.lower ? second : first, one_, vectors, memory);
    }

    void multiply_by(int64_t at, int64_t order, range vectors, const panels<CT>& memory) const {
        if (order <= smallest) return small(at, order, alpha_, vectors);
        const int64_t first = half(order), second = order - first;
        const int64_t from = v_.lower ? at : at + first, to = v_.lower ? at + first : at;
        multiply_by(to, v_.lower ? second : first, vectors, memory);
        add_product(to, v_.lower ? second : first, from, v_.lower ? first : second, alpha_, one_, vectors,
                    memory);
        multiply_by(from, v_.lower ? first : second, vectors, memory);
    }

    // x[to] := alpha*M[to, from]*x[from] + beta*x[to]
    void add_product(int64_t to, int64_t to_order, int64_t from, int64_t from_order, CT alpha, CT beta,
                     range vectors, const panels<CT>& memory) const {
        const int64_t count = vectors.end - vectors.begin;
        const strided_source<CT> matrix{a_ + to * v_.a_row + from * v_.a_column, v_.a_row, v_.a_column,
                                        conjugates_};
        const strided_source<CT> x{b_ + vectors.begin * v_.line + from * v_.step, v_.line, v_.step, false};
        CT* const c = b_ + vectors.begin * v_.line + to * v_.step;
        const bool left = v_.left;
        const product_target<CT> target{c, left ? v_.line : v_.step, left ? to_order : count,
                                        left ? count : to_order, beta};
        multiply_alone(target, from_order, strided_term<CT>{left ? matrix : x, left ? x : matrix, alpha},
                       memory);
    }

    // A triangle of order <= smallest, with its diagonal inverted where that is a complex number. Rows go in
    // pairs: behind an odd order there is one more, of the unit matrix.
    struct triangle {
        R re[smallest * smallest];
        R im[parts == 2 ? smallest * smallest : 1];

        void set(int64_t i, int64_t l, CT value) {
            if constexpr (parts == 2) {
                re[i * smallest + l] = value.re;
                im[i * smallest + l] = value.im;
            } else {
                re[i * smallest + l] = value;
            }
        }
    };

    // A group of right-hand sides next to each other, those that are not there zero.
    struct rows {
        alignas(64) R re[smallest][width];
        alignas(64) R im[parts == 2 ? smallest : 1][width];
    };

    struct sums {
        vector re[groups];
        vector im[groups];
    };

    void small(int64_t at, int64_t order, CT alpha, range vectors) const {
        triangle t;
        const int64_t even = order + order % 2;
        for (int64_t i = 0; i < even; ++i)
            for (int64_t l = 0; l < even; ++l) {
                if (i == order || l == order)
                    t.set(i, l, i == l ? one_ : CT{});
                else if (i == l || (v_.lower ? i > l : i < l))
                    t.set(i, l, element(at + i, at + l));
            }
        for (int64_t v = vectors.begin; v < vectors.end; v += width) {
            CT* const x = b_ + v * v_.line + at * v_.step;
            small_group(t, order, alpha, x, least(width, vectors.end - v));
        }
    }

    CT element(int64_t i, int64_t l) const {
        if (i == l && unit_) return one_;
        CT value = a_[i * v_.a_row + l * v_.a_column];
        if (conjugates_) value = conjugated(value);
        return parts == 2 && solves_ && i == l ? divide(one_, value) : value;
    }

    void small_group(const triangle& t, int64_t order, CT alpha, CT* x, int64_t count) const {
        rows r;
        const int64_t even = order + order % 2;
        if (count < width || even > order) __builtin_memset(&r, 0, sizeof r);
        load_rows(r, order, x, count);
        if (solves_) scale_rows(r, order, alpha);
        for (int64_t n = 0; n < even; n += 2) {
            const bool upwards = v_.lower == (solves_ ? 1 : 0);
            const int64_t i = upwards ? n : even - 2 - n;
            solves_ ? eliminate(t, r, i, even) : accumulate(t, r, i, even);
        }
        if (!solves_) scale_rows(r, order, alpha);
        store_rows(r, order, x, count);
    }

    // sum -= (or +=) t[i, l]*x[l]
    template <bool subtracts>
    [[gnu::always_inline]] inline void add(const triangle& t, int64_t i, int64_t l, const sums& x,
                                           sums& sum) const {
        const R a = subtracts ? -t.re[i * smallest + l] : t.re[i * smallest + l];
        for (int g = 0; g < groups; ++g) sum.re[g] += a * x.re[g];
        if constexpr (parts == 2) {
            const R b = subtracts ? -t.im[i * smallest + l] : t.im[i * smallest + l];
            for (int g = 0; g < groups; ++g) {
                sum.im[g] += a * x.im[g];
                sum.re[g] -= b * x.im[g];
                sum.im[g] += b * x.re[g];
            }
        }
    }

    // The same for rows i and i + 1 and what lies beside both diagonals.
    template <bool subtracts>
    [[gnu::always_inline]] inline void add_beside(const triangle& t, const rows& r, int64_t i, int64_t order,
                                                  sums& first, sums& second) const {
        const int64_t end = v_.lower ? i : order;
        for (int64_t l = v_.lower ? 0 : i + 2; l < end; ++l) {
            const sums x = load(r, l);
            add<subtracts>(t, i, l, x, first);
            add<subtracts>(t, i + 1, l, x, second);
        }
    }

    void eliminate(const triangle& t, rows& r, int64_t i, int64_t order) const {
        sums first = load(r, i), second = load(r, i + 1);
        add_beside<true>(t, r, i, order, first, second);
        if (v_.lower) {
            divide_by(t, i, first);
            add<true>(t, i + 1, i, first, second);
            divide_by(t, i + 1, second);
        } else {
            divide_by(t, i + 1, second);
            add<true>(t, i, i + 1, second, first);
            divide_by(t, i, first);
        }
        store(r, i, first);
        store(r, i + 1, second);
    }

    void accumulate(const triangle& t, rows& r, int64_t i, int64_t order) const {
        const sums x = load(r, i), y = load(r, i + 1);
        sums first{}, second{};
        add<false>(t, i, i, x, first);
        add<false>(t, i + 1, i + 1, y, second);
        if (v_.lower)
            add<false>(t, i + 1, i, x, second);
        else
            add<false>(t, i, i + 1, y, first);
        add_beside<false>(t, r, i, order, first, second);
        store(r, i, first);
        store(r, i + 1, second);
    }

    [[gnu::always_inline]] inline void divide_by(const triangle& t, int64_t i, sums& x) const {
        const R d = t.re[i * smallest + i];
        for (int g = 0; g < groups; ++g) {
            if constexpr (parts == 2) {
                const R e = t.im[i * smallest + i];
                const vector re = x.re[g], im = x.im[g];
                x.re[g] = d * re - e * im;
                x.im[g] = d * im + e * re;
            } else {
                x.re[g] /= d;
            }
        }
    }

    [[gnu::always_inline]] static inline sums load(const rows& r, int64_t i) {
        sums x;
        for (int g = 0; g < groups; ++g) {
            x.re[g] = load_lanes<L>(r.re[i] + g * L);
            if constexpr (parts == 2) x.im[g] = load_lanes<L>(r.im[i] + g * L);
        }
        return x;
    }

    [[gnu::always_inline]] static inline void store(rows& r, int64_t i, const sums& x) {
        for (int g = 0; g < groups; ++g) {
            store_lanes<L>(r.re[i] + g * L, x.re[g]);
            if constexpr (parts == 2) store_lanes<L>(r.im[i] + g * L, x.im[g]);
        }
    }

    void scale_rows(rows& r, int64_t order, CT alpha) const {
        if (equal(alpha, one_)) return;
        for (int64_t i = 0; i < order; ++i) {
            sums x = load(r, i);
            for (int g = 0; g < groups; ++g) {
                if constexpr (parts == 2) {
                    const vector re = x.re[g], im = x.im[g];
                    x.re[g] = alpha.re * re - alpha.im * im;
                    x.im[g] = alpha.re * im + alpha.im * re;
                } else {
                    x.re[g] *= alpha;
                }
            }
            store(r, i, x);
        }
    }

    // f(row, vector, element) in the order of the memory.
    template <class F>
    [[gnu::always_inline]] inline void each_element(int64_t order, CT* x, int64_t count, F&& f) const {
        if (v_.step == 1) {
            for (int64_t w = 0; w < count; ++w)
                for (int64_t i = 0; i < order; ++i) f(i, w, x[w * v_.line + i]);
        } else {
            for (int64_t i = 0; i < order; ++i)
                for (int64_t w = 0; w < count; ++w) f(i, w, x[w * v_.line + i * v_.step]);
        }
    }

    void load_rows(rows& r, int64_t order, CT* x, int64_t count) const {
        each_element(order, x, count, [&](int64_t i, int64_t w, const CT& from) {
            if constexpr (parts == 2) {
                r.re[i][w] = from.re;
                r.im[i][w] = from.im;
            } else {
                r.re[i][w] = from;
            }
        });
    }

    void store_rows(const rows& r, int64_t order, CT* x, int64_t count) const {
        each_element(order, x, count, [&](int64_t i, int64_t w, CT& to) {
            if constexpr (parts == 2)
                to = {r.re[i][w], r.im[i][w]};
            else
                to = r.re[i][w];
        });
    }

    const host_device& device_;
    plans::triangular_vectors v_;
    const CT* a_;
    CT* b_;
    bool conjugates_, unit_, solves_;
    CT alpha_;
    CT one_ = one<CT>();
};

}  // namespace heron::HERON_LEVEL::dense_host
