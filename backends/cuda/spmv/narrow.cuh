#pragma once
// The kernels of narrow.hpp: groups of lanes sum rows straight from global memory, as in vectors.cuh.
#include "narrow_rules.hpp"
#include "vectors.cuh"
#include <bit>

namespace heron::HERON_LEVEL {

// y := alpha*A*x + beta*y. There are fewer than 2^30 rows and elements.
template <class CT, class OT>
struct narrow_operands {
    const OT* offsets;
    const void* indices;
    const CT* values;
    const CT* x;
    CT* y;
    int64_t base;
    int rows;
    int last_quad;  // where the last four elements that exist begin
    int has_indices_of_64_bits;
    int conjugate;
    narrow_columns columns;
    uint64_t stamp;
    scalar_argument<CT> alpha;
    scalar_argument<CT> beta;

    __device__ CT alpha_now() const { return alpha.device ? *alpha.device : alpha.value; }
    __device__ CT beta_now() const { return beta.device ? *beta.device : beta.value; }
    __device__ CT element(CT v) const { return conjugate ? conj(v) : v; }
    // The caller may have overwritten what ANALYSE left.
    __device__ bool are_columns_kept() const {
        return bool(*columns.front == stamp) & bool(*columns.back == stamp);
    }
    // By the matrix's own indices.
    __device__ CT x_of_element(int k) const {
        const int64_t column = has_indices_of_64_bits ? static_cast<const int64_t*>(indices)[k]
                                                      : static_cast<const int32_t*>(indices)[k];
        return load_shared_by_many(x + (column - base));
    }
};

// An element's column is the first of its band and 16 bits.
template <class CT, class OT>
struct columns_by_bands {
    using operands = narrow_operands<CT, OT>;
    static constexpr narrow_kind kind = narrow_kind::bands;
    static constexpr bool packs_elements = true;

    // Of a row, as it is in memory.
    struct known {
        int64_t first;
        __device__ bool is_any() const { return first >= 0; }
    };
    static __device__ known of_row(const operands& p, int, int band) {
        return {p.columns.first_columns[band]};
    }

    const CT* x;

    __device__ columns_by_bands(const operands& p, known of, int, int)
        // In bytes, so that no element's address is made of three parts.
        : x(reinterpret_cast<const CT*>(reinterpret_cast<const char*>(p.x) + of.first * sizeof(CT))) {}
    __device__ CT x_of(int, unsigned packed) const { return load_shared_by_many(x + packed); }
};

// A row has its columns as far from the diagonal as the first row of its shape, whose indices, of 32 bits,
// are read from the cache again and again.
template <class CT, class OT>
struct columns_by_shapes {
    using operands = narrow_operands<CT, OT>;
    static constexpr narrow_kind kind = narrow_kind::shapes;
    static constexpr bool packs_elements = false;

    struct known {
        uint16_t shape = no_shape;
        __device__ bool is_any() const { return shape != no_shape; }
    };
    static __device__ known of_row(const operands& p, int row, int) {
        return {load_streaming(p.columns.packed + row)};
    }

    const CT* x;
    const int32_t* indices;

    __device__ columns_by_shapes(const operands& p, known of, int row, int begin) {
        const row_shape shape = load_shared_by_many(p.columns.shapes + of.shape);
        x = p.x + (row - shape.row) - p.base;
        indices = static_cast<const int32_t*>(p.indices) + (shape.begin - begin);
    }
    __device__ CT x_of(int k, unsigned) const {
        return load_shared_by_many(x + load_shared_by_many(indices + k));
    }
};

// Four elements of a row from position k on, k a multiple of four.
template <class Columns, class CT>
struct narrow_piece {
    static constexpr int size = quad<CT>::size;
    uint64_t packed = 0;  // columns, where these are of elements. Unpacking would wait for them
    quad<CT> value;

