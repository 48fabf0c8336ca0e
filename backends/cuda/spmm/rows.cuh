#pragma once
// A block multiplies one share of the work for one tile of columns.
//
// The share's indices and values are copied to shared memory first. Then every group of lanes takes an equal
// part of the share, again by the merge-based decomposition, and loads several rows of B before it uses the
// first, so that memory's latency is paid once for all of them. Rows that end in a group go to C; the ends of
// rows that were begun in another group are added up through shared memory, in order.
#include "shares.cuh"
#include <bit>

namespace heron::HERON_LEVEL {

// Rows of B that a group loads before it uses the first.
constexpr int spmm_depth = 4;

// One element of A, which is read whole from shared memory where it has at most 16 bytes.
template <class VA, class IT>
struct alignas(sizeof(VA) + sizeof(IT) <= 8 ? 8 : 16) spmm_element {
    VA value;
    IT index;
};

// A share's elements in shared memory. Larger ones would lie there with gaps: of them all values come before
// all indices.
template <class VA, class IT>
class spmm_element_list {
    using element = spmm_element<VA, IT>;
    static constexpr bool are_apart = sizeof(element) > 16;

  public:
    static constexpr size_t bytes(size_t count) {
        return count * (are_apart ? sizeof(VA) + sizeof(IT) : sizeof(element));
    }

    __device__ spmm_element_list(unsigned char* memory, int most)
        : memory_(memory), indices_(memory + most * int(sizeof(VA))) {}

    __device__ VA* value(int i) const { return are_apart ? &at<VA>(memory_, i) : &whole(i).value; }
    __device__ IT* index(int i) const { return are_apart ? &at<IT>(indices_, i) : &whole(i).index; }
    __device__ element operator[](int i) const {
        if constexpr (are_apart)
            return {*value(i), *index(i)};
        else
            return whole(i);
    }

  private:
    template <class T>
    static __device__ T& at(unsigned char* memory, int i) {
        return reinterpret_cast<T*>(memory)[i];
    }
    __device__ element& whole(int i) const { return at<element>(memory_, i); }

    unsigned char *memory_, *indices_;
};

// How a block divides its threads and, in bytes, its shared memory. Made on the host, so that the kernel has
// it in constant memory.
struct spmm_division {
    int lane_bits, lanes, group_bits, groups, columns;
    int ends, elements, starts, group_rows, group_elements, heads, tails, tile, bytes;

    template <class VA, class CT, class IT>
    static spmm_division make(const spmm_shares<CT>& shares, int lane_bits, bool has_tile) {
        spmm_division d{};
        d.lane_bits = lane_bits;
        d.lanes = 1 << lane_bits;
        d.groups = spmm_threads >> lane_bits;
        d.group_bits = std::countr_zero(static_cast<unsigned>(d.groups));
        d.columns = tile_columns<VA>(lane_bits);
        const auto elements = static_cast<size_t>(shares.most_elements());
        const auto rows = static_cast<size_t>(shares.most_rows());
        const auto groups = static_cast<size_t>(d.groups);
        const auto columns = static_cast<size_t>(d.columns);
        d.ends = d.take(2 * sizeof(spmm_place));
        d.elements = d.take(spmm_element_list<VA, IT>::bytes(elements));
        d.starts = d.take((rows + 1) * sizeof(int));
        d.group_rows = d.take((groups + 1) * sizeof(int));
        d.group_elements = d.take((groups + 1) * sizeof(int));
        d.heads = d.take(groups * columns * sizeof(CT));
        d.tails = d.take(groups * columns * sizeof(CT));
        d.tile = d.take(has_tile ? rows * (columns + 1) * sizeof(CT) : 0);
        return d;
    }

