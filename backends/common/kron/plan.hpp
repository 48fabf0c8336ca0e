#pragma once
// Batched Kronecker products for any device and any shape, and the order in which the factors are applied,
// which the tuned kernels share. A chunk of items at a time goes through the factors, each a kernel of its
// own, with the partial results in the workspace: its size depends on what is worked on at once, not on the
// batch.
#include "common/runtime/dispatch.hpp"
#include <numeric>

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family kron{"kron", "CT"};
#include "kernels.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

constexpr int kron_most_factors = 8;

// How kernels of GPUs take factors n x n, by the bytes of an element, so that registers suffice: factors that
// are applied at once; whether those of `modes` stay in registers from fibre to fibre, or else how many
// fibres share what is read of one, and how many neighbours of its columns are read at once.
constexpr int kron_fused_modes(int bytes, int n) {
    if (n == 2) return 3;
    return n == 3 || (n == 4 && bytes <= 8) ? 2 : 1;
}
constexpr bool kron_keeps_factors(int bytes, int n, int modes) {
    return bytes * n * n * modes <= (bytes == 4 ? 256 : 200);
}
constexpr int kron_fibres_at_once(int bytes, int n) { return bytes * n < 128 ? 2 : 1; }
constexpr int kron_column_step(int bytes, int n) {
    if (bytes == 4 && n % 4 == 0) return 4;
    return bytes <= 8 && n % 2 == 0 ? 2 : 1;
}

// One factor's turn: out[o, i, f] := sum over j of A[i, j]*in[o, j, f], with out[o, i, f] at o*outer_step +
// i*line_step + f*inner_step and in without gaps.
struct kron_step {
    int factor;
    heron_index outer, m, n, inner;
    heron_index outer_step, line_step, inner_step;

    heron_index in_size() const { return outer * n * inner; }
    heron_index out_size() const { return outer * m * inner; }
};

// The factors in the order in which an algorithm applies them.
class kron_sequence {
  public:
    explicit kron_sequence(const heron_kronmult_args& args) : length_(args.ndim) {
        for (int i = 0; i < length_; ++i) axes_[i] = {i, args.factors[i].n};
        int order[kron_most_factors];
        choose(args, order);
        for (int i = 0; i < length_; ++i) apply(args, order[i], i);
    }

    int length() const { return length_; }
    const kron_step& operator[](int i) const { return steps_[i]; }

    // The largest results of the steps that write to the first (0, 2, ...) and the second buffer.
    heron_index largest(int buffer) const {
        heron_index most = 0;
        for (int i = buffer; i < length_; i += 2)
            if (steps_[i].out_size() > most) most = steps_[i].out_size();
        return most;
    }

  private:
    struct axis {
        int factor;
        heron_index size;
    };

    static void choose(const heron_kronmult_args& args, int* order) {
        const int d = args.ndim;
        for (int i = 0; i < d; ++i) order[i] = args.algorithm == HERON_KRON_993_BACKWARD ? d - 1 - i : i;
        if (args.algorithm == HERON_KRON_FUSED) sort_by_growth(args, order);
    }

    // Ascending (m - n)/(m*n) = 1/n - 1/m gives the fewest operations.
    static void sort_by_growth(const heron_kronmult_args& args, int* order) {
        const auto growth = [&](int i) {
            const heron_kron_factor_args& f = args.factors[i];
            return f.m > 0 && f.n > 0 ? 1.0 / static_cast<double>(f.n) - 1.0 / static_cast<double>(f.m)
                                      : -2.0;
        };
        for (int i = 1; i < args.ndim; ++i)
            for (int k = i; k > 0 && growth(order[k]) < growth(order[k - 1]); --k) {
                const int other = order[k];
                order[k] = order[k - 1];
                order[k - 1] = other;
            }
    }

    void apply(const heron_kronmult_args& args, int factor, int number) {
        int place = 0;
        while (axes_[place].factor != factor) ++place;
        const heron_kron_factor_args& f = args.factors[factor];
        kron_step s{factor, 1, f.m, f.n, 1, 0, 0, 0};
        for (int i = 0; i < place; ++i) s.outer *= axes_[i].size;
        for (int i = place + 1; i < length_; ++i) s.inner *= axes_[i].size;
        axes_[place].size = f.m;
        s.outer_step = f.m * s.inner;
        s.line_step = s.inner;
        s.inner_step = 1;
        if (args.algorithm == HERON_KRON_993_FORWARD) {
            s.line_step = 1;
            s.inner_step = f.m;
            move(place, length_ - 1);
        } else if (args.algorithm == HERON_KRON_993_BACKWARD) {
            s.line_step = s.outer;
            s.outer_step = 1;
            move(place, 0);
        }
        steps_[number] = s;
    }

