#pragma once
// What the tuned SpMV kernels share: the operands of a product and the partition of a CSR matrix into tiles.
#include "common/spmv/plan.hpp"
#include "cuda/runtime/warp.cuh"

namespace heron::HERON_LEVEL {

// y := alpha*op(A)*x + beta*y. Indices and offsets count from base; x_shifted is x - base, so that an index
// needs no correction.
template <class VA, class VX, class VY, class CT, class OT, class IT>
struct product {
    const OT* offsets;
    const IT* indices;
    const VA* values;
    const VX* x_shifted;
    VY* y;
    int64_t rows;
    int64_t nnz;
    int64_t base;
    int conjugate;
    scalar_argument<CT> alpha;
    scalar_argument<CT> beta;

    __device__ int64_t offset(int64_t row) const { return static_cast<int64_t>(offsets[row]) - base; }
    __device__ CT element(VA a) const {
        const CT v = load<CT>(a);
        return conjugate ? conj(v) : v;
    }
    __device__ CT operand(const VX* at) const { return load<CT>(load_shared_by_many(at)); }
    __device__ CT x_at(IT index) const { return operand(x_shifted + index); }
    __device__ CT alpha_now() const { return alpha.device ? *alpha.device : alpha.value; }
    __device__ CT beta_now() const { return beta.device ? *beta.device : beta.value; }
};

// Where the elements of an x and a y of so many columns are. Of one column they follow each other.
template <int columns>
struct column_steps {
    int64_t x_row, x_column, y_row, y_column;

    template <class Product, class IT>
    __device__ auto x_at(const Product& p, IT index, int column) const {
        if constexpr (columns == 1)
            return p.x_at(index);
        else
            return p.operand(p.x_shifted + index * x_row + column * x_column);
    }
    __device__ int64_t place_in_y(int64_t row, int column) const {
        return columns == 1 ? row : row * y_row + column * y_column;
    }
};
constexpr column_steps<1> one_column{1, 0, 1, 0};

// An atomic addition; both parts of a c32 go in one access where the hardware can.
template <class CT>
static __device__ inline void add_at_once(CT* p, CT v) {
#if __CUDA_ARCH__ >= 900
    if constexpr (std::is_same_v<CT, c32>) {
        asm volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %2};" ::"l"(p), "f"(v.re), "f"(v.im)
                     : "memory");
        return;
    }
#endif
    atomic_add(p, v);
}

constexpr int block_threads = 256;
constexpr int block_warps = block_threads / warp_size;

static __host__ __device__ inline int largest_power_of_two(int limit) {
    int power = 1;
    while (power * 2 <= limit) power *= 2;
    return power;
}

// Lanes that sum one row when a block works on `rows` rows at once.
static __host__ __device__ inline int lanes_per_row(int rows) {
    return rows >= block_threads ? 1 : largest_power_of_two(rows > 8 ? block_threads / rows : warp_size);
}

}  // namespace heron::HERON_LEVEL
