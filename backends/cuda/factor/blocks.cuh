#pragma once
// The factorisation of a BSR matrix in one launch. A warp has a row of blocks, which it keeps in shared
// memory if that has room; it waits for the rows that it needs by their flags, which hold the stamp of the
// launch (trisolve/sync.cuh). Beside its factor a row hands over the reciprocals of its pivots.
#include "rows.cuh"

namespace heron::HERON_LEVEL {

constexpr int block_warps = 4;
constexpr int kept_bytes = 4096;    // of a row of blocks
constexpr int pivots_bytes = 1024;  // of another row's diagonal block

static __device__ inline unsigned load_acquire(const unsigned* p) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}

// A row or column of a block that one lane changes: in registers where the block's size is known, else in
// place.
template <class CT, int SIZE>
class block_line {
  public:
    __device__ block_line(CT* first, int step) : first_(first), step_(step) {
#pragma unroll
        for (int i = 0; i < SIZE; ++i) held_[i] = first[i * step];
    }
    __device__ ~block_line() {
#pragma unroll
        for (int i = 0; i < SIZE; ++i) first_[i * step_] = held_[i];
    }
    block_line(const block_line&) = delete;
    block_line& operator=(const block_line&) = delete;
    __device__ CT& operator[](int i) { return held_[i]; }

  private:
    CT* first_;
    int step_;
    CT held_[SIZE];
};
template <class CT>
class block_line<CT, 0> {
  public:
    __device__ block_line(CT* first, int step) : first_(first), step_(step) {}
    __device__ CT& operator[](int i) { return first_[i * step_]; }

  private:
    CT* first_;
    int step_;
};

// Of some blocks of a row: the rows that they wait for, and their first pairs.
struct awaited_blocks {
    static constexpr int most = 4;

    row_parts others[most];
    row_pair pairs[most][warp_size];
    int rows[most];  // -1: none
    int found[most];
};

// SIZE: rows of a block, or 0 if only the launch knows.
template <class CT, plans::factor_kind kind, int SIZE>
class row_of_blocks {
  public:
    // kept, pivots: shared memory of kept_bytes and of pivots_bytes.
    __device__ row_of_blocks(const factor_operands<CT>& o, plans::block_steps steps, CT* kept, CT* pivots,
                             awaited_blocks& awaited)
        : o_(o), steps_(steps), kept_(kept), kept_pivots_(pivots), awaited_(awaited) {}

    // What follows is by all lanes of a warp, in this order.
    __device__ void begin(int row) {
        know(row);
        keep(parts_.begin, is_lu ? parts_.end : parts_.diagonal + parts_.regular());
    }
    // Instead, of a row that is alone: for hand_over, and for work_out_late.
    __device__ void begin_handing_over(int row) {
        know(row);
        keep(parts_.begin + late(), parts_.end);
    }
    __device__ void begin_late(int row) {
        know(row);
        keep(parts_.begin, parts_.begin + late());
    }
    // Works out what other rows need, and hands it over.
    __device__ void hand_over(unsigned* flags, CT* reciprocals, unsigned stamp) {
        work_out(parts_.begin + late(), parts_.diagonal, flags, reciprocals, stamp);
        finish(reciprocals + int64_t{row_} * size());
        if (fits_) write_back(place_of(parts_.begin + late()), static_cast<int>(elements_));
        __syncwarp();
        if (lane() == 0) {
            __threadfence();
            store_relaxed(flags + row_, stamp);
        }
    }
    // Works out what may wait.
    __device__ void work_out_late(unsigned* flags, CT* reciprocals, unsigned stamp) {
        if (late() == 0) return;
        work_out(parts_.begin, parts_.begin + late(), flags, reciprocals, stamp);
        if (fits_) write_back(0, place_of(parts_.begin + late()));
    }

  private:
    static constexpr bool is_lu = kind == plans::factor_kind::lu;