    // The result of the turned product has the new axis at the other end.
    void move(int from, int to) {
        const axis moved = axes_[from];
        for (; from < to; ++from) axes_[from] = axes_[from + 1];
        for (; from > to; --from) axes_[from] = axes_[from - 1];
        axes_[to] = moved;
    }

    int length_;
    axis axes_[kron_most_factors];
    kron_step steps_[kron_most_factors];
};

inline heron_index kron_rows(const heron_kronmult_args& args) {
    heron_index rows = 1;
    for (int i = 0; i < args.ndim; ++i) rows *= args.factors[i].m;
    return rows;
}

inline heron_index kron_columns(const heron_kronmult_args& args) {
    heron_index columns = 1;
    for (int i = 0; i < args.ndim; ++i) columns *= args.factors[i].n;
    return columns;
}

// The size of all factors where they are square and alike, else 0.
inline heron_index kron_common_size(const heron_kronmult_args& args) {
    for (int i = 0; i < args.ndim; ++i)
        if (args.factors[i].m != args.factors[0].n || args.factors[i].n != args.factors[0].n) return 0;
    return args.factors[0].n;
}

// Elements from the first to the last of an output, both included.
inline heron_index kron_output_span(const heron_kronmult_args& args) {
    return (kron_rows(args) - 1) * args.y_step + (args.vectors - 1) * args.y_column_step + 1;
}

// Items whose multiples begin at multiples of 16 bytes, as copies do.
inline heron_index kron_chunk_step(heron_index item_bytes) {
    return 16 / std::gcd(item_bytes, heron_index{16});
}

inline int kron_kind(const heron_batch_operand& o) {
    switch (o.kind) {
        case HERON_BATCH_POINTERS: return 1;
        case HERON_BATCH_INDEXED: return o.index_type == HERON_INDEX_32 ? 2 : 3;
        default: return 0;
    }
}

// True when the product of every item is zero without looking at an operand.
inline bool kron_is_zero(const heron_kronmult_args& args) {
    return kron_columns(args) == 0 || (!args.alpha.device && args.alpha.re == 0 && args.alpha.im == 0);
}

// y := beta*y for every item. The ADD modes leave y alone.
template <class Device, class CT>
void kron_scale_outputs(Device& device, const heron_kronmult_args& a) {
    if (a.output != HERON_KRON_STORE && a.output != HERON_KRON_AXPBY) return;
    const auto beta = as_argument<CT>(a.beta);
    const heron_index size = kron_rows(a);
    device.template launch<kernels::kron_finish<CT>>(
        kernels::kron, a.count * a.vectors * size, heron_index{0}, a.vectors, static_cast<const CT*>(nullptr),
        size, CT{}, static_cast<const CT*>(nullptr), beta.value, beta.device, 0, as<CT>(a.y.base),
        static_cast<const void*>(a.y.list), kron_kind(a.y), heron_index{a.y.stride},
        heron_index{a.y.list_step}, a.y_column_step, a.y_step, heron_index{0});
}

// The items in the order of their outputs' addresses.
template <class Device, class CT>
class kron_sorting {
  public:
    kron_sorting(workspace_layout& layout, heron_index count) : count_(count) {
        for (int i = 0; i < 2; ++i) {
            keys_[i] = layout.take<i64>(count);
            order_[i] = layout.take<i64>(count);
        }
    }

    void sort(Device& device, const heron_batch_operand& y) {
        device.template launch<kernels::kron_keys<CT>>(
            kernels::kron, count_, as<const CT>(y.base), static_cast<const void*>(y.list), kron_kind(y),
            heron_index{y.stride}, heron_index{y.list_step}, keys_[0], order_[0]);
        if (y.kind == HERON_BATCH_STRIDED) return;
        device.template launch<kernels::kron_sort_run<CT>>(kernels::kron, (count_ + run - 1) / run, keys_[0],
                                                           order_[0], count_, run);
        for (heron_index length = run; length < count_; length *= 2) merge(device, length);
    }

    const i64* keys() const { return keys_[0]; }
    const i64* order() const { return order_[0]; }

  private:
    static constexpr heron_index run = 32;

