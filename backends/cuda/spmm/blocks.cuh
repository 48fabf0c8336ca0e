#pragma once
// Matrices of dense blocks, Blocked-ELL and BSR, times a dense matrix, on Tensor Cores except in single
// precision. 16-bit types are summed in single precision.
//
// A block of threads computes tiles of C one after the other, each of one line of blocks, in steps of some of
// the line's stored columns. The operands of the next steps, those of the next tile among them, are on their
// way to shared memory while a step is multiplied, and the block columns of the step after them are known by
// then. Empty slots, and what lies outside the matrices, become zero there.
#include "cuda/dense/tiles.cuh"
#include "operands.cuh"

namespace heron::HERON_LEVEL {

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

// Blocks of `least` rows or, where that is 64, of a multiple of it.
template <class Element, int least, int columns_of_tile, bool is_b_by_rows, int team = 4,
          int ahead = sizeof(Element) == 8 ? 3 : 4>
struct block_shape {
    using VA = Element;
    using CT = std::conditional_t<std::is_same_v<VA, f64>, f64, f32>;
    static constexpr bool b_by_rows = is_b_by_rows;
    static constexpr int block = least;
    static constexpr int piece = 16 / int(sizeof(VA));
    static constexpr int rows = block < 16 ? 16 : block;
    static constexpr int columns = columns_of_tile;
    static constexpr int depth = sizeof(VA) == 2 ? 32 : 16;
    static constexpr int stages = ahead;
    static constexpr int blocks_of_step = block < depth ? depth / block : 1;
    // A warp's part of the tile.
    static constexpr int warp_columns = 32;
    static constexpr int warps_across = columns / warp_columns;
    static constexpr int warps = rows == 16 ? warps_across : team;
    static constexpr int warp_rows = rows * warps_across / warps;
    static constexpr int threads = warps * warp_size;
    // Shared memory of a stage in elements: rows of A, then rows or columns of B, padded so that what is
    // loaded together lies in different banks.
    static constexpr int padding = sizeof(VA) == 2 ? 8 : 4;
    static constexpr int a_ld = depth + padding;
    static constexpr int b_ld = (b_by_rows ? columns : depth) + padding;
    static constexpr int a_size = rows * a_ld;
    static constexpr int stage = a_size + (b_by_rows ? depth : columns) * b_ld;
    // Sums of a warp on their way to C.
    static constexpr int slab = 16;
    static constexpr int sums_ld = warp_columns + 8;
    static constexpr int sums_size = slab * sums_ld;
    static constexpr size_t bytes =
        size_t{stages} * stage * sizeof(VA) + size_t{warps} * sums_size * sizeof(CT);
    static constexpr int most_blocks = int(size_t{227} * 1024 / (bytes + 1024));
    static constexpr int blocks = most_blocks * threads <= 640 ? most_blocks : 640 / threads;
};

// Lines of square blocks of 2^block_bits rows.
template <class VA, class VC, class CT>
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
    scalar_argument<CT> alpha, beta;
    unsigned across, down, tiles;  // tiles of C
    bool c_has_pieces;             // eight elements of C at a time lie in whole vectors
};

// Where a tile of C lies, and how many steps lead to it.
struct block_tile {
    int64_t batch, line, first_block;
    int64_t row, column;  // its first
    int rows, columns;    // that exist
    int slots, steps;
};

template <class Shape, class Product>
static __device__ inline block_tile locate_tile(const Product& p, unsigned number, bool is_zero) {
    const unsigned band = number / p.across;
    const int64_t height = Shape::block < Shape::rows ? Shape::block : Shape::rows;
    block_tile tile;
    tile.column = int64_t{number % p.across} * Shape::columns;
    tile.batch = band / p.down;
    tile.row = int64_t{band % p.down} * height;
    tile.line = tile.row >> p.block_bits;
    const int64_t rows_left = p.shape.rows - tile.row;
    const int64_t columns_left = p.shape.columns - tile.column;
    tile.rows = static_cast<int>(rows_left < height ? rows_left : height);
    tile.columns = columns_left < Shape::columns ? static_cast<int>(columns_left) : Shape::columns;
    int64_t slots = p.slots;
    tile.first_block = tile.line * slots;
    if (p.offsets.values) {
        const int64_t at = tile.batch * p.shape.offsets_stride + tile.line;
        tile.first_block = p.offsets[at] - p.shape.base;
        slots = p.offsets[at + 1] - p.shape.base - tile.first_block;
    }
    tile.slots = static_cast<int>(slots);
    tile.steps = is_zero ? 0 : static_cast<int>(((slots << p.block_bits) + Shape::depth - 1) / Shape::depth);
    return tile;
}

