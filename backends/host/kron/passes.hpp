#pragma once
// One factor's turn on data in the cache, with vectors over neighbouring fibres or over the rows of the
// factor.
//
// A vector may be longer than a run of fibres: it then carries on into what follows, and what it writes there
// is overwritten by its successors. Buffers therefore have room for one vector behind their last element, and
// all code walks upwards.
#include "host/runtime/lanes.hpp"

namespace heron::HERON_LEVEL::kron_host {

// A factor as the passes read it: element (i, j) at a[j*step + i], complex ones as pairs; columns are padded
// to vectors.
template <class R>
struct packed_factor {
    const R* a;
    int64_t step;
};

// Row i of the factor times the fibres v[0], ..., v[cols-1].
template <class R, bool is_complex, int L>
[[gnu::always_inline]] inline lanes<R, L> row_times(const packed_factor<R>& f, int64_t i, int64_t cols,
                                                    const lanes<R, L>* v) {
    if constexpr (is_complex) {
        lanes<R, L> re = f.a[2 * i] * v[0];
        lanes<R, L> im = f.a[2 * i + 1] * v[0];
        for (int64_t j = 1; j < cols; ++j) {
            re += f.a[2 * (j * f.step + i)] * v[j];
            im += f.a[2 * (j * f.step + i) + 1] * v[j];
        }
        return re + times_i<R, L>(im);
    } else {
        lanes<R, L> sum = f.a[i] * v[0];
        for (int64_t j = 1; j < cols; ++j) sum += f.a[j * f.step + i] * v[j];
        return sum;
    }
}

// The same with the fibres in memory, `inner` apart.
template <class R, bool is_complex, int L>
[[gnu::always_inline]] inline lanes<R, L> row_times_memory(const packed_factor<R>& f, int64_t i, int64_t cols,
                                                           const R* in, int64_t inner) {
    lanes<R, L> re = {};
    lanes<R, L> im = {};
    for (int64_t j = 0; j < cols; ++j) {
        const lanes<R, L> v = load_lanes<L>(in + j * inner);
        if constexpr (is_complex) {
            re += f.a[2 * (j * f.step + i)] * v;
            im += f.a[2 * (j * f.step + i) + 1] * v;
        } else {
            re += f.a[j * f.step + i] * v;
        }
    }
    if constexpr (is_complex) re += times_i<R, L>(im);
    return re;
}

// out[o, i, f] := sum over j of A[i, j]*in[o, j, f] for f in [0, inner), `inner` counting reals. N: m and n
// where they are known and the same, else 0.
template <class R, bool is_complex, int N, int L>
[[gnu::always_inline]] inline void fibres_pass(const R* __restrict in, R* __restrict out,
                                               const packed_factor<R>& factor, int64_t outer, int64_t m,
                                               int64_t n, int64_t inner) {
    const packed_factor<R> f = factor;
    const int64_t rows = N ? N : m;
    const int64_t cols = N ? N : n;
    for (int64_t o = 0; o < outer; ++o) {
        for (int64_t k = 0; k < inner; k += L) {
            const int64_t at = k + L <= inner || inner < L ? k : inner - L;
            const R* const from = in + o * cols * inner + at;
            R* const to = out + o * rows * inner + at;
            if constexpr (N > 0) {
                lanes<R, L> v[N];
                for (int j = 0; j < N; ++j) v[j] = load_lanes<L>(from + j * inner);
                for (int i = 0; i < N; ++i)
                    store_lanes<L>(to + i * inner, row_times<R, is_complex, L>(f, i, N, v));
            } else {
                for (int64_t i = 0; i < rows; ++i)
                    store_lanes<L>(to + i * inner,
                                   row_times_memory<R, is_complex, L>(f, i, cols, from, inner));
            }
        }
    }
}

// The last factor of a real product: the vectors run over the rows.
template <class R, int N, int L>
[[gnu::always_inline]] inline void rows_pass(const R* __restrict in, R* __restrict out,
                                             const packed_factor<R>& factor, int64_t outer, int64_t m,
                                             int64_t n) {
    const packed_factor<R> f = factor;
    const int64_t rows = N ? N : m;
    const int64_t cols = N ? N : n;
    for (int64_t o = 0; o < outer; ++o) {
        for (int64_t i = 0; i < rows; i += L) {
            lanes<R, L> sum = in[o * cols] * load_lanes<L>(f.a + i);
            for (int64_t j = 1; j < cols; ++j) sum += in[o * cols + j] * load_lanes<L>(f.a + j * f.step + i);
            store_lanes<L>(out + o * rows + i, sum);
        }
    }
}

template <class R, int L>
[[gnu::always_inline]] inline lanes<R, L> all_lanes(R x) {
    return x - lanes<R, L>{};
}

// A factor of two rows and columns.
template <class R>
struct pair_factor {
    R a00, a10, a01, a11;
};

// Its turn on fibres that lie S apart inside a vector: every element is A[b, b]*v[e] + A[b, 1-b]*v[partner].
template <class R, int S, int L>
[[gnu::always_inline]] inline lanes<R, L> pairs_step(lanes<R, L> v, const pair_factor<R>& f) {
    typedef std::conditional_t<sizeof(R) == 4, int32_t, int64_t> integer;
    lanes<integer, L> second;
    for (int l = 0; l < L; ++l) second[l] = l / S % 2 ? -1 : 0;
    const lanes<R, L> own = second ? all_lanes<R, L>(f.a11) : all_lanes<R, L>(f.a00);
    const lanes<R, L> other = second ? all_lanes<R, L>(f.a10) : all_lanes<R, L>(f.a01);
    return own * v + other * exchanged_lanes<S>(v);
}

template <class R, int S>
[[gnu::always_inline]] inline void pairs_pass(const R* __restrict in, R* __restrict out,
                                              const packed_factor<R>& f, int64_t size) {
    constexpr int L = most_lanes<R>;
    const pair_factor<R> pair{f.a[0], f.a[1], f.a[f.step], f.a[f.step + 1]};
    for (int64_t e = 0; e < size; e += L)
        store_lanes<L>(out + e, pairs_step<R, S, L>(load_lanes<L>(in + e), pair));
}

// The shortest vector that holds `count` lanes, or the longest there is.
template <class R>
constexpr int lanes_for(int64_t count) {
    int l = 1;
    while (l < count && l < most_lanes<R>) l *= 2;
    return l;
}

// fibres_pass by the shortest vectors of L lanes and more that hold a run.
template <class R, bool is_complex, int N, int L = 2>
[[gnu::always_inline]] inline void short_fibres_pass(const R* in, R* out, const packed_factor<R>& f,
                                                     int64_t outer, int64_t m, int64_t n, int64_t inner) {
    if constexpr (L < most_lanes<R>) {
        if (inner > L) return short_fibres_pass<R, is_complex, N, 2 * L>(in, out, f, outer, m, n, inner);
        fibres_pass<R, is_complex, N, L>(in, out, f, outer, m, n, inner);
    } else {
        fibres_pass<R, is_complex, N, most_lanes<R>>(in, out, f, outer, m, n, inner);
    }
}

// pairs_pass where fibres lie inside a vector; false where they do not.
template <class R, int S = 1>
[[gnu::always_inline]] inline bool try_pairs_pass(const R* in, R* out, const packed_factor<R>& f,
                                                  int64_t size, int64_t inner) {
    if constexpr (S < most_lanes<R>) {
        if (inner != S) return try_pairs_pass<R, 2 * S>(in, out, f, size, inner);
        pairs_pass<R, S>(in, out, f, size);
        return true;
    }
    return false;
}

// One factor's turn, sizes known to the compiler or not.
template <class R, bool is_complex, int N>
[[gnu::always_inline]] inline void any_pass(const R* in, R* out, const packed_factor<R>& f, int64_t outer,
                                            int64_t m, int64_t n, int64_t inner) {
    constexpr int most = most_lanes<R>;
    if constexpr (is_complex) {
        short_fibres_pass<R, true, N>(in, out, f, outer, m, n, 2 * inner);
    } else {
        if constexpr (N == 2) {
            const int64_t size = 2 * outer * inner;
            if (size >= most && try_pairs_pass(in, out, f, size, inner)) return;
        }
        if (inner == 1) {
            if constexpr (N > 0) return rows_pass<R, N, lanes_for<R>(N)>(in, out, f, outer, m, n);
            if (m > most / 2) return rows_pass<R, N, most>(in, out, f, outer, m, n);
            return rows_pass<R, N, (most > 4 ? most / 2 : most)>(in, out, f, outer, m, n);
        }
        short_fibres_pass<R, false, N>(in, out, f, outer, m, n, inner);
    }
}

}  // namespace heron::HERON_LEVEL::kron_host
