#pragma once
// How threads share the rows of one right-hand side: blocks of rows are drawn in an order in which a block
// comes after all that it needs, and a thread waits for those. Either blocks of neighbouring rows, which
// stream through the matrix and wait for single blocks (after Park et al., "Sparsifying synchronization for
// high-performance shared-memory sparse triangular solver", ISC 2014), or parts of levels, which wait for the
// level before.
#include "rows.hpp"
#include <sched.h>

namespace heron::HERON_LEVEL {

// How long threads wait for each other. Where they do not run at the same time, because the machine has other
// work, a solve by one thread alone is much faster than one that is shared.
class waiting_room {
  public:
    // Until the flag has this value. Lets others run after a while.
    void await(const unsigned& flag, unsigned value) {
        constexpr int patience = 200;
        double start = 0;
        for (int turn = 1; __atomic_load_n(&flag, __ATOMIC_ACQUIRE) != value; ++turn) {
            if (turn % patience != 0) continue;
            if (start == 0) start = omp_get_wtime();
            sched_yield();
        }
        if (start != 0) has_waited_since(start);
    }
    // A thread that has had nothing to do from this time until now.
    void has_waited_since(double start) {
        constexpr double long_wait = 2e-4;
        if (omp_get_wtime() - start > long_wait) __atomic_store_n(&was_long_, true, __ATOMIC_RELAXED);
    }

    // Before each solve: whether it should be shared. After a long wait some are not, nor is one while
    // another thread's solve with the same plan is.
    bool enter() {
        if (__atomic_exchange_n(&is_taken_, true, __ATOMIC_ACQUIRE)) return false;
        const bool is_open = opens();
        if (!is_open) leave();
        return is_open;
    }
    void leave() { __atomic_store_n(&is_taken_, false, __ATOMIC_RELEASE); }

  private:
    bool opens() {
        constexpr int solves_alone = 64;
        if (was_long_) closed_for_ = solves_alone;
        was_long_ = false;
        return closed_for_ == 0 || --closed_for_ == 0;
    }

    bool is_taken_ = false;
    bool was_long_ = false;
    int closed_for_ = 0;
};

inline void mark_done(unsigned& flag, unsigned stamp) { __atomic_store_n(&flag, stamp, __ATOMIC_RELEASE); }

class block_schedule {
  public:
    // Cuts the rows into blocks and finds out which blocks need which.
    template <class OT, class IT>
    [[gnu::noinline]] block_schedule(const triangle_pattern<OT, IT>& rows, int64_t rows_per_block)
        : n_(rows.n),
          rows_per_block_(rows_per_block),
          count_((rows.n + rows_per_block - 1) / rows_per_block) {
        host_array<int64_t> level(count_), finish(count_);
        begin_ = host_array<int64_t>(count_ + 1, 0);
        needed_ = host_array<int32_t>(most_needed * count_);
        host_array<int32_t> seen(count_, -1);
        int64_t levels = 0;
        int64_t total = 0;
        int64_t longest = 0;
        for (int64_t block = 0; block < count_; ++block) {
            begin_[block + 1] = begin_[block];
            const int64_t work = find_needed(rows, block, seen);
            if (work < 0) return;
            level[block] = 0;
            finish[block] = 0;
            for (int64_t k = begin_[block]; k < begin_[block + 1]; ++k) {
                if (level[needed_[k]] >= level[block]) level[block] = level[needed_[k]] + 1;
                if (finish[needed_[k]] > finish[block]) finish[block] = finish[needed_[k]];
            }
            finish[block] += work;
            total += work;
            if (finish[block] > longest) longest = finish[block];
            if (level[block] >= levels) levels = level[block] + 1;
        }
        speed_up_ = static_cast<double>(total) / static_cast<double>(longest > 0 ? longest : 1);
        sort_blocks(level, levels);
    }

    // By how much the solve can be faster than on one thread; 0 if the blocks need too many others.
    double speed_up() const { return speed_up_; }

    void start() {
        next_ = 0;
        ++stamp_;
    }

