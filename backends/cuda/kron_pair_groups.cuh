#pragma once
// Groups of items that take two passes. A team of blocks, as many as an item has tasks, goes through a slice
// of the items. For every item a block has one task of the last modes, whose results the team exchanges
// through slots in the second-level cache, and one of the first modes, whose results it adds up on chip:
// outputs are met once a group and slice. A multiprocessor has blocks of several teams, some of which compute
// while others wait for memory or their team; all blocks must be at work at a time. The last modes of the
// next item come before the first modes of one, so that its results are there when they are needed.
#include "kron_groups.cuh"
#include "kron_pair.cuh"

namespace heron::HERON_LEVEL::kron_cuda {

// The sums of a task's results, on chip. A thread always has the same quads of them.
template <class Stages>
class pair_sums {
    using CT = typename Stages::CT;
    using part = typename Stages::part;
    static constexpr int quads = Stages::quads_of_thread;

  public:
    static constexpr int shared_bytes = Stages::shape::elements * static_cast<int>(sizeof(CT));

    explicit __device__ pair_sums(unsigned char* memory) : sums_(reinterpret_cast<CT*>(memory)) {}

    __device__ void add(const CT* results) {
#pragma unroll
        for (int i = 0; i < quads; ++i) {
            part sum = Stages::result(results, i);
            if (!is_empty_) {
                const part before = *place(i);
#pragma unroll
                for (int w = 0; w < Stages::quad; ++w)
                    sum.a[w] = heron::HERON_LEVEL::add(before.a[w], sum.a[w]);
            }
            *place(i) = sum;
        }
        is_empty_ = false;
    }

    __device__ void store(CT* slot) {
#pragma unroll
        for (int i = 0; i < quads; ++i) store_global(reinterpret_cast<part*>(slot + offset(i)), *place(i));
        is_empty_ = true;
    }

    __device__ void put(const pair_output<CT>& output) {
        Stages::put_quads(output, [&](int i) { return *place(i); });
        is_empty_ = true;
    }

  private:
    __device__ part* place(int i) const { return reinterpret_cast<part*>(sums_ + Stages::quad_element(i)); }
    __device__ static int64_t offset(int i) { return Stages::shape::run_offset(Stages::quad_element(i)); }

    CT* const sums_;
    bool is_empty_ = true;
};

// A block's way through the items of its team's slice.
template <class Stages>
class pair_team_member {
    using CT = typename Stages::CT;
    static constexpr int tasks = Stages::shape::tasks;

  public:
    // Items of a team that are stored and have not been read, few enough to stay in the second-level cache.
    static constexpr int slots = sizeof(CT) == 8 ? 2 : 3;
    // Of a team: tasks stored and tasks read, by slots.
    static constexpr int counters = 2 * slots;
    static constexpr int block_bytes = pair_block<Stages>::shared_bytes;
    static constexpr int shared_bytes = block_bytes + pair_sums<Stages>::shared_bytes;

    __device__ pair_team_member(const pair_parameters<CT>& p, const group_parameters& g,
                                unsigned char* memory)
        : p_(p),
          g_(g),
          block_(p, memory),
          slice_(blockIdx.x / tasks),
          part_(static_cast<int>(blockIdx.x) % tasks),
          begin_(share(g.count, slice_, g.slices)),
          end_(share(g.count, slice_ + 1, g.slices)),
          stored_(p.done + counters * slice_),
          read_(stored_ + slots),
          sums_(memory + block_bytes) {}

    __device__ void run() {
        group_walk walk(g_, begin_);
        bool is_own = g_.slices == 1 || walk.begins_at(begin_);
        if (tells()) g_.owners[slice_] = 0;
        for (int64_t position = begin_ - 1; position < end_; ++position) {
            store_last_modes(position + 1);
            if (position < begin_) continue;
            walk.move_to(position);
            if (walk.is_over()) break;
            add_first_modes(position);
            if (walk.end() <= position + 1 || position + 1 == end_) {
                flush(walk.template output<CT>(p_.first.out, position), is_own);
                is_own = true;
            }
        }
    }

  private:
    __device__ bool tells() const { return part_ == 0 && block_.leads(); }

    __device__ int64_t slot_of(int64_t position) const { return (position - begin_) % slots; }
    // Items before that had the same slot.
    __device__ int64_t round_of(int64_t position) const { return (position - begin_) / slots; }

    __device__ pair_task task(int64_t position, int is_first) const {
        return {position, slice_ * slots + slot_of(position), is_first, part_};
    }

    // Until all tasks of that many items have been counted.
    __device__ void wait_for(const unsigned long long* counter, int64_t items) const {
        if (!block_.leads()) return;
        while (!has_reached(counter, items * tasks)) __nanosleep(32);
    }

    __device__ void fetch(const pair_task& t) const {
        block_.fetch(t);
        commit_copies();
        wait_for_copies<0>();
    }

    __device__ void store_last_modes(int64_t position) const {
        if (position >= end_) return;
        const pair_task t = task(position, 0);
        fetch(t);
        // The slot's earlier item has been read.
        wait_for(read_ + slot_of(position), round_of(position));
        __syncthreads();
        block_.work(t);
        __syncthreads();
        if (block_.leads()) count_up(stored_ + slot_of(position));
        if (position + 1 < end_) block_.prefetch_input(task(position + 1, 0));
    }

    __device__ void add_first_modes(int64_t position) {
        const pair_task t = task(position, 1);
        wait_for(stored_ + slot_of(position), round_of(position) + 1);
        __syncthreads();
        fetch(t);
        __syncthreads();
        if (block_.leads()) count_up(read_ + slot_of(position));
        sums_.add(block_.apply_first_modes());
        __syncthreads();
    }

    __device__ void flush(CT* y, bool is_own) {
        const int64_t beside = int64_t{part_} * Stages::shape::run;
        y += p_.first.column * p_.first.out_vector;
        if (is_own) return sums_.put({p_.first, y + beside * p_.first.out_step});
        sums_.store(static_cast<CT*>(g_.slots) + slice_ * g_.rows + beside);
        if (tells()) g_.owners[slice_] = reinterpret_cast<int64_t>(y);
    }

    const pair_parameters<CT>& p_;
    const group_parameters& g_;
    const pair_block<Stages> block_;
    const int64_t slice_;
    const int part_;
    const int64_t begin_, end_;
    unsigned long long *const stored_, *const read_;
    pair_sums<Stages> sums_;
};

template <class Stages>
__global__ void __launch_bounds__(Stages::threads, Stages::blocks)
    kron_pair_groups(const __grid_constant__ pair_parameters<typename Stages::CT> p,
                     const __grid_constant__ group_parameters g) {
    extern __shared__ __align__(16) unsigned char memory[];
    pair_team_member<Stages>(p, g, memory).run();
}

}  // namespace heron::HERON_LEVEL::kron_cuda
