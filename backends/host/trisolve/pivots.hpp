#pragma once
// Division by the pivots of a triangular system on the CPU.
#include "common/runtime/dispatch.hpp"
#include "host/spmv/rows.hpp"

namespace heron::HERON_LEVEL {

// What seldom happens, apart from the loops.
template <class CT>
[[gnu::noinline]] CT divided(CT right, CT pivot) {
    return divide(right, pivot);
}

// Bounds of a complex pivot's square and its reciprocal, and of a real one's reciprocal.
template <class R>
inline constexpr R least_square = same_type<R, f32> ? R(0x1p-100) : R(0x1p-900);
template <class R>
inline constexpr R largest_reciprocal = same_type<R, f32> ? R(3.4e38) : R(1.79e308);

// right/pivot. What the next row waits for is one product, as the reciprocal does not depend on this row's
// sum; it serves where it is a finite number, and of a complex pivot where its square is in the range of
// normal numbers.
template <class CT>
[[gnu::always_inline]] inline CT quotient(CT right, CT pivot) {
    using R = real_of<CT>;
    if constexpr (is_complex_type<CT>) {
        const R square = pivot.re * pivot.re + pivot.im * pivot.im;
        const R reciprocal = 1 / square;
        if (square >= least_square<R> && reciprocal >= least_square<R>)
            return mul(right, CT{pivot.re * reciprocal, -pivot.im * reciprocal});
    } else {
        const R reciprocal = 1 / pivot;
        if (reciprocal <= largest_reciprocal<R> && reciprocal >= -largest_reciprocal<R>)
            return right * reciprocal;
    }
    return divided(right, pivot);
}

// Replaces pivots by their reciprocals, in lanes. Whether quotient would use all of them.
template <class CT, size_t count>
[[gnu::always_inline]] inline bool invert(CT (&pivots)[count], bool conjugate) {
    using R = real_of<CT>;
    int others = 0;
    if constexpr (is_complex_type<CT>) {
        const R sign = conjugate ? R(1) : R(-1);
        for (CT& pivot : pivots) {
            const R square = pivot.re * pivot.re + pivot.im * pivot.im;
            const R reciprocal = 1 / square;
            others |= int(!(square >= least_square<R>)) | int(!(reciprocal >= least_square<R>));
            pivot = {pivot.re * reciprocal, sign * pivot.im * reciprocal};
        }
    } else {
        for (CT& pivot : pivots) pivot = 1 / pivot;
        for (const CT& pivot : pivots) others |= !(magnitude(pivot) <= largest_reciprocal<R>);
    }
    return others == 0;
}

// quotient of each.
template <class CT, size_t count>
[[gnu::always_inline]] inline void divide_all(CT (&rights)[count], CT pivot) {
    CT inverse[] = {pivot};
    if (invert(inverse, false))
        for (CT& right : rights) right = mul(right, inverse[0]);
    else
        for (CT& right : rights) right = divided(right, pivot);
}

// A pivot's reciprocal, and its product with the element of the row nearest the diagonal: (right -
// factor*x)/pivot is right*inverse - scaled*x, where x, for which the row may wait, has one product to go
// through. It serves where these products stay in the range of normal numbers.
template <class CT>
class folded_pivot {
  public:
    [[gnu::always_inline]] folded_pivot(CT pivot, CT factor) {
        if constexpr (is_complex_type<CT>) {
            square_ = pivot.re * pivot.re + pivot.im * pivot.im;
            reciprocal_ = 1 / square_;
            inverse = {pivot.re * reciprocal_, -pivot.im * reciprocal_};
        } else {
            inverse = 1 / pivot;
        }
        scaled = mul(factor, inverse);
    }

    [[gnu::always_inline]] bool serves() const {
        constexpr R largest = same_type<R, f32> ? R(0x1p50) : R(0x1p450);
        if constexpr (is_complex_type<CT>) {
            const R size = scaled.re * scaled.re + scaled.im * scaled.im;
            return square_ >= least_square<R> && reciprocal_ >= least_square<R> && size >= least_square<R> &&
                   size <= largest * largest;
        } else {
            const R size = __builtin_fabs(scaled);
            return __builtin_fabs(inverse) <= largest && size >= least_square<R> && size <= largest;
        }
    }

    CT inverse, scaled;

  private:
    using R = real_of<CT>;
    R square_{}, reciprocal_{};
};

}  // namespace heron::HERON_LEVEL
