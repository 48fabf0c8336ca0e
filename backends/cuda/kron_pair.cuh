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
    unsigned long long* claims;
    unsigned long long* done;  // tasks of the last modes, by slots, then those of the first ones
};

// D last and E first modes, these with R runs of W that are neighbours: so memory is met in whole lines.
template <class CT, int N, int D, int E, int W, int R>
struct pair_shape {
    using last = item_shape<CT, N, D, 1>;
    using first = item_shape<CT, N, E, W>;
    static constexpr int elements = R * first::size;
    static constexpr int tiles = elements / last::size;  // of a task of last modes
    static constexpr int inner = power(N, D);
    static constexpr int tasks = power(N, D) / (R * W);  // of each pass over an item
    static constexpr int greater(int a, int b) { return a > b ? a : b; }
    static constexpr int vector_room = greater(tiles * last::chunk_room, R* first::chunk_room);
    static constexpr int factor_room = greater(last::factor_room, first::factor_room);
    static constexpr int shared_bytes = (vector_room + factor_room) * static_cast<int>(sizeof(CT));
    static_assert(last::items == 1 && elements % last::size == 0 && power(N, E) % tiles == 0);
};

constexpr int pair_threads = 256;
// Blocks of a multiprocessor.
template <class CT>
constexpr int pair_blocks = sizeof(CT) == 8 ? 3 : 2;

struct pair_task {
    int64_t unit;
    int is_first;  // modes
    int part;
};

static __device__ inline unsigned long long load_acquire(const unsigned long long* p) {
    unsigned long long value;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
}

// Says that a line need not be written to memory: nobody reads it before it is written again.
static __device__ inline void discard_line(const void* p) {
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(p) : "memory");
}

template <class CT, int N, int D, int E, int W, int R>
class pair_block {
    static_assert(R * W * sizeof(CT) == 128);

    using shape = pair_shape<CT, N, D, E, W, R>;

  public:
    __device__ pair_block(const pair_parameters<CT>& p, unsigned char* memory)
        : p_(p), vectors_(reinterpret_cast<CT*>(memory)), factors_(vectors_ + shape::vector_room) {}

    __device__ int64_t claim() const { return static_cast<int64_t>(atomicAdd(p_.claims, 1ull)); }

    __device__ bool exists(int64_t number) const { return number < p_.task_count; }

    __device__ pair_task task(int64_t number) const {
        const int64_t group = number / shape::tasks;
        const int part = static_cast<int>(number % shape::tasks);
        if (group < p_.lead) return {group, 0, part};
        const int64_t behind = group - p_.lead;
        const int64_t paired = p_.last.units - p_.lead;
        if (behind >= 2 * paired) return {behind - paired, 1, part};
        return behind % 2 == 0 ? pair_task{behind / 2, 1, part} : pair_task{behind / 2 + p_.lead, 0, part};
    }

    __device__ bool is_ready(const pair_task& t) const {
        const int64_t round = t.unit / p_.slot_count;
        const int64_t slot = t.unit % p_.slot_count;
        const int64_t needed = (t.is_first ? round + 1 : round) * shape::tasks;
        if (needed == 0) return true;
        return static_cast<int64_t>(load_acquire(p_.done + (t.is_first ? slot : p_.slot_count + slot))) >=
               needed;
    }

    __device__ void wait_for(const pair_task& t) const {
        while (!is_ready(t)) __nanosleep(64);
    }

    __device__ void signal(const pair_task& t) const {
        __threadfence();
        atomicAdd(p_.done + (t.is_first ? p_.slot_count : 0) + t.unit % p_.slot_count, 1ull);
    }

    // Starts the copies of what a task reads.
    __device__ void fetch(const pair_task& t) const {
        if (t.is_first) {
            const CT* const from = slot_of(t) + t.part * (R * W);
            CT* const to = vectors_;
#pragma unroll 8
            for (int e = crew_.rank * quad; e < shape::elements; e += crew_.size * quad)
                copy_async<16>(to + run_place(e), from + run_offset(e));
            chunk_fetch<CT, N, E, W>(p_.first, crew_).factors(t.unit, factors_);
            if (!p_.first.atomic && !equal(p_.first.beta.get(), CT{})) {
                const CT* const y = first_output(t);
#pragma unroll 4
                for (int e = crew_.rank * (R * W); e < shape::elements; e += crew_.size * (R * W))
                    prefetch_line(y + run_offset(e) * p_.first.out_step);
            }
            return;
        }
        fetch_input(input_of(p_.last, origin_of<1, 1>(p_.last, t.unit)) +
                        int64_t{t.part} * shape::elements * p_.last.in_step,
                    vectors_);
        if (crew_.rank < 32) chunk_fetch<CT, N, D, 1>(p_.last, warp_).factors(t.unit, factors_);
    }

    // What has been read will not be needed again: it need not go to memory.
    __device__ void forget(const pair_task& t) const {
        if (!t.is_first) return;
        CT* const from = slot_of(t) + t.part * (R * W);
        for (int e = crew_.rank * (R * W); e < shape::elements; e += crew_.size * (R * W))
            discard_line(from + run_offset(e));
    }

    __device__ void work(const pair_task& t) const {
        if (t.is_first)
            first_modes(t);
        else
            last_modes(t);
    }

    __device__ bool leads() const { return crew_.rank == 0; }

  private:
    using part = neighbours<CT, shape::first::quad>;

