#pragma once
// Items that take two passes, both in one launch. Blocks claim tasks, pieces of a pass over an item, in a
// fixed order: the last modes of an item, and some items later its first ones. So the partial results of few
// items are under way at a time, in slots that stay in the second-level cache, and reading inputs and writing
// outputs overlap. A task waits for those that its slot needs, all of which have been claimed before.
#include "kron_items.cuh"

namespace heron::HERON_LEVEL::kron_cuda {

template <class CT>
struct pair_parameters {
    item_parameters<CT> last, first;  // modes
    CT* slots;
    int64_t slot_count;
    int64_t lead;        // items whose last modes come before any first ones
    int64_t task_count;  // that blocks claim
    int prefetches;      // outputs of items come to the second-level cache before they are added to
    unsigned long long* claims;
    unsigned long long* done;  // tasks of the last modes, by slots, then those of the first ones
};

struct pair_task {
    int64_t unit, slot;
    int is_first;  // modes
    int part;
};

static __device__ inline unsigned long long load_acquire(const unsigned long long* p) {
    unsigned long long value;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
}

static __device__ inline bool has_reached(const unsigned long long* counter, int64_t needed) {
    return static_cast<int64_t>(load_acquire(counter)) >= needed;
}

// Who sees the counter sees what the thread, and who met it, has done before.
static __device__ inline void count_up(unsigned long long* counter) {
    __threadfence();
    atomicAdd(counter, 1ull);
}

// Says that a line need not be written to memory: nobody reads it before it is written again.
static __device__ inline void discard_line(const void* p) {
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(p) : "memory");
}

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

    // Quad i goes to element offset(i) and those behind it. What is read comes together, before anything is
    // written.
    template <int count, class Offset>
    __device__ void put(part (&values)[count], Offset&& offset) const {
        if (!is_whole_) {
#pragma unroll
            for (int i = 0; i < count; ++i) put_elements(values[i], offset(i));
            return;
        }
        __builtin_assume(__isGlobal(y_));
        part before[count];
#pragma unroll
        for (int i = 0; i < count; ++i)
            if (adds_) before[i] = *reinterpret_cast<const part*>(y_ + offset(i));
#pragma unroll
        for (int i = 0; i < count; ++i) {
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

// What a task is: D last modes of some tiles, or E first ones of a run of neighbours.
template <int N, int D, int E, int Run>
struct pair_shape {
    static constexpr int run = Run;
    static constexpr int inner = power(N, D);
    static constexpr int elements = run * power(N, E);
    static constexpr int tasks = inner / run;  // of each pass over an item
    static constexpr int tiles = elements / inner;
    static_assert(elements % inner == 0 && power(N, E) % tiles == 0);

    // Of element e of a task of first modes the distance from the first in memory.
    __device__ static int64_t run_offset(int e) { return e / run * int64_t{inner} + e % run; }
};

// How a block does it with an item's stages: a warp has the last modes of a tile, the block the first modes
// of W neighbours at a time. Runs have `run_bytes`.
template <class Element, int factor_size, int D, int E, int W, int run_bytes>
class pair_stages {
  public:
    using CT = Element;
    static constexpr int N = factor_size;
    using shape = pair_shape<N, D, E, run_bytes / static_cast<int>(sizeof(CT))>;
    using last = item_shape<CT, N, D, 1>;
    using first = item_shape<CT, N, E, W>;
    static constexpr int threads = 256;
    static constexpr int blocks = sizeof(CT) == 8 ? 3 : 2;  // of a multiprocessor
    static constexpr int vector_room = shape::tiles * last::chunk_room > shape::run / W* first::chunk_room
                                           ? shape::tiles* last::chunk_room
                                           : shape::run / W* first::chunk_room;
    static_assert(last::items == 1 && shape::run % W == 0);

    // Places on chip of elements of a task of last and of first modes.
    __device__ static int input_place(int e) {
        return e / last::size * last::chunk_room + last::place(e % last::size);
    }
    __device__ static int run_place(int e) {
        return e % shape::run / W * first::chunk_room + first::place(e / shape::run * W + e % W);
    }

    __device__ static void last_modes(CT* vectors, const CT* factors, CT* to) {
        using stages = item_stages<CT, N, D, 1>;
        const crew_threads<true> warp;
#pragma unroll 1
        for (int tile = static_cast<int>(threadIdx.x) / 32; tile < shape::tiles; tile += threads / 32) {
            CT* const at = vectors + tile * last::chunk_room;
            CT* const results = to + tile * last::size;
            const item_output<CT> output{results, 1, 1, CT{1}, CT{}, false, false};
            stages(at, factors, warp, output).apply();
            if constexpr (!stages::is_direct)
#pragma unroll
                for (int e = warp.rank * quad; e < last::size; e += 32 * quad)
                    store_global(reinterpret_cast<part*>(results + e),
                                 *reinterpret_cast<const part*>(at + last::place(e)));
        }
    }

    static constexpr int quad = last::quad;
    using part = neighbours<CT, quad>;
    static constexpr int quads_of_thread = shape::elements / (threads * quad);

    // The results stay on chip, where every thread has quads of them.
    __device__ static void apply_first_modes(CT* vectors, const CT* factors) {
        const item_output<CT> nowhere{};
        const crew_threads<false> block;
#pragma unroll 1
        for (int r = 0; r < shape::run / W; ++r)
            item_stages<CT, N, E, W, true>(vectors + r * first::chunk_room, factors, block, nowhere).apply();
    }
    __device__ static int quad_element(int i) { return (i * threads + static_cast<int>(threadIdx.x)) * quad; }
    __device__ static part result(const CT* vectors, int i) {
        return *reinterpret_cast<const part*>(vectors + run_place(quad_element(i)));
    }

    __device__ static void first_modes(CT* vectors, const CT* factors, const pair_output<CT>& output) {
        apply_first_modes(vectors, factors);
        put_quads(output, [&](int i) { return result(vectors, i); });
    }

    // All of a thread's quads, of which quad(i) is the i-th.
    template <class Quad>
    __device__ static void put_quads(const pair_output<CT>& output, Quad&& quad) {
        constexpr int at_once = 4;
        static_assert(quads_of_thread % at_once == 0);
#pragma unroll 1
        for (int begin = 0; begin < quads_of_thread; begin += at_once) {
            part values[at_once];
#pragma unroll
            for (int i = 0; i < at_once; ++i) values[i] = quad(begin + i);
            output.put(values, [&](int i) { return shape::run_offset(quad_element(begin + i)); });
        }
    }
};

// What a block has on chip, and its tasks.
template <class Stages>
class pair_block {
    using CT = typename Stages::CT;
    using shape = typename Stages::shape;
    using part = neighbours<CT, Stages::last::quad>;
    static constexpr int quad = Stages::last::quad;
    static constexpr int factor_room = Stages::last::factor_room > Stages::first::factor_room
                                           ? Stages::last::factor_room
                                           : Stages::first::factor_room;

  public:
    static constexpr int room = Stages::vector_room + factor_room;
    static constexpr int shared_bytes = room * static_cast<int>(sizeof(CT));

    __device__ pair_block(const pair_parameters<CT>& p, unsigned char* memory)
        : p_(p), vectors_(reinterpret_cast<CT*>(memory)), factors_(vectors_ + Stages::vector_room) {}

    __device__ int64_t claim() const { return static_cast<int64_t>(atomicAdd(p_.claims, 1ull)); }

    __device__ bool exists(int64_t number) const { return number < p_.task_count; }

    __device__ pair_task task(int64_t number) const {
        const int64_t group = number / shape::tasks;
        const auto of = [&](int64_t unit, int is_first) {
            return pair_task{unit, unit % p_.slot_count, is_first, static_cast<int>(number % shape::tasks)};
        };
        if (group < p_.lead) return of(group, 0);
        const int64_t behind = group - p_.lead;
        const int64_t paired = p_.last.units - p_.lead;
        if (behind >= 2 * paired) return of(behind - paired, 1);
        return behind % 2 == 0 ? of(behind / 2, 1) : of(behind / 2 + p_.lead, 0);
    }

    __device__ bool is_ready(const pair_task& t) const {
        const int64_t round = t.unit / p_.slot_count;
        const int64_t needed = (t.is_first ? round + 1 : round) * shape::tasks;
        if (needed == 0) return true;
        return has_reached(p_.done + (t.is_first ? t.slot : p_.slot_count + t.slot), needed);
    }

    __device__ void wait_for(const pair_task& t) const {
        while (!is_ready(t)) __nanosleep(64);
    }

    __device__ void signal(const pair_task& t) const {
        count_up(p_.done + (t.is_first ? p_.slot_count : 0) + t.slot);
    }

    // Starts the copies of what a task reads.
    __device__ void fetch(const pair_task& t) const {
        if (t.is_first) {
            fetch_partial_results(t);
            chunk_fetch<CT, Stages::N, Stages::first::modes, Stages::first::width>(p_.first, crew_)
                .factors(t.unit, factors_);
            if (p_.prefetches) prefetch_output(t);
            return;
        }
        fetch_input(input(t));
        if (crew_.rank < 32)
            chunk_fetch<CT, Stages::N, Stages::last::modes, 1>(p_.last, warp_).factors(t.unit, factors_);
    }

    // Input of last modes comes to the second-level cache.
    __device__ void prefetch_input(const pair_task& t) const {
        if (p_.last.in_step != 1) return;
        const CT* const from = input(t);
        constexpr int line = 128 / static_cast<int>(sizeof(CT));
        for (int e = crew_.rank * line; e < shape::elements; e += crew_.size * line) prefetch_line(from + e);
    }

    // What has been read will not be needed again: it need not go to memory.
    __device__ void forget(const pair_task& t) const {
        static_assert(shape::run * sizeof(CT) == 128);
        if (!t.is_first) return;
        const CT* const from = partial_results(t);
        for (int e = crew_.rank * shape::run; e < shape::elements; e += crew_.size * shape::run)
            discard_line(from + shape::run_offset(e));
    }

    __device__ void work(const pair_task& t) const {
        if (t.is_first)
            Stages::first_modes(vectors_, factors_, pair_output<CT>(p_.first, first_output(t)));
        else
            Stages::last_modes(vectors_, factors_, slot_of(t) + int64_t{t.part} * shape::elements);
    }

    // First modes whose results stay on chip.
    __device__ const CT* apply_first_modes() const {
        Stages::apply_first_modes(vectors_, factors_);
        return vectors_;
    }

    __device__ bool leads() const { return crew_.rank == 0; }

  private:
    __device__ CT* slot_of(const pair_task& t) const {
        return p_.slots + t.slot * (int64_t{shape::elements} * shape::tasks);
    }
    __device__ const CT* input(const pair_task& t) const {
        return input_of(p_.last, origin_of<1, 1>(p_.last, t.unit)) +
               int64_t{t.part} * shape::elements * p_.last.in_step;
    }
    __device__ CT* partial_results(const pair_task& t) const { return slot_of(t) + t.part * shape::run; }
    __device__ CT* first_output(const pair_task& t) const {
        return output_of(p_.first, origin_of<1, 1>(p_.first, t.unit)) +
               t.part * shape::run * p_.first.out_step;
    }

    __device__ void fetch_partial_results(const pair_task& t) const {
        const CT* const from = partial_results(t);
#pragma unroll 8
        for (int e = crew_.rank * quad; e < shape::elements; e += crew_.size * quad)
            copy_async<16>(vectors_ + Stages::run_place(e), from + shape::run_offset(e));
    }

    __device__ void prefetch_output(const pair_task& t) const {
        const CT* const y = first_output(t);
#pragma unroll 4
        for (int e = crew_.rank * shape::run; e < shape::elements; e += crew_.size * shape::run)
            prefetch_line(y + shape::run_offset(e) * p_.first.out_step);
    }

    __device__ void fetch_input(const CT* from) const {
        if (p_.last.in_step == 1 && reinterpret_cast<uintptr_t>(from) % 16 == 0) {
            const uint64_t policy = evict_first_policy();
#pragma unroll 8
            for (int e = crew_.rank * quad; e < shape::elements; e += crew_.size * quad)
                copy_async_hinted(vectors_ + Stages::input_place(e), from + e, policy);
            return;
        }
#pragma unroll 4
        for (int e = crew_.rank; e < shape::elements; e += crew_.size)
            copy_async<sizeof(CT)>(vectors_ + Stages::input_place(e), from + e * p_.last.in_step);
    }

    const pair_parameters<CT>& p_;
    CT* const vectors_;
    CT* const factors_;
    const crew_threads<false> crew_;
    const crew_threads<true> warp_;
};

// A task that a block has claimed.
struct pair_claim {
    int64_t number;
    bool is_ready;
};

template <class Stages>
__global__ void __launch_bounds__(Stages::threads, Stages::blocks)
    kron_pair(const __grid_constant__ pair_parameters<typename Stages::CT> p) {
    extern __shared__ __align__(16) unsigned char memory[];
    __shared__ pair_claim shared;
    const pair_block<Stages> block(p, memory);
    pair_claim claim{};
    const auto claim_next = [&] {
        claim.number = block.claim();
        claim.is_ready = block.exists(claim.number) && block.is_ready(block.task(claim.number));
    };
    if (block.leads()) {
        claim_next();
        shared = claim;
    }
    __syncthreads();
    for (pair_claim now = shared; block.exists(now.number); now = shared) {
        const pair_task task = block.task(now.number);
        if (!now.is_ready && block.leads()) block.wait_for(task);
        __syncthreads();
        block.fetch(task);
        commit_copies();
        wait_for_copies<0>();
        __syncthreads();
        block.forget(task);
        // The answer comes while the others work.
        if (block.leads()) claim_next();
        block.work(task);
        if (block.leads()) shared = claim;
        __syncthreads();
        if (block.leads()) block.signal(task);
    }
}

}  // namespace heron::HERON_LEVEL::kron_cuda
