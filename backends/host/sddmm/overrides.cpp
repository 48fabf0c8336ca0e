// SDDMM on the CPU. Operands whose vectors are not contiguous along the inner dimension are packed into the
// workspace first; then every thread takes an equal share of C's elements and forms inner products in SIMD, a
// few of one row at a time, so that the row of op(A) is loaded once for all of them and the columns of op(B)
// are prefetched. How an element is summed does not depend on its neighbours or on the number of threads.
#include "common/sddmm/plan.hpp"
#include "common/runtime/slot.hpp"
#include "host/runtime/accumulate.hpp"
#include "host/runtime/lanes.hpp"

namespace heron::HERON_LEVEL {

// The vectors of a dense operand, each contiguous: vector i of batch item b is at values + b*batch_stride +
// i*step.
template <class VX>
struct vector_set {
    const VX* values;
    int64_t step, batch_stride;
};

// to[v*k + l] := vector v's element l for the vectors of a part, in square tiles, so that either side is read
// or written by whole cache lines.
template <class VX>
void pack_vectors(const VX* from, int64_t vector_step, int64_t element_step, range vectors, int64_t k,
                  VX* to) {
    constexpr int64_t tile = 16;
    for (int64_t v0 = vectors.begin; v0 < vectors.end; v0 += tile) {
        const int64_t v1 = v0 + tile < vectors.end ? v0 + tile : vectors.end;
        for (int64_t l0 = 0; l0 < k; l0 += tile) {
            const int64_t l1 = l0 + tile < k ? l0 + tile : k;
            for (int64_t l = l0; l < l1; ++l)
                for (int64_t v = v0; v < v1; ++v) to[v * k + l] = from[v * vector_step + l * element_step];
        }
    }
}

// Inner products of one vector with `group` others.
inline constexpr int sddmm_group = 4;

template <class CT, class VX>
struct inner_products {
    static void of(const VX* a, const VX* const* b, int64_t k, int, int, CT* sums) {
        const VX *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3];
        CT s0{}, s1{}, s2{}, s3{};
#pragma omp simd reduction(+ : s0, s1, s2, s3)
        for (int64_t l = 0; l < k; ++l) {
            const CT al = load<CT>(a[l]);
            s0 += al * load<CT>(b0[l]);
            s1 += al * load<CT>(b1[l]);
            s2 += al * load<CT>(b2[l]);
            s3 += al * load<CT>(b3[l]);
        }
        sums[0] = s0;
        sums[1] = s1;
        sums[2] = s2;
        sums[3] = s3;
    }
};

// Numbers as pairs of reals: products with the pairs and with the swapped pairs, told apart by place and sign
// at the end.
template <class C, class R>
struct complex_inner_products {
    static void of(const C* a, const C* const* b, int64_t k, int conjugate_a, int conjugate_b, C* sums) {
        const R sign_a = conjugate_a ? R(-1) : R(1);
        const R sign_b = conjugate_b ? R(-1) : R(1);
        vector straight[sddmm_group] = {};
        vector crossed[sddmm_group] = {};
        const int64_t whole = k / pairs * pairs;
        for (int64_t l = 0; l < whole; l += pairs) {
            vector al;
            __builtin_memcpy(&al, a + l, sizeof al);
            for (int i = 0; i < sddmm_group; ++i) {
                vector bl;
                __builtin_memcpy(&bl, b[i] + l, sizeof bl);
                straight[i] += al * bl;
                crossed[i] += al * exchanged_lanes<1>(bl);
            }
        }
        for (int i = 0; i < sddmm_group; ++i) {
            R rr = 0, ii = 0, ri = 0, ir = 0;
            for (int64_t l = whole; l < k; ++l) {
                rr += a[l].re * b[i][l].re;
                ii += a[l].im * b[i][l].im;
                ri += a[l].re * b[i][l].im;
                ir += a[l].im * b[i][l].re;
            }
            for (int j = 0; j < 2 * pairs; j += 2) {
                rr += straight[i][j];
                ii += straight[i][j + 1];
                ri += crossed[i][j];
                ir += crossed[i][j + 1];
            }
            sums[i] = {rr - sign_a * sign_b * ii, sign_b * ri + sign_a * ir};
        }
    }

  private:
    typedef R vector __attribute__((vector_size(32)));
    static constexpr int pairs = sizeof(vector) / sizeof(C);
};
template <>
struct inner_products<c32, c32> : complex_inner_products<c32, float> {};
template <>
struct inner_products<c64, c64> : complex_inner_products<c64, double> {};