    void merge(Device& device, heron_index length) {
        device.template launch<kernels::kron_merge<CT>>(
            kernels::kron, count_, static_cast<const i64*>(keys_[0]), static_cast<const i64*>(order_[0]),
            count_, length, keys_[1], order_[1]);
        swap(keys_);
        swap(order_);
    }

    static void swap(i64* (&pair)[2]) {
        i64* const first = pair[0];
        pair[0] = pair[1];
        pair[1] = first;
    }

    heron_index count_;
    i64* keys_[2];
    i64* order_[2];
};

// Which items a chunk consists of: positions in a list, or the items themselves without one.
struct kron_order {
    const void* list = nullptr;
    int is_wide = 1;
};

template <class Device, class CT>
class kron_plan {
  public:
    kron_plan(Device& device, heron_phase phase, const heron_kronmult_args& args, heron_workspace& workspace)
        : device_(device),
          phase_(phase),
          args_(args),
          layout_(phase, workspace),
          steps_(args),
          size_(kron_rows(args)) {}

    void apply() {
        if (args_.count == 0 || args_.vectors == 0 || size_ == 0) return;
        if (kron_is_zero(args_)) {
            if (phase_ == HERON_PHASE_RUN) kron_scale_outputs<Device, CT>(device_, args_);
            return;
        }
        take_buffers();
        if (args_.output == HERON_KRON_ADD_DETERMINISTIC && may_overlap()) return sorted();
        if (phase_ != HERON_PHASE_RUN) return;
        if (args_.output == HERON_KRON_ADD_GROUPED) {
            const kron_order order{args_.group_items, args_.group_type == HERON_INDEX_64};
            return chunks(order, [&](heron_index first, heron_index items, heron_index vector,
                                     heron_index vectors) { finish_grouped(first, items, vector, vectors); });
        }
        chunks({}, [&](heron_index first, heron_index items, heron_index vector, heron_index vectors) {
            finish(first, items, vector, vectors);
        });
    }

  private:
    static constexpr heron_index budget_bytes =
        Device::strided ? heron_index{64} << 20 : heron_index{2} << 20;

    bool may_overlap() const {
        return args_.count > 1 &&
               (args_.y.kind != HERON_BATCH_STRIDED || args_.y.stride < kron_output_span(args_));
    }

    void take_buffers() {
        const heron_index one = steps_.largest(0) + steps_.largest(1);
        const heron_index fitting =
            at_least_one(budget_bytes / static_cast<heron_index>(sizeof(CT)) / at_least_one(one));
        chunk_vectors_ = fitting < args_.vectors ? fitting : args_.vectors;
        const heron_index items = at_least_one(fitting / chunk_vectors_);
        chunk_items_ = items < args_.count ? items : args_.count;
        for (int i = 0; i < 2; ++i)
            buffers_[i] = layout_.template take<CT>(steps_.largest(i) * chunk_items_ * chunk_vectors_);
    }

    static heron_index at_least_one(heron_index n) { return n > 0 ? n : 1; }

    void sorted() {
        kron_sorting<Device, CT> sorting(layout_, args_.count);
        if (phase_ != HERON_PHASE_RUN) return;
        sorting.sort(device_, args_.y);
        chunks({sorting.order(), 1},
               [&](heron_index first, heron_index items, heron_index vector, heron_index vectors) {
                   const heron_index bytes = sizeof(CT);
                   device_.template launch<kernels::kron_finish_sorted<CT>>(
                       kernels::kron, items * vectors * size_, sorting.keys(), first, items, vectors,
                       product(), size_, alpha_.value, alpha_.device, kron_output_span(args_) * bytes,
                       args_.y_column_step, args_.y_step, vector * args_.y_column_step);
               });
    }

    template <class Finish>
    void chunks(const kron_order& order, Finish&& finish_chunk) {
        for (heron_index vector = 0; vector < args_.vectors; vector += chunk_vectors_)
            for (heron_index first = 0; first < args_.count; first += chunk_items_) {
                const heron_index vectors = smaller(chunk_vectors_, args_.vectors - vector);
                const heron_index items = smaller(chunk_items_, args_.count - first);
                for (int i = 0; i < steps_.length(); ++i) step(i, order, first, items, vector, vectors);
                finish_chunk(first, items, vector, vectors);
            }
    }

    static heron_index smaller(heron_index a, heron_index b) { return a < b ? a : b; }

