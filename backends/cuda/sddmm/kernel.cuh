#pragma once
// SDDMM with both operands contiguous along the inner dimension. Groups of four or eight lanes form several
// inner products at a time, in pieces of 16 bytes: a group reads several pieces of columns of op(B) before it
// uses the first, and keeps the row of op(A) in registers for as long as the elements are of one row. Every
// lane owns one element of C, finds its row and column while other elements are computed, and in the end
// writes it, so that offsets, indices and values are read and written by whole lines, and all formats are the
// same to the products. As in the row decomposition of Sputnik (Gale et al., SC 2020), but balanced by
// elements, not by rows.
#include "common/sddmm/plan.hpp"
#include "cuda/runtime/element_places.cuh"
#include "cuda/runtime/turn_dense.cuh"

namespace heron::HERON_LEVEL {

constexpr int sddmm_threads = 256;
constexpr int sddmm_depth = 4;  // vectors of 16 bytes that a lane loads before it uses the first

template <class VX, class VC, class CT>
struct sampling : element_places {
    VC* c;
    // As the caller has them, for kernels that copy nothing.
    heron_sddmm_vectors a_vectors, b_vectors;
    int64_t k;
    int lane_bits;                  // of the groups of sample_directly
    bool has_whole_a, has_whole_b;  // whether their pieces are whole
    // Vector v of batch item b begins b*a_stride pieces and v*a_step bytes behind a.
    const vector_of<VX>* a;
    const vector_of<VX>* b;
    unsigned a_step, b_step;  // in bytes
    int64_t a_stride, b_stride;
    int pieces;  // of a vector
    int conjugate_a, conjugate_b;
    scalar_argument<CT> alpha, beta;
    bool follows;  // the launch that packs, and needs of it what that packs alone
};

template <class CT>
static __device__ inline CT value_of(const scalar_argument<CT>& s) {
    return s.device ? *s.device : s.value;
}

// Sum over the piece; each factor conjugated or not.
template <class CT, class VX>
static __device__ inline CT multiply_pieces(const vector_of<VX>& a, const vector_of<VX>& b, int conjugate_a,
                                            int conjugate_b, CT sum) {
#pragma unroll
    for (int i = 0; i < vector_of<VX>::size; ++i) {
        const CT ai = load<CT>(a.at[i]);
        const CT bi = load<CT>(b.at[i]);
        sum = mad(conjugate_a ? conj(ai) : ai, conjugate_b ? conj(bi) : bi, sum);
    }
    return sum;
}

template <class CT>
static __device__ inline CT choose(bool first, CT a, CT b) {
    return first ? a : b;
}

// The group's sum of sums[l % count] for its lane l: each step of the exchange halves what a lane holds.
template <int lanes, int count, class CT>
static __device__ inline CT sum_of_own(CT (&sums)[count]) {
#pragma unroll
    for (int half = count / 2; half > 0; half /= 2) {
        const bool is_upper = threadIdx.x & half;
#pragma unroll
        for (int i = 0; i < half; ++i) {
            // Values: a choice between two elements would be one between addresses, in local memory.
            const CT low = sums[i], high = sums[i + half];
            sums[i] = add(choose(is_upper, high, low), from_lane_across(choose(is_upper, low, high), half));
        }
    }
    CT sum = sums[0];
#pragma unroll
    for (int distance = count; distance < lanes; distance *= 2)
        sum = add(sum, from_lane_across(sum, distance));
    return sum;
}

// Every lanes-th piece of a vector from `at` on, zero behind its last one unless there is one for all.
template <int lanes, bool is_exact, int chunks, class VX>
static __device__ inline void load_pieces(vector_of<VX> (&to)[chunks], const vector_of<VX>* vector, int at,
                                          int pieces) {
#pragma unroll
    for (int i = 0; i < chunks; ++i)
        to[i] = is_exact || at + i * lanes < pieces ? load_shared_by_many(vector + at + i * lanes)
                                                    : vector_of<VX>{};
}

template <class VX>
static __device__ inline const vector_of<VX>* vector_at(const vector_of<VX>* first, int number,
                                                        unsigned bytes) {
    return reinterpret_cast<const vector_of<VX>*>(reinterpret_cast<const char*>(first) +
                                                  uint64_t{static_cast<unsigned>(number)} * bytes);
}

// The inner product of every lane's own element with `chunks` pieces per lane at a time. All lanes of a warp
// take part.
template <class Shape, class VX, class VC, class CT>
static __device__ inline CT sample_tile(const sampling<VX, VC, CT>& p, int item, const element_place& mine) {
    constexpr int lanes = Shape::lanes;
    constexpr int chunks = Shape::chunks;
    constexpr int at_once = chunks < sddmm_depth ? sddmm_depth / chunks : 1;  // columns in flight
    constexpr unsigned first_of_groups = lanes == 8 ? 0x01010101u : 0x11111111u;
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const int group = static_cast<int>(threadIdx.x) % warp_size / lanes * lanes;
    const vector_of<VX>* const a_item = after_kernel_before(p.a) + item * p.a_stride;
    const vector_of<VX>* const b_item = after_kernel_before(p.b) + item * p.b_stride;
    const int row_below = from_lane_below(mine.row, 1);
    const unsigned begun = __ballot_sync(all_lanes, lane == 0 || mine.row != row_below);
    CT result{};
    for (int first = 0; first < p.pieces; first += chunks * lanes) {
        vector_of<VX> a[chunks];
#pragma unroll 1
        for (int step = 0; step < lanes; step += at_once) {
            vector_of<VX> b[at_once][chunks];
#pragma unroll
            for (int u = 0; u < at_once; ++u)
                load_pieces<lanes, Shape::is_exact>(
                    b[u], vector_at(b_item, value_of_lane(mine.column, group + step + u), p.b_step),
                    first + lane, p.pieces);
            CT sums[at_once] = {};
#pragma unroll
            for (int u = 0; u < at_once; ++u) {
                const int now = group + step + u;
                if (begun & (first_of_groups << (step + u))) {
                    const int row = value_of_lane(mine.row, now);
                    if (begun >> now & 1)
                        load_pieces<lanes, Shape::is_exact>(a, vector_at(a_item, row, p.a_step), first + lane,
                                                            p.pieces);
                }
#pragma unroll
                for (int i = 0; i < chunks; ++i)
                    sums[u] = multiply_pieces(a[i], b[u][i], p.conjugate_a, p.conjugate_b, sums[u]);
            }
            const CT sum = sum_of_own<lanes>(sums);
            if (lane / at_once == step / at_once) result = add(result, sum);
        }
        if constexpr (Shape::is_exact) break;
    }
    return result;
}

// Lanes of a group, pieces of a vector that a lane holds at a time, and whether these are all pieces.
template <int lanes_of_group, int chunks_of_lane, bool holds_all>
struct sddmm_shape {
    static constexpr int lanes = lanes_of_group;
    static constexpr int chunks = chunks_of_lane;
    static constexpr bool is_exact = holds_all;
};

// Blocks that a multiprocessor should have, so that the compiler leaves registers for as many.
template <class CT>
constexpr int sddmm_blocks(int chunks) {
    return chunks == 8 || sizeof(CT) > 8 ? 2 : sizeof(CT) > 4 ? 3 : 4;
}

// sum_at(item, place) forms the inner product of every lane's own element.
template <class IT, bool whole_tiles, bool is_lone_csr, class VX, class VC, class CT, class Sum>
static __device__ inline void sample_all(const sampling<VX, VC, CT>& p, Sum&& sum_at) {
    if (!p.follows) after_kernel_before(p.c);
    const bool reads = !equal(value_of(p.alpha), CT{}) && p.k > 0;
    if (!reads) after_kernel_before(p.c);
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int blocks = p.blocks_of_item(static_cast<int>(blockDim.x));
    for (int64_t i = blockIdx.x; i < blocks * p.batches; i += gridDim.x) {
        const auto item = is_lone_csr || p.batches == 1 ? 0 : static_cast<int>(i / blocks);
        for_tiles<IT, whole_tiles, is_lone_csr>(
            p, item, static_cast<int>(i - int64_t{item} * blocks), [&](int tile, const element_place& place) {
                const CT sum = reads ? sum_at(item, place) : CT{};
                const int64_t element = int64_t{tile} * (whole_tiles ? warp_size : p.tile) + lane;
                if ((whole_tiles || lane < p.tile) && element < p.count)
                    kernels::update_sample(p.c + item * p.matrix.values_stride, element, sum,
                                           value_of(p.alpha), value_of(p.beta));
            });
    }
}

template <class Shape, class IT, class VX, class VC, class CT>
__global__ void __launch_bounds__(sddmm_threads, sddmm_blocks<CT>(Shape::chunks))
    sample_elements(const __grid_constant__ sampling<VX, VC, CT> p) {
    sample_all<IT, true, false>(
        p, [&](int item, const element_place& place) { return sample_tile<Shape>(p, item, place); });
}

}  // namespace heron::HERON_LEVEL
