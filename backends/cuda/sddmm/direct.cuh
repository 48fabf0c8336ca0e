#pragma once
// SDDMM that reads both operands where they are, whatever their layout: for small problems, which are over
// before copies would be made, and for short inner products. A group of lanes forms the inner product of one
// element, and a warp has as many elements as groups: one launch, and all loads of an element on their way
// together.
#include "kernel.cuh"

namespace heron::HERON_LEVEL {

constexpr int direct_threads = 64;

// A vector that is read in pieces of 16 bytes or number by number.
template <class Part, class VX>
class vector_parts {
  public:
    __device__ vector_parts(const heron_sddmm_vectors& v, int item, int number)
        : first_(reinterpret_cast<const Part*>(after_kernel_before(static_cast<const VX*>(v.values)) +
                                               item * v.batch_stride + number * v.vector_step)),
          step_(std::is_same_v<Part, VX> ? v.element_step : 1) {}

    __device__ Part load(int64_t i) const { return load_shared_by_many(first_ + i * step_); }

  private:
    const Part* first_;
    int64_t step_;
};

template <class CT, class VX>
static __device__ inline CT multiply_parts(const vector_of<VX>& a, const vector_of<VX>& b, int conjugate_a,
                                           int conjugate_b, CT sum) {
    return multiply_pieces(a, b, conjugate_a, conjugate_b, sum);
}
template <class CT, class VX>
static __device__ inline CT multiply_parts(VX a, VX b, int conjugate_a, int conjugate_b, CT sum) {
    const CT of_a = load<CT>(a);
    const CT of_b = load<CT>(b);
    return mad(conjugate_a ? conj(of_a) : of_a, conjugate_b ? conj(of_b) : of_b, sum);
}

// Adds the products of `depth` parts per lane from `first` on, all of which are loaded before one is used.
template <int depth, class Part, class CT, class VX, class Sampling>
static __device__ inline CT add_parts(const Sampling& p, const vector_parts<Part, VX>& a,
                                      const vector_parts<Part, VX>& b, int first, CT sum) {
    const int lanes = 1 << p.lane_bits;
    Part of_a[depth], of_b[depth];
#pragma unroll
    for (int i = 0; i < depth; ++i) {
        const int at = first + i * lanes;
        of_a[i] = at < p.pieces ? a.load(at) : Part{};
        of_b[i] = at < p.pieces ? b.load(at) : Part{};
    }
#pragma unroll
    for (int i = 0; i < depth; ++i) sum = multiply_parts(of_a[i], of_b[i], p.conjugate_a, p.conjugate_b, sum);
    return sum;
}

// The inner product of every lane's own element, of the first 32 / 2^lane_bits lanes. All lanes of a warp
// take part.
template <class Part, class VX, class VC, class CT>
static __device__ inline CT sample_directly(const sampling<VX, VC, CT>& p, int item,
                                            const element_place& mine) {
    constexpr int few = 2, many = 4;
    const int lanes = 1 << p.lane_bits;
    const int own = static_cast<int>(threadIdx.x) % warp_size;
    const int element = own >> p.lane_bits;
    const vector_parts<Part, VX> a(p.a_vectors, item, value_of_lane(mine.row, element));
    const vector_parts<Part, VX> b(p.b_vectors, item, value_of_lane(mine.column, element));
    CT sum{};
    int first = own & (lanes - 1);
    int left = p.pieces;
    for (; left > few * lanes; left -= many * lanes, first += many * lanes)
        sum = add_parts<many>(p, a, b, first, sum);
    if (left > lanes)
        sum = add_parts<few>(p, a, b, first, sum);
    else if (left > 0)
        sum = add_parts<1>(p, a, b, first, sum);
    return value_of_lane(sum_over_lanes(sum, lanes), (own << p.lane_bits) & (warp_size - 1));
}

template <class Part, bool is_lone_csr, class IT, class VX, class VC, class CT>
__global__ void __launch_bounds__(direct_threads, sizeof(CT) > 8 ? 12 : 16)
    sample_elements_directly(const __grid_constant__ sampling<VX, VC, CT> p) {
    sample_all<IT, false, is_lone_csr>(
        p, [&](int item, const element_place& place) { return sample_directly<Part>(p, item, place); });
}

}  // namespace heron::HERON_LEVEL
