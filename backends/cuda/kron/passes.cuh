#pragma once
// What the kernels of a pass are told about operands, factors and scalars.
#include "chunk.cuh"
#include "tuned.hpp"
#include <limits>
#include <vector>

namespace heron::HERON_LEVEL::kron_cuda {

inline operand as_operand(const heron_batch_operand& o) {
    return {o.base, o.list, o.stride, o.list_step, plans::kron_kind(o)};
}

// Modes [begin, end) of the item, applied in one launch.
struct mode_range {
    int begin, end;
    int count() const { return end - begin; }
};

// How a pass goes through its tiles: in rounds of so many as the device works on at a time.
struct pass_rounds {
    int64_t tiles;  // of an item
    int64_t at_once, tile_bytes;

    int64_t bytes(int64_t items) const {
        return (items * tiles + at_once - 1) / at_once * at_once * tile_bytes;
    }
};

// What a chunk takes beside the rounds of its passes, as measured.
constexpr int64_t chunk_overhead_bytes = int64_t{8} << 20;

// Of half of `most` items to all of them, the multiple of `step` with the shortest rounds an item. Half of
// what is more than `comfortable` items leaves the cache.
inline int64_t best_chunk(const std::vector<pass_rounds>& passes, int64_t most, int64_t step,
                          int64_t comfortable, int64_t item_bytes) {
    int64_t best = most / step * step;
    double least = std::numeric_limits<double>::max();
    for (int64_t items = best; 2 * items > most; items -= step) {
        int64_t bytes = chunk_overhead_bytes;
        if (items > comfortable) bytes += (items - comfortable) * item_bytes / 2;
        for (const pass_rounds& pass : passes) bytes += pass.bytes(items);
        const double cost = static_cast<double>(bytes) / static_cast<double>(items);
        if (cost < least) {
            least = cost;
            best = items;
        }
    }
    return best;
}

template <class CT, int N>
class square_passes {
  protected:
    explicit square_passes(const heron_kronmult_args& args) : args_(args) {
        for (int i = 0; i < args.ndim; ++i) rows_ *= N;
        last_modes_ = last_modes_of_two(args.ndim);
    }

    // Pass 0 has the last modes.
    mode_range range(int pass) const { return {end_of(pass + 1), end_of(pass)}; }

    // Whether a pass writes to the outputs.
    bool is_last(int pass) const { return pass == passes_ - 1 && !keeps_results_; }

    static kron_scalar<CT> scalar_of(const heron_scalar& s) {
        return {scalar_value<CT>(s.re, s.im), static_cast<const CT*>(s.device)};
    }
    kron_scalar<CT> alpha_of(bool last) const {
        return last ? scalar_of(args_.alpha) : kron_scalar<CT>{scalar_value<CT>(1, 0), nullptr};
    }
    kron_scalar<CT> beta_of(bool last) const { return last ? scalar_of(args_.beta) : kron_scalar<CT>{}; }

    // Dense: items without gaps, aligned to 16 bytes.
    bool is_dense(const heron_batch_operand& o, int64_t step) const {
        return args_.vectors == 1 && step == 1 && o.kind == HERON_BATCH_STRIDED && o.stride == rows_ &&
               reinterpret_cast<uintptr_t>(o.base) % 16 == 0;
    }

    // The factors of the range are dense when an item's follow each other.
    const CT* dense_factors(const mode_range& r) const {
        const heron_kron_factor_args& f0 = args_.factors[r.begin];
        const CT* const first = static_cast<const CT*>(f0.a.base);
        for (int i = r.begin; i < r.end; ++i) {
            const heron_kron_factor_args& f = args_.factors[i];
            if (f.a.kind != HERON_BATCH_STRIDED || f.a.stride != f0.a.stride || f.row_step != 1 ||
                f.column_step != N || f.conjugate || f.a.base != first + (i - r.begin) * N * N)
                return nullptr;
        }
        const bool whole = passes_ > 1 || f0.a.stride == (r.end - r.begin) * N * N;
        const bool aligned = reinterpret_cast<uintptr_t>(first) % 16 == 0 &&
                             (passes_ == 1 || f0.a.stride * static_cast<int64_t>(sizeof(CT)) % 16 == 0);
        return args_.vectors == 1 && whole && aligned ? first : nullptr;
    }

    item_parameters<CT> item_parameters_of(int pass, int64_t first, int64_t units) const {
        const mode_range r = range(pass);
        item_parameters<CT> p{};
        p.factors_are_shared = p.factors_are_plain = 1;
        for (int i = r.begin; i < r.end; ++i) {
            const heron_kron_factor_args& f = args_.factors[i];
            p.factors[i - r.begin] = {as_operand(f.a), f.row_step, f.column_step, f.conjugate};
            p.factors_are_plain =
                p.factors_are_plain && f.row_step == 1 && f.column_step == N && !f.conjugate;
            p.factors_are_shared = p.factors_are_shared && f.a.kind == HERON_BATCH_STRIDED && f.a.stride == 0;
        }
        const bool last = is_last(pass);
        const operand chunk{chunk_, nullptr, rows_, 0, 0};
        p.in = pass == 0 ? as_operand(args_.x) : chunk;
        p.in_is_chunk = pass > 0;
        p.out = last ? as_operand(args_.y) : chunk;
        p.out_is_chunk = !last;
        p.in_step = pass == 0 ? args_.x_step : 1;
        p.out_step = last ? args_.y_step : 1;
        p.in_vector = args_.x_column_step;
        p.out_vector = args_.y_column_step;
        p.first = first;
        p.units = units;
        p.vectors = args_.vectors;
        p.inner = 1;
        for (int i = r.end; i < args_.ndim; ++i) p.inner *= N;
        p.tiles = 1;
        if (pass > 0)
            p.dense_in = chunk_;
        else if (is_dense(args_.x, args_.x_step))
            p.dense_in = static_cast<const CT*>(args_.x.base) + first * rows_;
        if (!last)
            p.dense_out = chunk_;
        else if (is_dense(args_.y, args_.y_step))
            p.dense_out = static_cast<CT*>(args_.y.base) + first * rows_;
        // Copies of 16 bytes need such beginnings.
        if (first * rows_ * static_cast<int64_t>(sizeof(CT)) % 16 != 0) {
            if (pass == 0) p.dense_in = nullptr;
            if (last) p.dense_out = nullptr;
        }
        p.dense_factors = dense_factors(r);
        p.factor_stride = args_.factors[r.begin].a.stride;
        p.alpha = alpha_of(last);
        p.beta = beta_of(last);
        p.atomic = last && args_.output == HERON_KRON_ADD_ATOMIC;
        return p;
    }

  private:
    int end_of(int pass) const {
        if (passes_ == 2 && pass == 1) return args_.ndim - last_modes_;
        return args_.ndim - (args_.ndim * pass + passes_ - 1) / passes_;
    }

    // Half of them or more, as many as blocks have room for: tiles of few leading ones have longer runs.
    static int last_modes_of_two(int modes) {
        constexpr int most = N >= 5 ? most_item_bytes / static_cast<int>(sizeof(CT)) : 0;
        int last = (modes + 1) / 2;
        while (modes - last > leading_modes_of<CT, N>().least && power(N, last + 1) <= most) ++last;
        return last;
    }

  protected:
    const heron_kronmult_args& args_;
    int64_t rows_ = 1;
    int passes_ = 1;
    bool keeps_results_ = false;  // in the workspace, where they are added up
    int last_modes_;              // of pass 0 of two
    CT* chunk_ = nullptr;         // partial results of the items at work
};

}  // namespace heron::HERON_LEVEL::kron_cuda
