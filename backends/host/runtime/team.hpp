#pragma once
// How the host's tuned kernels share their work between threads.
#include "device.hpp"

namespace heron::HERON_LEVEL {

// Bounds the records that a team keeps on the stack.
inline constexpr int largest_team = 512;

// Below this many elements waking a team costs more than it gains.
inline constexpr int64_t smallest_parallel_work = 20000;

// The team for so many elements: one thread or all of them, because OpenMP runtimes end the threads that a
// smaller team does not need.
inline int team_for(const host_device& device, int64_t work) {
    if (work < smallest_parallel_work) return 1;
    return device.threads() < largest_team ? device.threads() : largest_team;
}

using team_work = void (*)(void* self, int member, int members);

// Apart from what the team does, so that the compiler sees that once and not once for one thread and once for
// several.
[[gnu::noinline]] inline void run_team(int team, team_work work, void* self) {
    if (team == 1) return work(self, 0, 1);
#pragma omp parallel num_threads(team)
    work(self, omp_get_thread_num(), omp_get_num_threads());
}

// Runs f(member, team) on every member; does not wait between members.
template <class F>
void run_team(int team, const F& f) {
    run_team(
        team, [](void* self, int member, int members) { (*static_cast<const F*>(self))(member, members); },
        const_cast<F*>(&f));
}

using part_work = void (*)(const void* self, int part, int parts);

[[gnu::noinline]] inline void share_parts(int team, int pieces, part_work work, const void* self) {
    struct alignas(64) counter {
        int next;
    };
    counter taken[largest_team];
    for (int i = 0; i < team; ++i) taken[i].next = 0;
    run_team(team, [&](int member, int) {
        for (int i = 0; i < team; ++i) {
            const int owner = (member + i) % team;
            for (int piece; (piece = __atomic_fetch_add(&taken[owner].next, 1, __ATOMIC_RELAXED)) < pieces;)
                work(self, owner * pieces + piece, team * pieces);
        }
    });
}

// Runs f(part, parts) for each of team*pieces parts. A member has `pieces` parts that follow each other; when
// it is done with them it does what others have left, so that a thread that the machine keeps waiting does
// not make all wait. One part is done without counting, which takes longer than many a small matrix.
template <class F>
void share_parts(int team, int pieces, const F& f) {
    struct shared {
        [[gnu::noinline]] static void work(const void* self, int part, int parts) {
            (*static_cast<const F*>(self))(part, parts);
        }
    };
    team* pieces == 1 ? shared::work(&f, 0, 1) : share_parts(team, pieces, &shared::work, &f);
}

struct range {
    int64_t begin, end;
};

// Part number `part` of [0, n) in equal parts.
inline range equal_part(int64_t n, int part, int parts) { return {n * part / parts, n * (part + 1) / parts}; }

// Where a part of a matrix begins: at element `element`, which is the first of row `row` unless the row is
// split.
struct cut {
    int64_t row, element;
};

// Offsets of either width, which is a value and not a type: a type would double the code.
class offset_array {
  public:
    offset_array(const void* offsets, heron_index_type type)
        : offsets_(offsets), wide_(type == HERON_INDEX_64) {}
    int64_t operator[](int64_t i) const {
        return wide_ ? as<const i64>(offsets_)[i] : as<const i32>(offsets_)[i];
    }

    // Calls f with the offsets as what they are, for a loop that is worth two copies.
    template <class F>
    void visit(F&& f) const {
        wide_ ? f(as<const i64>(offsets_)) : f(as<const i32>(offsets_));
    }

  private:
    const void* offsets_;
    bool wide_;
};

// Cuts rows (or slices, or block rows) into parts of equal work by the merge-path rule (Merrill and Garland,
// "Merge-based parallel sparse matrix-vector multiplication", SC 2016): a row costs its elements plus
// row_cost. Only a row that is long compared with a part is split, so results seldom depend on the number of
// parts.
class row_cutter {
  public:
    // Element k of the arrays belongs to row i when offsets[i] - first <= k < offsets[i + 1] - first.
    row_cutter(offset_array offsets, int64_t first, int64_t rows, int64_t row_cost, bool splits, int parts)
        : offsets_(offsets),
          first_(first),
          rows_(rows),
          row_cost_(row_cost),
          parts_(parts),
          splits_(splits) {}

    // Monotone in part; cut 0 is the beginning and cut `parts` the end. These take no division.
    cut find(int part) const {
        if (part == 0 || part == parts_) return whole(part == 0 ? 0 : rows_);
        const int64_t work = position(rows_) - position(0);
        const int64_t target = position(0) + work / parts_ * part + work % parts_ * part / parts_;
        const int64_t row = last_row_at(target);
        if (row == rows_) return whole(rows_);
        const int64_t into = target - position(row);
        const int64_t length = element(row + 1) - element(row);
        if (splits_ && into < length && length > longest_whole(work)) return {row, element(row) + into};
        return whole(2 * into < length + row_cost_ ? row : row + 1);
    }

    int64_t element(int64_t row) const { return offsets_[row] - first_; }

  private:
    cut whole(int64_t row) const { return {row, element(row)}; }
    int64_t position(int64_t row) const { return element(row) + row * row_cost_; }
    int64_t longest_whole(int64_t work) const {
        constexpr int64_t shortest_split = 4096;
        const int64_t sixteenth = work / parts_ / 16;
        return sixteenth > shortest_split ? sixteenth : shortest_split;
    }

    int64_t last_row_at(int64_t target) const {
        int64_t low = 0;
        int64_t high = rows_;
        while (low < high) {
            const int64_t middle = low + (high - low + 1) / 2;
            if (position(middle) <= target)
                low = middle;
            else
                high = middle - 1;
        }
        return low;
    }

    offset_array offsets_;
    int64_t first_, rows_, row_cost_;
    int parts_;
    bool splits_;
};

}  // namespace heron::HERON_LEVEL
