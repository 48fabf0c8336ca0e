#pragma once
// Products with a symmetric matrix of up to a few warps' rows: leaves of the recursions in
// dense_triangular.cu. A block works on a strip of vectors, which it keeps in shared memory.
#include "cuda/runtime/intrinsics.cuh"
#include "kernel.cuh"

namespace heron::HERON_LEVEL::dense_cuda {

enum class structure { triangular, symmetric, hermitian };

// Element (i, l) of M lies at i*row + l*column, element i of vector v of x at v*line + i*step. M is lower
// triangular, or its lower triangle is stored; of an upper one the end is the beginning and steps are
// negative. Items are `a_item` and `x_item` apart.
template <class CT>
struct leaf_parameters {
    int64_t order, count, items;
    const CT* a;
    int64_t row, column, a_item;
    int conjugates, is_unit;
    structure form;
    const CT* x;
    int64_t line, step, x_item;
    CT* y;
    int64_t y_line, y_step, y_item;
    scalar<CT> alpha, beta;
};

// Orders up to Rows; a strip has Vectors vectors.
template <class Element, int Rows, int Vectors, int Threads>
struct leaf_tile {
    using CT = Element;
    static constexpr int rows = Rows, vectors = Vectors, threads = Threads;
    static constexpr int part = 32;  // steps that are multiplied at a time
    static constexpr int length = Vectors + 1;
    static constexpr int strip_size = Rows * length;
    static constexpr int panel_length = Rows + 1;
    static constexpr int panel_size = panel_length * part;
    static constexpr int shared_bytes = (strip_size + panel_size) * static_cast<int>(sizeof(CT));
    static constexpr int TM = Rows * Vectors / Threads / 4, TN = 4;  // elements of a thread
    static constexpr int row_threads = Rows / TM;
};

template <class Tile>
class leaf {
  public:
    using CT = typename Tile::CT;

    __device__ leaf(const leaf_parameters<CT>& p, CT* shared)
        : p_(p),
          strip_(shared),
          panel_(shared + Tile::strip_size),
          thread_(static_cast<int>(threadIdx.x)),
          order_(static_cast<int>(p.order)) {
        const int64_t strips = (p.count + Tile::vectors - 1) / Tile::vectors;
        item_ = blockIdx.x / strips;
        first_ = blockIdx.x % strips * Tile::vectors;
        vectors_ = static_cast<int>(p.count - first_ < Tile::vectors ? p.count - first_ : Tile::vectors);
    }

    // y := alpha*M*x + beta*y
    __device__ void multiply() {
        const CT alpha = p_.alpha.get();
        CT sums[Tile::TM][Tile::TN] = {};
        if (!equal(alpha, CT{})) {
            load_strip(one<CT>());
            for (int l = 0; l < order_; l += Tile::part) {
                __syncthreads();
                load_panel(l);
                __syncthreads();
                add(sums, l);
            }
        }
        const CT beta = p_.beta.get();
        CT* const y = p_.y + item_ * p_.y_item + first_ * p_.y_line;
#pragma unroll
        for (int i = 0; i < Tile::TM; ++i)
#pragma unroll
            for (int j = 0; j < Tile::TN; ++j) {
                const int row = row_of(i), v = vector_of(j);
                if (row >= order_ || v >= vectors_) continue;
                CT* const to = y + v * p_.y_line + row * p_.y_step;
                const CT value = mul(alpha, sums[i][j]);
                *to = equal(beta, CT{}) ? value : mad(beta, *to, value);
            }
    }

  private:
    static constexpr int strip_share = Tile::rows * Tile::vectors / Tile::threads;
    static constexpr int panel_share = Tile::rows * Tile::part / Tile::threads;

    struct place {
        int row, other;
    };
    // A thread's element number c among Rows x Others, so that neighbouring threads have neighbours in memory
    // if rows are row_step apart.
    template <int Others>
    __device__ place place_at(int c, int64_t row_step) const {
        const int n = thread_ + c * Tile::threads;
        if (row_step == 1 || row_step == -1) return {n % Tile::rows, n / Tile::rows};
        return {n / Others, n % Others};
    }
    __device__ place strip_place(int c, int64_t step) const { return place_at<Tile::vectors>(c, step); }

    // All of a thread's loads are under way before the first is stored. Zero beyond the end.
    __device__ void load_strip(CT factor) {
        const CT* const x = p_.x + item_ * p_.x_item + first_ * p_.line;
        CT values[strip_share];
#pragma unroll
        for (int c = 0; c < strip_share; ++c) {
            const place at = strip_place(c, p_.step);
            const bool is_there = at.row < order_ && at.other < vectors_;
            values[c] = is_there ? mul(factor, x[at.other * p_.line + at.row * p_.step]) : CT{};
        }
#pragma unroll
        for (int c = 0; c < strip_share; ++c) {
            const place at = strip_place(c, p_.step);
            strip_[at.row * Tile::length + at.other] = values[c];
        }
    }

    // The columns [l, l + part): panel_[column*panel_length + row].
    __device__ void load_panel(int l) {
        CT values[panel_share];
#pragma unroll
        for (int c = 0; c < panel_share; ++c) {
            const place at = place_at<Tile::part>(c, p_.row);
            values[c] = stored(at.row, l + at.other);
        }
#pragma unroll
        for (int c = 0; c < panel_share; ++c) {
            const place at = place_at<Tile::part>(c, p_.row);
            panel_[at.other * Tile::panel_length + at.row] = element(values[c], at.row, l + at.other);
        }
    }

    // What memory holds for an element of M; zero where nothing is read.
    __device__ CT stored(int row, int column) const {
        if (row >= order_ || column >= order_) return CT{};
        const int64_t i = row < column ? column : row, l = row < column ? row : column;
        return p_.a[item_ * p_.a_item + i * p_.row + l * p_.column];
    }

    // The element from what memory holds for it.
    __device__ CT element(CT value, int row, int column) const {
        if (p_.form != structure::hermitian) return value;
        return row == column ? real_part(value) : row < column ? conj(value) : value;
    }

    __device__ int row_of(int i) const { return thread_ % Tile::row_threads + i * Tile::row_threads; }
    __device__ int vector_of(int j) const { return thread_ / Tile::row_threads * Tile::TN + j; }

    __device__ void add(CT (&sums)[Tile::TM][Tile::TN], int l) const {
        const int end = order_ - l < Tile::part ? order_ - l : Tile::part;
#pragma unroll 4
        for (int s = 0; s < end; ++s) {
            CT x[Tile::TN];
#pragma unroll
            for (int j = 0; j < Tile::TN; ++j) x[j] = strip_[(l + s) * Tile::length + vector_of(j)];
#pragma unroll
            for (int i = 0; i < Tile::TM; ++i) {
                const CT a = panel_[s * Tile::panel_length + row_of(i)];
#pragma unroll
                for (int j = 0; j < Tile::TN; ++j) sums[i][j] = mad(a, x[j], sums[i][j]);
            }
        }
    }

    const leaf_parameters<CT>& p_;
    CT *strip_, *panel_;
    int thread_, order_, vectors_;
    int64_t item_, first_;
};

template <class Tile>
__global__ void __launch_bounds__(Tile::threads)
    multiply_leaf(const __grid_constant__ leaf_parameters<typename Tile::CT> p) {
    extern __shared__ __align__(16) unsigned char shared[];
    leaf<Tile>(p, reinterpret_cast<typename Tile::CT*>(shared)).multiply();
}

}  // namespace heron::HERON_LEVEL::dense_cuda
