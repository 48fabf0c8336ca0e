#pragma once
// What blocks do with items that take two passes: the last modes of some tiles, whose results go to a slot
// between the passes, and the first modes of runs of neighbours, whose results go to an output or to sums.
#include "items.cuh"

namespace heron::HERON_LEVEL::kron_cuda {

// Where results of first modes go: y := alpha*w + beta*y, or atomically y += alpha*w.
template <class CT>
class pair_output {
  public:
    static constexpr int quad = 16 / static_cast<int>(sizeof(CT));
    using part = neighbours<CT, quad>;

    __device__ pair_output(const item_parameters<CT>& p, CT* y)
        : y_(y),
          step_(p.out_step),
          alpha_(p.alpha.get()),
          beta_(p.beta.get()),
          adds_(!equal(beta_, CT{})),
          atomic_(p.atomic != 0),
          is_whole_(p.out_step == 1 && !p.atomic && reinterpret_cast<uintptr_t>(y) % sizeof(part) == 0) {}

    // Quad i of those below `left` goes to element offset(i) and those behind it. What is read comes
    // together, before anything is written.
    template <int count, class Offset>
    __device__ void put(part (&values)[count], int left, Offset&& offset) const {
        if (!is_whole_) {
#pragma unroll
            for (int i = 0; i < count; ++i)
                if (i < left) put_elements(values[i], offset(i));
            return;
        }
        __builtin_assume(__isGlobal(y_));
        part before[count];
#pragma unroll
        for (int i = 0; i < count; ++i)
            if (adds_ && i < left) before[i] = *reinterpret_cast<const part*>(y_ + offset(i));
#pragma unroll
        for (int i = 0; i < count; ++i) {
            if (i >= left) break;
#pragma unroll
            for (int w = 0; w < quad; ++w) {
                const CT value = mul(alpha_, values[i].a[w]);
                values[i].a[w] = adds_ ? mad(beta_, before[i].a[w], value) : value;
            }
            store_streaming(reinterpret_cast<part*>(y_ + offset(i)), values[i]);
        }
    }

  private:
    __device__ void put_elements(const part& values, int64_t first) const {
#pragma unroll
        for (int w = 0; w < quad; ++w) {
            CT* const one = y_ + (first + w) * step_;
            const CT value = mul(alpha_, values.a[w]);
            if (atomic_)
                atomic_add(one, value);
            else
                *one = adds_ ? mad(beta_, *one, value) : value;
        }
    }

    CT* y_;
    int64_t step_;
    CT alpha_, beta_;
    bool adds_, atomic_;
    bool is_whole_;  // quads are such in memory
};

// What a task is: D last modes of some tiles, or E first ones of a run of neighbours. Between the passes what
// a task of first modes reads lies together.
template <int N, int D, int E, int Run>
struct pair_shape {
    static constexpr int run = Run;
    static constexpr int inner = power(N, D);
    static constexpr int elements = run * power(N, E);
    static constexpr int tasks = inner / run;  // of each pass over an item
    static constexpr int tiles = elements / inner;
    static_assert(inner % run == 0 && elements % inner == 0 && power(N, E) % tiles == 0);

    // Of element e of a task of first modes the distance from the first in the item.
    __device__ static int run_offset(int e) { return e / run * inner + e % run; }
    // Of element e of a task of last modes the distance from the task's first between the passes.
    __device__ static int slot_offset(int e) {
        return e % inner / run * elements + e / inner * run + e % run;
    }
};

// Where results of last modes go: between the passes.
template <class Shape, class CT>
struct pair_slot {
    static constexpr bool sums = false;

    CT* to;

    template <int, int, int count>
    __device__ void get(CT (&)[count], int) const {}
    template <int W, int apart, int count>
    __device__ void put(const CT (&v)[count], const CT (&)[count], int first) const {
        put<W, apart>(v, first);
    }
    template <int, int apart, int count>
    __device__ void put(const CT (&v)[count], int first) const {
        static_assert(apart % Shape::run == 0);
        CT* const begin = to + Shape::slot_offset(first);
        __builtin_assume(__isGlobal(begin));
#pragma unroll
        for (int j = 0; j < count; ++j)
            store_global(begin + j * (apart / Shape::run * Shape::elements), v[j]);
    }
    // Elements first and first + 1, where first is even.
    template <int>
    __device__ void put_pair(const CT (&v)[2], int first) const {
        store_global(reinterpret_cast<f64_pair*>(to + Shape::slot_offset(first)), f64_pair{{v[0], v[1]}});
    }
};

// How a block does it with an item's stages. A warp has the last modes of tiles of 4 KiB, or where their size
// is not a power of two the block those of all tiles; the block has the first modes of W neighbours at a
// time.
template <class Element, int factor_size, int D, int E, int W, int Run, int block_threads, int block_count>
class pair_stages {
  public:
    using CT = Element;
    static constexpr int N = factor_size;
    using shape = pair_shape<N, D, E, Run>;
    static constexpr int tile_elements =
        is_power_of_two(N) ? warp_item_bytes / static_cast<int>(sizeof(CT)) : shape::elements;
    using last = item_shape<CT, N, D, 1, tile_elements / shape::inner>;
    using first = item_shape<CT, N, E, W>;
    static constexpr int threads = block_threads;
    static constexpr int blocks = block_count;  // of a multiprocessor
    static constexpr int pieces = shape::elements / last::size;
    static constexpr int run_room = shape::run / W * first::chunk_room;
    static constexpr int tiles_room = pieces * last::chunk_room;
    static constexpr int vector_room = tiles_room > run_room ? tiles_room : run_room;
    static_assert((last::in_warp ? last::items == 1 : pieces == 1) && shape::run % W == 0);