    __device__ void know(int row) {
        row_ = row;
        parts_ = load_parts(o_.parts + row);
    }
    // The blocks [first, end) are all that will be touched: in shared memory if that has room for them.
    __device__ void keep(int first, int end) {
        first_ = first;
        elements_ = int64_t{end - first} * area();
        fits_ = elements_ * static_cast<int64_t>(sizeof(CT)) <= kept_bytes;
        own_ = fits_ ? kept_ : stored();
        if (fits_)
            for (int i = lane(); i < elements_; i += warp_size) kept_[i] = stored()[i];
        __syncwarp();
    }
    __device__ CT* stored() const { return o_.a + int64_t{first_} * area(); }
    // Of block k among them.
    __device__ int place_of(int k) const { return (k - first_) * area(); }
    // Blocks that nobody waits for.
    __device__ int late() const { return is_lu ? parts_.late() : 0; }

    // The blocks [first, end), which are before the diagonal.
    __device__ void work_out(int first, int end, unsigned* flags, CT* reciprocals, unsigned stamp) {
        for (; first < end; first += awaited_blocks::most) {
            look_ahead(first, end);
            const int count = min(awaited_blocks::most, end - first);
#pragma unroll 1
            for (int u = 0; u < count; ++u)
                if (const int j = awaited_.rows[u]; j >= 0)
                    eliminate(first + u, u, flags + j, reciprocals + int64_t{j} * size(), stamp);
        }
    }

    static __device__ int lane() { return static_cast<int>(threadIdx.x) % warp_size; }
    __device__ int size() const { return SIZE > 0 ? SIZE : steps_.size; }
    __device__ int area() const { return size() * size(); }
    __device__ int at(int r, int c) const { return r * steps_.row_step + c * steps_.column_step; }
    __device__ CT* own_block(int k) const { return own_ + int64_t{k - first_} * area(); }
    __device__ const CT* block(int k) const { return o_.a + int64_t{k} * area(); }

    // A lane's pair, of candidates from `first` on.
    __device__ row_pair pair_of(const row_meeting& meeting, int first) const {
        const int q = first + lane();
        return q < meeting.count() ? meeting.at(q, o_.columns, 0, o_.columns) : row_pair{};
    }
    // Puts the pairs of block u of those that are waited for together in shared memory. How many there are.
    __device__ int gather_pairs(const row_pair& pair, int u) {
        const unsigned found = __ballot_sync(all_lanes, pair.other >= 0);
        if (pair.other >= 0) awaited_.pairs[u][__popc(found & ((1u << lane()) - 1u))] = pair;
        __syncwarp();
        return __popc(found);
    }
    // Finds out about some blocks of the row, as long as nobody waits for it.
    __device__ void look_ahead(int first, int end) {
        constexpr int most = awaited_blocks::most;
        __syncwarp();
        if (lane() < most) {
            const int k = first + lane();
            const int j = k < end ? o_.columns[k] - o_.base : -1;
            const bool is_there = j >= 0 && j < row_;
            awaited_.rows[lane()] = is_there ? j : -1;
            awaited_.others[lane()] = is_there ? load_parts(o_.parts + j) : row_parts{};
        }
        __syncwarp();
        row_pair pairs[most];
#pragma unroll
        for (int u = 0; u < most; ++u)
            if (awaited_.rows[u] >= 0 && !parts_.alone())
                pairs[u] = pair_of(meeting_of<kind>(parts_, first + u, awaited_.others[u]), 0);
#pragma unroll
        for (int u = 0; u < most; ++u) {
            const int found = gather_pairs(pairs[u], u);
            if (lane() == 0) awaited_.found[u] = found;
        }
        __syncwarp();
    }

    __device__ void await(const unsigned* flag, unsigned stamp) {
        if (lane() == 0) {
            unsigned nap = 0;
            while (load_acquire(flag) != stamp) {
                nap = min(nap + 16, 64u);
                __nanosleep(nap);
            }
        }
        __syncwarp();
    }

