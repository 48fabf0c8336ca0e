#pragma once
// Kernels for the values of a sparse product. Every output element is summed by one group of lanes, in the
// order of A's elements.
#include "pattern.cuh"

namespace heron::HERON_LEVEL {

// C := alpha*A*B + beta*C
template <class VT, class CT, class OT, class IT>
struct sparse_product {
    explicit sparse_product(const heron_spgemm_args& args)
        : a(args.a.matrix),
          b(args.b.matrix),
          a_values(static_cast<const VT*>(args.a.matrix.values)),
          b_values(static_cast<const VT*>(args.b.matrix.values)),
          a_permutation(static_cast<const OT*>(args.a.permutation)),
          b_permutation(static_cast<const OT*>(args.b.permutation)),
          a_conjugate(args.a.conjugate),
          b_conjugate(args.b.conjugate),
          offsets(args.row_offsets),
          columns(static_cast<IT*>(args.c.indices)),
          values(static_cast<VT*>(args.c.values)),
          base(args.c.base),
          with_values((args.parts & HERON_SPGEMM_VALUES) != 0),
          alpha(as_argument<CT>(args.alpha)),
          beta(as_argument<CT>(args.beta)) {}

    __device__ CT a_at(int64_t k) const {
        const CT v = load<CT>(a_values[a_permutation ? static_cast<int64_t>(a_permutation[k]) : k]);
        return a_conjugate ? conj(v) : v;
    }
    __device__ CT b_at(int64_t l) const {
        return b_value(b_values[b_permutation ? static_cast<int64_t>(b_permutation[l]) : l]);
    }
    // What was read of B as a factor.
    __device__ CT b_value(VT v) const { return b_conjugate ? conj(load<CT>(v)) : load<CT>(v); }
    __device__ CT alpha_now() const { return alpha.device ? *alpha.device : alpha.value; }
    __device__ CT beta_now() const { return beta.device ? *beta.device : beta.value; }
    __device__ void write(int64_t k, CT sum, CT alpha_value, CT beta_value) const {
        CT result = mul(alpha_value, sum);
        if (!equal(beta_value, CT{})) result = mad(beta_value, load<CT>(values[k]), result);
        store(values[k], result);
    }

    row_pattern<OT, IT> a, b;
    const VT* a_values;
    const VT* b_values;
    const OT* a_permutation;
    const OT* b_permutation;
    int a_conjugate, b_conjugate;
    const int64_t* offsets;
    IT* columns;
    VT* values;
    int64_t base;
    bool with_values;
    scalar_argument<CT> alpha, beta;
};

// Where the sums of columns of a row are, by a bitmap of the columns and the number of them before each of
// its words: both are shared memory.
template <class IT>
struct column_places {
    // For ascending columns, which include the base. The whole block calls it, and synchronises before it
    // uses it.
    __device__ void find(const IT* columns, int length, IT base) {
        const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
        begins_at = static_cast<IT>(columns[0] - base);
        low = begins_at / 32 * 32;
        high = static_cast<IT>(columns[length - 1] - base);
        const int used = static_cast<int>((high - low) / 32) + 1;
        for (int w = thread; w < used; w += threads) bits[w] = 0;
        __syncthreads();
        for (int k = thread; k < length; k += threads) {
            const int column = static_cast<int>(columns[k] - base - low);
            atomicOr(bits + column / 32, 1u << column % 32);
            if (k == 0 || static_cast<int>(columns[k - 1] - base - low) / 32 != column / 32)
                before[column / 32] = static_cast<uint16_t>(k);
        }
    }
    // at: a column counted from `low`.
    __device__ int place_of(int at) const {
        return before[at / 32] + __popc(bits[at / 32] & ((1u << at % 32) - 1u));
    }

