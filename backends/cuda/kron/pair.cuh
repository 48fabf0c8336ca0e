#pragma once
// Items that take two passes, both in one launch. Blocks claim tasks, pieces of a pass over an item, in a
// fixed order: the last modes of an item, and some items later its first ones. So the partial results of few
// items are under way at a time, in slots that stay in the second-level cache, and reading inputs and writing
// outputs overlap. A task waits for those that its slot needs, all of which have been claimed before.
#include "pair_stages.cuh"

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
    asm volatile("red.release.gpu.global.add.u64 [%0], 1;" ::"l"(counter) : "memory");
}

// Says that a line need not be written to memory: nobody reads it before it is written again.
static __device__ inline void discard_line(const void* p) {
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(p) : "memory");
}

// A task that a block has claimed.
struct pair_claim {
    pair_task task;
    bool exists, is_ready;
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

    __device__ int64_t next_number() const { return static_cast<int64_t>(atomicAdd(p_.claims, 1ull)); }

    __device__ pair_claim claim(int64_t number) const {
        if (number >= p_.task_count) return {};
        const pair_task t = task(number);
        return {t, true, is_ready(t)};
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
            chunk_fetch<typename Stages::first>(p_.first, block_).factors(t.unit, factors_);
            if (p_.prefetches) prefetch_output(t);
            return;
        }
        fetch_input(input(t));
        const crew_threads<Stages::last::in_warp> crew(Stages::threads);
        if (!Stages::last::in_warp || threadIdx.x < 32)
            chunk_fetch<typename Stages::last>(p_.last, crew).factors(t.unit, factors_);
    }

    // Input of last modes comes to the second-level cache.
    __device__ void prefetch_input(const pair_task& t) const {
        if (p_.last.in_step != 1) return;
        const CT* const from = input(t);
        constexpr int line = 128 / static_cast<int>(sizeof(CT));
        for (int e = block_.rank * line; e < shape::elements; e += block_.size * line)
            prefetch_line(from + e);
    }

    // What has been read will not be needed again: it need not go to memory.
    __device__ void forget(const pair_task& t) const {
        constexpr int line = 128 / static_cast<int>(sizeof(CT));
        static_assert(shape::elements % line == 0);
        if (!t.is_first) return;
        const CT* const from = partial_results(t);
        for (int e = block_.rank * line; e < shape::elements; e += block_.size * line) discard_line(from + e);
    }

    __device__ void work(const pair_task& t) const {
        if (!t.is_first) {
            Stages::last_modes(vectors_, factors_, slot_of(t) + t.part * (shape::tiles * shape::run));
            return;
        }
        Stages::apply_first_modes(vectors_, factors_);
        Stages::put(vectors_, pair_output<CT>(p_.first, first_output(t)));
    }

    __device__ void add_first_modes(CT* sums, bool begins) const {
        Stages::add_first_modes(vectors_, factors_, sums, begins);
    }

    __device__ bool leads() const { return block_.rank == 0; }

  private:
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

    __device__ CT* slot_of(const pair_task& t) const {
        return p_.slots + t.slot * (int64_t{shape::elements} * shape::tasks);
    }
    __device__ const CT* input(const pair_task& t) const {
        return input_of(p_.last, origin_of<1, 1>(p_.last, t.unit)) +
               int64_t{t.part} * shape::elements * p_.last.in_step;
    }
    __device__ CT* partial_results(const pair_task& t) const {
        return slot_of(t) + t.part * int64_t{shape::elements};
    }
    __device__ CT* first_output(const pair_task& t) const {
        return output_of(p_.first, origin_of<1, 1>(p_.first, t.unit)) +
               t.part * shape::run * p_.first.out_step;
    }

    __device__ void fetch_partial_results(const pair_task& t) const {
        const CT* const from = partial_results(t);
        Stages::for_quads([&](int e) { copy_async<16>(vectors_ + Stages::run_place(e), from + e); });
    }

    __device__ void prefetch_output(const pair_task& t) const {
        const CT* const y = first_output(t);
#pragma unroll 4
        for (int e = block_.rank * shape::run; e < shape::elements; e += block_.size * shape::run)
            prefetch_line(y + shape::run_offset(e) * p_.first.out_step);
    }

    __device__ void fetch_input(const CT* from) const {
        if (p_.last.in_step == 1 && reinterpret_cast<uintptr_t>(from) % 16 == 0) {
            const uint64_t policy = evict_first_policy();
            return Stages::for_quads(
                [&](int e) { copy_async_hinted(vectors_ + Stages::input_place(e), from + e, policy); });
        }
#pragma unroll 4
        for (int e = block_.rank; e < shape::elements; e += block_.size)
            copy_async<sizeof(CT)>(vectors_ + Stages::input_place(e), from + e * p_.last.in_step);
    }

    const pair_parameters<CT>& p_;
    CT* const vectors_;
    CT* const factors_;
    const crew_threads<false> block_{Stages::threads};
};

template <class Stages>
__global__ void __launch_bounds__(Stages::threads, Stages::blocks)
    kron_pair(const __grid_constant__ pair_parameters<typename Stages::CT> p) {
    using CT = typename Stages::CT;
    extern __shared__ __align__(16) unsigned char memory[];
    __shared__ pair_claim shared;
    if (equal(p.first.alpha.get(), CT{}))
        return scale_outputs(p.first, int64_t{Stages::shape::elements} * Stages::shape::tasks,
                             p.first.beta.get());
    const pair_block<Stages> block(p, memory);
    if (block.leads()) shared = block.claim(block.next_number());
    __syncthreads();
    for (pair_claim now = shared; now.exists; now = shared) {
        if (!now.is_ready && block.leads()) block.wait_for(now.task);
        __syncthreads();
        block.fetch(now.task);
        commit_copies();
        int64_t number = 0;
        if (block.leads()) number = block.next_number();
        wait_for_copies<0>();
        __syncthreads();
        block.forget(now.task);
        pair_claim next;
        if (block.leads()) next = block.claim(number);
        block.work(now.task);
        if (block.leads()) shared = next;
        __syncthreads();
        if (block.leads()) block.signal(now.task);
    }
}

}  // namespace heron::HERON_LEVEL::kron_cuda
