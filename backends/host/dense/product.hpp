#pragma once
// C := sum over terms of alpha*A*B + beta*C on packed panels, all of C or one triangle.
//
// The loops, outside in: panels of columns of C, terms, panels of the inner dimension. For each, the team
// packs a panel of B together; then each member takes blocks of rows, packs A for one and goes over its
// tiles. The panel of B stays in the last level cache, the block of A in a core's own, a sliver of B in its
// first level.
#include "pack.hpp"
#include "study.hpp"
#include "host/runtime/team.hpp"
#include <sched.h>

namespace heron::HERON_LEVEL::dense_host {

enum class part { all, lower, upper };

template <class CT, class SourceA, class SourceB>
struct product_term {
    SourceA a;  // lines: rows of op(A)
    SourceB b;  // lines: columns of op(B)
    CT alpha;
};

// C in column order, m x n.
template <class CT>
struct product_target {
    CT* c;
    int64_t ldc, m, n;
    CT beta;
    part stored = part::all;
    bool hermitian = false;  // imaginary parts of the diagonal are not read and become 0
    int left_out = 0;        // HERON_GEMM_WITHOUT_...

    bool packs() const { return (left_out & HERON_GEMM_WITHOUT_PACKING) == 0; }
    bool stores() const { return (left_out & HERON_GEMM_WITHOUT_STORES) == 0; }
};

inline int64_t divided_up(int64_t n, int64_t by) { return (n + by - 1) / by; }
inline int64_t rounded_up(int64_t n, int64_t to) { return divided_up(n, to) * to; }
inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

// [0, n) in equal panels of at most `largest`, a multiple of `unit` each but the last.
inline int64_t panel_size(int64_t n, int64_t largest, int64_t unit) {
    return rounded_up(divided_up(n, divided_up(n, largest)), unit);
}

// Where a team keeps its packed panels: one member's blocks of A, and a panel of B that all of them share.
template <class CT>
struct panels {
    CT* a;
    CT* b;
    int64_t a_size, b_size;  // bytes
};

// What one block of C needs to know about its place.
template <class CT>
struct block_of_c {
    const product_target<CT>& target;
    int64_t depth;
    CT alpha, beta;

    // Tiles of rows [row, row + rows) and columns [column, column + columns).
    void update(const CT* packed_a, int64_t row, int64_t rows, const CT* packed_b, int64_t column,
                int64_t columns) const {
        using T = tile<CT>;
        tile_kernel<CT>* const update_whole = find_tile_kernel<CT>(target.left_out);
        for (int64_t j = 0; j < columns; j += T::columns) {
            const CT* const b = packed_b + j * depth;
            const int64_t width = least(T::columns, columns - j);
            for (int64_t i = first_row(row, rows, column + j); i < rows; i += T::rows) {
                const int64_t height = least(T::rows, rows - i);
                if (target.stored == part::upper && row + i > column + j + width - 1) break;
                const CT* const a = packed_a + i * depth;
                CT* const c = target.c + row + i + (column + j) * target.ldc;
                if (height == T::rows && width == T::columns && is_inside(row + i, column + j))
                    update_whole(depth, a, b, alpha, beta, c, target.ldc);
                else
                    update_part(a, b, row + i, height, column + j, width);
            }
        }
    }

  private:
    // Tiles above the diagonal of a lower triangle are skipped.
    int64_t first_row(int64_t row, int64_t rows, int64_t column) const {
        if (target.stored != part::lower || column <= row) return 0;
        return least(rows, (column - row) / tile<CT>::rows * tile<CT>::rows);
    }

    // The whole tile is stored, without the diagonal.
    bool is_inside(int64_t row, int64_t column) const {
        if (target.stored == part::all) return true;
        return target.stored == part::lower ? row > column + tile<CT>::columns - 1
                                            : row + tile<CT>::rows - 1 < column;
    }

    [[gnu::noinline]] void update_part(const CT* a, const CT* b, int64_t row, int64_t height, int64_t column,
                                       int64_t width) const {
        using T = tile<CT>;
        alignas(64) CT t[T::rows * T::columns];
        multiply_tile(depth, a, b, t);
        for (int64_t j = 0; target.stores() && j < width; ++j) {
            const CT* const sums = t + j * T::rows;
            // Rows of this column that are stored.
            const int64_t diagonal = column + j - row;
            const int64_t begin = target.stored == part::lower ? most(diagonal, 0) : 0;
            const int64_t end = target.stored == part::upper ? least(diagonal + 1, height) : height;
            CT* const c = target.c + row + (column + j) * target.ldc;
            const bool has_diagonal = target.hermitian && diagonal >= begin && diagonal < end;
            const CT old = has_diagonal ? real_part(c[diagonal]) : CT{};
            update_line(c + begin, sums + begin, end - begin);
            if (has_diagonal) {
                CT value = old;
                update_line(&value, sums + diagonal, 1);
                c[diagonal] = real_part(value);
            }
        }
    }

