#pragma once
// The last of several passes over items whose outputs are added up: a crew takes the tiles of one place of a
// chunk's items, item after item, and adds up on chip what belongs to one group before it writes. That leaves
// few results for kron_sum_chunk to read, or none.
#include "groups.cuh"
#include "items.cuh"

namespace heron::HERON_LEVEL::kron_cuda {

// A tile of leading modes, with sums of its results behind the buffers.
template <class Tile>
struct summed_tile : Tile {
    static_assert(Tile::items == 1);
    using CT = typename Tile::CT;
    static constexpr int sum_bytes = Tile::chunk_room * static_cast<int>(sizeof(CT));
    static constexpr int crew_bytes = Tile::buffers * Tile::buffer_bytes + sum_bytes;
    static constexpr bool fits = crew_bytes <= most_block_bytes;
    static constexpr int crews = Tile::crews_with(crew_bytes);
    static constexpr int shared_bytes = crews * crew_bytes;
    static constexpr bounds_row measured =
        row_of(sum_bounds, {element_of<CT>, Tile::N, Tile::modes, Tile::width});
    static constexpr int least_blocks = measured.blocks > 0 ? measured.blocks : Tile::least_blocks;
};

// Results that are added to sums on chip, or with them go to the workspace or are added to the output.
template <class Shape, bool adds_to_y>
struct run_output {
    using CT = typename Shape::CT;
    static constexpr bool sums = true;

    item_sums<Shape, sum_memory::shared> chip;
    CT* y;  // NULL: the sums stay on chip
    int inner;
    CT alpha;

    template <int W, int apart, int count>
    __device__ void get(CT (&before)[count], int first) const {
        chip.template get<W, apart>(before, first);
    }
    template <int W, int apart, int count>
    __device__ void put(const CT (&v)[count], int first) const {
        CT before[count];
        get<W, apart>(before, first);
        put<W, apart>(v, before, first);
    }
    template <int W, int apart, int count>
    __device__ void put(const CT (&v)[count], const CT (&before)[count], int first) const {
        if (!y) return chip.template put<W, apart>(v, before, first);
        CT* const to = y + offset_in_tile<W>(first, inner);
        __builtin_assume(__isGlobal(to));
        const int distance = distance_in_tile<W, apart>(inner);
        CT sum[count];
#pragma unroll
        for (int j = 0; j < count; ++j) sum[j] = chip.adds ? add(before[j], v[j]) : v[j];
        if constexpr (adds_to_y) {
            CT there[count];
#pragma unroll
            for (int j = 0; j < count; ++j) there[j] = to[j * distance];
#pragma unroll
            for (int j = 0; j < count; ++j) sum[j] = mad(alpha, sum[j], there[j]);
        }
#pragma unroll
        for (int j = 0; j < count; ++j) store_global(to + j * distance, sum[j]);
    }
    template <int W>
    __device__ void put_pair(const CT (&v)[2], int first) const {
        put<W, 1>(v, first);
    }
};

// Tiles place by place, and at each place unit by unit.
struct place_walk {
    int64_t units, places, unit, place;

    __device__ int64_t tile() const { return unit * places + place; }
    __device__ place_walk next() const {
        return unit + 1 < units ? place_walk{units, places, unit + 1, place}
                                : place_walk{units, places, 0, place + 1};
    }
};

// `run` tiles a crew. Where a run or a group ends, sums go to the place of the last unit that they hold, or,
// where runs have all units of their places, are added to the group's output.
template <class Shape, bool to_outputs>
__global__ void __launch_bounds__(Shape::in_warp ? 32 * Shape::crews : Shape::most_block_threads,
                                  Shape::least_blocks)
    kron_tile_groups(const __grid_constant__ item_parameters<typename Shape::CT> p,
                     const __grid_constant__ group_parameters g, int64_t run) {
    using CT = typename Shape::CT;
    using output_type = run_output<Shape, to_outputs>;
    extern __shared__ __align__(16) unsigned char memory[];
    const crew_threads<Shape::in_warp> crew;
    const int number = Shape::in_warp ? static_cast<int>(threadIdx.x) / 32 : 0;
    CT* const room =
        reinterpret_cast<CT*>(memory) + number * (Shape::crew_bytes / static_cast<int>(sizeof(CT)));
    CT* const sums = room + chunk_buffers<Shape>::room;
    const int64_t all = p.units * p.tiles;
    const int64_t begin = (static_cast<int64_t>(blockIdx.x) * Shape::crews + number) * run;
    const int64_t end = begin + run < all ? begin + run : all;
    const CT alpha = p.alpha.get();
    if (to_outputs && equal(alpha, CT{})) return;
    const chunk_fetch<Shape> fetch(p, crew);
    chunk_buffers<Shape> buffers(fetch, room);
    place_walk at{p.units, p.tiles, begin % p.units, begin / p.units};
    int64_t group_end = 0;  // a unit
    CT* group_output = nullptr;
    bool adds = false;
    int buffer = 0;
    if (begin < end) buffers.start(at.tile(), 0);
    commit_copies();
    for (int64_t i = begin; i < end; ++i) {
        int factor_buffer = buffers.factor_buffer();
        const place_walk next = at.next();
        if constexpr (Shape::buffers == 2) {
            if (i + 1 < end) buffers.start(next.tile(), buffer ^ 1);
            commit_copies();
            wait_for_copies<1>();
        } else {
            if (i > begin) buffers.start(at.tile(), 0);
            commit_copies();
            factor_buffer = 0;
            wait_for_copies<0>();
        }
        crew.sync();
        if (at.unit >= group_end) {
            const group_walk walk(g, p.first + at.unit);
            group_end = walk.is_over() ? at.units : walk.end() - p.first;
            if constexpr (to_outputs)
                group_output = walk.is_over() ? nullptr
                                              : walk.template output<CT>(p.out, p.first + at.unit) +
                                                    p.column * p.out_vector;
        }
        const bool is_last = i + 1 == end || next.unit == 0 || next.unit == group_end;
        CT* to = nullptr;
        if (is_last) {
            const tile_origin origin = origin_of<Shape::size, Shape::width>(p, at.tile());
            if constexpr (!to_outputs)
                to = output_of(p, origin);
            else if (group_output)
                to = group_output + origin.begin;
        }
        const output_type output{{sums, adds}, to, static_cast<int>(p.inner), alpha};
        item_stages<Shape, false, output_type>(buffers.vectors(buffer), buffers.factors(factor_buffer), crew,
                                               output)
            .apply([&] {
                if (to_outputs && to) prefetch_tile<Shape>(to, p.inner, crew);
            });
        crew.sync();
        adds = !is_last;
        if (next.unit == 0) group_end = 0;
        at = next;
        if (Shape::buffers == 2) buffer ^= 1;
    }
}

}  // namespace heron::HERON_LEVEL::kron_cuda
