#pragma once
// One item of a batched Kronecker product on one thread.
#include "common/kron/plan.hpp"
#include "passes.hpp"

namespace heron::HERON_LEVEL::kron_host {

constexpr int64_t power(int64_t n, int d) { return d == 0 ? 1 : n * power(n, d - 1); }

// Where the operand of item k begins.
template <class CT>
[[gnu::always_inline]] inline CT* locate(const heron_batch_operand& o, int64_t k) {
    if (o.kind == HERON_BATCH_STRIDED) return as<CT>(o.base) + k * o.stride;
    if (o.kind == HERON_BATCH_POINTERS) return static_cast<CT* const*>(o.list)[k * o.list_step];
    const int64_t index = o.index_type == HERON_INDEX_32
                              ? static_cast<const int32_t*>(o.list)[k * o.list_step]
                              : static_cast<const int64_t*>(o.list)[k * o.list_step];
    return as<CT>(o.base) + index * o.stride;
}

// What all threads share: the order of the factors and the sizes of the buffers.
template <class CT>
class item_shape {
  public:
    using R = typename parts_of<CT>::real;
    static constexpr int parts = parts_of<CT>::count;
    static constexpr int padding = 2 * most_lanes<R>;  // reals

    explicit item_shape(const heron_kronmult_args& a)
        : args(a), steps(a), rows(plans::kron_rows(a)), columns(plans::kron_columns(a)) {
        for (int i = 0; i < args.ndim; ++i) {
            const heron_kron_factor_args& f = args.factors[i];
            step_of[i] = (f.m + most_lanes<R> - 1) / most_lanes<R> * most_lanes<R>;
            begin_of[i] = factors_size;
            factors_size += step_of[i] * f.n * parts;
        }
        const int64_t common = plans::kron_common_size(args);
        n = common < 1000 ? static_cast<int>(common) : 0;
        int64_t most = columns;
        for (int i = 0; i < 2; ++i)
            if (steps.largest(i) > most) most = steps.largest(i);
        buffer_size = rounded(most * parts);
        choose_blocks();
    }

    // Reals that one thread needs: two buffers, two for a block, and the factors.
    int64_t scratch_size() const { return 2 * (buffer_size + block_size) + rounded(factors_size); }

    const heron_kronmult_args& args;
    plans::kron_sequence steps;
    int64_t rows, columns;
    int64_t step_of[plans::kron_most_factors] = {};
    int64_t begin_of[plans::kron_most_factors] = {};
    int64_t factors_size = 0;
    int64_t buffer_size = 0;
    int n = 0;  // size of all factors, if they have one
    // The first factors are applied to the whole item, the others to one of `blocks` stretches of the result
    // after the other, where several fit the second-level cache.
    int whole_steps = 0;
    int64_t blocks = 1;
    int64_t block_size = 0;  // of a buffer, in reals; 0 where the whole item is one block

  private:
    static constexpr int64_t most_block_bytes = 256 * 1024;

    static int64_t rounded(int64_t reals) { return (reals + padding + 63) / 64 * 64; }

    void choose_blocks() {
        if (rows == 0 || columns == 0) return;
        for (int i = 0; i < args.ndim; ++i)
            if (steps[i].factor != i) return;
        int64_t stretch = buffer_size;
        int steps_before = 0;
        int64_t count = 1;
        while (stretch * static_cast<int64_t>(sizeof(R)) > most_block_bytes && steps_before + 2 < args.ndim) {
            count *= steps[steps_before++].m;
            stretch = 0;
            for (int i = steps_before; i < args.ndim; ++i)
                if (steps[i].out_size() / count > stretch) stretch = steps[i].out_size() / count;
            stretch *= parts;
        }
        if (steps_before == 0) return;
        whole_steps = steps_before;
        blocks = count;
        block_size = rounded(stretch);
    }
};

// A thread's buffers and the factors that it has packed last.
template <class CT>
class item_worker {
  public:
    using shape = item_shape<CT>;
    using R = typename shape::R;
    static constexpr int parts = shape::parts;

    item_worker(const shape& s, R* scratch)
        : s_(s),
          buffers_{scratch, scratch + s.buffer_size},
          blocks_{scratch + 2 * s.buffer_size, scratch + 2 * s.buffer_size + s.block_size},
          factors_(scratch + 2 * (s.buffer_size + s.block_size)) {
        __builtin_memset(factors_, 0, static_cast<size_t>(s.factors_size) * sizeof(R));
    }

    // The product of item k and column v, s.rows elements; it stays until the next call.
    template <int N>
    [[gnu::always_inline]] inline const R* product(int64_t k, int64_t v) {
        for (int i = 0; i < s_.args.ndim; ++i) pack(i, locate<const CT>(s_.args.factors[i].a, k));
        const R* in = load_x(locate<const CT>(s_.args.x, k) + v * s_.args.x_column_step);
        const int whole = s_.block_size > 0 ? s_.whole_steps : s_.args.ndim;
        for (int i = 0; i < whole; ++i) {
            R* const out = other(buffers_, in);
            pass<N>(i, in, out, 1);
            in = out;
        }
        if (s_.block_size == 0) return in;
        R* const out = other(buffers_, in);
        for (int64_t b = 0; b < s_.blocks; ++b) block<N>(in, out, b);
        return out;
    }

