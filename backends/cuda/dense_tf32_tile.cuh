#pragma once
// Single precision on Tensor Cores, whose operands have 11 bits: rounded to them once, or as the sum of two
// such numbers, of whose four products the three large ones are added (H. Ootomo, R. Yokota, "Recovering
// single precision accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance", IJHPCA
// 36(4), 2022).
#include "dense_tiles.cuh"

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

// Every warp has WM x WN elements.
template <int BM, int BN, int BK, int Stages, int WM, int WN, bool HasTwoParts, int Blocks>
struct tf32_tile {
    using CT = float;
    static constexpr int rows = BM, columns = BN, depth = BK, stages = Stages, slices = 1;
    static constexpr int threads = BM / WM * (BN / WN) * 32, blocks = Blocks, run = 1;
    // With these paddings the lanes that load together, 4 steps times 8 lines, meet different banks.
    static constexpr int padding = 8, depth_padding = 4;
    static constexpr bool keeps_depth = true, splits = false;
    static constexpr int groups = BK / 8;
    static_assert(WM % 16 == 0 && WN % 8 == 0 && groups % 2 == 0);

    template <class A, class B>
    struct fragments {
        float x[WM / 16][4], y[2][WN / 8][2];
    };

    __device__ tf32_tile()
        : row_(static_cast<int>(threadIdx.x) / 32 % (BM / WM) * WM + static_cast<int>(threadIdx.x) % 32 / 4),
          column_(static_cast<int>(threadIdx.x) / 32 / (BM / WM) * WN),
          group_(static_cast<int>(threadIdx.x) % 32 / 4),
          step_(static_cast<int>(threadIdx.x) % 4) {}

    __device__ int slice() const { return 0; }
    __device__ void join_slices(CT*) {}
    __device__ void clear() {
#pragma unroll
        for (int i = 0; i < tiles; ++i)
#pragma unroll
            for (int e = 0; e < 4; ++e) sums_[i][e] = 0;
    }

    template <class A, class B>
    __device__ void load_first(fragments<A, B>& f, const CT* a, const CT* b) const {
        load_columns<B>(f.y[0], b, 0);
#pragma unroll
        for (int i = 0; i < WM / 16; ++i) load_rows<A>(f.x[i], a, i, 0);
    }

    // Adds what is loaded, the small products first, and loads what comes next: rows as soon as they have
    // been used.
    template <bool conjugates_b, class A, class B, class Between>
    __device__ void add(fragments<A, B>& f, int now, const CT* a, const CT* b, int next, Between&& between) {
        load_columns<B>(f.y[1 - now], b, next);
        between();
#pragma unroll
        for (int i = 0; i < WM / 16; ++i) {
            const tf32_parts<4, HasTwoParts> x(f.x[i]);
            load_rows<A>(f.x[i], a, i, next);
#pragma unroll
            for (int j = 0; j < WN / 8; ++j) {
                const tf32_parts<2, HasTwoParts> y(f.y[now][j]);
                float(&sums)[4] = sums_[i * (WN / 8) + j];
                if constexpr (HasTwoParts) {
                    multiply_tf32(sums, x.low, y.high);
                    multiply_tf32(sums, x.high, y.low);
                }
                multiply_tf32(sums, x.high, y.high);
            }
        }
    }

    __device__ void scale(CT factor) {
#pragma unroll
        for (int i = 0; i < tiles; ++i)
#pragma unroll
            for (int e = 0; e < 4; ++e) sums_[i][e] *= factor;
    }

    template <class F>
    __device__ void each(F&& f) const {
#pragma unroll
        for (int i = 0; i < WM / 16; ++i)
#pragma unroll
            for (int j = 0; j < WN / 8; ++j)
#pragma unroll
                for (int e = 0; e < 4; ++e)
                    f(row_ + 16 * i + 8 * (e / 2), column_ + 8 * j + 2 * step_ + e % 2,
                      &sums_[i * (WN / 8) + j][e]);
    }

  private:
    static constexpr int tiles = WM / 16 * (WN / 8);

    template <class A>
    __device__ void load_rows(float (&x)[4], const CT* a, int i, int group) const {
        a += (row_ + 16 * i) * A::line_step + (group * 8 + step_) * A::depth_step;
#pragma unroll
        for (int e = 0; e < 4; ++e) x[e] = a[e % 2 * 8 * A::line_step + e / 2 * 4 * A::depth_step];
    }

    template <class B>
    __device__ void load_columns(float (&y)[WN / 8][2], const CT* b, int group) const {
        b += (column_ + group_) * B::line_step + (group * 8 + step_) * B::depth_step;
#pragma unroll
        for (int j = 0; j < WN / 8; ++j)
#pragma unroll
            for (int e = 0; e < 2; ++e) y[j][e] = b[8 * j * B::line_step + 4 * e * B::depth_step];
    }

    int row_, column_, group_, step_;  // row_ includes the lane's group
    float sums_[tiles][4];
};

}  // namespace heron::HERON_LEVEL::dense_cuda
