#pragma once
// What the tuned SpMM kernels share: the operands, and the columns of C that a lane owns.
#include "common/spmm/plan.hpp"
#include "cuda/runtime/turn_dense.cuh"

namespace heron::HERON_LEVEL {

constexpr int spmm_threads = 256;

// C := alpha*op(A)*B + beta*C with B by rows. Offsets and indices count from base. With positions, the value
// of element k is values[positions[k]].
template <class VA, class VC, class CT, class OT, class IT>
struct spmm_product {
    const OT* offsets;
    const IT* indices;
    const VA* values;
    const OT* positions;
    int64_t nnz;
    const VA* b;
    int64_t b_ld;
    VC* c;
    kernels::spmm_shape shape;  // of C, and the strides of a batch
    scalar_argument<CT> alpha, beta;
    bool
        b_is_aligned;  // rows of B in vectors of 16 bytes, as many as C's columns need, less than 2 GiB apart
    bool c_is_aligned;   // rows of C in vectors of 16 bytes, without a remainder
    const int* skipped;  // does nothing where this is set; may be NULL

    __device__ CT alpha_now() const { return alpha.device ? *alpha.device : alpha.value; }
    __device__ CT beta_now() const { return beta.device ? *beta.device : beta.value; }
    __device__ CT element(VA a) const {
        const CT v = load<CT>(a);
        return shape.conjugate_a ? conj(v) : v;
    }
    __device__ CT operand(VA b) const {
        const CT v = load<CT>(b);
        return shape.conjugate_b ? conj(v) : v;
    }
};

// The arrays of one item of a batch.
template <class Product, class VA, class OT, class IT>
struct spmm_item {
    const OT* offsets;
    const IT* indices;
    const VA* values;
    const VA* b;

    __device__ spmm_item(const Product& p, int64_t batch)
        : offsets(p.offsets + batch * p.shape.offsets_stride),
          indices(p.indices + batch * p.shape.indices_stride),
          values(p.values + batch * p.shape.values_stride),
          b(p.b + batch * p.shape.b_stride) {}
};

// Columns of C that a group of 2^lane_bits lanes works on at a time.
template <class VA>
static __host__ __device__ inline int tile_columns(int lane_bits) {
    return vector_of<VA>::size << lane_bits;
}

// The columns that one lane owns of a tile: a vector of 16 bytes of B's row. `left` columns exist from the
// tile's first one on. Columns count from there.
template <class VA>
class lane_columns {
    using vector = vector_of<VA>;

  public:
    static constexpr int width = vector::size;

    __device__ lane_columns(int64_t left, int lane)
        : left_(static_cast<int>(left < INT32_MAX ? left : INT32_MAX)), first_(lane * width) {}

    __device__ int first() const { return first_; }
    __device__ bool exists(int v = 0) const { return first_ + v < left_; }

    // Lanes behind the last column read the first one instead.
    __device__ int from() const { return exists() ? first_ : 0; }

    // The row begins at column from() where it is aligned.
    template <bool is_aligned>
    __device__ vector load(const VA* row) const {
        if constexpr (is_aligned) {
            return load_shared_by_many(reinterpret_cast<const vector*>(row));
        } else {
            vector result;
#pragma unroll
            for (int v = 0; v < width; ++v)
                result.at[v] = load_shared_by_many(row + (exists(v) ? first_ + v : 0));
            return result;
        }
    }

  private:
    int left_, first_;
};

}  // namespace heron::HERON_LEVEL
