#pragma once
// The kernels of narrow.hpp: rows straight from global memory by groups of lanes, or short ones through
// shared memory as in rows.cuh.
#include "narrow.hpp"
#include "rows.cuh"
#include "vectors.cuh"
#include <bit>

namespace heron::HERON_LEVEL {

// y := alpha*A*x + beta*y. An element's column is the first of its band and indices[k]. There are fewer than
// 2^30 rows and elements.
template <class CT, class OT>
struct narrow_product {
    const OT* offsets;
    const uint16_t* indices;
    const CT* values;
    const CT* x;
    CT* y;
    int64_t rows;
    int64_t nnz;
    int64_t base;
    int last_quad;                 // where the last four elements that exist begin
    const int64_t* first_columns;  // of the bands
    const uint64_t *front, *back;
    uint64_t stamp;
    const void* wide_indices;  // the matrix's own
    int are_of_64_bits;
    scalar_argument<CT> alpha;
    scalar_argument<CT> beta;

    struct tile_columns {
        int64_t first;
    };
    __device__ tile_columns columns_of_tile(int64_t band) const { return {first_columns[band]}; }
    using row_columns = tile_columns;
    __device__ row_columns columns_of_row(int, int band) const { return columns_of_tile(band); }
    static constexpr bool has_packed_columns = true;

    // Of a row: what of x belongs to element k, whose packed column is known.
    struct row_source {
        const CT* x;
        __device__ CT at(int, unsigned column) const { return load_shared_by_many(x + column); }
    };
    __device__ row_source source_of(row_columns columns, int, int) const { return {x_from(columns)}; }

    __device__ const CT* x_from(tile_columns columns) const {
        // In bytes, so that no element's address is made of three parts.
        return reinterpret_cast<const CT*>(reinterpret_cast<const char*>(x) + columns.first * sizeof(CT));
    }
    // Not those of a band that is too wide.
    __device__ bool are_known(tile_columns columns) const { return columns.first >= 0; }
    // The caller may have overwritten what ANALYSE left.
    __device__ bool is_kept() const { return bool(*front == stamp) & bool(*back == stamp); }

    __device__ int64_t offset(int64_t row) const { return static_cast<int64_t>(offsets[row]) - base; }
    __device__ CT element(CT a) const { return a; }
    __device__ CT x_of_element(int64_t k) const {
        const int64_t column = are_of_64_bits ? static_cast<const int64_t*>(wide_indices)[k]
                                              : static_cast<const int32_t*>(wide_indices)[k];
        return load_shared_by_many(x + (column - base));
    }
    __device__ CT alpha_now() const { return alpha.device ? *alpha.device : alpha.value; }
    __device__ CT beta_now() const { return beta.device ? *beta.device : beta.value; }
};

// The same for a matrix of few shapes: a row has its columns as far from the diagonal as the first row of its
// shape, whose indices are read again and again instead.
template <class CT, class OT>
struct shaped_product {
    const OT* offsets;
    const int32_t* indices;
    const CT* values;
    const CT* x;
    CT* y;
    int64_t rows;
    int64_t nnz;
    int64_t base;
    int last_quad;
    const uint16_t* shapes;  // of the rows
    const row_shape* table;
    const uint64_t *front, *back;
    uint64_t stamp;
    scalar_argument<CT> alpha;
    scalar_argument<CT> beta;

    struct row_columns {
        uint16_t shape;
    };
    __device__ row_columns columns_of_row(int row, int) const { return {load_streaming(shapes + row)}; }
    static constexpr bool has_packed_columns = false;

    struct row_source {
        const CT* x;
        const int32_t* indices;
        __device__ CT at(int k, unsigned) const {
            return load_shared_by_many(x + load_shared_by_many(indices + k));
        }
    };
    __device__ row_source source_of(row_columns columns, int row, int begin) const {
        const row_shape shape = load_shared_by_many(table + columns.shape);
        return {x + (row - shape.row) - base, indices + (shape.begin - begin)};
    }