// Copies the operands of all steps of a block's tiles to shared memory, in order.
template <class Shape, class Product>
class block_fetcher {
    using VA = typename Shape::VA;
    static constexpr int per_step = Shape::blocks_of_step;

  public:
    __device__ block_fetcher(const Product& p, bool is_zero) : p_(p), is_zero_(is_zero), number_(blockIdx.x) {
        begin();
    }

    // Starts the copies of the next step, if there is one; always closes a group of copies.
    __device__ void fetch(VA* to) {
        if (number_ < p_.tiles) {
            const int k = step_ * Shape::depth;
            const int inside = per_step > 1 ? 0 : k & ((1 << p_.block_bits) - 1);
            const int slot = per_step > 1 ? step_ * per_step : k >> p_.block_bits;
            int first[per_step];
#pragma unroll
            for (int j = 0; j < per_step; ++j) first[j] = row_of_b(indices_now_[j], inside);
            fetch_a(to, first, a_ + slot * p_.block_step + inside);
            if constexpr (Shape::b_by_rows)
                fetch_b_rows(to + Shape::a_size, first);
            else
                fetch_b_columns(to + Shape::a_size, first);
            advance();
        }
        commit_copies();
    }

  private:
    __device__ void begin() {
        for (; number_ < p_.tiles; number_ += gridDim.x) {
            const block_tile tile = locate_tile<Shape>(p_, number_, is_zero_);
            if (tile.steps == 0) continue;
            const int64_t row_in_block = tile.row - (tile.line << p_.block_bits);
            step_ = 0;
            steps_ = tile.steps;
            slots_ = tile.slots;
            rows_ = tile.rows;
            columns_ = tile.columns;
            indices_ = p_.indices.words(tile.batch * p_.shape.indices_stride + tile.first_block);
            a_ = p_.values + tile.batch * p_.shape.values_stride + row_in_block * p_.row_step +
                 (p_.offsets.values ? tile.first_block * p_.block_step : tile.line * p_.line_step);
            b_ = p_.b + tile.batch * p_.shape.b_stride + tile.column * (Shape::b_by_rows ? 1 : p_.b_ld);
            load_indices();
            return;
        }
    }

    __device__ void advance() {
        if (++step_ < steps_) return load_indices();
        number_ += gridDim.x;
        begin();
    }

    __device__ void load_indices() {
#pragma unroll
        for (int j = 0; j < per_step; ++j) {
            const int slot = per_step > 1 ? step_ * per_step + j : step_ * Shape::depth >> p_.block_bits;
            indices_now_[j] = slot < slots_ ? indices_[slot << p_.indices.is_wide] : -1;
        }
    }

    // The row of B that stored column `inside` of a block meets, or `inner` for what must be zero.
    __device__ int row_of_b(int index, int inside) const {
        const int row = ((index - static_cast<int>(p_.shape.base)) << p_.block_bits) + inside;
        return index < 0 || row > p_.inner ? p_.inner : row;
    }
    // The same for stored column k of the step.
    static __device__ int row_of_b(const int (&first)[per_step], int k) {
        int row = first[0];
#pragma unroll
        for (int j = 1; j < per_step; ++j)
            if (k / Shape::block == j) row = first[j];
        return row + (per_step > 1 ? k % Shape::block : k);
    }

    // What of a piece lies before the end, in bytes.
    static __device__ int bytes_until(int end, int first) {
        const int left = end - first;
        return (left < 0 ? 0 : left < Shape::piece ? left : Shape::piece) * int(sizeof(VA));
    }
    static __device__ void copy_piece(VA* to, const VA* from, bool exists, int bytes, const VA* other) {
        copy_async_or_zero<16>(to, exists ? from : other, exists ? bytes : 0);
    }

    static constexpr int depth_pieces = Shape::depth / Shape::piece;
    static constexpr int lines_at_once = Shape::threads / depth_pieces;