  private:
    int take(size_t size) {
        const int begin = bytes;
        bytes += static_cast<int>((size + 15) / 16 * 16);
        return begin;
    }
};

static __device__ inline unsigned char* spmm_shared_memory() {
    extern __shared__ __align__(16) unsigned char shared[];
    return shared;
}

template <class VA, class VC, class CT, class OT, class IT>
class share_block {
    using product = spmm_product<VA, VC, CT, OT, IT>;
    using item = spmm_item<product, VA, OT, IT>;
    using element = spmm_element<VA, IT>;
    using element_list = spmm_element_list<VA, IT>;
    using vector = vector_of<VA>;
    using lane_part = lane_columns<VA>;
    static constexpr int width = lane_part::width;
    struct lane_sums {
        CT at[width];
    };

  public:
    __device__ share_block(const product& p, const spmm_shares<CT>& shares, const spmm_division& division)
        : p_(p),
          shares_(shares),
          d_(division),
          alpha_(p.alpha_now()),
          beta_(p.beta_now()),
          is_active_(!equal(alpha_, CT{})) {}

    // All threads of the block together.
    __device__ void run(int64_t batch, int64_t share, int64_t first_column) {
        const item a(p_, batch);
        if (!shares_.are_found) find_ends(a.offsets, batch, share, first_column == 0);
        const spmm_place from = shares_.are_found ? shares_.places_of(batch)[share] : ends()[0];
        const spmm_place to = shares_.are_found ? shares_.places_of(batch)[share + 1] : ends()[1];
        first_row_ = from.row;
        first_column_ = first_column;
        rows_ = static_cast<int>(to.row - from.row);
        elements_ = static_cast<int>(to.element - from.element);
        c_ = p_.c + batch * p_.shape.c_stride + first_column * p_.shape.c_column_step;
        if (is_active_) fetch_elements(a, from.element);
        find_starts(a.offsets, from);
        wait_for_copies<0>();
        __syncthreads();
        is_striped_ = __syncthreads_and(has_even_rows());
        find_groups();
        __syncthreads();
        const VA* const b = after_kernel_before(a.b);
        if (p_.b_is_aligned)
            multiply<true>(b + first_column);
        else
            multiply<false>(b + first_column * p_.shape.b_column_step);
        __syncthreads();
        join_groups(batch, share);
        if (!p_.c_is_aligned) {
            __syncthreads();
            write_tile();
        }
    }

  private:
    // Where the share begins and ends, by a warp each, into ends() and for join_rows.
    __device__ void find_ends(const OT* offsets, int64_t batch, int64_t share, bool keeps) {
        const int end = static_cast<int>(threadIdx.x) / warp_size;
        if (end < 2) {
            const spmm_place place =
                place_of(shares_, offsets, p_.shape.rows, p_.nnz, p_.shape.base, share + end);
            if (threadIdx.x % warp_size == 0) {
                ends()[end] = place;
                if (keeps)
                    shares_.places[(shares_.same_pattern ? 0 : batch * (shares_.count + 1)) + share + end] =
                        place;
            }
        }
        __syncthreads();
    }

    template <class T>
    static __device__ void copy(T* to, const T* from) {
        if constexpr (sizeof(T) >= 4)
            copy_async<int(sizeof(T))>(to, from);
        else
            *to = load_streaming(from);
    }

    // Starts to copy the share's indices and values.
    __device__ void fetch_elements(const item& a, int64_t first) {
        const element_list to = elements();
        if (p_.positions) {
#pragma unroll 4
            for (int i = threadIdx.x; i < elements_; i += spmm_threads) {
                copy(to.index(i), a.indices + first + i);
                copy(to.value(i), a.values + load_streaming(p_.positions + first + i));
            }
        } else {
            for (int i = threadIdx.x; i < elements_; i += spmm_threads) {
                copy(to.index(i), a.indices + first + i);
                copy(to.value(i), a.values + first + i);
            }
        }
        commit_copies();
    }

