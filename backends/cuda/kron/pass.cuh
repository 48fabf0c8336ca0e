#pragma once
// Kronecker products on chip: a pass applies several factors N x N to a tile in shared memory, in place. A
// tile belongs to a team of threads: some lanes of a warp, so that a warp holds several small items, a whole
// warp, or a whole block. A thread takes whole fibres into registers, several factors at once where these are
// small.
//
// Index: a tile is a tensor of `modes` indices below N, and an innermost run of W neighbours that no factor
// of the pass touches: 1 where the pass has the item's last factors, else several, so that memory is read in
// whole sectors.
#include "common/kron/plan.hpp"
#include "cuda/runtime/intrinsics.cuh"

namespace heron::HERON_LEVEL::kron_cuda {

constexpr int most_modes = 8;
constexpr int most_threads = 512;

__host__ __device__ constexpr int power(int n, int d) { return d == 0 ? 1 : n * power(n, d - 1); }
__host__ __device__ constexpr bool is_power_of_two(int n) { return (n & (n - 1)) == 0; }

// A heron_batch_operand as kernels take it.
struct operand {
    const void* base;
    const void* list;
    int64_t stride, list_step;
    int kind;  // 0 strided, 1 addresses, 2 and 3 indices of 32 and 64 bits
};

template <class CT>
static __device__ inline CT* locate(const operand& o, int64_t k) {
    if (o.kind == 1) return reinterpret_cast<CT*>(static_cast<const int64_t*>(o.list)[k * o.list_step]);
    if (o.kind == 2) k = static_cast<const int32_t*>(o.list)[k * o.list_step];
    if (o.kind == 3) k = static_cast<const int64_t*>(o.list)[k * o.list_step];
    return static_cast<CT*>(const_cast<void*>(o.base)) + k * o.stride;
}

// A scalar of the host or, where there is an address, of the device.
template <class CT>
struct kron_scalar {
    CT value;
    const CT* device;

    __device__ CT get() const { return device ? *device : value; }
};

struct factor_operand {
    operand a;
    int64_t row_step, column_step;
    int conjugate;
};

template <class CT>
struct pass_parameters {
    factor_operand factors[most_modes];  // those of the pass, the last one first
    int modes;
    int factors_are_shared;  // by all items
    operand in, out;
    int in_is_chunk, out_is_chunk;  // a workspace that holds the units of this launch alone
    int64_t in_step, in_vector, out_step, out_vector;
    int64_t outer, inner;  // sizes of an item's tensor before and behind the modes of the pass
    int64_t tiles;         // per unit
    int64_t first, units;  // pairs of item and column
    int64_t vectors, first_vector;
    const void* order;  // the items' order, or NULL
    int order_is_wide;
    int size;  // elements of a tile
    int team;  // threads, a power of two
    int teams;
    int factor_stride;  // elements between the factors of two teams
    int atomic;
    kron_scalar<CT> alpha, beta;
};

// Conflict-free shared memory for N = 2^p: the bank of an element depends on its row as well. The map is
// linear over exclusive or, so that a fibre's places follow from its first.
template <class CT, int N>
static __device__ constexpr int place(int element) {
    if constexpr (!is_power_of_two(N)) {
        return element;
    } else {
        constexpr int columns = 128 / static_cast<int>(sizeof(CT));
        const int row = element / columns;
        return element ^ ((row ^ (row << 1) ^ (row << 2)) & (columns - 1));
    }
}

// Place of the element `offset` behind the one at place `from`; their bits do not meet where N is a power of
// two.
template <class CT, int N>
static __device__ constexpr int place_behind(int from, int offset) {
    if constexpr (is_power_of_two(N)) return from ^ place<CT, N>(offset);
    return from + offset;
}

// Factors that are applied at once.
template <class CT, int N>
constexpr int fused_modes = N == 2                                  ? 3
                            : N == 3 || (N == 4 && sizeof(CT) <= 8) ? 2
                                                                    : 1;

// Fibres that a thread takes at once where it reads the factor from shared memory.
template <class CT, int N>
constexpr int fibres_at_once = sizeof(CT) * N < 128 ? 2 : 1;

// The threads of a team.
struct team_threads {
    int size, lane, slot;