    __device__ void fetch_a(VA* to, const int (&first)[per_step], const VA* from) const {
        const int across = static_cast<int>(threadIdx.x) % depth_pieces * Shape::piece;
        const int line = static_cast<int>(threadIdx.x) / depth_pieces;
        const int bytes = bytes_until(p_.inner, row_of_b(first, across));
        from += per_step > 1 ? across / Shape::block * p_.block_step + across % Shape::block : across;
#pragma unroll
        for (int row = 0; row < Shape::rows; row += lines_at_once)
            if (Shape::rows % lines_at_once == 0 || row + line < Shape::rows)
                copy_piece(to + (row + line) * Shape::a_ld + across, from + (row + line) * p_.row_step,
                           row + line < rows_ && bytes > 0, bytes, p_.values);
    }

    __device__ void fetch_b_rows(VA* to, const int (&first)[per_step]) const {
        constexpr int pieces = Shape::columns / Shape::piece;
        constexpr int at_once = Shape::threads / pieces;
        const int column = static_cast<int>(threadIdx.x) % pieces * Shape::piece;
        const int line = static_cast<int>(threadIdx.x) / pieces;
        const int bytes = bytes_until(columns_, column);
        const VA* const from = b_ + column;
#pragma unroll
        for (int k = 0; k < Shape::depth; k += at_once) {
            const int row = row_of_b(first, k + line);
            copy_piece(to + (k + line) * Shape::b_ld + column, from + row * p_.b_ld,
                       row < p_.inner && bytes > 0, bytes, p_.b);
        }
    }

    __device__ void fetch_b_columns(VA* to, const int (&first)[per_step]) const {
        const int across = static_cast<int>(threadIdx.x) % depth_pieces * Shape::piece;
        const int line = static_cast<int>(threadIdx.x) / depth_pieces;
        const int row = row_of_b(first, across);
        const int bytes = bytes_until(p_.inner, row);
        const VA* const from = b_ + line * p_.b_ld + row;
#pragma unroll
        for (int column = 0; column < Shape::columns; column += lines_at_once)
            copy_piece(to + (column + line) * Shape::b_ld + across, from + column * p_.b_ld,
                       column + line < columns_ && bytes > 0, bytes, p_.b);
    }

    const Product& p_;
    const bool is_zero_;
    unsigned number_;  // of the tile
    int step_, steps_, slots_, rows_, columns_;
    int indices_now_[per_step];
    const int* indices_;
    const VA* a_;
    const VA* b_;
};

// 16 rows of sums as Tensor Cores leave them: of each 8 columns a lane has two neighbours in rows that are
// eight apart.
template <class Pair, class CT, int tiles>
static __device__ inline void put_pairs(CT* to, int ld, const CT (&sums)[tiles][4]) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    to += lane / 4 * ld + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < tiles; ++j)
#pragma unroll
        for (int half = 0; half < 2; ++half)
            *reinterpret_cast<Pair*>(to + half * 8 * ld + j * 8) =
                Pair{sums[j][half * 2], sums[j][half * 2 + 1]};
}

// A warp's part of a tile: adds up a step, and puts 16 rows of sums at a time into shared memory.
template <class Shape, class VA = typename Shape::VA>
class block_sums {  // of 16-bit types
    static constexpr int row_tiles = Shape::warp_rows / 16;
    static constexpr int column_tiles = Shape::warp_columns / 8;

  public:
    __device__ void add(const VA* a, const VA* b) {
        const int lane = static_cast<int>(threadIdx.x) % warp_size;
#pragma unroll
        for (int k = 0; k < Shape::depth; k += 16) {
            unsigned y[column_tiles / 2][4];
#pragma unroll
            for (int j = 0; j < column_tiles / 2; ++j)
                if constexpr (Shape::b_by_rows)
                    load_matrices_turned(y[j], b + (k + lane % 16) * Shape::b_ld + j * 16 + lane / 16 * 8);
                else
                    load_matrices(
                        y[j], b + (j * 16 + lane / 16 * 8 + lane % 8) * Shape::b_ld + k + lane / 8 % 2 * 8);
#pragma unroll
            for (int i = 0; i < row_tiles; ++i) {
                unsigned x[4];
                load_matrices(x, a + (i * 16 + lane % 16) * Shape::a_ld + k + lane / 16 * 8);
#pragma unroll
                for (int j = 0; j < column_tiles; ++j)
                    multiply_halves<VA>(sums_[i][j], x, y[j / 2][j % 2 * 2], y[j / 2][j % 2 * 2 + 1]);
            }
        }
    }