    unsigned* bits;
    uint16_t* before = nullptr;
    IT begins_at = 0, low = 0, high = 0;  // the first column, that of the first bit, the last column
};

// A row, or the part of it with columns in [low, high], being summed by a group in a table.
template <int lanes, class VT, class CT, class OT, class IT>
struct row_sum {
    const sparse_product<VT, CT, OT, IT>& p;
    const lane_group<lanes>& group;
    key_table<IT> table;
    CT* sums;
    int64_t low, high;
    bool ranged;      // low and high say something
    bool is_ordered;  // the rows of B ascend strictly
    bool adds;        // the values count; else only the columns do

    // New keys are claimed with with_columns, else only those that are there get sums.
    template <bool with_columns>
    __device__ void add_products(int64_t row) const {
        // Elements of B that a lane reads before it adds the first: of so many rows, and of each so many.
        constexpr int ahead = 4, each = lanes == warp_size ? 2 : 1;
        const int64_t end = p.a.begin(row + 1);
        for (int64_t first = p.a.begin(row); first < end; first += lanes) {
            // Each lane looks up one element of A; then they are worked on one after the other.
            const int64_t k = first + group.lane;
            int64_t begin_of_lane = 0;
            int length_of_lane = 0;
            CT a_of_lane{};
            if (k < end) {
                const int64_t inner = p.a.column(k);
                int64_t end_of_lane = p.b.begin(inner + 1);
                begin_of_lane = p.b.begin(inner);
                if (ranged && is_ordered) {
                    begin_of_lane = lower_bound(p.b, begin_of_lane, end_of_lane, low);
                    end_of_lane = lower_bound(p.b, begin_of_lane, end_of_lane, high + 1);
                }
                length_of_lane = static_cast<int>(end_of_lane - begin_of_lane);
                if (adds) a_of_lane = p.a_at(k);
            }
            const int count = end - first < lanes ? static_cast<int>(end - first) : lanes;
            if constexpr (lanes == warp_size) {
                const joined_rows<OT> rows(static_cast<OT>(begin_of_lane), length_of_lane);
                if (rows.are_short(count)) {
                    add_joined<with_columns>(rows, a_of_lane);
                    continue;
                }
            }
            for (int t = 0; t < count; t += ahead) {
                int64_t from[ahead];
                int lengths[ahead];
                IT columns[ahead][each];
                CT values[ahead][each];
#pragma unroll
                for (int u = 0; u < ahead; ++u) {
                    from[u] = group.broadcast(begin_of_lane, t + u);
                    lengths[u] = group.broadcast(length_of_lane, t + u);
#pragma unroll
                    for (int v = 0; v < each; ++v) {
                        const int at = v * lanes + group.lane;
                        const int64_t l = at < lengths[u] ? from[u] + at : 0;
                        columns[u][v] = p.b.column(l);
                        values[u][v] = adds ? p.b_at(l) : CT{};
                    }
                }
#pragma unroll
                for (int u = 0; u < ahead; ++u) {
                    const CT ak = group.broadcast(a_of_lane, t + u);
#pragma unroll
                    for (int v = 0; v < each; ++v)
                        if (v * lanes < lengths[u])
                            add_product<with_columns>(v * lanes + group.lane < lengths[u], columns[u][v], ak,
                                                      values[u][v], is_ordered);
                    for (int done = each * lanes; done < lengths[u]; done += lanes) {
                        const bool is_there = done + group.lane < lengths[u];
                        const int64_t l = is_there ? from[u] + done + group.lane : 0;
                        add_product<with_columns>(is_there, p.b.column(l), ak, adds ? p.b_at(l) : CT{},
                                                  is_ordered);
                    }
                    group.sync();
                }
            }
        }
    }