    void step(int number, const kron_order& order, heron_index first, heron_index items, heron_index vector,
              heron_index vectors) {
        const kron_step& s = steps_[number];
        const heron_kron_factor_args& f = args_.factors[s.factor];
        const bool from_x = number == 0;
        const heron_batch_operand in = from_x ? args_.x : partial(buffers_[(number - 1) % 2], s.in_size());
        const heron_index x_offset = from_x ? vector * args_.x_column_step : 0;
        device_.template launch<kernels::kron_mode<CT>>(
            kernels::kron, items * vectors * s.out_size(), order.list, order.is_wide, first, vectors,
            as<const CT>(f.a.base), static_cast<const void*>(f.a.list), kron_kind(f.a),
            heron_index{f.a.stride}, heron_index{f.a.list_step}, f.row_step, f.column_step, int{f.conjugate},
            as<const CT>(in.base), static_cast<const void*>(in.list), kron_kind(in), heron_index{in.stride},
            heron_index{in.list_step}, args_.x_column_step, from_x ? args_.x_step : heron_index{1}, x_offset,
            int{!from_x}, s.outer, s.m, s.n, s.inner, buffers_[number % 2], s.out_size(), s.outer_step,
            s.line_step, s.inner_step);
    }

    static heron_batch_operand partial(CT* buffer, heron_index size) {
        return {HERON_BATCH_STRIDED, HERON_INDEX_64, buffer, size, nullptr, 0};
    }

    const CT* product() const { return buffers_[(steps_.length() - 1) % 2]; }

    void finish(heron_index first, heron_index items, heron_index vector, heron_index vectors) {
        const heron_batch_operand& y = args_.y;
        device_.template launch<kernels::kron_finish<CT>>(
            kernels::kron, items * vectors * size_, first, vectors, product(), size_, alpha_.value,
            alpha_.device, beta_.value, beta_.device, int{args_.output == HERON_KRON_ADD_ATOMIC},
            as<CT>(y.base), static_cast<const void*>(y.list), kron_kind(y), heron_index{y.stride},
            heron_index{y.list_step}, args_.y_column_step, args_.y_step, vector * args_.y_column_step);
    }

    void finish_grouped(heron_index first, heron_index items, heron_index vector, heron_index vectors) {
        const heron_batch_operand& y = args_.y;
        device_.template launch<kernels::kron_finish_grouped<CT>>(
            kernels::kron, items * vectors * size_, first, items, vectors, product(), size_, alpha_.value,
            alpha_.device, args_.group_offsets, int{args_.group_type == HERON_INDEX_64},
            heron_index{args_.group_count}, as<CT>(y.base), static_cast<const void*>(y.list), kron_kind(y),
            heron_index{y.stride}, heron_index{y.list_step}, args_.y_column_step, args_.y_step,
            vector * args_.y_column_step);
    }

    Device& device_;
    heron_phase phase_;
    const heron_kronmult_args& args_;
    workspace_layout layout_;
    kron_sequence steps_;
    heron_index size_;
    heron_index chunk_items_ = 1;
    heron_index chunk_vectors_ = 1;
    CT* buffers_[2] = {};
    scalar_argument<CT> alpha_ = as_argument<CT>(args_.alpha);
    scalar_argument<CT> beta_ = as_argument<CT>(args_.beta);
};

template <class Device>
void kronmult(Device& device, heron_phase phase, const heron_kronmult_args& a, heron_workspace& workspace) {
    visit_full(a.type,
               [&]<class CT>(type<CT>) { kron_plan<Device, CT>(device, phase, a, workspace).apply(); });
}

template <class Device>
void kron_gemm(Device& device, heron_phase phase, const heron_kron_gemm_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        const auto alpha = as_argument<CT>(a.alpha);
        const auto beta = as_argument<CT>(a.beta);
        device.template launch<kernels::kron_gemm<CT>>(
            kernels::kron, a.count * a.m * a.n, a.m, a.n, a.k, int{a.transpose_a}, int{a.transpose_b},
            alpha.value, alpha.device, beta.value, beta.device, as<const CT>(a.a.base), a.a.list,
            kron_kind(a.a), heron_index{a.a.stride}, heron_index{a.a.list_step},
            static_cast<const i32*>(a.lda), as<const CT>(a.b.base), a.b.list, kron_kind(a.b),
            heron_index{a.b.stride}, heron_index{a.b.list_step}, static_cast<const i32*>(a.ldb),
            as<CT>(a.c.base), a.c.list, kron_kind(a.c), heron_index{a.c.stride}, heron_index{a.c.list_step},
            static_cast<const i32*>(a.ldc));
    });
}

}  // namespace heron::HERON_LEVEL::plans