// The elements of C of one row, gathered until there are enough to be worth a sweep over the row of op(A).
template <class VX, class VC, class CT>
class row_sampler {
  public:
    row_sampler(const heron_sddmm_args& args, CT alpha, CT beta)
        : k_(args.k),
          conjugate_a_(args.a.conjugate),
          conjugate_b_(args.b.conjugate),
          alpha_(alpha),
          beta_(beta) {}

    void begin_row(const VX* a) { a_ = a; }
    // The element at c is the product with b.
    void add(const VX* b, VC* c) {
        __builtin_prefetch(b);
        __builtin_prefetch(b + 64 / sizeof(VX));
        b_[waiting_] = b;
        c_[waiting_] = c;
        if (++waiting_ == capacity) flush();
    }
    void end_row() {
        if (waiting_ > 0) flush();
    }

  private:
    static constexpr int capacity = 2 * sddmm_group;

    void flush() {
        // What is missing in the last group repeats its last member: all elements are summed by the same
        // code.
        for (int i = waiting_; i < capacity && i % sddmm_group != 0; ++i) b_[i] = b_[waiting_ - 1];
        for (int first = 0; first < waiting_; first += sddmm_group) {
            CT sums[sddmm_group];
            inner_products<CT, VX>::of(a_, b_ + first, k_, conjugate_a_, conjugate_b_, sums);
            for (int i = 0; i < sddmm_group && first + i < waiting_; ++i)
                kernels::update_sample(c_[first + i], 0, sums[i], alpha_, beta_);
        }
        waiting_ = 0;
    }

    const int64_t k_;
    const int conjugate_a_, conjugate_b_;
    const CT alpha_, beta_;
    const VX* a_ = nullptr;
    const VX* b_[capacity];
    VC* c_[capacity];
    int waiting_ = 0;
};

template <class VX, class VC, class CT, class IT>
class host_sddmm_plan {
  public:
    host_sddmm_plan(const host_device& device, heron_phase phase, const heron_sddmm_args& args,
                    heron_workspace& workspace)
        : device_(device), phase_(phase), args_(args), layout_(phase, workspace) {}

    void apply() {
        VX* const packed_a = packing_space(args_.a, args_.c.rows);
        VX* const packed_b = packing_space(args_.b, args_.c.cols);
        if (phase_ != HERON_PHASE_RUN) return;
        const CT alpha = scalar(args_.alpha);
        const CT beta = scalar(args_.beta);
        const int64_t count = args_.c.nnz * args_.c.batch_count;
        const int team = team_for(device_, count * block_size() * (args_.k + 1));
        if (args_.k == 0 || equal(alpha, CT{})) return scale(team, beta);
        const vector_set<VX> a = contiguous(args_.a, args_.c.rows, packed_a);
        const vector_set<VX> b = contiguous(args_.b, args_.c.cols, packed_b);
        run_team(team, [&](int member, int members) {
            row_sampler<VX, VC, CT> sampler(args_, alpha, beta);
            const range part = equal_part(count, member, members);
            for (int64_t begin = part.begin; begin < part.end;) {
                const int64_t item = begin / args_.c.nnz;
                const int64_t first = item * args_.c.nnz;
                const int64_t end = first + args_.c.nnz < part.end ? first + args_.c.nnz : part.end;
                sample(sampler, item, {begin - first, end - first}, a.values + item * a.batch_stride, a.step,
                       b.values + item * b.batch_stride, b.step);
                begin = end;
            }
        });
    }

  private:
    bool is_packed(const heron_sddmm_vectors& v) const { return v.element_step != 1 && args_.k > 1; }

    int64_t items_of(const heron_sddmm_vectors& v) const {
        return v.batch_stride == 0 ? 1 : args_.c.batch_count;
    }

    VX* packing_space(const heron_sddmm_vectors& v, int64_t vectors) {
        return is_packed(v) ? layout_.template take<VX>(items_of(v) * vectors * args_.k) : nullptr;
    }

    vector_set<VX> contiguous(const heron_sddmm_vectors& v, int64_t vectors, VX* packed) {
        const VX* const values = as<const VX>(v.values);
        if (!packed) return {values, v.vector_step, v.batch_stride};
        const int team = team_for(device_, vectors * args_.k);
        for (int64_t item = 0; item < items_of(v); ++item)
            run_team(team, [&](int member, int members) {
                pack_vectors(values + item * v.batch_stride, v.vector_step, v.element_step,
                             equal_part(vectors, member, members), args_.k,
                             packed + item * vectors * args_.k);
            });
        return {packed, args_.k, v.batch_stride == 0 ? 0 : vectors * args_.k};
    }