    // Block k of the row, the u-th of those that are waited for, with what the row of its column has handed
    // over.
    __device__ void eliminate(int k, int u, const unsigned* flag, const CT* reciprocals, unsigned stamp) {
        const row_parts other = awaited_.others[u];
        const row_meeting meeting = meeting_of<kind>(parts_, k, other);
        int found = awaited_.found[u];
        const row_pair* const pairs = awaited_.pairs[u];
        await(flag, stamp);
        if constexpr (is_lu) divide(k, other, reciprocals);
        for (int first = 0; first < meeting.count() && !parts_.alone();) {
            is_lu ? subtract_products(k, pairs, found) : subtract_from(k, pairs, found);
            first += warp_size;
            if (first < meeting.count()) found = gather_pairs(pair_of(meeting, first), u);
        }
        if constexpr (!is_lu) divide(k, other, reciprocals);
    }

    // The diagonal block of another row: in shared memory, with the reciprocals in the place of the pivots,
    // if that has room.
    __device__ const CT* pivots_of(const row_parts& other, const CT* reciprocals) {
        const CT* const stored = block(other.diagonal);
        if (area() * static_cast<int>(sizeof(CT)) > pivots_bytes) return stored;
        for (int i = lane(); i < area(); i += warp_size)
            kept_pivots_[i] = i % (size() + 1) == 0 ? reciprocals[i / (size() + 1)] : stored[i];
        __syncwarp();
        return kept_pivots_;
    }

    // X := X * U^-1 or X * L^-H for block k and the diagonal block of another row. A lane has a row of X.
    __device__ void divide(int k, const row_parts& other, const CT* reciprocals) {
        CT* const x = own_block(k);
        const CT* const pivots = other.regular() ? pivots_of(other, reciprocals) : nullptr;
        for (int r = lane(); r < size(); r += warp_size) {
            block_line<CT, SIZE> line(x + at(r, 0), steps_.column_step);
#pragma unroll
            for (int c = 0; c < size(); ++c) {
                const CT quotient = mul(line[c], pivots == kept_pivots_ ? pivots[at(c, c)] : reciprocals[c]);
                line[c] = quotient;
#pragma unroll
                for (int t = c + 1; t < size(); ++t)
                    if (pivots)
                        line[t] =
                            sub(line[t], mul(quotient, is_lu ? pivots[at(c, t)] : conj(pivots[at(t, c)])));
            }
        }
        __syncwarp();
    }

    // Each of the pairs' own blocks := itself - block k * the other row's block.
    __device__ void subtract_products(int k, const row_pair* pairs, int found) {
        const CT* const x = own_block(k);
        for (int i = lane(); i < found * area(); i += warp_size) {
            const row_pair pair = pairs[i / area()];
            const int r = i % area() / size();
            const int c = i % size();
            const CT* const z = block(pair.other);
            CT sum{};
            for (int t = 0; t < size(); ++t) sum = mad(x[at(r, t)], z[at(t, c)], sum);
            CT& y = own_block(pair.own)[at(r, c)];
            y = sub(y, sum);
        }
        __syncwarp();
    }

    // Block k := itself - the sum of the pairs' products.
    __device__ void subtract_from(int k, const row_pair* pairs, int found) {
        CT* const y = own_block(k);
        for (int i = lane(); i < area(); i += warp_size) {
            const int r = i / size();
            const int c = i % size();
            CT sum{};
            for (int p = 0; p < found; ++p) {
                const CT* const x = own_block(pairs[p].own);
                const CT* const z = block(pairs[p].other);
                for (int t = 0; t < size(); ++t) sum = mad(x[at(r, t)], conj(z[at(c, t)]), sum);
            }
            y[at(r, c)] = sub(y[at(r, c)], sum);
        }
        __syncwarp();
    }

    // The diagonal block and what depends on it in the row.
    __device__ void finish(CT* reciprocals) {
        if (!parts_.regular()) {
            if (lane() == 0) o_.report_zero(row_);
            for (int t = lane(); t < size(); t += warp_size) reciprocals[t] = divide(one<CT>(), CT{});
            return;
        }
        if constexpr (!is_lu) subtract_squares();
        for (int t = 0; t < size(); ++t) {
            const CT reciprocal = take_pivot(t);
            if (lane() == 0) reciprocals[t] = reciprocal;
            is_lu ? eliminate_lower(t, reciprocal) : eliminate_hermitian(t, reciprocal);
        }
        if constexpr (is_lu) substitute();
    }