    void update_line(CT* c, const CT* sums, int64_t count) const {
        if (equal(beta, CT{}))
            for (int64_t i = 0; i < count; ++i) c[i] = mul(alpha, sums[i]);
        else if (equal(beta, one<CT>()))
            for (int64_t i = 0; i < count; ++i) c[i] = mad(alpha, sums[i], c[i]);
        else
            for (int64_t i = 0; i < count; ++i) c[i] = mad(beta, c[i], mul(alpha, sums[i]));
    }
};

inline void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// What the members of a team share. Blocks are taken by whoever is free; there are two counters, for the
// panel that is worked on and for the next.
class schedule {
  public:
    int64_t take(int phase) { return __atomic_fetch_add(&next_[phase % 2], 1, __ATOMIC_RELAXED); }
    void reset(int phase) { next_[phase % 2] = 0; }

    // Returns when all members are here. Where the cores are not ours alone, the member that everybody waits
    // for needs one of them: after a while the others give theirs away, which OpenMP's barrier is slow to do.
    void wait(int team) {
        if (team == 1) return;
        const int round = __atomic_load_n(&round_, __ATOMIC_ACQUIRE);
        if (__atomic_add_fetch(&arrived_, 1, __ATOMIC_ACQ_REL) == team) {
            __atomic_store_n(&arrived_, 0, __ATOMIC_RELAXED);
            __atomic_store_n(&round_, round + 1, __ATOMIC_RELEASE);
            return;
        }
        constexpr int patience = 5000;
        for (int n = 0; __atomic_load_n(&round_, __ATOMIC_ACQUIRE) == round; ++n)
            if (n < patience)
                relax();
            else
                sched_yield();
    }

  private:
    int64_t next_[2] = {0, 0};
    int arrived_ = 0;
    int round_ = 0;
};

// One member's share of a product with k > 0. Every member of the team calls it with the same arguments but
// `member` and `memory.a`.
template <class CT, class SourceA, class SourceB>
class blocked_product {
  public:
    using term = product_term<CT, SourceA, SourceB>;

    blocked_product(const product_target<CT>& target, int64_t k, const term* terms, int count, int member,
                    int team, const panels<CT>& memory, schedule& shared)
        : target_(target),
          k_(k),
          terms_(terms),
          count_(count),
          member_(member),
          team_(team),
          memory_(memory),
          shared_(shared) {}

    void run() {
        int phase = 0;
        for (int64_t column = 0; column < target_.n; column += width_)
            for (int t = 0; t < count_; ++t)
                for (int64_t begin = 0; begin < k_; begin += depth_) {
                    const bool is_first = t == 0 && begin == 0;
                    panel(terms_[t], column, least(width_, target_.n - column), begin,
                          least(depth_, k_ - begin), is_first ? target_.beta : one<CT>(), phase++);
                }
    }

  private:
    using T = tile<CT>;
    static constexpr int64_t size = sizeof(CT);
    // Half of a first level cache of 32 KiB for a sliver of B.
    static constexpr int64_t deepest = 16384 / (T::columns * size) / 8 * 8;

    void panel(const term& t, int64_t column, int64_t columns, int64_t begin, int64_t depth, CT beta,
               int phase) {
        const int64_t slivers = divided_up(columns, T::columns);
        const range mine = equal_part(slivers, member_, team_);
        for (int64_t s = mine.begin; target_.packs() && s < mine.end; ++s) {
            const int64_t j = s * T::columns;
            t.b.template pack<T::columns>(column + j, least(T::columns, columns - j), begin, depth,
                                          memory_.b + j * depth);
        }
        shared_.wait(team_);
        if (member_ == 0) shared_.reset(phase + 1);
        blocks(t, column, columns, begin, depth, beta, phase);
        shared_.wait(team_);
    }