    // Nothing if k is at or behind the row's end.
    template <class Operands>
    __device__ void load(const Operands& p, int k, int end) {
        if (k >= end) return;
        if constexpr (Columns::packs_elements)
            packed = load_streaming(reinterpret_cast<const uint64_t*>(p.columns.packed + k));
        if (k <= p.last_quad) return value.load(p.values + k);
#pragma unroll
        for (int j = 0; j < size; ++j)
            if (k + j < end) value.at[j] = p.values[k + j];
    }

    // Of the elements that lie in the row.
    template <class Operands>
    __device__ CT sum(const Operands& p, const Columns& columns, int k, int begin, int end, CT sum) const {
        const auto length = static_cast<unsigned>(end - begin);
        const auto is_inside = [&](int j) { return static_cast<unsigned>(k - begin + j) < length; };
        const auto column = [&](int j) { return static_cast<unsigned>(packed >> 16 * j) & 0xffffu; };
        CT factor[size];
#pragma unroll
        for (int j = 0; j < size; ++j) factor[j] = is_inside(j) ? columns.x_of(k + j, column(j)) : CT{};
#pragma unroll
        for (int j = 0; j < size; ++j) sum = is_inside(j) ? mad(p.element(value.at[j]), factor[j], sum) : sum;
        return sum;
    }
};

// A group of lanes sums one row of each of `bands` bands. A lane loads the first `pieces` pieces of all of
// them before it uses the first: many of a long row, or one of each of many short rows.
template <int bands, int pieces, class Columns, class CT, class OT>
class narrow_row_group {
    using operands = narrow_operands<CT, OT>;
    using piece = narrow_piece<Columns, CT>;

  public:
    __device__ narrow_row_group(const operands& p, int lane_bits)
        : p_(p),
          lanes_(1 << lane_bits),
          lane_(static_cast<int>(threadIdx.x) & (lanes_ - 1)),
          place_(static_cast<int>(threadIdx.x) >> lane_bits),
          rows_of_band_(block_threads >> lane_bits),
          step_(lanes_ * piece::size),
          alpha_(p.alpha_now()) {}

    __device__ void run(int first_band) {
        const CT beta = p_.beta_now();
        const bool are_kept = p_.are_columns_kept();
        row_span spans[bands];
        piece loaded[bands][pieces];
#pragma unroll
        for (int i = 0; i < bands; ++i) spans[i] = span_of(first_band + i);
#pragma unroll
        for (int i = 0; i < bands; ++i) load(loaded[i], start_of(spans[i]), end_of(spans[i]));
#pragma unroll
        for (int i = 0; i < bands; ++i) {
            const int row = row_of(first_band + i);
            CT sum = are_kept && spans[i].columns.is_any() ? sum_row(loaded[i], spans[i], row)
                                                           : sum_by_indices(spans[i]);
            sum = sum_over_lanes(sum, lanes_);
            if (lane_ == 0 && row < p_.rows) kernels::update_y(p_.y, row, sum, alpha_, beta);
        }
    }

  private:
    // As it is in memory: arithmetic would wait for it.
    struct row_span {
        OT begin, end;
        typename Columns::known columns;
    };

    __device__ int row_of(int band) const { return band * rows_of_band_ + place_; }
    __device__ row_span span_of(int band) const {
        const int row = row_of(band);
        const auto none = static_cast<OT>(p_.base);
        if (row >= p_.rows || equal(alpha_, CT{})) return {none, none, {}};
        return {p_.offsets[row], p_.offsets[row + 1], Columns::of_row(p_, row, band)};
    }
    __device__ int begin_of(const row_span& s) const { return static_cast<int>(s.begin - p_.base); }
    __device__ int end_of(const row_span& s) const { return static_cast<int>(s.end - p_.base); }
    // Where the lane begins.
    __device__ int start_of(const row_span& s) const {
        return (begin_of(s) & ~(piece::size - 1)) + lane_ * piece::size;
    }

    __device__ void load(piece (&to)[pieces], int k, int end) const {
#pragma unroll
        for (int j = 0; j < pieces; ++j) to[j].load(p_, k + j * step_, end);
    }