    __device__ void put_slab(f32* to, int i) const { put_pairs<float2>(to, Shape::sums_ld, sums_[i]); }

  private:
    f32 sums_[row_tiles][column_tiles][4] = {};
};

// Lanes are 4 down and 8 across. A lane has every fourth row.
template <class Shape>
class block_sums<Shape, f32> {
    static constexpr int own_rows = Shape::warp_rows / 4;
    static constexpr int own_columns = Shape::warp_columns / 8;

  public:
    __device__ void add(const f32* a, const f32* b) {
        a += down() * Shape::a_ld;
        b += Shape::b_by_rows ? across() * 4 : across() * Shape::b_ld;
#pragma unroll
        for (int k = 0; k < Shape::depth; k += 4) {
            vector_of<f32> y[4];
#pragma unroll
            for (int i = 0; i < 4; ++i)
                y[i] = at(Shape::b_by_rows ? b + (k + i) * Shape::b_ld : b + i * 8 * Shape::b_ld + k);
#pragma unroll
            for (int r = 0; r < own_rows; ++r) {
                const vector_of<f32> x = at(a + r * 4 * Shape::a_ld + k);
#pragma unroll
                for (int l = 0; l < 4; ++l)
#pragma unroll
                    for (int c = 0; c < own_columns; ++c)
                        sums_[r][c] = fmaf(x.at[l], Shape::b_by_rows ? y[l].at[c] : y[c].at[l], sums_[r][c]);
            }
        }
    }

    __device__ void put_slab(f32* to, int i) const {
        to += down() * Shape::sums_ld;
#pragma unroll
        for (int r = 0; r < 4; ++r)
#pragma unroll
            for (int c = 0; c < own_columns; ++c)
                to[r * 4 * Shape::sums_ld + (Shape::b_by_rows ? across() * 4 + c : across() + c * 8)] =
                    sums_[i * 4 + r][c];
    }

  private:
    static_assert(own_columns == 4);
    static __device__ int down() { return static_cast<int>(threadIdx.x) % warp_size / 8; }
    static __device__ int across() { return static_cast<int>(threadIdx.x) % 8; }
    static __device__ vector_of<f32> at(const f32* p) { return *reinterpret_cast<const vector_of<f32>*>(p); }

    f32 sums_[own_rows][own_columns] = {};
};

template <class Shape>
class block_sums<Shape, f64> {
    static constexpr int row_tiles = Shape::warp_rows / 16;
    static constexpr int column_tiles = Shape::warp_columns / 8;

  public:
    __device__ void add(const f64* a, const f64* b) {
        const int group = static_cast<int>(threadIdx.x) % warp_size / 4;
        const int step = static_cast<int>(threadIdx.x) % 4;
        a += group * Shape::a_ld + step;
        b += Shape::b_by_rows ? step * Shape::b_ld + group : group * Shape::b_ld + step;
#pragma unroll
        for (int k = 0; k < Shape::depth; k += 8) {
            f64 y[column_tiles][2];
#pragma unroll
            for (int j = 0; j < column_tiles; ++j)
#pragma unroll
                for (int i = 0; i < 2; ++i)
                    y[j][i] = Shape::b_by_rows ? b[(k + i * 4) * Shape::b_ld + j * 8]
                                               : b[j * 8 * Shape::b_ld + k + i * 4];
#pragma unroll
            for (int r = 0; r < row_tiles; ++r) {
                f64 x[4];
#pragma unroll
                for (int i = 0; i < 4; ++i) x[i] = a[(r * 16 + i % 2 * 8) * Shape::a_ld + k + i / 2 * 4];
#pragma unroll
                for (int j = 0; j < column_tiles; ++j) dense_cuda::multiply_doubles<8>(sums_[r][j], x, y[j]);
            }
        }
    }

    __device__ void put_slab(f64* to, int i) const { put_pairs<double2>(to, Shape::sums_ld, sums_[i]); }

  private:
    f64 sums_[row_tiles][column_tiles][4] = {};
};