    void scale(int team, CT beta) {
        const int64_t size = args_.c.nnz * block_size();
        run_team(team, [&](int member, int members) {
            for (int64_t item = 0; item < args_.c.batch_count; ++item)
                scale_part(equal_part(size, member, members),
                           as<VC>(args_.c.values) + item * args_.c.values_stride, beta);
        });
    }

    // Elements (blocks for BSR) of one batch item.
    template <class Sampler>
    void sample(Sampler& sampler, int64_t item, range part, const VX* a, int64_t a_step, const VX* b,
                int64_t b_step) const {
        const heron_spmat& c = args_.c;
        const IT* const columns = as<const IT>(c.indices) + item * c.indices_stride;
        VC* const values = as<VC>(c.values) + item * c.values_stride;
        if (c.format == HERON_FORMAT_COO) {
            const IT* const rows = as<const IT>(c.row_indices) + item * c.indices_stride;
            for (int64_t k = part.begin; k < part.end; ++k) {
                if (k == part.begin || rows[k] != rows[k - 1]) {
                    sampler.end_row();
                    sampler.begin_row(a + (rows[k] - c.base) * a_step);
                }
                sampler.add(b + (columns[k] - c.base) * b_step, values + k);
            }
            return sampler.end_row();
        }
        for_each_line(item, part, [&](int64_t line, range blocks) {
            for (int64_t r = 0; r < block_rows(); ++r) {
                sampler.begin_row(a + (line * block_rows() + r) * a_step);
                for (int64_t k = blocks.begin; k < blocks.end; ++k)
                    for (int64_t s = 0; s < block_cols(); ++s)
                        sampler.add(b + ((columns[k] - c.base) * block_cols() + s) * b_step,
                                    values + k * block_size() + place(r, s));
                sampler.end_row();
            }
        });
    }

    // Calls f with each row (block row) of the part and what the part has of it.
    template <class F>
    void for_each_line(int64_t item, range part, F&& f) const {
        const heron_spmat& c = args_.c;
        const int64_t lines = c.rows / block_rows();
        offset_array(c.offsets, c.offset_type).visit([&](const auto* all) {
            const auto* const offsets = all + item * c.offsets_stride;
            int64_t line = kernels::line_of(offsets, lines, c.base, part.begin);
            for (int64_t begin = part.begin; begin < part.end; ++line) {
                const int64_t line_end = int64_t{offsets[line + 1]} - c.base;
                const int64_t end = line_end < part.end ? line_end : part.end;
                if (end > begin) f(line, range{begin, end});
                begin = end;
            }
        });
    }

    bool is_blocked() const { return args_.c.format == HERON_FORMAT_BSR; }
    int64_t block_rows() const { return is_blocked() ? args_.c.block_rows : 1; }
    int64_t block_cols() const { return is_blocked() ? args_.c.block_cols : 1; }
    int64_t block_size() const { return block_rows() * block_cols(); }
    int64_t place(int64_t r, int64_t s) const {
        return args_.c.block_order == HERON_ORDER_ROW ? r * block_cols() + s : s * block_rows() + r;
    }

    static CT scalar(const heron_scalar& s) {
        const scalar_argument<CT> argument = as_argument<CT>(s);
        return argument.device ? *argument.device : argument.value;
    }

    const host_device& device_;
    const heron_phase phase_;
    const heron_sddmm_args& args_;
    workspace_layout layout_;
};

// Packing reads an operand once; where C has too few elements for that, the shared plan strides through it.
inline bool is_packable(const heron_sddmm_args& args, const heron_sddmm_vectors& v, int64_t vectors) {
    constexpr int64_t fewest_uses = 4;
    const heron_spmat& c = args.c;
    const int64_t elements = c.format == HERON_FORMAT_BSR ? c.nnz * c.block_rows * c.block_cols : c.nnz;
    return v.element_step == 1 || args.k <= 1 || elements * fewest_uses >= vectors;
}

static void host_sddmm(host_device& device, heron_phase phase, const heron_sddmm_args& args,
                       heron_workspace& workspace) {
    if (!is_packable(args, args.a, args.c.rows) || !is_packable(args, args.b, args.c.cols))
        return plans::sddmm(device, phase, args, workspace);
    plans::visit_sddmm(args.a.type, args.c.type, args.compute_type,
                       [&]<class VX, class VC, class CT>(type<VX>, type<VC>, type<CT>) {
                           visit_index(args.c.index_type, [&]<class IT>(type<IT>) {
                               host_sddmm_plan<VX, VC, CT, IT>(device, phase, args, workspace).apply();
                           });
                       });
}

void override_sddmm(heron_backend& table) {
    table.sddmm = &slot<host_device, heron_sddmm_args, &host_sddmm, operation_names::sddmm>;
}

}  // namespace heron::HERON_LEVEL