    // Places on chip of elements of a task of last and of first modes.
    __device__ static int input_place(int e) {
        return e / last::size * last::chunk_room + last::place(e % last::size);
    }
    __device__ static int run_place(int e) {
        return e % shape::run / W * first::chunk_room + first::place(e / shape::run * W + e % W);
    }

    __device__ static void last_modes(CT* vectors, const CT* factors, CT* to) {
        using output = pair_slot<shape, CT>;
        using stages = item_stages<last, false, output>;
        const crew_threads<last::in_warp> crew(threads);
        constexpr int crews = last::in_warp ? threads / 32 : 1;
#pragma unroll 1
        for (int piece = last::in_warp ? static_cast<int>(threadIdx.x) / 32 : 0; piece < pieces;
             piece += crews) {
            CT* const at = vectors + piece * last::chunk_room;
            const output results{to + piece * (last::size / shape::inner) * shape::run};
            stages(at, factors, crew, results).apply();
            if constexpr (!stages::is_direct)
#pragma unroll
                for (int e = crew.rank * quad; e < last::size; e += crew.size * quad)
                    store_global(reinterpret_cast<part*>(results.to + shape::slot_offset(e)),
                                 *reinterpret_cast<const part*>(at + last::place(e)));
        }
    }

    static constexpr int quad = last::quad;
    using part = neighbours<CT, quad>;
    static_assert(shape::run % quad == 0);

    // The results stay in their places.
    __device__ static void apply_first_modes(CT* vectors, const CT* factors) {
        const item_output<CT> nowhere{};
        const crew_threads<false> block(threads);
#pragma unroll 1
        for (int r = 0; r < shape::run / W; ++r)
            item_stages<first, true>(vectors + r * first::chunk_room, factors, block, nowhere).apply();
    }

    // The results are added to sums in such places, which hold none yet where `begins`. A thread always has
    // the same ones.
    __device__ static void add_first_modes(CT* vectors, const CT* factors, CT* sums, bool begins) {
        using output = item_sums<first, sum_memory::shared>;
        const crew_threads<false> block(threads);
#pragma unroll 1
        for (int r = 0; r < shape::run / W; ++r)
            item_stages<first, false, output>(vectors + r * first::chunk_room, factors, block,
                                              output{sums + r * first::chunk_room, !begins})
                .apply();
    }

    // Results of first modes to their output.
    __device__ static void put(const CT* results, const pair_output<CT>& output) {
        constexpr int at_once = 4;
        constexpr int quads = shape::elements / quad;
        const int mine = (quads - static_cast<int>(threadIdx.x) + threads - 1) / threads;
#pragma unroll 1
        for (int begin = 0; begin < mine; begin += at_once) {
            part values[at_once];
            const auto element = [&](int i) { return quad_element(begin + i); };
            const int left = quads % (threads * at_once) == 0 ? at_once : mine - begin;
#pragma unroll
            for (int i = 0; i < at_once; ++i)
                if (i < left) values[i] = result(results, element(i));
            output.put(values, left, [&](int i) { return shape::run_offset(element(i)); });
        }
    }

    // Likewise, without gaps.
    __device__ static void store(const CT* results, CT* to) {
        for_quads([&](int e) {
            store_global(reinterpret_cast<part*>(to + shape::run_offset(e)), result(results, e));
        });
    }

    // f(e) for the first elements e of a thread's quads of a task.
    template <class F>
    __device__ static void for_quads(F&& f) {
        constexpr int quads = shape::elements / quad;
        int thread = static_cast<int>(threadIdx.x);
        // Else the compiler would keep all places from task to task, for which there are no registers.
        asm volatile("" : "+r"(thread));
        __builtin_assume(thread >= 0 && thread < threads);
        // Of more, ptxas 13.0 makes illegal instructions where they are copies with a cache policy.
#pragma unroll 8
        for (int i = 0; i * threads < quads; ++i) {
            const int e = (i * threads + thread) * quad;
            if (quads % threads == 0 || e < shape::elements) f(e);
        }
    }

  private:
    __device__ static int quad_element(int i) { return (i * threads + static_cast<int>(threadIdx.x)) * quad; }
    __device__ static part result(const CT* results, int e) {
        return *reinterpret_cast<const part*>(results + run_place(e));
    }
};

}  // namespace heron::HERON_LEVEL::kron_cuda
