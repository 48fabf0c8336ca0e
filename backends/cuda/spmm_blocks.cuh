#pragma once
// Matrices of dense blocks, Blocked-ELL and BSR, times a dense matrix on Tensor Cores, in 16-bit types summed
// in single precision.
//
// A block of threads multiplies one line of blocks for a tile of columns. The line's stored columns are a
// sequence, with the rows of B that they meet, and are copied to shared memory some at a time while others
// are multiplied. Empty slots, and what lies outside the matrices, become zero there.
#include "spmm_operands.cuh"

namespace heron::HERON_LEVEL {

constexpr int block_threads = 128;
constexpr int block_warps = block_threads / warp_size;
constexpr int block_depth = 32;  // stored columns of a line copied at a time
constexpr int block_stages = 4;
constexpr int block_piece = 8;  // elements of 16 bytes

// Offsets or indices of either width.
struct index_array {
    const void* values;
    int is_wide;

    __device__ int64_t operator[](int64_t i) const {
        return is_wide ? static_cast<const i64*>(values)[i] : int64_t{static_cast<const i32*>(values)[i]};
    }
    // From element `first` on, of which only the lower 32 bits are looked at.
    __device__ const int* words(int64_t first) const {
        return static_cast<const int*>(values) + (first << is_wide);
    }
};

// Lines of square blocks of 2^block_bits rows.
template <class VA, class VC>
struct blocked_product {
    index_array offsets;  // of the lines of BSR; NULL: every line has `slots` blocks
    int64_t slots;
    index_array indices;
    int block_bits;
    const VA* values;
    int64_t row_step;    // of A's elements, from one row to the next
    int64_t block_step;  // from one block of a line to the next
    int64_t line_step;   // from one line to the next where there are no offsets
    int inner;           // columns of A that exist
    const VA* b;
    int64_t b_ld;
    VC* c;
    kernels::spmm_shape shape;
    scalar_argument<f32> alpha, beta;
};

static __device__ inline void load_matrices(unsigned (&to)[4], const void* shared) {
    const auto from = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
}
static __device__ inline void load_matrices_turned(unsigned (&to)[4], const void* shared) {
    const auto from = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
}

// d += a*b for 16 x 8 x 16 elements of a warp.
template <class VA>
static __device__ inline void multiply_halves(float (&d)[4], const unsigned (&a)[4], unsigned b0,
                                              unsigned b1) {
    if constexpr (std::is_same_v<VA, f16>)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, "
            "%9}, "
            "{%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Shared memory of a stage, in elements: rows of A, then rows or columns of B. The padding keeps the rows
// that are loaded together in different banks.
template <int rows, int columns, bool b_by_rows>
struct block_layout {
    static constexpr int a_ld = block_depth + block_piece;
    static constexpr int b_ld = (b_by_rows ? columns : block_depth) + block_piece;
    static constexpr int a_size = rows * a_ld;
    static constexpr int stage = a_size + (b_by_rows ? block_depth : columns) * b_ld;
    static constexpr int all = block_stages * stage;
};

// A tile of C: as many rows as a block has or `rows`, the fewer.
template <class VA, class VC, int rows, int columns, bool b_by_rows>
class block_tile {
    using product = blocked_product<VA, VC>;
    using layout = block_layout<rows, columns, b_by_rows>;
    static constexpr int row_tiles = rows / 16;
    static constexpr int warp_columns = columns / block_warps;
    static constexpr int column_tiles = warp_columns / 8;

  public:
    __device__ explicit block_tile(const product& p)
        : p_(p), alpha_(value(p.alpha)), beta_(value(p.beta)), block_mask_((1 << p.block_bits) - 1) {}

    // All threads together.
    __device__ void run(int64_t batch, int64_t first_row, int64_t first_column) {
        begin(batch, first_row, first_column);
        const int steps = (count_ + block_depth - 1) / block_depth;
#pragma unroll
        for (int s = 0; s < block_stages - 1; ++s) fetch(s, steps);
        for (int step = 0; step < steps; ++step) {
            wait_for_copies<block_stages - 2>();
            __syncthreads();
            fetch(step + block_stages - 1, steps);
            multiply(stage(step));
        }
        wait_for_copies<0>();
        __syncthreads();
        write();
    }

  private:
    static __device__ f32 value(const scalar_argument<f32>& s) { return s.device ? *s.device : s.value; }
    static __device__ VA* stage(int step) {
        extern __shared__ __align__(16) unsigned char shared[];
        return reinterpret_cast<VA*>(shared) + step % block_stages * layout::stage;
    }

    __device__ void begin(int64_t batch, int64_t first_row, int64_t first_column) {
        const int64_t line = first_row >> p_.block_bits;
        const int64_t offsets = batch * p_.shape.offsets_stride + line;
        const bool is_bsr = p_.offsets.values;
        const int64_t first = is_bsr ? p_.offsets[offsets] - p_.shape.base : line * p_.slots;
        const int64_t slots = is_bsr ? p_.offsets[offsets + 1] - p_.shape.base - first : p_.slots;
        count_ = alpha_ == 0 ? 0 : static_cast<int>(slots << p_.block_bits);
        indices_ = p_.indices.words(batch * p_.shape.indices_stride + first);
        a_ = p_.values + batch * p_.shape.values_stride + (first_row & block_mask_) * p_.row_step +
             (is_bsr ? first * p_.block_step : line * p_.line_step);
        b_ = p_.b + batch * p_.shape.b_stride + first_column * (b_by_rows ? 1 : p_.b_ld);
        base_ = static_cast<int>(p_.shape.base);
        c_ = p_.c + batch * p_.shape.c_stride + first_row * p_.shape.c_row_step +
             first_column * p_.shape.c_column_step;
        rows_ = at_most(p_.shape.rows - first_row, at_most(block_mask_ + 1, rows));
        columns_ = at_most(p_.shape.columns - first_column, columns);
#pragma unroll
        for (int i = 0; i < row_tiles; ++i)
#pragma unroll
            for (int j = 0; j < column_tiles; ++j)
#pragma unroll
                for (int e = 0; e < 4; ++e) sums_[i][j][e] = 0;
    }

    static __device__ int at_most(int64_t n, int limit) { return n < limit ? static_cast<int>(n) : limit; }

    // Column of A of the sequence's element k, or `inner` for what must be zero.
    __device__ int column_at(int k) const {
        const int index = k < count_ ? indices_[(k >> p_.block_bits) << p_.indices.is_wide] : -1;
        const int column = ((index - base_) << p_.block_bits) + (k & block_mask_);
        return index < 0 || column > p_.inner ? p_.inner : column;
    }

    // What of a piece lies before the end, in bytes.
    static __device__ int bytes_until(int end, int first) {
        const int left = end - first;
        return (left < 0 ? 0 : left < block_piece ? left : block_piece) * int(sizeof(VA));
    }

    // Starts the copies of a step into its stage, if there is one; always closes a group of copies.
    __device__ void fetch(int step, int steps) {
        if (step < steps) {
            VA* const to = stage(step);
            fetch_a(to, step * block_depth);
            if constexpr (b_by_rows)
                fetch_b_rows(to + layout::a_size, step * block_depth);
            else
                fetch_b_columns(to + layout::a_size, step * block_depth);
        }
        commit_copies();
    }

    static constexpr int depth_pieces = block_depth / block_piece;

    // A thread's pieces lie below each other.
    __device__ void fetch_a(VA* to, int k0) const {
        constexpr int at_once = block_threads / depth_pieces;
        const int across = static_cast<int>(threadIdx.x) % depth_pieces * block_piece;
        const int first = static_cast<int>(threadIdx.x) / depth_pieces;
        const int k = k0 + across;
        const int bytes = bytes_until(p_.inner, column_at(k));
        const VA* const from = a_ + (k >> p_.block_bits) * p_.block_step + (k & block_mask_);
#pragma unroll
        for (int row = first; row < rows; row += at_once) {
            const bool exists = row < rows_ && bytes > 0;
            copy_async_or_zero<16>(to + row * layout::a_ld + across,
                                   exists ? from + row * p_.row_step : p_.values, exists ? bytes : 0);
        }
    }

    __device__ void fetch_b_rows(VA* to, int k0) const {
        constexpr int across = columns / block_piece;
        constexpr int at_once = block_threads / across;
        const int column = static_cast<int>(threadIdx.x) % across * block_piece;
        const int first = static_cast<int>(threadIdx.x) / across;
        const int bytes = bytes_until(columns_, column);
        const VA* const from = b_ + column;
#pragma unroll
        for (int i = 0; i < block_depth / at_once; ++i) {
            const int row = first + i * at_once;
            const int from_row = column_at(k0 + row);
            const bool exists = from_row < p_.inner && bytes > 0;
            copy_async_or_zero<16>(to + row * layout::b_ld + column,
                                   exists ? from + from_row * p_.b_ld : p_.b, exists ? bytes : 0);
        }
    }

    __device__ void fetch_b_columns(VA* to, int k0) const {
        constexpr int at_once = block_threads / depth_pieces;
        const int across = static_cast<int>(threadIdx.x) % depth_pieces * block_piece;
        const int first = static_cast<int>(threadIdx.x) / depth_pieces;
        const int from_row = column_at(k0 + across);
        const int bytes = bytes_until(p_.inner, from_row);
        const VA* const from = b_ + from_row;
#pragma unroll
        for (int i = 0; i < columns / at_once; ++i) {
            const int column = first + i * at_once;
            const bool exists = column < columns_ && bytes > 0;
            copy_async_or_zero<16>(to + column * layout::b_ld + across,
                                   exists ? from + column * p_.b_ld : p_.b, exists ? bytes : 0);
        }
    }

    __device__ void multiply(const VA* from) {
        const int lane = static_cast<int>(threadIdx.x) % warp_size;
        const int column = static_cast<int>(threadIdx.x) / warp_size * warp_columns;
        const VA* const b = from + layout::a_size;
#pragma unroll
        for (int k = 0; k < block_depth; k += 16) {
            unsigned y[column_tiles / 2][4];
#pragma unroll
            for (int j = 0; j < column_tiles / 2; ++j) {
                const int n = column + j * 16;
                if constexpr (b_by_rows)
                    load_matrices_turned(y[j], b + (k + lane % 16) * layout::b_ld + n + lane / 16 * 8);
                else
                    load_matrices(y[j],
                                  b + (n + lane / 16 * 8 + lane % 8) * layout::b_ld + k + lane / 8 % 2 * 8);
            }
#pragma unroll
            for (int i = 0; i < row_tiles; ++i) {
                unsigned x[4];
                load_matrices(x, from + (i * 16 + lane % 16) * layout::a_ld + k + lane / 16 * 8);
#pragma unroll
                for (int j = 0; j < column_tiles; ++j)
                    multiply_halves<VA>(sums_[i][j], x, y[j / 2][j % 2 * 2], y[j / 2][j % 2 * 2 + 1]);
            }
        }
    }

    // Through shared memory, so that neighbouring threads write neighbouring elements of C.
    __device__ void write() const {
        constexpr int ld = columns + 1;
        static_assert(rows * ld * sizeof(f32) <= layout::all * sizeof(VA));
        f32* const tile = reinterpret_cast<f32*>(stage(0));
        const int lane = static_cast<int>(threadIdx.x) % warp_size;
        const int first = static_cast<int>(threadIdx.x) / warp_size * warp_columns + lane % 4 * 2;
#pragma unroll
        for (int i = 0; i < row_tiles; ++i)
#pragma unroll
            for (int j = 0; j < column_tiles; ++j)
#pragma unroll
                for (int e = 0; e < 4; ++e)
                    tile[(i * 16 + lane / 4 + e / 2 * 8) * ld + first + j * 8 + e % 2] = sums_[i][j][e];
        __syncthreads();
        const bool by_rows = p_.shape.c_column_step == 1;
#pragma unroll 4
        for (int i = threadIdx.x; i < rows * columns; i += block_threads) {
            const int row = by_rows ? i / columns : i % rows;
            const int column = by_rows ? i % columns : i / rows;
            if (row < rows_ && column < columns_)
                kernels::update_c(c_, row * p_.shape.c_row_step + column * p_.shape.c_column_step,
                                  tile[row * ld + column], alpha_, beta_);
        }
    }

    const product& p_;
    const f32 alpha_, beta_;
    const int block_mask_;
    // Of the tile.
    int count_, base_, rows_, columns_;
    const int* indices_;
    const VA* a_;
    const VA* b_;
    VC* c_;
    float sums_[row_tiles][column_tiles][4];
};

// Any grid will do.
template <class VA, class VC, int rows, int columns, bool b_by_rows>
__global__ void __launch_bounds__(block_threads, rows == 16   ? 5
                                                 : rows == 32 ? 4
                                                              : 3)
    multiply_blocks(const __grid_constant__ blocked_product<VA, VC> p, int64_t batches) {
    const int64_t height = p.block_bits < 4 ? 8 : rows;
    const int64_t down = (p.shape.rows + height - 1) / height;
    const int64_t across = (p.shape.columns + columns - 1) / columns;
    block_tile<VA, VC, rows, columns, b_by_rows> tile(p);
    for (int64_t i = blockIdx.x; i < down * across * batches; i += gridDim.x) {
        tile.run(i / down / across, i % down * height, i / down % across * columns);
        __syncthreads();
    }
}

}  // namespace heron::HERON_LEVEL