    __device__ bool are_known(row_columns columns) const { return columns.shape != no_shape; }
    __device__ bool is_kept() const { return bool(*front == stamp) & bool(*back == stamp); }
    __device__ CT x_of_element(int64_t k) const {
        return load_shared_by_many(x + (load_streaming(indices + k) - base));
    }
    __device__ CT alpha_now() const { return alpha.device ? *alpha.device : alpha.value; }
    __device__ CT beta_now() const { return beta.device ? *beta.device : beta.value; }
};

// Four elements of a row from position k on, k a multiple of four. Their columns stay packed until they are
// used: unpacking would wait for them.
template <class CT>
struct narrow_piece {
    static constexpr int size = quad<CT>::size;
    uint64_t columns = 0;
    quad<CT> value;

    // Nothing if k is at or behind the row's end.
    template <class Product>
    __device__ void load(const Product& p, int k, int end) {
        if (k >= end) return;
        if constexpr (Product::has_packed_columns)
            columns = load_streaming(reinterpret_cast<const uint64_t*>(p.indices + k));
        if (k <= p.last_quad) return value.load(p.values + k);
#pragma unroll
        for (int j = 0; j < size; ++j)
            if (k + j < end) value.at[j] = p.values[k + j];
    }

    // Of the elements that lie in the row.
    template <class Source>
    __device__ CT sum(const Source& source, int k, int begin, int end, CT sum) const {
        const auto length = static_cast<unsigned>(end - begin);
        const auto is_inside = [&](int j) { return static_cast<unsigned>(k - begin + j) < length; };
        const auto column = [&](int j) { return static_cast<unsigned>(columns >> 16 * j) & 0xffffu; };
        CT factor[size];
#pragma unroll
        for (int j = 0; j < size; ++j) factor[j] = is_inside(j) ? source.at(k + j, column(j)) : CT{};
#pragma unroll
        for (int j = 0; j < size; ++j) sum = is_inside(j) ? mad(value.at[j], factor[j], sum) : sum;
        return sum;
    }
};

// A group of lanes sums one row of each of `bands` bands. A lane loads the first `pieces` pieces of all of
// them before it uses the first: many of a long row, or one of each of many short rows.
template <int bands, int pieces, class Product, class CT, class OT>
class narrow_row_group {
    using operands = Product;
    using piece = narrow_piece<CT>;

  public:
    __device__ narrow_row_group(const operands& p, int lane_bits)
        : p_(p),
          lanes_(1 << lane_bits),
          lane_(static_cast<int>(threadIdx.x) & (lanes_ - 1)),
          place_(static_cast<int>(threadIdx.x) >> lane_bits),
          rows_of_band_(block_threads >> lane_bits),
          rows_(static_cast<int>(p.rows)),
          step_(lanes_ * piece::size),
          alpha_(p.alpha_now()) {}

    __device__ void run(int first_band) {
        const CT beta = p_.beta_now();
        const bool is_kept = p_.is_kept();
        row_span spans[bands];
        piece loaded[bands][pieces];
#pragma unroll
        for (int i = 0; i < bands; ++i) spans[i] = span_of(first_band + i);
#pragma unroll
        for (int i = 0; i < bands; ++i) load(loaded[i], start_of(spans[i]), end_of(spans[i]));
#pragma unroll
        for (int i = 0; i < bands; ++i) {
            CT sum = is_kept && p_.are_known(spans[i].columns)
                         ? sum_row(loaded[i], spans[i], row_of(first_band + i))
                         : sum_wide_row(spans[i]);
            sum = sum_over_lanes(sum, lanes_);
            const int row = row_of(first_band + i);
            if (lane_ == 0 && row < rows_) kernels::update_y(p_.y, row, sum, alpha_, beta);
        }
    }

  private:
    // As it is in memory: arithmetic would wait for it.
    struct row_span {
        OT begin, end;
        typename operands::row_columns columns;
    };

    __device__ int row_of(int band) const { return band * rows_of_band_ + place_; }
    __device__ row_span span_of(int band) const {
        const int row = row_of(band);
        const auto none = static_cast<OT>(p_.base);
        if (row >= rows_ || equal(alpha_, CT{})) return {none, none, {}};
        return {p_.offsets[row], p_.offsets[row + 1], p_.columns_of_row(row, band)};
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
        const auto source = p_.source_of(s.columns, row, begin);
        const int end = end_of(s);
        CT sum{};
        int k = start_of(s);
        const auto add_loaded = [&] {
#pragma unroll
            for (int j = 0; j < pieces; ++j) sum = loaded[j].sum(source, k + j * step_, begin, end, sum);
        };
        add_loaded();
        for (k += pieces * step_; k < end; k += pieces * step_) {
            load(loaded, k, end);
            add_loaded();
        }
        return sum;
    }