    __device__ void sync() const {
        if (size > 32)
            __syncthreads();
        else
            __syncwarp();
    }
};

static __device__ inline team_threads make_team(int size) {
    return {size, static_cast<int>(threadIdx.x) & (size - 1), static_cast<int>(threadIdx.x) / size};
}

// `count` neighbours of a factor's column, as one load.
template <class CT, int count>
struct alignas(sizeof(CT) * count) column_part {
    CT a[count];
};
template <class CT, int N>
constexpr int column_step = sizeof(CT) == 4 && N % 4 == 0   ? 4
                            : sizeof(CT) <= 8 && N % 2 == 0 ? 2
                                                            : 1;

// Whether the factors of a stage stay in a thread's registers from fibre to fibre.
template <class CT, int N, int G>
constexpr bool keeps_factors = sizeof(CT) * N* N* G <= (sizeof(CT) == 4 ? 256 : 200);

// One factor's turn on a fibre over several modes: `apart` is the distance of neighbours in its mode.
template <class CT, int N, int length>
static __device__ inline void turn(const CT (&a)[N * N], CT (&v)[length], int apart) {
#pragma unroll
    for (int f = 0; f < length / N; ++f) {
        const int first = f / apart * (apart * N) + f % apart;
        CT sum[N];
#pragma unroll
        for (int i = 0; i < N; ++i) {
            sum[i] = mul(a[i], v[first]);
#pragma unroll
            for (int j = 1; j < N; ++j) sum[i] = mad(a[j * N + i], v[first + j * apart], sum[i]);
        }
#pragma unroll
        for (int i = 0; i < N; ++i) v[first + i * apart] = sum[i];
    }
}

template <class CT, int N>
static __device__ inline void read_factor(const CT* factor, CT (&a)[N * N]) {
#pragma unroll
    for (int i = 0; i < N * N; ++i) a[i] = factor[i];
}

// Modes K to K + G - 1, counted from the last. Needs the team's synchronisation before and after.
template <class CT, int N, int W, int K, int G>
static __device__ inline void register_stage(CT* tiles, int begin, const CT* factors,
                                             const team_threads& team, int size) {
    constexpr int length = power(N, G);
    constexpr int step = W * power(N, K);
    constexpr bool keeps = keeps_factors<CT, N, G>;
    const int fibres = size / length;
    CT a[G][N * N];
    if (keeps) {
#pragma unroll
        for (int g = 0; g < G; ++g) read_factor<CT, N>(factors + (K + g) * N * N, a[g]);
    }
    for (int q = team.lane; q < fibres; q += team.size) {
        const int from = place<CT, N>(begin + q / step * (step * length) + q % step);
        CT v[length];
#pragma unroll
        for (int j = 0; j < length; ++j) v[j] = tiles[place_behind<CT, N>(from, j * step)];
        int apart = 1;
#pragma unroll
        for (int g = 0; g < G; ++g, apart *= N) {
            if (!keeps) read_factor<CT, N>(factors + (K + g) * N * N, a[g]);
            turn<CT, N, length>(a[g], v, apart);
        }
#pragma unroll
        for (int j = 0; j < length; ++j) tiles[place_behind<CT, N>(from, j * step)] = v[j];
    }
}

// One larger factor, which is read from shared memory for `count` fibres at a time.
template <class CT, int N, int W, int K, int count>
static __device__ inline void streamed_stage(CT* tiles, int begin, const CT* factors,
                                             const team_threads& team, int size) {
    constexpr int step = W * power(N, K);
    constexpr int wide = column_step<CT, N>;
    using part = column_part<CT, wide>;
    const int fibres = size / N;
    for (int q = team.lane; q < fibres; q += count * team.size) {
        int from[count];
        CT v[count][N];
#pragma unroll
        for (int c = 0; c < count; ++c) {
            // A fibre that is not there is another view of the first, which only its owner stores.
            const int own = q + c * team.size < fibres ? q + c * team.size : q;
            from[c] = place<CT, N>(begin + own / step * (step * N) + own % step);
#pragma unroll
            for (int j = 0; j < N; ++j) v[c][j] = tiles[place_behind<CT, N>(from[c], j * step)];
        }
#pragma unroll
        for (int i = 0; i < N; i += wide) {
            CT sum[count][wide];
#pragma unroll
            for (int j = 0; j < N; ++j) {
                const part a = *reinterpret_cast<const part*>(factors + (K * N + j) * N + i);
#pragma unroll
                for (int c = 0; c < count; ++c)
#pragma unroll
                    for (int w = 0; w < wide; ++w)
                        sum[c][w] = j == 0 ? mul(a.a[w], v[c][0]) : mad(a.a[w], v[c][j], sum[c][w]);
            }
#pragma unroll
            for (int c = 0; c < count; ++c)
                if (q + c * team.size < fibres)
#pragma unroll
                    for (int w = 0; w < wide; ++w)
                        tiles[place_behind<CT, N>(from[c], (i + w) * step)] = sum[c][w];
        }
    }
}

template <class CT, int N, int W, int K, int G>
static __device__ inline void stage(CT* tiles, int begin, const CT* factors, const team_threads& team,
                                    int size) {
    if constexpr (G > 1 || keeps_factors<CT, N, G>)
        register_stage<CT, N, W, K, G>(tiles, begin, factors, team, size);
    else
        streamed_stage<CT, N, W, K, fibres_at_once<CT, N>>(tiles, begin, factors, team, size);
    team.sync();
}

// No tile is larger.
constexpr int most_tile_bytes = 100 * 1024;

// Modes K and up.
template <class CT, int N, int W, int K>
static __device__ inline void stages(CT* tiles, int begin, const CT* factors, const team_threads& team,
                                     int size, int modes) {
    if constexpr (K < most_modes) {
        if constexpr (power(N, K + 1) * W * static_cast<int>(sizeof(CT)) <= most_tile_bytes) {
            constexpr int G = fused_modes<CT, N>;
            if (modes - K >= G) {
                stage<CT, N, W, K, G>(tiles, begin, factors, team, size);
                stages<CT, N, W, K + G>(tiles, begin, factors, team, size, modes);
            } else if (G > 2 && modes - K == 2) {
                stage<CT, N, W, K, (G > 2 ? 2 : 1)>(tiles, begin, factors, team, size);
            } else if (G > 1 && modes - K == 1) {
                stage<CT, N, W, K, 1>(tiles, begin, factors, team, size);
            }
        }
    }
}

// The factors of item k, columns one after the other, conjugated where asked.
template <class CT, int N>
static __device__ inline void load_factors(const pass_parameters<CT>& p, int64_t k, CT* factors,
                                           const team_threads& team) {
    for (int f = 0; f < p.modes; ++f) {
        const CT* const a = locate<const CT>(p.factors[f].a, k);
        for (int e = team.lane; e < N * N; e += team.size) {
            const CT value = a[e % N * p.factors[f].row_step + e / N * p.factors[f].column_step];
            factors[f * N * N + e] = p.factors[f].conjugate ? conj(value) : value;
        }
    }
}

// What one team moves between memory and its tile.
template <class CT>
struct tile_place {
    CT* begin;     // NULL: nothing
    int64_t step;  // between neighbouring elements of the item
    int width;     // of the W neighbours, those that exist
    int flags;     // for the caller's function
};

template <class T>
static __device__ inline T from_lane(T value, int lane) {
    return __shfl_sync(0xffffffffu, value, lane);
}

// For the elements of the tile: value = load(address, flags), then store(address, place in shared memory,
// flags, value). A thread loads several before it stores, and gets the same places every time. Small tiles
// are moved by the warp that holds them, so that neighbouring lanes meet neighbouring elements.
template <class CT, int N, int W, class Load, class Store>
static __device__ inline void move_elements(const tile_place<CT>& mine, int64_t inner, int size,
                                            const team_threads& team, Load&& load, Store&& store) {
    constexpr int batch = sizeof(CT) == 16 ? 4 : 8;
    // In 64 bits, unlike offset_in_tile: items of 2^31 elements and more come here too.
    const auto offset = [&](int e) { return W == 1 ? static_cast<int64_t>(e) : e / W * inner + e % W; };
    if (team.size >= 32) {
        if (!mine.begin) return;
        const int begin = team.slot * size;
        const auto exists = [&](int e) { return e < size && (W == 1 || e % W < mine.width); };
        for (int first = team.lane; first < size; first += batch * team.size) {
            CT values[batch];
#pragma unroll
            for (int b = 0; b < batch; ++b) {
                const int e = first + b * team.size;
                if (exists(e)) values[b] = load(mine.begin + offset(e) * mine.step, mine.flags);
            }
#pragma unroll
            for (int b = 0; b < batch; ++b) {
                const int e = first + b * team.size;
                if (exists(e))
                    store(mine.begin + offset(e) * mine.step, place<CT, N>(begin + e), mine.flags, values[b]);
            }
        }
        return;
    }
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int items = 32 / team.size;
    const int begin = (team.slot - lane / team.size) * size;
    const auto address = reinterpret_cast<unsigned long long>(mine.begin);
    for (int first = 0; first < items * size; first += 32 * batch) {
        CT values[batch];
        CT* to[batch];
        int flags[batch];
#pragma unroll
        for (int b = 0; b < batch; ++b) {
            const int i = first + b * 32 + lane;
            const bool inside = i < items * size;
            const int item = inside ? i / size : items - 1;
            const int e = i - item * size;
            const int source = item * team.size;
            CT* const from = reinterpret_cast<CT*>(from_lane(address, source));
            const int64_t step = from_lane(static_cast<long long>(mine.step), source);
            const int width = W == 1 ? 1 : from_lane(mine.width, source);
            flags[b] = from_lane(mine.flags, source);
            const bool exists = inside && from && (W == 1 || e % W < width);
            to[b] = exists ? from + offset(e) * step : nullptr;
            if (exists) values[b] = load(to[b], flags[b]);
        }
#pragma unroll
        for (int b = 0; b < batch; ++b)
            if (to[b]) store(to[b], place<CT, N>(begin + first + b * 32 + lane), flags[b], values[b]);
    }
}

template <class CT, int N, int W>
static __device__ inline void load_tile(const tile_place<CT>& in, int64_t inner, int size,
                                        const team_threads& team, CT* tiles) {
    move_elements<CT, N, W>(
        in, inner, size, team, [](const CT* from, int) { return *from; },
        [&](CT*, int where, int, CT value) { tiles[where] = value; });
}

// Outputs that will be added to are fetched while the factors are applied.
template <class CT, int W>
static __device__ inline void prefetch_tile(const tile_place<CT>& out, int64_t inner, int size,
                                            const team_threads& team) {
    constexpr int line = W == 1 ? 128 / static_cast<int>(sizeof(CT)) : W;
    if (!out.begin) return;
    for (int e = team.lane * line; e < size; e += team.size * line)
        prefetch_line(out.begin + (W == 1 ? static_cast<int64_t>(e) : e / W * inner) * out.step);
}

// Which part of an item a tile is: elements from `begin`, `inner` apart from one index of the modes to the
// next.
struct tile_position {
    int64_t begin;
    int width;
};

template <int N, int W, class CT>
static __device__ inline tile_position position_of(const pass_parameters<CT>& p, int64_t tile) {
    if constexpr (W == 1) {
        return {tile * p.size, 1};
    } else {
        const int64_t runs = (p.inner + W - 1) / W;
        const int64_t outer = tile / runs;
        const int64_t first = tile % runs * W;
        const int64_t left = p.inner - first;
        return {outer * (p.size / W) * p.inner + first, left < W ? static_cast<int>(left) : W};
    }
}

// Shared memory: the tiles of all teams, then (for groups) as much for sums, then the teams' factors.
template <class CT>
struct block_memory {
    CT* tiles;
    CT* sums;
    CT* factors;
};

template <class CT>
static __device__ inline block_memory<CT> divide_memory(unsigned char* memory, const pass_parameters<CT>& p,
                                                        int slot, bool sums) {
    CT* const tiles = reinterpret_cast<CT*>(memory);
    const int padded = (p.teams * p.size + 3) / 4 * 4;
    CT* const behind = tiles + padded;
    return {tiles, behind, (sums ? behind + padded : behind) + slot * p.factor_stride};
}

// Every unit by itself: y := alpha*w + beta*y, or atomically y += alpha*w.
template <class CT, int N, int W>
__global__ void __launch_bounds__(most_threads) kron_units(const __grid_constant__ pass_parameters<CT> p) {
    extern __shared__ __align__(16) unsigned char memory[];
    const team_threads team = make_team(p.team);
    const block_memory<CT> shared = divide_memory(memory, p, team.slot, false);
    const int64_t total = p.units * p.tiles;
    const CT alpha = p.alpha.get(), beta = p.beta.get();
    const bool reads = !p.atomic && !equal(beta, CT{});
    bool has_factors = false;
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * p.teams; first < total;
         first += static_cast<int64_t>(gridDim.x) * p.teams) {
        const int64_t number = first + team.slot;
        const bool active = number < total;
        tile_place<CT> in{}, out{};
        int64_t k = 0;
        if (active) {
            const int64_t unit = p.tiles == 1 ? number : number / p.tiles;
            const tile_position at = position_of<N, W>(p, p.tiles == 1 ? 0 : number % p.tiles);
            const int64_t u = p.first + unit;
            const int64_t v = p.vectors == 1 ? p.first_vector : u % p.vectors;
            k = kernels::kron_entry(p.order, p.order_is_wide, p.vectors == 1 ? u : u / p.vectors);
            in = {(p.in_is_chunk ? locate<CT>(p.in, unit) : locate<CT>(p.in, k) + v * p.in_vector) +
                      at.begin * p.in_step,
                  p.in_step, at.width, 0};
            out = {(p.out_is_chunk ? locate<CT>(p.out, unit) : locate<CT>(p.out, k) + v * p.out_vector) +
                       at.begin * p.out_step,
                   p.out_step, at.width, 0};
            if (!has_factors) load_factors<CT, N>(p, k, shared.factors, team);
            has_factors = p.factors_are_shared;
        }
        load_tile<CT, N, W>(in, p.inner, p.size, team, shared.tiles);
        if (reads) prefetch_tile<CT, W>(out, p.inner, p.size, team);
        team.sync();
        stages<CT, N, W, 0>(shared.tiles, team.slot * p.size, shared.factors, team, p.size, p.modes);
        move_elements<CT, N, W>(
            out, p.inner, p.size, team, [&](const CT* from, int) { return reads ? *from : CT{}; },
            [&](CT* to, int where, int, CT before) {
                const CT value = mul(alpha, shared.tiles[where]);
                if (p.atomic)
                    atomic_add(to, value);
                else
                    *to = reads ? mad(beta, before, value) : value;
            });
    }
}

static __device__ inline int64_t share(int64_t count, int64_t part, int64_t parts) {
    return count / parts * part + count % parts * part / parts;
}

}  // namespace heron::HERON_LEVEL::kron_cuda