    __device__ CT* first_output(const pair_task& t) const {
        return output_of(p_.first, origin_of<1, 1>(p_.first, t.unit)) + t.part * (R * W) * p_.first.out_step;
    }

    // Of element e of a task of first modes: its place on chip, and its distance from the first in memory.
    __device__ static int run_place(int e) {
        return e % (R * W) / W * shape::first::chunk_room + shape::first::place(e / (R * W) * W + e % W);
    }
    __device__ static int64_t run_offset(int e) { return e / (R * W) * int64_t{shape::inner} + e % (R * W); }

    // A warp has a tile.
    __device__ void last_modes(const pair_task& t) const {
        using stages = item_stages<CT, N, D, 1>;
        for (int tile = crew_.rank / 32; tile < shape::tiles; tile += crew_.size / 32) {
            CT* const to = slot_of(t) + (int64_t{t.part} * shape::tiles + tile) * shape::last::size;
            CT* const at = vectors_ + tile * shape::last::chunk_room;
            const item_output<CT> output{to, 1, 1, p_.last.alpha.value, CT{}, false, false};
            stages(at, factors_, warp_, output).apply();
            if constexpr (!stages::is_direct)
#pragma unroll
                for (int e = warp_.rank * quad; e < shape::last::size; e += 32 * quad)
                    store_global(reinterpret_cast<part*>(to + e),
                                 *reinterpret_cast<const part*>(at + shape::last::place(e)));
        }
    }

    __device__ void first_modes(const pair_task& t) const {
        const item_output<CT> nowhere{};
        for (int r = 0; r < R; ++r)
            item_stages<CT, N, E, W, true>(vectors_ + r * shape::first::chunk_room, factors_, crew_, nowhere)
                .apply();
        const CT alpha = p_.first.alpha.get(), beta = p_.first.beta.get();
        CT* const to = first_output(t);
        const bool is_whole =
            p_.first.out_step == 1 && !p_.first.atomic && reinterpret_cast<uintptr_t>(to) % 16 == 0;
        const int stride = crew_.size * quad;
        constexpr int at_once = 4;
        static_assert(shape::elements % (at_once * pair_threads * quad) == 0);
#pragma unroll 1
        for (int begin = crew_.rank * quad; begin < shape::elements; begin += at_once * stride) {
            if (is_whole)
                put_whole<at_once>(to, begin, alpha, beta);
            else
                for (int i = 0; i < at_once; ++i) put_elements(to, begin + i * stride, alpha, beta);
        }
    }

    // What is read comes together, before anything is written.
    template <int count>
    __device__ void put_whole(CT* to, int begin, CT alpha, CT beta) const {
        const bool adds = !equal(beta, CT{});
        part values[count], before[count];
#pragma unroll
        for (int i = 0; i < count; ++i) {
            const int e = begin + i * crew_.size * quad;
            values[i] = *reinterpret_cast<const part*>(vectors_ + run_place(e));
            if (adds) before[i] = *reinterpret_cast<const part*>(to + run_offset(e));
        }
#pragma unroll
        for (int i = 0; i < count; ++i) {
            const int e = begin + i * crew_.size * quad;
#pragma unroll
            for (int w = 0; w < quad; ++w) {
                const CT value = mul(alpha, values[i].a[w]);
                values[i].a[w] = adds ? mad(beta, before[i].a[w], value) : value;
            }
            store_streaming(reinterpret_cast<part*>(to + run_offset(e)), values[i]);
        }
    }

    __device__ void put_elements(CT* to, int e, CT alpha, CT beta) const {
        const part results = *reinterpret_cast<const part*>(vectors_ + run_place(e));
        CT* const at = to + run_offset(e) * p_.first.out_step;
#pragma unroll
        for (int w = 0; w < quad; ++w) {
            CT* const one = at + w * p_.first.out_step;
            const CT value = mul(alpha, results.a[w]);
            if (p_.first.atomic)
                atomic_add(one, value);
            else
                *one = equal(beta, CT{}) ? value : mad(beta, *one, value);
        }
    }

    static constexpr int quad = shape::first::quad;

    __device__ CT* slot_of(const pair_task& t) const {
        return p_.slots + t.unit % p_.slot_count * (int64_t{shape::inner} * power(N, E));
    }
    __device__ static int input_place(int e) {
        return e / shape::last::size * shape::last::chunk_room + shape::last::place(e % shape::last::size);
    }

    __device__ void fetch_input(const CT* from, CT* to) const {
        if (p_.last.in_step == 1 && reinterpret_cast<uintptr_t>(from) % 16 == 0) {
            const uint64_t policy = evict_first_policy();
#pragma unroll 8
            for (int e = crew_.rank * quad; e < shape::elements; e += crew_.size * quad)
                copy_async_hinted(to + input_place(e), from + e, policy);
            return;
        }
#pragma unroll 4
        for (int e = crew_.rank; e < shape::elements; e += crew_.size)
            copy_async<sizeof(CT)>(to + input_place(e), from + e * p_.last.in_step);
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

template <class CT, int N, int D, int E, int W, int R>
__global__ void __launch_bounds__(pair_threads, pair_blocks<CT>)
    kron_pair(const __grid_constant__ pair_parameters<CT> p) {
    extern __shared__ __align__(16) unsigned char memory[];
    __shared__ pair_claim shared;
    const pair_block<CT, N, D, E, W, R> block(p, memory);
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
