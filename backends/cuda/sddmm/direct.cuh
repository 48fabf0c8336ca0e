#pragma once
// SDDMM that reads both operands where they are, whatever their layout: for small problems, which are over
// before copies would be made, for short inner products, and where little is read that is not used. A group
// of lanes forms the inner product of one element, and a warp has as many elements as groups: one launch, and
// all loads of an element on their way together.
#include "kernel.cuh"

namespace heron::HERON_LEVEL {

constexpr int direct_threads = 64;

// A vector that is read in parts: numbers, or pieces of as many as have 16 bytes. A whole piece is one load,
// another one a load for each of its numbers.
template <class Part, bool is_whole, class VX>
class vector_parts {
    static constexpr int size = sizeof(Part) / sizeof(VX);

  public:
    using part = Part;

    __device__ vector_parts(const heron_sddmm_vectors& v, int item, int number)
        : first_(after_kernel_before(static_cast<const VX*>(v.values)) + item * v.batch_stride +
                 number * v.vector_step),
          step_(v.element_step) {}

    __device__ Part load(int64_t i) const {
        if constexpr (size == 1)
            return load_shared_by_many(reinterpret_cast<const Part*>(first_ + i * step_));
        else if constexpr (is_whole)
            return load_shared_by_many(reinterpret_cast<const Part*>(first_) + i);
        else
            return gather(first_ + i * size * step_);
    }

  private:
    __device__ Part gather(const VX* from) const {
        Part part;
#pragma unroll
        for (int j = 0; j < size; ++j) part.at[j] = load_shared_by_many(from + j * step_);
        return part;
    }

    const VX* first_;
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
// No load is under a condition: behind the last part it is read again.
template <int depth, class A, class B, class CT, class Sampling>
static __device__ inline CT add_parts(const Sampling& p, const A& a, const B& b, int first, CT sum) {
    const int lanes = 1 << p.lane_bits;
    typename A::part of_a[depth], of_b[depth];
#pragma unroll
    for (int i = 0; i < depth; ++i) {
        const int at = min(first + i * lanes, p.pieces - 1);
        of_a[i] = a.load(at);
        of_b[i] = b.load(at);
    }
#pragma unroll
    for (int i = 0; i < depth; ++i) {
        const CT more = multiply_parts(of_a[i], of_b[i], p.conjugate_a, p.conjugate_b, sum);
        if (first + i * lanes < p.pieces) sum = more;
    }
    return sum;
}

// The inner product of every lane's own element, of the first 32 / 2^lane_bits lanes. All lanes of a warp
// take part.
template <class Part, bool is_whole_a, bool is_whole_b, class VX, class VC, class CT>
static __device__ inline CT sample_directly(const sampling<VX, VC, CT>& p, int item,
                                            const element_place& mine) {
    // Numbers under way have a register each at least.
    constexpr bool gathers_small = sizeof(VX) < 4 && sizeof(Part) > sizeof(VX) && !(is_whole_a && is_whole_b);
    constexpr int few = 2, many = gathers_small ? few : 4;
    const int lanes = 1 << p.lane_bits;
    const int own = static_cast<int>(threadIdx.x) % warp_size;
    const int element = own >> p.lane_bits;
    const vector_parts<Part, is_whole_a, VX> a(p.a_vectors, item, value_of_lane(mine.row, element));
    const vector_parts<Part, is_whole_b, VX> b(p.b_vectors, item, value_of_lane(mine.column, element));
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

// The same for pieces of which those of one operand or of both are not whole.
template <class Part, class VX, class VC, class CT>
static __device__ inline CT sample_scattered(const sampling<VX, VC, CT>& p, int item,
                                             const element_place& mine) {
    if (p.has_whole_a) return sample_directly<Part, true, false>(p, item, mine);
    if (p.has_whole_b) return sample_directly<Part, false, true>(p, item, mine);
    return sample_directly<Part, false, false>(p, item, mine);
}

template <class Part, bool are_whole, bool is_lone_csr, class IT, class VX, class VC, class CT>
__global__ void __launch_bounds__(direct_threads, sizeof(CT) > 8 ? 12 : 16)
    sample_elements_directly(const __grid_constant__ sampling<VX, VC, CT> p) {
    sample_all<IT, false, is_lone_csr>(p, [&](int item, const element_place& place) {
        if constexpr (are_whole || sizeof(Part) == sizeof(VX))
            return sample_directly<Part, are_whole, are_whole>(p, item, place);
        else
            return sample_scattered<Part>(p, item, place);
    });
}

}  // namespace heron::HERON_LEVEL