// C := alpha*sums + beta*C for eight elements of a row or a column, `count` of which exist.
template <class VC, class CT>
static __device__ inline void update_eight(VC* c, int64_t step, int count, bool is_piece, const CT* sums,
                                           int sums_step, CT alpha, CT beta) {
    if (!is_piece || count < 8) {
        for (int e = 0; e < 8 && e < count; ++e)
            kernels::update_c(c, e * step, sums[e * sums_step], alpha, beta);
        return;
    }
    constexpr int size = vector_of<VC>::size;
    auto* const at = reinterpret_cast<vector_of<VC>*>(c);
#pragma unroll
    for (int v = 0; v < 8 / size; ++v) {
        vector_of<VC> piece{};
        if (beta != 0) piece = at[v];
#pragma unroll
        for (int e = 0; e < size; ++e)
            kernels::update_c(piece.at, e, sums[(v * size + e) * sums_step], alpha, beta);
        at[v] = piece;
    }
}

// Writes a warp's part of a tile through its own part of shared memory.
template <class Shape, class Product, class CT>
static __device__ inline void write_sums(const Product& p, const block_tile& tile,
                                         const block_sums<Shape>& sums, CT* shared, int first_row,
                                         int first_column, CT alpha, CT beta) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const bool by_rows = p.shape.c_column_step == 1;
    const int64_t step = by_rows ? p.shape.c_column_step : p.shape.c_row_step;
    auto* const c = p.c + tile.batch * p.shape.c_stride + tile.row * p.shape.c_row_step +
                    tile.column * p.shape.c_column_step;
#pragma unroll
    for (int i = 0; i < Shape::warp_rows / Shape::slab; ++i) {
        __syncwarp();
        sums.put_slab(shared, i);
        __syncwarp();
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int r = by_rows ? lane / 4 + half * 8 : half * 8;
            const int s = by_rows ? lane % 4 * 8 : lane;
            const int row = first_row + i * Shape::slab + r;
            const int column = first_column + s;
            const int count = by_rows ? tile.columns - column : tile.rows - row;
            if (row < tile.rows && column < tile.columns)
                update_eight(c + row * p.shape.c_row_step + column * p.shape.c_column_step, step, count,
                             p.c_has_pieces, shared + r * Shape::sums_ld + s, by_rows ? 1 : Shape::sums_ld,
                             alpha, beta);
        }
    }
}

// Any grid will do.
template <class Shape, class VC>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    multiply_blocks(const __grid_constant__ blocked_product<typename Shape::VA, VC, typename Shape::CT> p) {
    using VA = typename Shape::VA;
    using CT = typename Shape::CT;
    extern __shared__ __align__(16) unsigned char shared[];
    VA* const stages = reinterpret_cast<VA*>(shared);
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    CT* const own_sums =
        reinterpret_cast<CT*>(stages + Shape::stages * Shape::stage) + warp * Shape::sums_size;
    const int first_row = warp / Shape::warps_across * Shape::warp_rows;
    const int first_column = warp % Shape::warps_across * Shape::warp_columns;
    const CT alpha = p.alpha.device ? *p.alpha.device : p.alpha.value;
    const CT beta = p.beta.device ? *p.beta.device : p.beta.value;
    const bool is_zero = alpha == 0;
    block_fetcher<Shape, blocked_product<VA, VC, CT>> fetcher(p, is_zero);
#pragma unroll
    for (int s = 0; s < Shape::stages - 1; ++s) fetcher.fetch(stages + s * Shape::stage);
    int now = 0;
    for (unsigned number = blockIdx.x; number < p.tiles; number += gridDim.x) {
        const block_tile tile = locate_tile<Shape>(p, number, is_zero);
        block_sums<Shape> sums;
        for (int step = 0; step < tile.steps; ++step) {
            wait_for_copies<Shape::stages - 2>();
            __syncthreads();
            fetcher.fetch(stages + (now == 0 ? Shape::stages - 1 : now - 1) * Shape::stage);
            const VA* const stage = stages + now * Shape::stage;
            sums.add(stage + first_row * Shape::a_ld,
                     stage + Shape::a_size + first_column * (Shape::b_by_rows ? 1 : Shape::b_ld));
            now = now + 1 == Shape::stages ? 0 : now + 1;
        }
        write_sums(p, tile, sums, own_sums, first_row, first_column, alpha, beta);
    }
}

}  // namespace heron::HERON_LEVEL