    // The same for D factors N x N in the order in which they are given, unrolled.
    template <int N, int D>
    [[gnu::always_inline]] inline const R* small_product(int64_t k, int64_t v) {
        for (int i = 0; i < D; ++i) pack_small<N>(i, locate<const CT>(s_.args.factors[i].a, k));
        load_small<N, D>(locate<const CT>(s_.args.x, k) + v * s_.args.x_column_step);
        return small_passes<N, D, 0>();
    }

    // The same for D real factors 2 x 2, all in registers.
    template <int D>
    [[gnu::always_inline]] inline const R* pairs_product(int64_t k, int64_t v) {
        constexpr int size = 1 << D;
        constexpr int L = size < most_lanes<R> ? size : most_lanes<R>;
        const CT* x = locate<const CT>(s_.args.x, k) + v * s_.args.x_column_step;
        if (s_.args.x_step != 1) {
            load_small<2, D>(x);
            x = buffers_[0];
        }
        lanes<R, L> values[size / L];
        for (int e = 0; e < size / L; ++e) values[e] = load_lanes<L>(x + e * L);
        pairs_steps<D, D - 1, L>(values, k);
        for (int e = 0; e < size / L; ++e) store_lanes<L>(buffers_[1] + e * L, values[e]);
        return buffers_[1];
    }

  private:
    static R* other(R* const (&pair)[2], const R* one) { return one == pair[0] ? pair[1] : pair[0]; }

    // Step i on one of `blocks` parts of the data.
    template <int N>
    [[gnu::always_inline]] inline void pass(int i, const R* in, R* out, int64_t blocks) const {
        const plans::kron_step& step = s_.steps[i];
        any_pass<R, parts == 2, N>(in, out, factor(step.factor), step.outer / blocks, step.m, step.n,
                                   step.inner);
    }

    // The steps that are left, on block b.
    template <int N>
    [[gnu::always_inline]] inline void block(const R* whole_in, R* whole_out, int64_t b) const {
        const int last = s_.args.ndim - 1;
        const R* in = whole_in + s_.steps[s_.whole_steps].in_size() / s_.blocks * parts * b;
        for (int i = s_.whole_steps; i < last; ++i) {
            R* const out = other(blocks_, in);
            pass<N>(i, in, out, s_.blocks);
            in = out;
        }
        pass<N>(last, in, whole_out + s_.steps[last].out_size() / s_.blocks * parts * b, s_.blocks);
    }

    // Factors D - 1 - T to D - 1.
    template <int D, int T, int L>
    [[gnu::always_inline]] inline void pairs_steps(lanes<R, L>* values, int64_t k) const {
        if constexpr (T >= 0) {
            constexpr int apart = 1 << T;
            const heron_kron_factor_args& factor = s_.args.factors[D - 1 - T];
            const CT* const a = locate<const CT>(factor.a, k);
            const pair_factor<R> f{a[0], a[factor.row_step], a[factor.column_step],
                                   a[factor.row_step + factor.column_step]};
            if constexpr (apart < L) {
                for (int e = 0; e < (1 << D) / L; ++e) values[e] = pairs_step<R, apart, L>(values[e], f);
            } else {
                constexpr int step = apart / L;
                for (int e = 0; e < (1 << D) / L; ++e) {
                    if (e / step % 2) continue;
                    const lanes<R, L> first = values[e];
                    values[e] = f.a00 * first + f.a01 * values[e + step];
                    values[e + step] = f.a10 * first + f.a11 * values[e + step];
                }
            }
            pairs_steps<D, T - 1, L>(values, k);
        }
    }

    packed_factor<R> factor(int i) const { return {factors_ + s_.begin_of[i], s_.step_of[i]}; }

    void pack(int i, const CT* a) {
        if (a == packed_[i]) return;
        packed_[i] = a;
        const heron_kron_factor_args& f = s_.args.factors[i];
        CT* const to = reinterpret_cast<CT*>(factors_ + s_.begin_of[i]);
        for (int64_t j = 0; j < f.n; ++j)
            for (int64_t r = 0; r < f.m; ++r) {
                const CT value = a[r * f.row_step + j * f.column_step];
                to[j * s_.step_of[i] + r] = f.conjugate ? conj(value) : value;
            }
    }

