#pragma once
// Vectors of a dense matrix laid one behind the other, for kernels that read them in pieces of 16 bytes.
#include "warp.cuh"

namespace heron::HERON_LEVEL {

constexpr int pack_tile = 32;
constexpr int pack_lines = 8;  // of 32 threads each

// The source: element l of vector v of batch item b is values[b*batch_stride + v*vector_step +
// l*element_step]. to[(b*vectors + v)*padded + l] gets it, zero for l in [k, padded).
template <class RT>
struct packing {
    const RT* values;
    int64_t vector_step, element_step, batch_stride;
    int64_t vectors, k, padded, items;
    RT* to;
};

// One block moves tiles of 32 x 32, read along the direction that is contiguous in the source and written
// along l.
template <class RT>
__global__ void __launch_bounds__(pack_tile* pack_lines) pack_vectors(const __grid_constant__ packing<RT> p) {
    __shared__ RT tile[pack_tile][pack_tile + 1];
    const int lane = static_cast<int>(threadIdx.x) % pack_tile;
    const int first_line = static_cast<int>(threadIdx.x) / pack_tile;
    const bool along_vectors = p.element_step != 1;
    const int64_t tiles_along = (p.padded + pack_tile - 1) / pack_tile;
    const int64_t tiles_across = (p.vectors + pack_tile - 1) / pack_tile;
    for (int64_t t = blockIdx.x; t < tiles_along * tiles_across * p.items; t += gridDim.x) {
        const int64_t item = t / (tiles_along * tiles_across);
        const int64_t v0 = t / tiles_along % tiles_across * pack_tile;
        const int64_t l0 = t % tiles_along * pack_tile;
        for (int line = first_line; line < pack_tile; line += pack_lines) {
            const int v = along_vectors ? lane : line;
            const int l = along_vectors ? line : lane;
            RT value{};
            if (v0 + v < p.vectors && l0 + l < p.k)
                value =
                    p.values[item * p.batch_stride + (v0 + v) * p.vector_step + (l0 + l) * p.element_step];
            tile[v][l] = value;
        }
        __syncthreads();
        for (int line = first_line; line < pack_tile; line += pack_lines)
            if (v0 + line < p.vectors && l0 + lane < p.padded)
                p.to[(item * p.vectors + v0 + line) * p.padded + l0 + lane] = tile[line][lane];
        __syncthreads();
    }
}

}  // namespace heron::HERON_LEVEL