    // The diagonal block's lower triangle := itself - the sum of X * X^H over the blocks before it.
    __device__ void subtract_squares() {
        CT* const d = own_block(parts_.diagonal);
        for (int i = lane(); i < area(); i += warp_size) {
            const int r = i / size();
            const int c = i % size();
            if (c > r) continue;
            CT sum{};
            for (int k = parts_.begin; k < parts_.diagonal; ++k) {
                const CT* const x = own_block(k);
                for (int t = 0; t < size(); ++t) sum = mad(x[at(r, t)], conj(x[at(c, t)]), sum);
            }
            d[at(r, c)] = sub(d[at(r, c)], sum);
        }
        __syncwarp();
    }

    // Pivot t of the diagonal block. Its reciprocal.
    __device__ CT take_pivot(int t) {
        CT& place = own_block(parts_.diagonal)[at(t, t)];
        CT pivot = place;
        bool is_zero = false;
        if constexpr (is_lu) {
            pivot = o_.boosted(pivot);
            is_zero = equal(pivot, CT{});
        } else {
            pivot = real_part(pivot);
            is_zero = not_above(pivot, CT{});
            pivot = square_root(pivot);
        }
        __syncwarp();
        if (lane() == 0) {
            place = pivot;
            if (is_zero) o_.report_zero(row_);
        }
        return divide(one<CT>(), pivot);
    }

    // Takes row t of the diagonal block from those below it.
    __device__ void eliminate_lower(int t, CT reciprocal) {
        CT* const d = own_block(parts_.diagonal);
        for (int r = t + 1 + lane(); r < size(); r += warp_size) d[at(r, t)] = mul(d[at(r, t)], reciprocal);
        __syncwarp();
        for (int i = lane(); i < area(); i += warp_size) {
            const int r = i / size();
            const int c = i % size();
            if (r > t && c > t) d[at(r, c)] = sub(d[at(r, c)], mul(d[at(r, t)], d[at(t, c)]));
        }
        __syncwarp();
    }

    // X := L^-1 * X for all blocks after the diagonal one. A lane has a column.
    __device__ void substitute() {
        const CT* const d = own_block(parts_.diagonal);
        const int width = (parts_.end - parts_.diagonal - 1) * size();
        for (int i = lane(); i < width; i += warp_size) {
            CT* const x = own_block(parts_.diagonal + 1 + i / size());
            block_line<CT, SIZE> line(x + at(0, i % size()), steps_.row_step);
#pragma unroll
            for (int t = 0; t < size(); ++t)
#pragma unroll
                for (int r = t + 1; r < size(); ++r) line[r] = sub(line[r], mul(d[at(r, t)], line[t]));
        }
        __syncwarp();
    }

    // The same of the lower triangle of a Hermitian block.
    __device__ void eliminate_hermitian(int t, CT reciprocal) {
        CT* const d = own_block(parts_.diagonal);
        for (int r = t + 1 + lane(); r < size(); r += warp_size) d[at(r, t)] = mul(d[at(r, t)], reciprocal);
        __syncwarp();
        for (int i = lane(); i < area(); i += warp_size) {
            const int r = i / size();
            const int c = i % size();
            if (c > t && c <= r) d[at(r, c)] = sub(d[at(r, c)], mul(d[at(r, t)], conj(d[at(c, t)])));
        }
        __syncwarp();
    }

    // What the factorisation may write of the elements [first, end) of the row: for Cholesky no block after
    // the diagonal, nor the upper triangle of that.
    __device__ void write_back(int first, int end) {
        CT* const stored = this->stored();
        __syncwarp();
        const int whole = is_lu ? end : parts_.before_diagonal() * area();
        for (int i = first + lane(); i < whole; i += warp_size) stored[i] = kept_[i];
        if constexpr (!is_lu)
            for (int i = lane(); i < parts_.regular() * area(); i += warp_size) {
                const int place = whole + at(i / size(), i % size());
                if (i / size() >= i % size()) stored[place] = kept_[place];
            }
    }

    static __device__ CT divide(CT a, CT b) { return heron::HERON_LEVEL::divide(a, b); }