    template <int N>
    [[gnu::always_inline]] inline void pack_small(int i, const CT* a) {
        if (a == packed_[i]) return;
        packed_[i] = a;
        const heron_kron_factor_args& f = s_.args.factors[i];
        const int64_t row_step = f.row_step;
        const int64_t column_step = f.column_step;
        CT* const to = reinterpret_cast<CT*>(factors_ + s_.begin_of[i]);
        constexpr int step = (N + most_lanes<R> - 1) / most_lanes<R> * most_lanes<R>;
        for (int j = 0; j < N; ++j)
            for (int r = 0; r < N; ++r) {
                const CT value = a[r * row_step + j * column_step];
                to[j * step + r] = parts == 2 && f.conjugate ? conj(value) : value;
            }
    }

    // X itself where the first factor's vectors do not reach behind it, else a copy.
    [[gnu::always_inline]] inline const R* load_x(const CT* x) {
        const int64_t step = s_.args.x_step;
        if (step == 1 && s_.steps[0].inner * parts >= most_lanes<R>) return reinterpret_cast<const R*>(x);
        CT* const to = reinterpret_cast<CT*>(buffers_[0]);
        if (step == 1) {
            __builtin_memcpy(to, x, static_cast<size_t>(s_.columns) * sizeof(CT));
        } else {
            for (int64_t e = 0; e < s_.columns; ++e) to[e] = x[e * step];
        }
        return buffers_[0];
    }

    template <int N, int D>
    [[gnu::always_inline]] inline void load_small(const CT* x) {
        CT* const to = reinterpret_cast<CT*>(buffers_[0]);
        constexpr int64_t size = power(N, D);
        const int64_t step = s_.args.x_step;
        if (step == 1)
            __builtin_memcpy(to, x, size * sizeof(CT));
        else
            for (int64_t e = 0; e < size; ++e) to[e] = x[e * step];
    }

    template <int N, int D, int I>
    [[gnu::always_inline]] inline const R* small_passes() {
        if constexpr (I == D) {
            return buffers_[D % 2];
        } else {
            constexpr int step = (N + most_lanes<R> - 1) / most_lanes<R> * most_lanes<R>;
            const packed_factor<R> f{factors_ + s_.begin_of[I], step};
            any_pass<R, parts == 2, N>(buffers_[I % 2], buffers_[(I + 1) % 2], f, power(N, I), N, N,
                                       power(N, D - 1 - I));
            return small_passes<N, D, I + 1>();
        }
    }

    const shape& s_;
    R* buffers_[2];
    R* blocks_[2];
    R* factors_;
    const CT* packed_[plans::kron_most_factors] = {};
};

template <class CT>
using item_kernel = const typename item_worker<CT>::R* (*)(item_worker<CT>&, int64_t item, int64_t column);

template <class CT, int N>
const typename item_worker<CT>::R* any_item(item_worker<CT>& w, int64_t k, int64_t v) {
    return w.template product<N>(k, v);
}

template <class CT, int N, int D>
const typename item_worker<CT>::R* small_item(item_worker<CT>& w, int64_t k, int64_t v) {
    return w.template small_product<N, D>(k, v);
}

template <class CT, int D>
const typename item_worker<CT>::R* pairs_item(item_worker<CT>& w, int64_t k, int64_t v) {
    return w.template pairs_product<D>(k, v);
}

// The unrolled kernel for D real factors N x N, or NULL where there is none.
template <class CT, int N, int D>
constexpr item_kernel<CT> unrolled_item() {
    constexpr int64_t most_unrolled = 64;
    if constexpr (parts_of<CT>::count > 1)
        return nullptr;
    else if constexpr (N == 2)
        return pairs_item<CT, D>;
    else if constexpr (power(N, D) <= most_unrolled)
        return small_item<CT, N, D>;
    else
        return nullptr;
}

template <class CT, int N>
item_kernel<CT> unrolled_kernel(int ndim) {
    constexpr item_kernel<CT> kernels[] = {unrolled_item<CT, N, 2>(), unrolled_item<CT, N, 3>(),
                                           unrolled_item<CT, N, 4>(), unrolled_item<CT, N, 5>(),
                                           unrolled_item<CT, N, 6>()};
    return ndim >= 2 && ndim <= 6 ? kernels[ndim - 2] : nullptr;
}

// The kernel that is compiled for factors n x n of these sizes, in_order and unrolled where there is such a
// one, or the kernel for any shape.
template <class CT, int... sizes>
item_kernel<CT> kernel_among(const item_shape<CT>& s, bool in_order) {
    item_kernel<CT> found = any_item<CT, 0>;
    const auto consider = [&]<int N>() {
        if (s.n != N) return;
        const item_kernel<CT> unrolled = in_order ? unrolled_kernel<CT, N>(s.args.ndim) : nullptr;
        found = unrolled ? unrolled : any_item<CT, N>;
    };
    (consider.template operator()<sizes>(), ...);
    return found;
}

template <class CT>
item_kernel<CT> kernel_for(const item_shape<CT>& s) {
    return kernel_among<CT, 2, 3, 4, 5, 6, 8, 10, 16>(s, s.args.algorithm == HERON_KRON_FUSED);
}

}  // namespace heron::HERON_LEVEL::kron_host