    // starts()[i]: where row i of the share begins, counted from the share's first element: -1 if that is
    // before it, and behind the last element if the row is not of this share.
    __device__ void find_starts(const OT* offsets, const spmm_place& from) {
        for (int i = threadIdx.x; i <= rows_ + 1; i += spmm_threads) {
            int64_t start = elements_ + 1;
            if (from.row + i <= p_.shape.rows)
                start = int64_t(offsets[from.row + i]) - p_.shape.base - from.element;
            starts()[i] = static_cast<int>(start < 0 ? -1 : start > elements_ ? elements_ + 1 : start);
        }
    }

    __device__ int start_of(int row) const { return starts()[row] < 0 ? 0 : starts()[row]; }
    __device__ bool is_split(int row, int element) const { return element > starts()[row]; }

    // Rows of about one length, and not very short, are dealt out in turn: the groups of a block read
    // neighbouring rows of B at the same time then, many of them from the nearest cache.
    __device__ bool has_even_rows() {
        constexpr int shortest = 8;
        constexpr int stripe = 24;  // elements of the rows that a group takes at a time
        if (rows_ == 0 || elements_ < shortest * rows_) return false;
        stripe_rows_ = stripe * rows_ < elements_ ? 1 : stripe * rows_ / elements_;
        const int longest = 2 * elements_ / rows_ + 8;
        bool is_even = rows_ >= d_.groups * stripe_rows_ && elements_ - start_of(rows_) <= longest;
        for (int i = threadIdx.x; i < rows_; i += spmm_threads)
            is_even = is_even && start_of(i + 1) - start_of(i) <= longest;
        return is_even;
    }

    // Where each group begins, as place_of does it for the shares.
    __device__ void find_groups() {
        if (is_striped_) {
            for (int g = threadIdx.x; g <= d_.groups; g += spmm_threads) {
                group_rows()[g] = g == 0 ? 0 : rows_;
                group_elements()[g] = g == 0 ? 0 : elements_;
            }
            return;
        }
        const int total = elements_ + shares_.row_cost * rows_;
        for (int g = threadIdx.x; g <= d_.groups; g += spmm_threads) {
            const int at = g * total >> d_.group_bits;
            int row = 0;
            int high = rows_ + 1;
            while (high - row > 1) {
                const int middle = (row + high) / 2;
                if (start_of(middle) + shares_.row_cost * middle <= at)
                    row = middle;
                else
                    high = middle;
            }
            int element = at - shares_.row_cost * row;
            if (row < rows_ && element > start_of(row) && starts()[row + 1] - element <= group_slack) {
                ++row;
                element = starts()[row];
            }
            group_rows()[g] = row;
            group_elements()[g] = element < elements_ ? element : elements_;
        }
    }

    // Rows of B behind `base` by an index of A times the distance of rows in bytes.
    template <bool is_near>
    using row_distance = std::conditional_t<is_near && sizeof(IT) == 4, int, int64_t>;
    template <class Distance>
    static __device__ const VA* row_at(const VA* base, IT index, Distance bytes) {
        return reinterpret_cast<const VA*>(reinterpret_cast<const char*>(base) + int64_t{index} * bytes);
    }

    struct row_state {
        int row, end;
        bool is_head;
        VC* c;
        lane_sums sums;
    };

    __device__ void finish_row(const lane_part& columns, row_state& r) {
        if (r.is_head)
            put(heads(), r.sums);
        else if (p_.c_is_aligned)
            write_vectors(r.c, columns, r.sums);
        else
            put_in_tile(r.row, r.sums);
        r.is_head = false;
        r.sums = {};
        r.c += p_.shape.c_row_step;
        r.end = starts()[++r.row + 1];
    }

    __device__ void add_element(VA value, const vector& b, lane_sums& sums) const {
        const CT a = p_.element(value);
#pragma unroll
        for (int v = 0; v < width; ++v) sums.at[v] = mad(a, p_.operand(b.at[v]), sums.at[v]);
    }

