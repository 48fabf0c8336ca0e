#pragma once
// What the tuned SpMM kernels share: the operands, and the columns of C that a lane owns.
#include "common/spmm/plan.hpp"
#include "cuda/runtime/turn_dense.cuh"

namespace heron::HERON_LEVEL {

constexpr int spmm_threads = 256;

// Whether a product is left to another way, which the device finds out: where the flag is set, or where one
// of the stamps around what an analysis has left in the caller's workspace is not there any more.
struct spmm_guard {
    const int* flag;
    const uint64_t* front;
    const uint64_t* back;
    uint64_t stamp;

    __host__ __device__ bool is_needed() const { return flag || front; }
    __device__ bool is_skipped() const {
        return (flag && *flag) || (front && (*front != stamp || *back != stamp));
    }
};

// C := alpha*op(A)*B + beta*C. Offsets and indices count from base. With positions, the value of element k is
// values[positions[k]].
template <class VA, class VC, class CT, class OT, class IT>
struct spmm_product {
    const OT* offsets;
    const IT* indices;
    const VA* values;
    const OT* positions;
    int64_t nnz;
    const VA* b;
    VC* c;
    kernels::spmm_shape shape;
    scalar_argument<CT> alpha, beta;
    // B by rows in vectors of 16 bytes, as many as C's columns need, less than 2 GiB apart.
    bool b_is_aligned;
    bool c_is_aligned;  // rows of C in vectors of 16 bytes, without a remainder
    // A kernel that may still be at work makes B alone; else it may make offsets, indices and places too.
    bool only_b_is_new;
    spmm_guard guard;

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
    __device__ vector load(const VA* row, int64_t column_step) const {
        if constexpr (is_aligned) {
            return load_shared_by_many(reinterpret_cast<const vector*>(row));
        } else {
            vector result;
#pragma unroll
            for (int v = 0; v < width; ++v)
                result.at[v] = load_shared_by_many(row + (exists(v) ? first_ + v : 0) * column_step);
            return result;
        }
    }

  private:
    int left_, first_;
};

}  // namespace heron::HERON_LEVEL
