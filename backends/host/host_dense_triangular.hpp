#pragma once
// Triangular products and solves in place: halves by recursion, so that nearly all work is a product of blocks (Elmroth,
// Gustavson, Jonsson and Kagstrom, SIAM Review 46(1), 2004, 10.1137/S0036144503428693), and small triangles on vectors over
// neighbouring right-hand sides. Members of a team work on right-hand sides of their own.
#include "../common/plans/dense.hpp"
#include "host_dense_product.hpp"

namespace heron::HERON_LEVEL::dense_host {

template <class CT> class triangular_run {
  public:
    triangular_run(const host_device& device, const heron_triangular_args& args, CT alpha, bool solves)
        : device_(device),
          v_(args),
          a_(as<const CT>(args.a.memory) + args.a.offset),
          b_(as<CT>(args.b.memory) + args.b.offset),
          conjugates_(plans::dense_conjugates(args.op_a)),
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
                          : panels<CT>{reinterpret_cast<CT*>(own), reinterpret_cast<CT*>(own + size / 2), size / 2, size / 2};
            solves_ ? solve(0, v_.order, alpha_, vectors, memory) : multiply_by(0, v_.order, vectors, memory);
        });
    }

  private:
    using R = real_of<CT>;
    static constexpr int parts = parts_of<CT>::count;
    static constexpr int L = most_lanes<R>;
    static constexpr int groups = 4 / parts;       // vectors of right-hand sides that are worked on at once
    static constexpr int width = groups * L;       // right-hand sides
    static constexpr int64_t smallest = 32;        // order of the triangles that are not halved
    using vector = lanes<R, L>;

    static int64_t half(int64_t order) { return rounded_up(order / 2, smallest); }

    // Rows [at, at + order) of the vectors, of which the other rows' part has been subtracted.
    void solve(int64_t at, int64_t order, CT alpha, range vectors, const panels<CT>& memory) const {
        if (order <= smallest) return small(at, order, alpha, vectors);
        const int64_t first = half(order), second = order - first;
        const int64_t from = v_.lower ? at : at + first, to = v_.lower ? at + first : at;
        solve(from, v_.lower ? first : second, alpha, vectors, memory);
        add_product(to, v_.lower ? second : first, from, v_.lower ? first : second, sub(CT{}, one_), alpha, vectors, memory);
        solve(to, v_.lower ? second : first, one_, vectors, memory);
    }

    void multiply_by(int64_t at, int64_t order, range vectors, const panels<CT>& memory) const {
        if (order <= smallest) return small(at, order, alpha_, vectors);
        const int64_t first = half(order), second = order - first;
        const int64_t from = v_.lower ? at : at + first, to = v_.lower ? at + first : at;
        multiply_by(to, v_.lower ? second : first, vectors, memory);
        add_product(to, v_.lower ? second : first, from, v_.lower ? first : second, alpha_, one_, vectors, memory);
        multiply_by(from, v_.lower ? first : second, vectors, memory);
    }

    // x[to] := alpha*M[to, from]*x[from] + beta*x[to]
    void add_product(int64_t to, int64_t to_order, int64_t from, int64_t from_order, CT alpha, CT beta, range vectors,
                     const panels<CT>& memory) const {
        const int64_t count = vectors.end - vectors.begin;
        const strided_source<CT> matrix{a_ + to * v_.a_row + from * v_.a_column, v_.a_row, v_.a_column, conjugates_};
        const strided_source<CT> x{b_ + vectors.begin * v_.line + from * v_.step, v_.line, v_.step, false};
        CT* const c = b_ + vectors.begin * v_.line + to * v_.step;
        const bool left = v_.left;
        const product_target<CT> target{c, left ? v_.line : v_.step, left ? to_order : count, left ? count : to_order, beta};
        multiply_alone(target, from_order, strided_term<CT>{left ? matrix : x, left ? x : matrix, alpha}, memory);
    }

    // A triangle of order <= smallest, with its diagonal inverted where that is a complex number.
    struct triangle {
        R re[smallest * smallest];
        R im[parts == 2 ? smallest * smallest : 1];
    };

    void small(int64_t at, int64_t order, CT alpha, range vectors) const {
        triangle t;
        for (int64_t l = 0; l < order; ++l)
            for (int64_t i = 0; i < order; ++i) {
                if (v_.lower ? i < l : i > l) continue;
                CT value = one_;
                if (i != l || !unit_) {
                    value = a_[(at + i) * v_.a_row + (at + l) * v_.a_column];
                    if (conjugates_) value = conjugated(value);
                    if (parts == 2 && solves_ && i == l) value = divide(one_, value);
                }
                if constexpr (parts == 2) {
                    t.re[i * smallest + l] = value.re;
                    t.im[i * smallest + l] = value.im;
                } else {
                    t.re[i * smallest + l] = value;
                }
            }
        for (int64_t v = vectors.begin; v < vectors.end; v += width) {
            CT* const x = b_ + v * v_.line + at * v_.step;
            small_group(t, order, alpha, x, least(width, vectors.end - v));
        }
    }

    struct rows {
        vector re[smallest][groups];
        vector im[parts == 2 ? smallest : 1][groups];
    };

    void small_group(const triangle& t, int64_t order, CT alpha, CT* x, int64_t count) const {
        rows r;
        load_rows(r, order, x, count);
        if (solves_) {
            scale_rows(r, order, alpha);
            for (int64_t n = 0; n < order; ++n) eliminate(t, r, v_.lower ? n : order - 1 - n, order);
        } else {
            for (int64_t n = 0; n < order; ++n) accumulate(t, r, v_.lower ? order - 1 - n : n, order);
            scale_rows(r, order, alpha);
        }
        store_rows(r, order, x, count);
    }

    int64_t first_beside(int64_t i) const { return v_.lower ? 0 : i + 1; }
    int64_t last_beside(int64_t i, int64_t order) const { return v_.lower ? i : order; }

    // sum -= (or +=) t[i, l]*x[l] for all l beside the diagonal
    template <bool subtracts>
    [[gnu::always_inline]] inline void add_row(const triangle& t, const rows& r, int64_t i, int64_t order, vector* re,
                                               vector* im) const {
        for (int64_t l = first_beside(i); l < last_beside(i, order); ++l) {
            const R a = subtracts ? -t.re[i * smallest + l] : t.re[i * smallest + l];
            for (int g = 0; g < groups; ++g) re[g] += a * r.re[l][g];
            if constexpr (parts == 2) {
                const R b = subtracts ? -t.im[i * smallest + l] : t.im[i * smallest + l];
                for (int g = 0; g < groups; ++g) {
                    im[g] += a * r.im[l][g];
                    re[g] -= b * r.im[l][g];
                    im[g] += b * r.re[l][g];
                }
            }
        }
    }

    void eliminate(const triangle& t, rows& r, int64_t i, int64_t order) const {
        vector re[groups], im[groups];
        for (int g = 0; g < groups; ++g) {
            re[g] = r.re[i][g];
            if constexpr (parts == 2) im[g] = r.im[i][g];
        }
        add_row<true>(t, r, i, order, re, im);
        const R d = t.re[i * smallest + i];
        for (int g = 0; g < groups; ++g) {
            if constexpr (parts == 2) {
                const R e = t.im[i * smallest + i];
                r.re[i][g] = d * re[g] - e * im[g];
                r.im[i][g] = d * im[g] + e * re[g];
            } else {
                r.re[i][g] = re[g] / d;
            }
        }
    }

    void accumulate(const triangle& t, rows& r, int64_t i, int64_t order) const {
        const R d = t.re[i * smallest + i];
        vector re[groups], im[groups];
        for (int g = 0; g < groups; ++g) {
            re[g] = d * r.re[i][g];
            if constexpr (parts == 2) {
                const R e = t.im[i * smallest + i];
                re[g] -= e * r.im[i][g];
                im[g] = d * r.im[i][g] + e * r.re[i][g];
            }
        }
        add_row<false>(t, r, i, order, re, im);
        for (int g = 0; g < groups; ++g) {
            r.re[i][g] = re[g];
            if constexpr (parts == 2) r.im[i][g] = im[g];
        }
    }

    void scale_rows(rows& r, int64_t order, CT alpha) const {
        if (equal(alpha, one_)) return;
        for (int64_t i = 0; i < order; ++i)
            for (int g = 0; g < groups; ++g) {
                if constexpr (parts == 2) {
                    const vector re = r.re[i][g], im = r.im[i][g];
                    r.re[i][g] = alpha.re * re - alpha.im * im;
                    r.im[i][g] = alpha.re * im + alpha.im * re;
                } else {
                    r.re[i][g] *= alpha;
                }
            }
    }

    // Elements of vectors that are not there are zero.
    void load_rows(rows& r, int64_t order, const CT* x, int64_t count) const {
        for (int64_t i = 0; i < order; ++i) {
            alignas(64) R re[width] = {}, im[width] = {};
            for (int64_t w = 0; w < count; ++w) {
                const CT value = x[w * v_.line + i * v_.step];
                if constexpr (parts == 2) {
                    re[w] = value.re;
                    im[w] = value.im;
                } else {
                    re[w] = value;
                }
            }
            for (int g = 0; g < groups; ++g) {
                r.re[i][g] = load_lanes<L>(re + g * L);
                if constexpr (parts == 2) r.im[i][g] = load_lanes<L>(im + g * L);
            }
        }
    }

    void store_rows(const rows& r, int64_t order, CT* x, int64_t count) const {
        for (int64_t i = 0; i < order; ++i) {
            alignas(64) R re[width], im[width];
            for (int g = 0; g < groups; ++g) {
                store_lanes<L>(re + g * L, r.re[i][g]);
                if constexpr (parts == 2) store_lanes<L>(im + g * L, r.im[i][g]);
            }
            for (int64_t w = 0; w < count; ++w) {
                CT& to = x[w * v_.line + i * v_.step];
                if constexpr (parts == 2)
                    to = {re[w], im[w]};
                else
                    to = re[w];
            }
        }
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