    template <bool is_aligned>
    __device__ void multiply(const VA* b) {
        const lane_part columns(p_.shape.columns - first_column_, lane());
        const VA* const base = b + (is_aligned ? columns.from() : 0) - p_.shape.base * p_.shape.b_row_step;
        const int g = group();
        lane_sums tail{};
        if (is_striped_) {
            for (int row = g * stripe_rows_; row < rows_; row += d_.groups * stripe_rows_) {
                const int end = row + stripe_rows_;
                tail = multiply_rows<is_aligned>(columns, base, row, start_of(row), end < rows_ ? end : rows_,
                                                 end < rows_ ? start_of(end) : elements_);
            }
        } else {
            tail = multiply_rows<is_aligned>(columns, base, group_rows()[g], group_elements()[g],
                                             group_rows()[g + 1], group_elements()[g + 1]);
        }
        put(tails(), tail);
    }

    // From an element of a row to another one, and the sums of the last row, which is not finished.
    template <bool is_aligned>
    __device__ lane_sums multiply_rows(const lane_part& columns, const VA* base, int row, int k, int last_row,
                                       int last) {
        constexpr int ahead = is_aligned || width <= 4 ? spmm_depth : 1;
        const element_list elements = this->elements();
        row_state r;
        r.row = row;
        r.end = starts()[row + 1];
        r.is_head = is_split(row, k);
        r.c = c_ + (first_row_ + row) * p_.shape.c_row_step;
        r.sums = {};
        const auto distance =
            static_cast<row_distance<is_aligned>>(p_.shape.b_row_step * int64_t(sizeof(VA)));
        vector rows[ahead];
        VA values[ahead];
        const auto load = [&](int j) {
            const element e = elements[k + j];
            values[j] = e.value;
            rows[j] =
                columns.template load<is_aligned>(row_at(base, e.index, distance), p_.shape.b_column_step);
        };
        if (is_active_) {
            for (; k + ahead <= last; k += ahead) {
#pragma unroll
                for (int j = 0; j < ahead; ++j) load(j);
                if (k + ahead <= r.end) {
#pragma unroll
                    for (int j = 0; j < ahead; ++j) add_element(values[j], rows[j], r.sums);
                    continue;
                }
#pragma unroll
                for (int j = 0; j < ahead; ++j) {
                    while (k + j >= r.end) finish_row(columns, r);
                    add_element(values[j], rows[j], r.sums);
                }
            }
#pragma unroll
            for (int j = 0; j < ahead - 1; ++j)
                if (k + j < last) load(j);
#pragma unroll
            for (int j = 0; j < ahead - 1; ++j) {
                if (k + j >= last) break;
                while (k + j >= r.end) finish_row(columns, r);
                add_element(values[j], rows[j], r.sums);
            }
        }
        while (r.row < last_row) finish_row(columns, r);
        return r.sums;
    }

    template <class T>
    __device__ T* place_of_vector(T* sums, int group) const {
        return sums + (group * d_.columns + lane() * width);
    }
    __device__ void put(CT* to, const lane_sums& sums) const {
#pragma unroll
        for (int v = 0; v < width; ++v) place_of_vector(to, group())[v] = sums.at[v];
    }
    __device__ void add_from(const CT* from, int group, lane_sums& sums) const {
#pragma unroll
        for (int v = 0; v < width; ++v) sums.at[v] = add(sums.at[v], place_of_vector(from, group)[v]);
    }

    // The first group before `group`, or it itself, that has elements of the row. The groups that begin
    // within a row follow each other: steps double until one does not, and halve again.
    __device__ int first_group_of(int row, int group) const {
        const auto begins_within = [&](int g) {
            return group_rows()[g] == row && is_split(row, group_elements()[g]);
        };
        if (!begins_within(group)) return group;
        int within = group, step = 1;
        while (within >= step && begins_within(within - step)) {
            within -= step;
            step *= 2;
        }
        int before = within >= step ? within - step : -1;
        while (within - before > 1) {
            const int middle = (before + within) / 2;
            (begins_within(middle) ? within : before) = middle;
        }
        return before < 0 ? 0 : before;
    }

