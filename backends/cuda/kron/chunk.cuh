#pragma once
// What a crew works on: what it is told about items, and the copies that bring a chunk of them to shared
// memory.
#include "shape.cuh"

namespace heron::HERON_LEVEL::kron_cuda {

template <class CT>
struct item_parameters {
    factor_operand factors[most_modes];  // in the order of the product
    operand in, out;
    int in_is_chunk, out_is_chunk;  // a workspace that holds the units of this launch alone
    int64_t in_step, in_vector, out_step, out_vector;
    int64_t first, units, vectors;  // a unit is an item and a column
    int64_t column;                 // of all units, where vectors is 1
    const void* order;              // of the items, or NULL
    int order_is_wide;
    int64_t tiles, inner;  // of a unit; behind the modes of the pass
    int factors_are_shared;
    // Where the tiles of all units follow each other without gaps, aligned to 16 bytes, else NULL. Tiles with
    // runs need only units without gaps.
    const CT* dense_in;
    CT* dense_out;
    const CT* dense_factors;
    int64_t factor_stride;  // from item to item, where factors are dense
    int factors_are_plain;  // each one without gaps, not transposed or conjugate
    int atomic;
    kron_scalar<CT> alpha, beta;
};

// Several neighbours, as one access.
template <class CT, int count>
struct alignas(sizeof(CT) * count) neighbours {
    CT a[count];
};

// Neighbours that one access of at most 16 bytes covers where blocks of `elements` begin at multiples of
// their size.
template <class CT>
__host__ __device__ constexpr int access_width(int elements) {
    int width = 1;
    while (2 * width * static_cast<int>(sizeof(CT)) <= 16 && elements % (2 * width) == 0) width *= 2;
    return width;
}

// An address that comes from a list has lost its space; this names it.
template <class T>
static __device__ inline void store_global(T* to, const T& value) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(T) == 16) {
        int64_t words[2];
        __builtin_memcpy(words, &value, 16);
        asm volatile("st.global.v2.b64 [%0], {%1, %2};" ::"l"(to), "l"(words[0]), "l"(words[1]) : "memory");
    } else if constexpr (sizeof(T) == 8) {
        int64_t word;
        __builtin_memcpy(&word, &value, 8);
        asm volatile("st.global.b64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
    } else {
        int32_t word;
        __builtin_memcpy(&word, &value, 4);
        asm volatile("st.global.b32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
    }
#else
    *to = value;
#endif
}

// Stores 16 bytes that will not be used again soon.
template <class T>
static __device__ inline void store_streaming(T* to, const T& value) {
    static_assert(sizeof(T) == 16);
    int64_t words[2];
    __builtin_memcpy(words, &value, 16);
    asm volatile("st.global.cs.v2.b64 [%0], {%1, %2};" ::"l"(to), "l"(words[0]), "l"(words[1]) : "memory");
}

// Says that a line may leave the second-level cache before others.
static __device__ inline uint64_t evict_first_policy() {
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

// Copies 16 bytes from global to shared memory without waiting.
static __device__ inline void copy_async_hinted(void* shared, const void* global, uint64_t policy) {
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(to), "l"(global),
                 "l"(policy)
                 : "memory");
}

// The threads that share a chunk.
template <bool in_warp>
struct crew_threads {
    int size, rank;

    __device__ crew_threads() : crew_threads(static_cast<int>(blockDim.x)) {}
    // Of a block whose size the compiler is to know.
    explicit __device__ crew_threads(int block_threads)
        : size(in_warp ? 32 : block_threads),
          rank(in_warp ? static_cast<int>(threadIdx.x) & 31 : static_cast<int>(threadIdx.x)) {}
    __device__ void sync() const {
        if constexpr (in_warp)
            __syncwarp();
        else
            __syncthreads();
    }
};

// What a tile is of: the unit's number in the launch, its item and column, and the tile's first element.
struct tile_origin {
    int64_t unit, item, column, begin;
};

template <int size, int W, class CT>
static __device__ inline tile_origin origin_of(const item_parameters<CT>& p, int64_t tile) {
    tile_origin o{tile, 0, p.column, 0};
    if (p.tiles > 1) {
        o.unit = tile / p.tiles;
        const int64_t number = tile - o.unit * p.tiles;
        const int64_t runs = p.inner / W;
        o.begin = W == 1 ? number * size : number / runs * (size / W) * p.inner + number % runs * W;
    }
    o.item = p.first + o.unit;
    if (p.vectors > 1) {
        o.column = o.item % p.vectors;
        o.item /= p.vectors;
    }
    o.item = kernels::kron_entry(p.order, p.order_is_wide, o.item);
    return o;
}

// How far an element is from its tile's first one, and elements `apart` from each other are, where runs of W
// neighbours begin `inner` apart. An item's elements are fewer than 2^31, which saves half of the addresses'
// instructions.
template <int W>
static __device__ inline int offset_in_tile(int element, int inner) {
    return W == 1 ? element : element / W * inner + element % W;
}
template <int W, int apart>
static __device__ inline int distance_in_tile(int inner) {
    return W == 1 || apart < W ? apart : apart / W * inner;
}

template <class CT>
static __device__ inline const CT* input_of(const item_parameters<CT>& p, const tile_origin& o) {
    const CT* const unit = p.in_is_chunk ? locate<const CT>(p.in, o.unit)
                                         : locate<const CT>(p.in, o.item) + o.column * p.in_vector;
    return unit + o.begin * p.in_step;
}

template <class CT>
static __device__ inline CT* output_of(const item_parameters<CT>& p, const tile_origin& o) {
    CT* const unit =
        p.out_is_chunk ? locate<CT>(p.out, o.unit) : locate<CT>(p.out, o.item) + o.column * p.out_vector;
    return unit + o.begin * p.out_step;
}

// Starts the copies of a chunk's inputs.
template <class Shape>
class chunk_fetch {
    using shape = Shape;
    using CT = typename Shape::CT;
    static constexpr int N = Shape::N, W = Shape::width;
    using crew_type = crew_threads<shape::in_warp>;
    static constexpr bool copies_quads = shape::chunk % shape::quad == 0;

  public:
    __device__ chunk_fetch(const item_parameters<CT>& p, const crew_type& crew) : p_(p), crew_(crew) {}

    // is_hinted: large items leave the second-level cache before what is in use there.
    template <bool is_hinted = false>
    __device__ void vectors(int64_t chunk, CT* to) const {
        const int64_t first = chunk * shape::items;
        const CT* const from = copies_quads ? run_of_quads(first) : nullptr;
        if (from) {
            const uint64_t policy = is_hinted ? evict_first_policy() : 0;
#pragma unroll 8
            for (int e = crew_.rank * shape::quad; e < shape::chunk; e += crew_.size * shape::quad) {
                if constexpr (is_hinted)
                    copy_async_hinted(to + shape::place(e), from + offset(e), policy);
                else
                    copy_async<16>(to + shape::place(e), from + offset(e));
            }
            return;
        }
        if constexpr (shape::shifts) {
            if (p_.dense_in && first + shape::items <= tiles_) {
                to += shift_of(chunk);
                const CT* const from = p_.dense_in + first * shape::size;
                const int head = (shape::quad - shift_of(chunk)) % shape::quad;
                const int body = (shape::chunk - head) / shape::quad * shape::quad;
#pragma unroll 4
                for (int e = crew_.rank * shape::quad; e < body; e += crew_.size * shape::quad)
                    copy_async<16>(to + head + e, from + head + e);
                const int left = shape::chunk - body;
                if (crew_.rank < left) {
                    const int e = crew_.rank < head ? crew_.rank : crew_.rank + body;
                    copy_async<sizeof(CT)>(to + e, from + e);
                }
                return;
            }
        }
        if constexpr (shape::items == 1) {
            const CT* const from = input_of(p_, origin(first));
#pragma unroll 4
            for (int e = crew_.rank; e < shape::size; e += crew_.size)
                copy_async<sizeof(CT)>(to + shape::place(e), from + offset(e) * p_.in_step);
        } else {
            const int64_t tile = first + crew_.rank % shape::items;
            const CT* const mine = tile < tiles_ ? input_of(p_, origin(tile)) : nullptr;
            const int count = here(first) * shape::size;
            if (item_copies_quads && p_.in_step == 1 && all_aligned(mine))
                tiles_of_lanes<shape::quad>(mine, count, to);
            else
                tiles_of_lanes<1>(mine, count, to);
        }
    }

    // Elements of room before the chunk in its buffer.
    __device__ int shift_of(int64_t chunk) const {
        if (!shape::shifts || !p_.dense_in || (chunk + 1) * shape::items > tiles_) return 0;
        return static_cast<int>(chunk * shape::chunk % shape::quad);
    }

    // Whether all tiles of a chunk have the same factors, of which there is one set on chip then.
    __device__ bool has_one_set() const { return p_.factors_are_shared || shape::has_one_set(p_.tiles); }

    // What tells the factors of two chunks apart.
    __device__ int64_t factors_key(int64_t chunk) const {
        if (p_.factors_are_shared) return 0;
        return shape::items == 1 || has_one_set() ? origin(chunk * shape::items).item : chunk;
    }

    __device__ void factors(int64_t chunk, CT* to) const {
        const int all = (shape::has_one_set(p_.tiles) ? 1 : shape::items) * shape::factor_size;
        const int64_t first = chunk * shape::items;
        if (p_.dense_factors && first + shape::items <= tiles_) {
            constexpr int width = shape::copies_factor_quads ? shape::quad : 1;
            const CT* const from = p_.dense_factors + origin(first).item * p_.factor_stride;
#pragma unroll 4
            for (int e = crew_.rank * width; e < all; e += crew_.size * width)
                copy_async<width * sizeof(CT)>(to + factor_place(e), from + e);
            return;
        }
        const int count = (has_one_set() ? 1 : here(first)) * shape::modes;
        const CT* next = find_factor(first, 0, count);
#pragma unroll 1
        for (int found = 0; found < count; found += 32) {
            const CT* const mine = next;
            next = find_factor(first, found + 32, count);
            const int here = count - found < 32 ? count - found : 32;
            if (N * N % shape::quad == 0 && p_.factors_are_plain && all_aligned(mine))
                factors_of_lanes<shape::quad>(mine, found, here, to);
            else
                factors_of_lanes<1>(mine, found, here, to);
        }
    }

  private:
    // Whether 16 bytes of items that begin at multiples of them can be copied at once.
    static constexpr bool item_copies_quads = W == 1 && shape::size % shape::quad == 0;

    // Where the chunk begins, if all of it can be copied by 16 bytes, else NULL.
    __device__ const CT* run_of_quads(int64_t first) const {
        if (W % (W == 1 ? 1 : shape::quad) == 0 && p_.dense_in && first + shape::items <= tiles_)
            return W == 1 ? p_.dense_in + first * shape::size : input_of(p_, origin(first));
        if (W > 1 || shape::items > 1 || p_.in_step != 1) return nullptr;
        const CT* const from = input_of(p_, origin(first));
        return is_aligned(from) ? from : nullptr;
    }

    // Copies the tiles that lanes 0, 1, ... have found.
    template <int width>
    __device__ void tiles_of_lanes(const CT* mine, int count, CT* to) const {
#pragma unroll 2
        for (int begin = 0; begin < shape::chunk; begin += 32 * width) {
            const int e = begin + crew_.rank * width;
            const CT* const from = of_lane(mine, e / shape::size % shape::items);
            if (e < count)
                copy_async<width * sizeof(CT)>(to + shape::place(e), from + e % shape::size * p_.in_step);
        }
    }

    // The factor number `found` + lane of the chunk, item by item.
    __device__ const CT* find_factor(int64_t first, int found, int count) const {
        const int number = found + crew_.rank % 32;
        if (number >= count) return nullptr;
        return locate<const CT>(p_.factors[number % shape::modes].a,
                                origin(first + number / shape::modes).item);
    }

    // Copies `count` factors of the chunk, from number `found` on, that lanes 0, 1, ... have found.
    template <int width>
    __device__ void factors_of_lanes(const CT* mine, int found, int count, CT* to) const {
#pragma unroll 1
        for (int begin = 0; begin < count * N * N; begin += crew_.size * width) {
            const int e = begin + crew_.rank * width;
            const CT* const factor = of_lane(mine, e / (N * N) % 32);
            if (e >= count * N * N) continue;
            const int number = found + e / (N * N), i = e % (N * N);
            const factor_operand& f = p_.factors[number % shape::modes];
            CT* const place = to + factor_place(found * (N * N) + e);
            if constexpr (width > 1) {
                copy_async<width * sizeof(CT)>(place, factor + i);
            } else {
                const CT* const from = factor + i % N * f.row_step + i / N * f.column_step;
                if (f.conjugate)
                    *place = conj(*from);
                else
                    copy_async<sizeof(CT)>(place, from);
            }
        }
    }

    __device__ static const CT* of_lane(const CT* mine, int lane) {
        return reinterpret_cast<const CT*>(from_lane(reinterpret_cast<unsigned long long>(mine), lane));
    }
    __device__ static bool is_aligned(const CT* from) { return reinterpret_cast<uintptr_t>(from) % 16 == 0; }
    __device__ static bool all_aligned(const CT* mine) {
        return __all_sync(0xffffffffu, is_aligned(mine)) != 0;
    }

    __device__ tile_origin origin(int64_t tile) const { return origin_of<shape::size, W>(p_, tile); }
    __device__ int offset(int e) const { return offset_in_tile<W>(e, static_cast<int>(p_.inner)); }
    __device__ int here(int64_t first) const {
        const int64_t left = tiles_ - first;
        return left < shape::items ? static_cast<int>(left) : shape::items;
    }
    __device__ static int factor_place(int e) {
        if constexpr (shape::uses_tensor) return tensor_factor_place(e);
        if constexpr (shape::uses_planes) return tensor_wide_factor_place(e);
        const int item = shape::items == 1 ? 0 : e / shape::factor_size;
        const int in_item = e - item * shape::factor_size;
        return item * shape::factor_stride + in_item / (N * N) * shape::factor_pitch + in_item % (N * N);
    }

    const item_parameters<CT>& p_;
    const crew_type& crew_;
    const int64_t tiles_ = p_.units * p_.tiles;
};

// A crew's buffers, each for a chunk and for factors, which are copied anew only where they change.
template <class Shape>
class chunk_buffers {
    using CT = typename Shape::CT;

  public:
    static constexpr int room = Shape::buffers * (Shape::chunk_room + Shape::factor_room);

    __device__ chunk_buffers(const chunk_fetch<Shape>& fetch, CT* memory) : fetch_(fetch), memory_(memory) {}

    __device__ CT* vectors(int buffer) const {
        return memory_ + buffer * (Shape::chunk_room + Shape::factor_room);
    }
    __device__ CT* factors(int buffer) const { return vectors(buffer) + Shape::chunk_room; }
    // Where the factors of the chunk are that was started last.
    __device__ int factor_buffer() const { return factor_buffer_; }

    __device__ void start(int64_t chunk, int buffer) {
        fetch_.vectors(chunk, vectors(buffer));
        const int64_t wanted = fetch_.factors_key(chunk);
        if (wanted != key_) {
            factor_buffer_ = Shape::buffers == 2 ? factor_buffer_ ^ 1 : 0;
            fetch_.factors(chunk, factors(factor_buffer_));
        }
        key_ = wanted;
    }

  private:
    const chunk_fetch<Shape>& fetch_;
    CT* memory_;
    int64_t key_ = -1;
    int factor_buffer_ = Shape::buffers - 1;
};

// Brings `count` neighbours into the second-level cache.
template <class CT, class Crew>
static __device__ inline void prefetch_run(const CT* from, int count, const Crew& crew) {
    constexpr int line = 128 / static_cast<int>(sizeof(CT));
    for (int e = crew.rank * line; e < count + line - 1; e += crew.size * line)
        prefetch_line(from + (e < count ? e : count - 1));
}

// Brings a tile of runs in global memory into the second-level cache.
template <class Shape, class Crew>
static __device__ inline void prefetch_tile(const typename Shape::CT* from, int64_t inner, const Crew& crew) {
    constexpr int W = Shape::width;
    constexpr int line = 128 / static_cast<int>(sizeof(typename Shape::CT));
    constexpr int parts = (W - 2) / line + 2;
    for (int e = crew.rank; e < Shape::size / W * parts; e += crew.size) {
        const int in_run = e % parts * line;
        prefetch_line(from + e / parts * inner + (in_run < W ? in_run : W - 1));
    }
}

// Brings what the results of a chunk will be added to into the second-level cache.
template <class CT, int N, int D, int W>
static __device__ inline void prefetch_outputs(const item_parameters<CT>& p,
                                               const crew_threads<item_shape<CT, N, D, W>::in_warp>& crew,
                                               int64_t chunk) {
    using shape = item_shape<CT, N, D, W>;
    if (p.out_step != 1) return;
    const int64_t first = chunk * shape::items;
    const int64_t left = p.units * p.tiles - first;
    const int here = left < shape::items ? static_cast<int>(left) : shape::items;
    const auto output = [&](int64_t tile) { return output_of(p, origin_of<shape::size, W>(p, tile)); };
    if constexpr (W > 1) {
        prefetch_tile<shape>(output(first), p.inner, crew);
    } else if (p.dense_out) {
        prefetch_run(p.dense_out + first * shape::size, here * shape::size, crew);
    } else if constexpr (shape::items == 1) {
        prefetch_run(output(first), shape::size, crew);
    } else {
        const struct { int size, rank; } team{shape::team, crew.rank % shape::team};
        const int item = crew.rank / shape::team;
        if (item < here) prefetch_run(output(first + item), shape::size, team);
    }
}

}  // namespace heron::HERON_LEVEL::kron_cuda
