#pragma once
// Products with a triangle of several bands of rows in one launch, for vectors that are columns. A
// block has a few vectors to itself: what they get from a band's own triangle is a strip's work
// (dense_strips.cuh), what they get from the rows before is a product by a large tile.
#include "large.cuh"
#include "strips.cuh"

namespace heron::HERON_LEVEL::dense_cuda {

// How a block's vectors are worked on: Large and Strip have the same rows, vectors and threads.
template <class LargeTile, class StripTile>
struct band_tile {
    using CT = typename LargeTile::CT;
    using large = LargeTile;
    using strip = StripTile;
    static constexpr int rows = strip::rows, vectors = strip::vectors, threads = strip::threads;
    static_assert(large::rows == rows && large::columns == vectors && large::threads == threads);
};

// The whole triangle as a strip would take it, and the product of all of it with the vectors. `is_lower`: the
// first band has the first rows, and the last ones if not.
template <class CT>
struct band_parameters {
    leaf_parameters<CT> triangle;
    parameters<CT> product;
    int is_lower;
};

template <class Tile, layout HowA, bool conjugates>
class triangle_bands {
  public:
    using CT = typename Tile::CT;
    // conj(A)*B = conj(A*conj(B))
    using product = large_product<typename Tile::large, HowA, layout::depth, conjugates>;
    using strip = triangle_strip<typename Tile::strip, false>;
    static constexpr int shared_bytes = product::shared_bytes + Tile::strip::shared_bytes;

    __device__ triangle_bands(const band_parameters<CT>& p, unsigned char* shared)
        : p_(p),
          order_(static_cast<int>(p.triangle.order)),
          panels_(reinterpret_cast<CT*>(shared)),
          triangle_(reinterpret_cast<CT*>(shared + product::shared_bytes)) {}

    // In place, so the last band, which no other needs, is the first. The next triangle comes while others
    // are added.
    __device__ void run() {
        int band = (order_ - 1) / Tile::rows;
        begin(band);
#pragma unroll 1
        for (; band >= 0; --band) {
            const leaf_parameters<CT> own = triangle_of(band);
            strip(own, triangle_).finish();
            __syncthreads();
            if (band == 0) break;
            begin(band - 1);
            add_others(band);
        }
    }

  private:
    __device__ int size_of(int band) const {
        const int left = order_ - band * Tile::rows;
        return left < Tile::rows ? left : Tile::rows;
    }

    __device__ void begin(int band) const {
        const leaf_parameters<CT> own = triangle_of(band);
        strip(own, triangle_).begin();
    }

    __device__ leaf_parameters<CT> triangle_of(int band) const {
        leaf_parameters<CT> own = p_.triangle;
        const int first = band * Tile::rows;
        own.order = size_of(band);
        own.a += first * (own.row + own.column);
        own.y += first * own.y_step;
        return own;
    }

    __device__ void add_others(int band) const {
        const int before = band * Tile::rows, size = size_of(band);
        const int row = p_.is_lower ? before : order_ - before - size;
        const int column = p_.is_lower ? 0 : order_ - before;
        parameters<CT> rest = p_.product;
        const operand& a = p_.product.a[0];
        rest.m = size;
        rest.k = before;
        rest.a[0].at.base = a.at.template of<CT>(0) + row * a.line_step + column * a.depth_step;
        rest.b[0].at.base = p_.product.b[0].at.template of<CT>(0) + column;
        rest.c.base = p_.product.c.template of<CT>(0) + row;
        product(rest, 0, {0, blockIdx.x}, 0, panels_).run();
        __syncthreads();
    }

    const band_parameters<CT>& p_;
    int order_;
    CT *panels_, *triangle_;
};

template <class Tile, layout HowA, bool conjugates>
__global__ void __launch_bounds__(Tile::threads)
    work_on_bands(const __grid_constant__ band_parameters<typename Tile::CT> p) {
    extern __shared__ __align__(16) unsigned char shared[];
    triangle_bands<Tile, HowA, conjugates>(p, shared).run();
}

}  // namespace heron::HERON_LEVEL::dense_cuda
