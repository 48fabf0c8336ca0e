#pragma once
// What the tuned SpMM kernels share: the operands, and how a group of lanes sums some elements of a row for a
// tile of columns, the inner loop of all of them.
//
// A lane owns `units` vectors of 16 bytes of B's row, that is of neighbouring columns of C, and keeps their
// sums in registers. Indices and values are read four at a time and by all lanes of the group at once, which
// costs one access.
#include "../common/plans/spmm.hpp"
#include "warp.cuh"

namespace heron::HERON_LEVEL {

constexpr int spmm_threads = 256;

template <class T>
struct alignas(16) vector_of {
    static constexpr int size = 16 / int(sizeof(T));
    T at[size];
};

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
    bool b_is_aligned;   // rows of B in vectors of 16 bytes, as many as the columns of C need
    bool a_is_aligned;   // indices, and values or positions, in quads
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
template <class VA, int units>
static __host__ __device__ inline int tile_columns(int lane_bits) {
    return units * vector_of<VA>::size << lane_bits;
}

// The sums of one lane: columns first_column(u) + v.
template <class VA, class VC, class CT, class OT, class IT, int units>
class lane_sums {
    using product = spmm_product<VA, VC, CT, OT, IT>;
    using item = spmm_item<product, VA, OT, IT>;
    using vector = vector_of<VA>;
    static constexpr int quad = 4;

  public:
    static constexpr int width = vector::size;
    CT sums[units][width] = {};

    // The tile begins at column `first`.
    __device__ lane_sums(const product& p, int64_t first, int lane, int lanes) : p_(p) {
#pragma unroll
        for (int u = 0; u < units; ++u) column_[u] = first + (u * lanes + lane) * width;
    }

    __device__ int64_t first_column(int u) const { return column_[u]; }

    // Adds elements begin <= k < end.
    __device__ void add_elements(const item& a, int64_t begin, int64_t end) {
        if (begin >= end) return;
        int64_t k = begin & ~int64_t{quad - 1};
        elements now = load(a, k, begin, end);
        for (; k < end; k += quad) {
            const elements next = load(a, k + quad, begin, end);
            add(a, now, k, begin, end);
            now = next;
        }
    }

  private:
    struct elements {
        IT index[quad];
        VA value[quad];
    };
    template <class T>
    struct alignas(quad * sizeof(T) < 16 ? quad * sizeof(T) : 16) piece {
        char bytes[quad * sizeof(T) < 16 ? quad * sizeof(T) : 16];
    };

    template <class T>
    static __device__ void load_quad(T* to, const T* from) {
#pragma unroll
        for (int i = 0; i < int(quad * sizeof(T) / sizeof(piece<T>)); ++i) {
            const piece<T> part = load_shared_by_many(reinterpret_cast<const piece<T>*>(from) + i);
            __builtin_memcpy(reinterpret_cast<char*>(to) + i * sizeof part, &part, sizeof part);
        }
    }

    // Elements k, ..., k + 3; those outside [begin, end) are not used.
    __device__ elements load(const item& a, int64_t k, int64_t begin, int64_t end) const {
        elements e{};
        if (k >= end) return e;
        if (p_.a_is_aligned && k + quad <= p_.nnz) {
            load_quad(e.index, a.indices + k);
            if (!p_.positions) {
                load_quad(e.value, a.values + k);
                return e;
            }
            OT positions[quad];
            load_quad(positions, p_.positions + k);
#pragma unroll
            for (int j = 0; j < quad; ++j) e.value[j] = load_shared_by_many(a.values + positions[j]);
            return e;
        }
#pragma unroll
        for (int j = 0; j < quad; ++j) {
            if (k + j < begin || k + j >= end) continue;
            e.index[j] = load_shared_by_many(a.indices + k + j);
            e.value[j] =
                load_shared_by_many(a.values + (p_.positions ? int64_t(p_.positions[k + j]) : k + j));
        }
        return e;
    }

    // All loads come before the first use.
    __device__ void add(const item& a, const elements& e, int64_t k, int64_t begin, int64_t end) {
        vector b[quad][units];
#pragma unroll
        for (int j = 0; j < quad; ++j) {
            if (k + j < begin || k + j >= end) continue;
            const VA* const row = a.b + (int64_t(e.index[j]) - p_.shape.base) * p_.b_ld;
#pragma unroll
            for (int u = 0; u < units; ++u) b[j][u] = load_b(row, column_[u]);
        }
#pragma unroll
        for (int j = 0; j < quad; ++j) {
            if (k + j < begin || k + j >= end) continue;
            const CT value = p_.element(e.value[j]);
#pragma unroll
            for (int u = 0; u < units; ++u)
#pragma unroll
                for (int v = 0; v < width; ++v)
                    sums[u][v] = mad(value, p_.operand(b[j][u].at[v]), sums[u][v]);
        }
    }

    // Lanes behind the last column read the first one instead.
    __device__ vector load_b(const VA* row, int64_t column) const {
        if (p_.b_is_aligned)
            return load_shared_by_many(
                reinterpret_cast<const vector*>(row + (column < p_.shape.columns ? column : 0)));
        vector result;
#pragma unroll
        for (int v = 0; v < width; ++v)
            result.at[v] = load_shared_by_many(row + (column + v < p_.shape.columns ? column + v : 0));
        return result;
    }

    const product& p_;
    int64_t column_[units];
};

}  // namespace heron::HERON_LEVEL