    // Every thread of the team calls it: solve(places) for its share of the places.
    template <class F>
    void run(F&& solve) {
        for (int64_t turn; (turn = __atomic_fetch_add(&next_, 1, __ATOMIC_RELAXED)) < count_;) {
            const int64_t block = order_[turn];
            for (int64_t k = begin_[block]; k < begin_[block + 1]; ++k) room.await(done_[needed_[k]], stamp_);
            const int64_t first = block * rows_per_block_;
            const int64_t last = first + rows_per_block_ < n_ ? first + rows_per_block_ : n_;
            solve(range{first, last});
            mark_done(done_[block], stamp_);
        }
    }

    waiting_room room;

  private:
    static constexpr int64_t most_needed = 16;

    // Returns the work of the block, or -1 if it needs too many.
    template <class OT, class IT>
    int64_t find_needed(const triangle_pattern<OT, IT>& rows, int64_t block, host_array<int32_t>& seen) {
        int64_t work = 0;
        const int64_t first = block * rows_per_block_;
        const int64_t last = first + rows_per_block_ < rows.n ? first + rows_per_block_ : rows.n;
        for (int64_t place = first; place < last; ++place) {
            const int64_t row = rows.row_at(place);
            work += rows.begin(row + 1) - rows.begin(row) + 4;
            for (int64_t k = rows.begin(row); k < rows.begin(row + 1); ++k) {
                const int64_t column = rows.columns[k] - rows.base;
                if (!rows.needs(row, column)) continue;
                const int64_t other = rows.place_of(column) / rows_per_block_;
                if (other == block || seen[other] == block) continue;
                if (begin_[block + 1] == most_needed * count_) return -1;
                seen[other] = static_cast<int32_t>(block);
                needed_[begin_[block + 1]++] = static_cast<int32_t>(other);
            }
        }
        return work;
    }

    void sort_blocks(const host_array<int64_t>& level, int64_t levels) {
        host_array<int64_t> next(levels + 1, 0);
        for (int64_t block = 0; block < count_; ++block) ++next[level[block] + 1];
        for (int64_t l = 0; l < levels; ++l) next[l + 1] += next[l];
        order_ = host_array<int32_t>(count_);
        for (int64_t block = 0; block < count_; ++block)
            order_[next[level[block]]++] = static_cast<int32_t>(block);
        done_ = host_array<unsigned>(count_, 0u);
    }

    int64_t n_, rows_per_block_, count_;
    double speed_up_ = 0;
    host_array<int64_t> begin_;
    host_array<int32_t> needed_, order_;
    host_array<unsigned> done_;
    int64_t next_ = 0;
    unsigned stamp_ = 0;
};

// Levels in parts of rows. The order of the rows lies elsewhere.
class level_schedule {
  public:
    level_schedule() = default;
    level_schedule(const host_array<int64_t>& starts, int64_t levels) {
        constexpr int64_t rows_per_part = 256;
        int64_t parts = 0;
        for (int64_t l = 0; l < levels; ++l)
            parts += (starts[l + 1] - starts[l] + rows_per_part - 1) / rows_per_part;
        parts_ = host_array<part>(parts);
        left_ = host_array<unsigned>(levels);
        size_ = host_array<unsigned>(levels);
        for (int64_t l = 0; l < levels; ++l) {
            size_[l] = 0;
            for (int64_t first = starts[l]; first < starts[l + 1]; first += rows_per_part, ++size_[l]) {
                const int64_t last =
                    first + rows_per_part < starts[l + 1] ? first + rows_per_part : starts[l + 1];
                parts_[count_++] = {first, last, l};
            }
        }
    }

    void start() {
        next_ = 0;
        for (int64_t l = 0; l < left_.size(); ++l) left_[l] = size_[l];
    }

    template <class F>
    void run(F&& solve) {
        for (int64_t turn; (turn = __atomic_fetch_add(&next_, 1, __ATOMIC_RELAXED)) < count_;) {
            const part& own = parts_[turn];
            if (own.level > 0) room.await(left_[own.level - 1], 0);
            solve(range{own.first, own.last});
            __atomic_fetch_sub(&left_[own.level], 1, __ATOMIC_ACQ_REL);
        }
    }

    waiting_room room;

  private:
    struct part {
        int64_t first, last, level;
    };
    host_array<part> parts_;
    host_array<unsigned> left_, size_;  // parts of each level: not yet solved, and all
    int64_t count_ = 0;
    int64_t next_ = 0;
};

}  // namespace heron::HERON_LEVEL