    __device__ CT sum_row(piece (&loaded)[pieces], const row_span& s, int row) const {
        const int begin = begin_of(s);
        const int end = end_of(s);
        const Columns columns(p_, s.columns, row, begin);
        CT sum{};
        int k = start_of(s);
        const auto add_loaded = [&] {
#pragma unroll
            for (int j = 0; j < pieces; ++j) sum = loaded[j].sum(p_, columns, k + j * step_, begin, end, sum);
        };
        add_loaded();
        for (k += pieces * step_; k < end; k += pieces * step_) {
            load(loaded, k, end);
            add_loaded();
        }
        return sum;
    }

    // In the order of sum_row, so that the result has the same bits.
    __device__ CT sum_by_indices(const row_span& s) const {
        const int begin = begin_of(s);
        const int end = end_of(s);
        CT sum{};
        for (int first = start_of(s); first < end; first += step_)
            for (int k = max(first, begin); k < min(first + piece::size, end); ++k)
                sum = mad(p_.element(load_streaming(p_.values + k)), p_.x_of_element(k), sum);
        return sum;
    }

    const operands& p_;
    const int lanes_, lane_, place_, rows_of_band_, step_;
    const CT alpha_;
};

template <int bands, int pieces, class Columns, class CT, class OT>
__global__ void __launch_bounds__(block_threads)
    multiply_narrow_rows(const __grid_constant__ narrow_operands<CT, OT> p, int lane_bits) {
    narrow_row_group<bands, pieces, Columns, CT, OT>(p, lane_bits).run(static_cast<int>(blockIdx.x) * bands);
}

template <class CT, class OT>
class narrow_launcher {
  public:
    narrow_launcher(cuda_device& device, const heron_spmv_args& args, const narrow_columns& columns,
                    const narrow_plan& plan)
        : device_(device), args_(args), a_(args.a), columns_(columns), plan_(plan) {}

    void run() {
        plan_.kind == narrow_kind::shapes ? run_by<columns_by_shapes<CT, OT>>()
                                          : run_by<columns_by_bands<CT, OT>>();
    }

  private:
    template <class Columns>
    void run_by() {
        launch<1, 1, Columns>();
        launch<1, 2, Columns>();
        launch<2, 1, Columns>();
        launch<2, 2, Columns>();
    }

    // If the plan has so many bands and pieces.
    template <int bands, int pieces, class Columns>
    void launch() {
        const narrow_shares& s = plan_.shares;
        if constexpr (has_narrow_rule<CT>(Columns::kind, bands, pieces)) {
            if (s.bands != bands || s.pieces != pieces) return;
            const int64_t rows_of_block = int64_t{block_threads} / s.lanes * bands;
            device_.launch_blocks(multiply_narrow_rows<bands, pieces, Columns, CT, OT>,
                                  (a_.rows + rows_of_block - 1) / rows_of_block, block_threads, 0, operands(),
                                  std::countr_zero(static_cast<unsigned>(s.lanes)));
        }
    }

    narrow_operands<CT, OT> operands() const {
        return {as<const OT>(a_.offsets),
                a_.indices,
                as<const CT>(a_.values),
                as<const CT>(args_.x.values),
                as<CT>(args_.y.values),
                a_.base,
                static_cast<int>(a_.rows),
                static_cast<int>(a_.nnz) - quad<CT>::size,
                a_.index_type == HERON_INDEX_64,
                plans::is_conjugated(args_.op),
                columns_,
                plan_.stamp,
                as_argument<CT>(args_.alpha),
                as_argument<CT>(args_.beta)};
    }

    cuda_device& device_;
    const heron_spmv_args& args_;
    const heron_spmat& a_;
    const narrow_columns& columns_;
    const narrow_plan& plan_;
};

template <class CT>
void multiply_narrow(cuda_device& device, const heron_spmv_args& args, const narrow_columns& columns,
                     const narrow_plan& plan) {
    visit_index(args.a.offset_type,
                [&]<class OT>(type<OT>) { narrow_launcher<CT, OT>(device, args, columns, plan).run(); });
}

}  // namespace heron::HERON_LEVEL