    __device__ CT sum_wide_row(const row_span& s) const {
        CT sum{};
        for (int k = begin_of(s) + lane_; k < end_of(s); k += lanes_)
            sum = mad(load_streaming(p_.values + k), p_.x_of_element(k), sum);
        return sum;
    }

    const operands& p_;
    const int lanes_, lane_, place_, rows_of_band_, rows_, step_;
    const CT alpha_;
};

template <int bands, int pieces, class CT, class OT, class Product>
__global__ void __launch_bounds__(block_threads)
    multiply_narrow_bands(const __grid_constant__ Product p, int lane_bits) {
    narrow_row_group<bands, pieces, Product, CT, OT>(p, lane_bits).run(static_cast<int>(blockIdx.x) * bands);
}

template <class CT, class OT>
__global__ void __launch_bounds__(block_threads)
    multiply_narrow_rows(const __grid_constant__ narrow_product<CT, OT> p, int rows_per_tile,
                         row_shares shares) {
    __shared__ row_stage<CT, OT, uint16_t> stages[2];
    row_walk<narrow_product<CT, OT>, CT, CT, OT, uint16_t>(p, rows_per_tile, shares, stages).run();
}

template <class CT, class OT>
class narrow_launcher {
  public:
    narrow_launcher(cuda_device& device, const heron_spmv_args& args, const narrow_columns& columns,
                    const narrow_plan& plan)
        : device_(device), args_(args), a_(args.a), columns_(columns), plan_(plan) {}

    void run() {
        if (plan_.has_shapes) return by_bands(shaped());
        if (plan_.rows.lanes_per_row > 0) return by_bands(narrow());
        device_.launch_blocks(multiply_narrow_rows<CT, OT>, plan_.rows.blocks, block_threads, 0, narrow(),
                              plan_.rows.rows_per_tile, row_shares{plan_.rows.lane_bits, plan_.rows.batch});
    }

  private:
    template <class Product>
    void by_bands(const Product& product) {
        switch (plan_.most_bands_of_block) {
            case 11: return launch_bands<1, 1>(product);
            case 21: return launch_bands<2, 1>(product);
            case 41: return launch_bands<4, 1>(product);
            case 12: return launch_bands<1, 2>(product);
            case 14: return launch_bands<1, 4>(product);
            default: return launch_bands<2, 2>(product);
        }
    }

    template <int of_block, int pieces, class Product>
    void launch_bands(const Product& product) {
        const int64_t rows_of_block = int64_t{plan_.rows_of_band()} * of_block;
        device_.launch_blocks(multiply_narrow_bands<of_block, pieces, CT, OT, Product>,
                              (a_.rows + rows_of_block - 1) / rows_of_block, block_threads, 0, product,
                              std::countr_zero(static_cast<unsigned>(plan_.rows.lanes_per_row)));
    }

    narrow_product<CT, OT> narrow() const {
        return {as<const OT>(a_.offsets),
                columns_.of_elements,
                as<const CT>(a_.values),
                as<const CT>(args_.x.values),
                as<CT>(args_.y.values),
                a_.rows,
                a_.nnz,
                a_.base,
                static_cast<int>(a_.nnz) - quad<CT>::size,
                columns_.of_bands,
                columns_.front,
                columns_.back,
                plan_.stamp,
                a_.indices,
                a_.index_type == HERON_INDEX_64,
                as_argument<CT>(args_.alpha),
                as_argument<CT>(args_.beta)};
    }

    shaped_product<CT, OT> shaped() const {
        return {as<const OT>(a_.offsets),
                as<const int32_t>(a_.indices),
                as<const CT>(a_.values),
                as<const CT>(args_.x.values),
                as<CT>(args_.y.values),
                a_.rows,
                a_.nnz,
                a_.base,
                static_cast<int>(a_.nnz) - quad<CT>::size,
                columns_.shapes,
                columns_.table,
                columns_.front,
                columns_.back,
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

template <class CT>
int64_t narrow_blocks_at_once(cuda_device& device, heron_index_type offsets) {
    int64_t blocks = 0;
    visit_index(offsets, [&]<class OT>(type<OT>) {
        blocks = device.blocks_at_once(multiply_narrow_rows<CT, OT>, block_threads);
    });
    return blocks;
}

}  // namespace heron::HERON_LEVEL
