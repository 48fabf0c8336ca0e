#pragma once
// Single precision on Tensor Cores, whose operands have 11 bits: rounded to them once, or as the sum of two
// such numbers, of whose four products the three large ones are added (H. Ootomo, R. Yokota, "Recovering
// single precision accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance", IJHPCA
// 36(4), 2022).
#include "large_tiles.cuh"

namespace heron::HERON_LEVEL::dense_cuda {

static __device__ inline unsigned rounded_to_tf32(float x) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return bits;
}

// d += a*b for 16 x 8 x 8 elements of a warp. Lane 4*g + t holds a(g + 8*(i%2), t + 4*(i/2)), b(t + 4*i, g)
// and d(g + 8*(i/2), 2*t + i%2).
static __device__ inline void multiply_tf32(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Numbers as the Tensor Cores take them: the first 11 bits, and with two parts the next.
template <int count, bool has_two_parts>
struct tf32_parts {
    unsigned high[count];
    unsigned low[has_two_parts ? count : 1];

    __device__ explicit tf32_parts(const float (&x)[count]) {
#pragma unroll
        for (int i = 0; i < count; ++i) {
            high[i] = rounded_to_tf32(x[i]);
            if constexpr (has_two_parts) low[i] = rounded_to_tf32(x[i] - __uint_as_float(high[i]));
        }
    }
};

// With a padding of 8 the lanes that load together, 4 steps times 8 lines, meet different banks.
template <int BM, int BN, int BK, int Stages, int WM, int WN, bool HasTwoParts, int Blocks>
struct tf32_tile : tensor_tile<float, BM, BN, BK, Stages, WM, WN, Blocks, 8, 8> {
    using CT = float;
    template <class A, class B>
    using fragments = typename tf32_tile::tensor_tile::template fragments<A, B>;

    // Adds what is loaded, the small products first, and loads what comes next: rows as soon as they have
    // been used.
    template <class A, class B, class Work, class Conjugation, class Between>
    __device__ void add(fragments<A, B>& f, int now, const CT* a, const CT* b, int next, const Work&,
                        const Conjugation&, Between&& between) {
        this->template load_columns<B>(f.y[1 - now], b, next);
        between(0);
#pragma unroll
        for (int i = 0; i < WM / 16; ++i) {
            const tf32_parts<4, HasTwoParts> x(f.x[i]);
            this->template load_rows<A>(f.x[i], a, i, next);
#pragma unroll
            for (int j = 0; j < WN / 8; ++j) {
                const tf32_parts<2, HasTwoParts> y(f.y[now][j]);
                float(&sums)[4] = this->sums_[i * (WN / 8) + j];
                if constexpr (HasTwoParts) {
                    multiply_tf32(sums, x.low, y.high);
                    multiply_tf32(sums, x.high, y.low);
                }
                multiply_tf32(sums, x.high, y.high);
            }
        }
    }
};

}  // namespace heron::HERON_LEVEL::dense_cuda