  private:
    // The products of rows of B that have columns in common, and of the elements of A that the lanes have.
    template <bool with_columns>
    __device__ void add_joined(const joined_rows<OT>& rows, CT a_of_lane) const {
        constexpr int ahead = 2;
        for (int first = 0; first < rows.size(); first += ahead * warp_size) {
            IT columns[ahead];
            CT a[ahead], values[ahead];
#pragma unroll
            for (int u = 0; u < ahead; ++u) {
                const int number = min(first + u * warp_size + group.lane, rows.size() - 1);
                const int of_row = rows.row_of(number);
                const OT l = rows.place_of(number, of_row);
                a[u] = value_of_lane(a_of_lane, of_row);
                columns[u] = p.b.column(l);
                values[u] = adds ? p.b_at(l) : CT{};
            }
#pragma unroll
            for (int u = 0; u < ahead; ++u)
                add_product<with_columns>(first + u * warp_size + group.lane < rows.size(), columns[u], a[u],
                                          values[u], false);
        }
        group.sync();
    }

    // The sum of the column += ak*bl, where a lane has something of B; are_apart: no two lanes have one
    // column.
    template <bool with_columns>
    __device__ void add_product(bool is_there, IT column, CT ak, CT bl, bool are_apart) const {
        int place = -1;
        bool is_new;
        if (is_there && (!ranged || (column >= low && column <= high)))
            place = with_columns ? table.claim(column, is_new) : table.find(column);
        if (adds) are_apart ? add(place, ak, bl) : add_in_turn(place, ak, bl);
    }

    __device__ void add(int place, CT ak, CT bl) const {
        if (place >= 0) sums[place] = mad(ak, bl, sums[place]);
    }