    // Of groups that follow each other, in their order.
    __device__ lane_sums sum_of_tails(int first, int end) const {
        lane_sums sums{};
#pragma unroll 8
        for (int g = first; g < end; ++g) add_from(tails(), g, sums);
        return sums;
    }

    // The row that ends in this group but was begun before, and the row that the share does not end.
    __device__ void join_groups(int64_t batch, int64_t share) {
        const lane_part columns(p_.shape.columns - first_column_, lane());
        const int row = group_rows()[group()];
        if (is_split(row, group_elements()[group()]) && group_rows()[group() + 1] > row) {
            lane_sums sums = sum_of_tails(first_group_of(row, group()), group());
            add_from(heads(), group(), sums);
            if (starts()[row] < 0) {
                put_partial(shares_.head(batch, share) + first_column_, columns, sums);
                if (shares_.are_found && first_column_ == 0 && lane() == 0)
                    shares_.put_split(batch * shares_.count + share);
            } else if (p_.c_is_aligned) {
                write_vectors(c_ + (first_row_ + row) * p_.shape.c_row_step, columns, sums);
            } else {
                put_in_tile(row, sums);
            }
        }
        if (group() == d_.groups - 1 && is_split(rows_, elements_)) {
            const lane_sums sums = sum_of_tails(first_group_of(rows_, group()), d_.groups);
            put_partial(shares_.tail(batch, share) + first_column_, columns, sums);
        }
    }

    __device__ void put_partial(CT* to, const lane_part& columns, const lane_sums& sums) const {
#pragma unroll
        for (int v = 0; v < width; ++v)
            if (columns.exists(v)) to[columns.first() + v] = sums.at[v];
    }

    __device__ void put_in_tile(int row, const lane_sums& sums) const {
#pragma unroll
        for (int v = 0; v < width; ++v) tile()[row * (d_.columns + 1) + lane() * width + v] = sums.at[v];
    }

    // A row of C in vectors.
    __device__ void write_vectors(VC* c, const lane_part& columns, const lane_sums& sums) const {
        constexpr int parts = width * int(sizeof(VC)) / 16;
        if (!columns.exists()) return;
        int4* const to = reinterpret_cast<int4*>(c + columns.first());
        alignas(16) VC out[width];
        if (!equal(beta_, CT{})) {
#pragma unroll
            for (int i = 0; i < parts; ++i) {
                const int4 old = to[i];
                __builtin_memcpy(reinterpret_cast<char*>(out) + i * 16, &old, 16);
            }
        }
#pragma unroll
        for (int v = 0; v < width; ++v) kernels::update_c(out, v, sums.at[v], alpha_, beta_);
#pragma unroll
        for (int i = 0; i < parts; ++i) {
            int4 now;
            __builtin_memcpy(&now, reinterpret_cast<const char*>(out) + i * 16, 16);
            __stcs(to + i, now);
        }
    }

    // Neighbouring threads write neighbouring elements of C.
    __device__ void write_tile() {
        const int first = starts()[0] < 0 ? 1 : 0;
        const int rows = rows_ - first;
        if (rows <= 0) return;
        const int64_t left = p_.shape.columns - first_column_;
        const int columns = static_cast<int>(left < d_.columns ? left : d_.columns);
        const bool by_columns = p_.shape.c_row_step == 1;
        const int line = by_columns ? rows : columns;
        const int lines = by_columns ? columns : rows;
        const int stride = d_.columns + 1;
        const int along = by_columns ? stride : 1;
        const int64_t c_along = by_columns ? p_.shape.c_row_step : p_.shape.c_column_step;
        const int64_t c_across = by_columns ? p_.shape.c_column_step : p_.shape.c_row_step;
        const int lane = static_cast<int>(threadIdx.x) % warp_size;
        const int first_line = static_cast<int>(threadIdx.x) / warp_size;
        constexpr int warps = spmm_threads / warp_size;
        VC* c = c_ + (first_row_ + first) * p_.shape.c_row_step + first_line * c_across + lane * c_along;
        const CT* from = tile() + first * stride + first_line * (by_columns ? 1 : stride) + lane * along;
        for (int l = first_line; l < lines; l += warps) {
            if (equal(beta_, CT{})) {
#pragma unroll 4
                for (int i = 0; lane + i * warp_size < line; ++i)
                    store(c[i * warp_size * c_along], mul(alpha_, from[i * warp_size * along]));
            } else {
                for (int i = 0; lane + i * warp_size < line; ++i)
                    kernels::update_c(c, i * warp_size * c_along, from[i * warp_size * along], alpha_, beta_);
            }
            c += warps * c_across;
            from += warps * (by_columns ? 1 : stride);
        }
    }

