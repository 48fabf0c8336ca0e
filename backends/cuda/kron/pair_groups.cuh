#pragma once
// Groups of items that take two passes. A team of blocks, as many as an item has tasks, goes through a slice
// of the items. For every item a block has one task of the last modes, whose results the team exchanges
// through slots in the second-level cache, and one of the first modes, whose results it adds up on chip:
// outputs are met once a group and slice. A multiprocessor has blocks of several teams, some of which compute
// while others wait for memory or their team; all blocks must be at work at a time. The last modes of the
// next item come before the first modes of one, so that its results are there when they are needed.
#include "groups.cuh"
#include "pair.cuh"

namespace heron::HERON_LEVEL::kron_cuda {

// The sums of results of first modes, on chip.
template <class Stages>
class pair_sums {
    using CT = typename Stages::CT;

  public:
    static constexpr int shared_bytes = Stages::run_room * static_cast<int>(sizeof(CT));

    explicit __device__ pair_sums(unsigned char* memory) : sums_(reinterpret_cast<CT*>(memory)) {}

    __device__ void add(const pair_block<Stages>& block) {
        block.add_first_modes(sums_, is_empty_);
        is_empty_ = false;
    }

    // These are for who has met the block since the last addition.
    __device__ void store(CT* slot) {
        Stages::store(sums_, slot);
        is_empty_ = true;
    }
    __device__ void put(const pair_output<CT>& output) {
        Stages::put(sums_, output);
        is_empty_ = true;
    }

  private:
    CT* const sums_;
    bool is_empty_ = true;
};

// A block's way through the items of its team's slice.
template <class Stages>
class pair_team_member {
    using CT = typename Stages::CT;
    static constexpr int tasks = Stages::shape::tasks;

  public:
    // Items of a team that are stored and have not been read: more would not stay in the second-level cache.
    static constexpr int slots = 2;
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
        int64_t end_of_group = begin_;
        bool is_own = g_.slices == 1 || walk.begins_at(begin_);
        if (tells()) g_.owners[slice_] = 0;
        if (equal(p_.first.alpha.get(), CT{})) return;
        // Where items are is read long before it is needed.
        int64_t item = 0, next = item_at(begin_), after = item_at(begin_ + 1);
        for (int64_t position = begin_ - 1; position < end_; ++position) {
            if (position + 1 < end_) store_last_modes(next, position + 1);
            if (position + 2 < end_) block_.prefetch_input(task(after, position + 2, 0));
            if (position >= begin_) {
                if (position >= end_of_group) {
                    walk.move_to(position);
                    if (walk.is_over()) break;
                    end_of_group = walk.end();
                }
                add_first_modes(item, position);
                if (end_of_group == position + 1 || position + 1 == end_) {
                    flush(walk.template output<CT>(p_.first.out, position), is_own);
                    is_own = true;
                }
            }
            item = next;
            next = after;
            after = item_at(position + 3);
        }
    }

  private:
    __device__ bool tells() const { return part_ == 0 && block_.leads(); }

    __device__ int64_t item_at(int64_t position) const {
        return position < end_ ? kernels::kron_entry(g_.items, g_.items_are_wide, position) : 0;
    }

    __device__ int slot_of(int64_t position) const { return static_cast<int>((position - begin_) % slots); }
    // Items before that had the same slot.
    __device__ int64_t round_of(int64_t position) const { return (position - begin_) / slots; }

    __device__ pair_task task(int64_t item, int64_t position, int is_first) const {
        return {item, slice_ * slots + slot_of(position), is_first, part_};
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

    __device__ void store_last_modes(int64_t item, int64_t position) const {
        const pair_task t = task(item, position, 0);
        fetch(t);
        // The slot's earlier item has been read.
        wait_for(read_ + slot_of(position), round_of(position));
        __syncthreads();
        block_.work(t);
        __syncthreads();
        if (block_.leads()) count_up(stored_ + slot_of(position));
    }

    __device__ void add_first_modes(int64_t item, int64_t position) {
        wait_for(stored_ + slot_of(position), round_of(position) + 1);
        __syncthreads();
        fetch(task(item, position, 1));
        __syncthreads();
        if (block_.leads()) count_up(read_ + slot_of(position));
        sums_.add(block_);
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