    const factor_operands<CT>& o_;
    plans::block_steps steps_;
    CT* kept_;
    CT* kept_pivots_;
    awaited_blocks& awaited_;
    int row_ = 0;
    row_parts parts_{};
    int first_ = 0;  // of the blocks that are kept
    int64_t elements_ = 0;
    bool fits_ = false;
    CT* own_ = nullptr;
};

// What all warps of a launch know.
template <class CT>
struct block_launch {
    factor_operands<CT> o;
    plans::block_steps steps;
    row_order order;
    solve_control* control;
    unsigned* flags;
    CT* reciprocals;
    bool has_posted_alone;  // as in sweep.cuh

    __device__ int first_place() const { return has_posted_alone ? order.alone() : 0; }
    __device__ int row_at(int place) const { return order.is_ordered() ? order.records[place].row : place; }
};

// Calls f(row, its number) for the row of blocks at a place, by all lanes of a warp.
template <class CT, plans::factor_kind kind, int SIZE, class F>
static __device__ void with_block_row(const block_launch<CT>& launch, int place, F&& f) {
    __shared__ __align__(16) unsigned char kept[block_warps][kept_bytes];
    __shared__ __align__(16) unsigned char pivots[block_warps][pivots_bytes];
    __shared__ __align__(16) unsigned char awaited[block_warps][sizeof(awaited_blocks)];
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    row_of_blocks<CT, kind, SIZE> row(launch.o, launch.steps, reinterpret_cast<CT*>(kept[warp]),
                                      reinterpret_cast<CT*>(pivots[warp]),
                                      *reinterpret_cast<awaited_blocks*>(awaited[warp]));
    f(row, launch.row_at(place));
}
// The number of a warp among all of the launch, if it is in the block with this number.
static __device__ inline int warp_of_block(unsigned block) {
    return static_cast<int>(block) * block_warps + static_cast<int>(threadIdx.x) / warp_size;
}

// SIZE: rows of a block, or 0 if only the launch knows.
template <class CT, plans::factor_kind kind, int SIZE>
__global__ void __launch_bounds__(block_warps* warp_size)
    factor_block_rows(const __grid_constant__ block_launch<CT> launch) {
    const block_ticket ticket = draw_ticket(launch.control);
    const int place = launch.first_place() + warp_of_block(ticket.number);
    if (place < launch.order.n)
        with_block_row<CT, kind, SIZE>(launch, place, [&](auto& row, int number) {
            row.begin(number);
            row.hand_over(launch.flags, launch.reciprocals, ticket.stamp);
            row.work_out_late(launch.flags, launch.reciprocals, ticket.stamp);
        });
    give_ticket_back(launch.control, ticket, [&] { launch.o.finish(); });
}

// The rows that come first in the order, none of which needs another one to be handed over: that, before
// factor_block_rows, and the rest of them behind it.
template <class CT, int SIZE>
__global__ void __launch_bounds__(block_warps* warp_size)
    post_alone_block_rows(const __grid_constant__ block_launch<CT> launch) {
    const int place = warp_of_block(blockIdx.x);
    if (place >= launch.order.alone()) return;
    const unsigned stamp = load_relaxed(&launch.control->solves_done) + 1u;
    with_block_row<CT, plans::factor_kind::lu, SIZE>(launch, place, [&](auto& row, int number) {
        row.begin_handing_over(number);
        row.hand_over(launch.flags, launch.reciprocals, stamp);
    });
}
template <class CT, int SIZE>
__global__ void __launch_bounds__(block_warps* warp_size)
    divide_alone_block_rows(const __grid_constant__ block_launch<CT> launch) {
    const int place = warp_of_block(blockIdx.x);
    if (place >= launch.order.alone()) return;
    // Every flag has a stamp of this factorisation.
    const unsigned stamp = load_relaxed(launch.flags + launch.row_at(place));
    with_block_row<CT, plans::factor_kind::lu, SIZE>(launch, place, [&](auto& row, int number) {
        row.begin_late(number);
        row.work_out_late(launch.flags, launch.reciprocals, stamp);
    });
}

}  // namespace heron::HERON_LEVEL