    // A column may occur several times in the row: lanes with the same place add one after the other.
    __device__ void add_in_turn(int place, CT ak, CT bl) const {
        const unsigned same = __match_any_sync(group.mask, place >= 0 ? place : -1 - group.lane);
        const int turn = __popc(same & ((1u << (group.first + group.lane)) - 1u));
        for (int t = 0; __any_sync(group.mask, turn >= t); ++t) {
            if (turn == t) add(place, ak, bl);
            group.sync();
        }
    }
};

template <class CT, class IT>
static __host__ __device__ size_t group_bytes(int places) {
    const size_t bytes = static_cast<size_t>(places) * (sizeof(CT) + sizeof(IT)) +
                         static_cast<size_t>(places) / 2 * sizeof(IT);
    return (bytes + 15) / 16 * 16;
}

// Whole rows, a group each; their tables have at most `places` places.
template <int lanes, bool with_columns, class VT, class CT, class OT, class IT>
__global__ void multiply_short_rows(sparse_product<VT, CT, OT, IT> p, row_list list,
                                    const unsigned long long* unordered, int places) {
    extern __shared__ int4 shared_quads[];
    const lane_group<lanes> group;
    const int groups = blockDim.x / lanes;
    char* const memory =
        reinterpret_cast<char*>(shared_quads) + threadIdx.x / lanes * group_bytes<CT, IT>(places);
    CT* const sums = reinterpret_cast<CT*>(memory);
    key_table<IT> table{reinterpret_cast<IT*>(sums + places), 0};
    IT* const sorted = table.keys + places;
    const CT alpha = p.with_values ? p.alpha_now() : CT{};
    const CT beta = p.with_values ? p.beta_now() : CT{};
    const bool adds = p.with_values && !equal(alpha, CT{});
    const bool is_ordered = *unordered == 0;
    const int size = list.size();
    const int* const rows = list.rows();
    for (int i = blockIdx.x * groups + threadIdx.x / lanes; i < size; i += gridDim.x * groups) {
        const int64_t row = rows[i];
        const int64_t first = p.offsets[row];
        const int length = static_cast<int>(p.offsets[row + 1] - first);
        table.mask = table_places(length) - 1;
        table.clear(group.lane, lanes);
        for (int place = group.lane; place <= table.mask; place += lanes) sums[place] = CT{};
        group.sync();
        if (!with_columns)
            for (int k = group.lane; k < length; k += lanes) {
                bool is_new;
                table.claim(static_cast<IT>(p.columns[first + k] - static_cast<IT>(p.base)), is_new);
            }
        group.sync();
        const row_sum<lanes, VT, CT, OT, IT> sum{p, group, table, sums, 0, 0, false, is_ordered, adds};
        if (with_columns || adds) sum.template add_products<with_columns>(row);
        group.sync();
        int found = length;
        if (with_columns) {
            found = 0;
            for (int place = group.lane; place - group.lane <= table.mask; place += lanes) {
                const bool taken = place <= table.mask && table.keys[place] != static_cast<IT>(-1);
                const unsigned members = group.ballot(taken);
                const int at = found + __popc(members & ((1u << group.lane) - 1u));
                if (taken && at < length) sorted[at] = table.keys[place];
                found +=
                    __popc(members & (lanes == warp_size ? all_lanes : (1u << (lanes % warp_size)) - 1u));
            }
            found = found < length ? found : length;
            sort_shared(sorted, found, group.lane, lanes, [&] { group.sync(); });
        }
        for (int k = group.lane; k < found; k += lanes) {
            const IT column =
                with_columns ? sorted[k] : static_cast<IT>(p.columns[first + k] - static_cast<IT>(p.base));
            if (with_columns) p.columns[first + k] = static_cast<IT>(column + static_cast<IT>(p.base));
            const int place = table.find(column);
            if (p.with_values) p.write(first + k, place < 0 ? CT{} : sums[place], alpha, beta);
        }
        group.sync();
    }
}

// Long rows whose columns are known: a warp sums the `chunk` elements of C that begin at a multiple of it, in
// a table of 2*chunk places.
template <class VT, class CT, class OT, class IT>
__global__ void multiply_chunks(sparse_product<VT, CT, OT, IT> p, row_list list,
                                const unsigned long long* unordered, bool only_unordered, int chunk,
                                int chunks_per_row) {
    extern __shared__ int4 shared_quads[];
    if (only_unordered && !*unordered) return;
    const lane_group<warp_size> group;
    const int warps = blockDim.x / warp_size;
    char* const memory =
        reinterpret_cast<char*>(shared_quads) + threadIdx.x / warp_size * group_bytes<CT, IT>(2 * chunk);
    CT* const sums = reinterpret_cast<CT*>(memory);
    const key_table<IT> table{reinterpret_cast<IT*>(sums + 2 * chunk), 2 * chunk - 1};
    const CT alpha = p.alpha_now();
    const CT beta = p.beta_now();
    const bool adds = !equal(alpha, CT{});
    const int* const rows = list.rows();
    const int64_t tasks = static_cast<int64_t>(list.size()) * chunks_per_row;
    const int64_t step = static_cast<int64_t>(gridDim.x) * warps;
    for (int64_t t = static_cast<int64_t>(blockIdx.x) * warps + threadIdx.x / warp_size; t < tasks;
         t += step) {
        const int64_t row = rows[t / chunks_per_row];
        const int64_t first = p.offsets[row] + t % chunks_per_row * chunk;
        const int64_t left = p.offsets[row + 1] - first;
        if (left <= 0) continue;
        const int length = left < chunk ? static_cast<int>(left) : chunk;
        table.clear(group.lane, warp_size);
        for (int place = group.lane; place <= table.mask; place += warp_size) sums[place] = CT{};
        group.sync();
        for (int k = group.lane; k < length; k += warp_size) {
            bool is_new;
            table.claim(static_cast<IT>(p.columns[first + k] - static_cast<IT>(p.base)), is_new);
        }
        group.sync();
        const row_sum<warp_size, VT, CT, OT, IT> sum{
            p,
            group,
            table,
            sums,
            static_cast<int64_t>(p.columns[first]) - p.base,
            static_cast<int64_t>(p.columns[first + length - 1]) - p.base,
            true,
            *unordered == 0,
            adds};
        if (adds) sum.template add_products<false>(row);
        group.sync();
        for (int k = group.lane; k < length; k += warp_size) {
            const int place = table.find(static_cast<IT>(p.columns[first + k] - static_cast<IT>(p.base)));
            p.write(first + k, place < 0 ? CT{} : sums[place], alpha, beta);
        }
        group.sync();
    }
}

}  // namespace heron::HERON_LEVEL