    // Elements of a row that a group does not leave to the next one.
    static constexpr int group_slack = 4;

    template <class T>
    static __device__ T* shared_at(int offset) {
        return reinterpret_cast<T*>(spmm_shared_memory() + offset);
    }
    __device__ int group() const { return static_cast<int>(threadIdx.x) >> d_.lane_bits; }
    __device__ int lane() const { return static_cast<int>(threadIdx.x) & (d_.lanes - 1); }
    __device__ element_list elements() const {
        return {shared_at<unsigned char>(d_.elements), shares_.most_elements()};
    }
    __device__ spmm_place* ends() const { return shared_at<spmm_place>(d_.ends); }
    __device__ int* starts() const { return shared_at<int>(d_.starts); }
    __device__ int* group_rows() const { return shared_at<int>(d_.group_rows); }
    __device__ int* group_elements() const { return shared_at<int>(d_.group_elements); }
    __device__ CT* heads() const { return shared_at<CT>(d_.heads); }
    __device__ CT* tails() const { return shared_at<CT>(d_.tails); }
    __device__ CT* tile() const { return shared_at<CT>(d_.tile); }

    const product& p_;
    const spmm_shares<CT>& shares_;
    const spmm_division& d_;
    const CT alpha_, beta_;
    const bool is_active_;
    // Of the share.
    int64_t first_row_, first_column_;
    int rows_, elements_, stripe_rows_;
    bool is_striped_;
    VC* c_;
};

// Blocks that a multiprocessor should have, so that the compiler leaves registers for as many (spmm-15).
template <class VA, class CT>
constexpr int blocks_wanted() {
    const int vectors = spmm_depth * 4;
    const int sums = vector_of<VA>::size * int(sizeof(CT)) / 4;
    return sizeof(CT) == 16 || vectors + sums > 20 ? 3 : 4;
}

// Any grid will do. Column tiles are walked slowest, so that one tile of B stays in the cache. Where the
// guard leaves the product to atomic additions, of join_rows, C is scaled. May start before the kernel before
// is over.
template <class VA, class VC, class CT, class OT, class IT>
__global__ void __launch_bounds__(spmm_threads, blocks_wanted<VA, CT>())
    multiply_shares(const __grid_constant__ spmm_product<VA, VC, CT, OT, IT> p,
                    const __grid_constant__ spmm_shares<CT> shares,
                    const __grid_constant__ spmm_division division, int64_t batches) {
    let_next_kernel_start();
    if (!p.only_b_is_new) after_kernel_before(p.b);
    if (p.guard.is_skipped()) {
        after_kernel_before(p.b);
        return scale_c(p, batches);
    }
    const int64_t tiles = (p.shape.columns + division.columns - 1) / division.columns;
    share_block<VA, VC, CT, OT, IT> block(p, shares, division);
    for (int64_t i = blockIdx.x; i < shares.count * tiles * batches; i += gridDim.x) {
        block.run(i / shares.count / tiles, i % shares.count, i / shares.count % tiles * division.columns);
        __syncthreads();
    }
}

}  // namespace heron::HERON_LEVEL