    void blocks(const term& t, int64_t column, int64_t columns, int64_t begin, int64_t depth, CT beta,
                int phase) {
        const int64_t first = target_.stored == part::lower ? column / T::rows * T::rows : 0;
        const int64_t last = target_.stored == part::upper ? least(target_.m, column + columns) : target_.m;
        const int64_t tallest = most(memory_.a_size / (depth * size) / T::rows * T::rows, T::rows);
        const int64_t wanted = team_ == 1 ? last - first : divided_up(last - first, 3 * team_);
        const int64_t height = rounded_up(least(wanted, tallest), T::rows) > tallest
                                   ? tallest
                                   : rounded_up(least(wanted, tallest), T::rows);
        const int64_t row_blocks = divided_up(last - first, height);
        // Few rows: the columns are shared too, and A is packed for each share.
        const int64_t shares = team_ == 1 || row_blocks >= 2 * team_ ? 1 : divided_up(2 * team_, row_blocks);
        const int64_t share = rounded_up(divided_up(columns, shares), T::columns);
        const block_of_c<CT> block{target_, depth, t.alpha, beta};
        for (int64_t unit = shared_.take(phase); unit < row_blocks * shares; unit = shared_.take(phase)) {
            const int64_t row = first + unit / shares * height;
            const int64_t rows = least(height, last - row);
            const int64_t j = unit % shares * share;
            if (j >= columns) continue;
            for (int64_t i = 0; target_.packs() && i < rows; i += T::rows)
                t.a.template pack<T::rows>(row + i, least(T::rows, rows - i), begin, depth,
                                           memory_.a + i * depth);
            block.update(memory_.a, row, rows, memory_.b + j * depth, column + j, least(share, columns - j));
        }
    }

    const product_target<CT>& target_;
    int64_t k_;
    const term* terms_;
    int count_, member_, team_;
    const panels<CT>& memory_;
    schedule& shared_;
    int64_t depth_ = panel_size(k_, deepest, 4);
    int64_t width_ =
        panel_size(target_.n, memory_.b_size / (depth_ * size) / T::columns * T::columns, T::columns);
};

// C := beta*C on what is stored.
template <class CT>
void scale(const product_target<CT>& t) {
    for (int64_t j = 0; j < t.n; ++j) {
        const int64_t begin = t.stored == part::lower ? j : 0;
        const int64_t end = t.stored == part::upper ? least(j + 1, t.m) : t.m;
        CT* const c = t.c + j * t.ldc;
        const bool has_diagonal = t.hermitian && j >= begin && j < end;
        const CT old = has_diagonal ? real_part(c[j]) : CT{};
        for (int64_t i = begin; i < end; ++i) c[i] = equal(t.beta, CT{}) ? CT{} : mul(t.beta, c[i]);
        if (has_diagonal) c[j] = equal(t.beta, CT{}) ? CT{} : real_part(mul(t.beta, old));
    }
}

// Products that take less are not worth waking a team for.
inline constexpr double smallest_parallel_product = 4e5;

template <class CT>
double product_work(int64_t m, int64_t n, int64_t k) {
    constexpr int parts = parts_of<CT>::count;
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) * parts * parts;
}

inline int product_team(const host_device& device, double work) {
    const int threads = least(device.threads(), device.packing().threads());
    return work < smallest_parallel_product ? 1 : least(threads, largest_team);
}

// The whole product by the team that it is worth. k > 0.
template <class CT, class SourceA, class SourceB>
void multiply(const host_device& device, const product_target<CT>& target, int64_t k,
              const product_term<CT, SourceA, SourceB>* terms, int count) {
    const host::packing_memory& packing = device.packing();
    schedule shared;
    run_team(product_team(device, product_work<CT>(target.m, target.n, k)), [&](int member, int team) {
        const panels<CT> memory{static_cast<CT*>(packing.own(member)), static_cast<CT*>(packing.shared()),
                                host::packing_memory::own_bytes, host::packing_memory::shared_bytes};
        blocked_product<CT, SourceA, SourceB>(target, k, terms, count, member, team, memory, shared).run();
    });
}

// The same by one thread.
template <class CT, class SourceA, class SourceB>
void multiply_alone(const product_target<CT>& target, int64_t k,
                    const product_term<CT, SourceA, SourceB>& term, const panels<CT>& memory) {
    schedule shared;
    blocked_product<CT, SourceA, SourceB>(target, k, &term, 1, 0, 1, memory, shared).run();
}

template <class CT>
using strided_term = product_term<CT, strided_source<CT>, strided_source<CT>>;

}  // namespace heron::HERON_LEVEL::dense_host
