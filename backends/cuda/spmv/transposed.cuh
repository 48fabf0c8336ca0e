#pragma once
// Transposed CSR times vector: every element adds to the place in `out` that its column names. The tiles are
// those of spmv_tiles.cuh.
#include "cuda/runtime/early_launch.cuh"
#include "cuda/runtime/element_places.cuh"
#include "tiles.cuh"

namespace heron::HERON_LEVEL {

// out := beta*out, which needs no reading where beta = 0, and starts[t] for t in [0, tiles] unless starts is
// NULL.
template <class CT, class OT>
__global__ void __launch_bounds__(block_threads)
    prepare_transposed(CT* out, int64_t size, scalar_argument<CT> beta_argument, merged_list<OT> list,
                       int64_t tiles, int64_t* starts) {
    begin_behind_kernel_before();
    const int64_t step = static_cast<int64_t>(gridDim.x) * block_threads;
    const int64_t thread = static_cast<int64_t>(blockIdx.x) * block_threads + threadIdx.x;
    const CT beta = beta_argument.device ? *beta_argument.device : beta_argument.value;
    if (!equal(beta, one<CT>()))
        for (int64_t i = thread; i < size; i += step) out[i] = equal(beta, CT{}) ? CT{} : mul(beta, out[i]);
    if (!starts) return;
    for (int64_t t = thread / warp_size; t <= tiles; t += step / warp_size) {
        const int64_t d = t * tile_items<CT> < list.length() ? t * tile_items<CT> : list.length();
        const int64_t row = list.find(d);
        if (thread % warp_size == 0) starts[t] = row;
    }
}

constexpr int few_threads = 1024;  // of a block, at most

// Small matrices, whose tiles would keep few multiprocessors busy.
template <class VA, class VX, class CT>
struct few_elements : element_places {
    const VA* values;
    const VX* x;
    CT* out;
    int64_t size;    // of out
    int is_first;    // kernel of the product
    int scales;      // out, before; then there is one block
    int to_columns;  // an element's column is the place in out, and its row that in x
    int conjugate;
    scalar_argument<CT> alpha, beta;
};

// out += alpha*op(A)*x, each element by a lane; out may be scaled by beta before, here or by a kernel that
// this one does not wait for until it adds.
template <class IT, class VA, class VX, class CT>
__global__ void __launch_bounds__(few_threads)
    scatter_few(const __grid_constant__ few_elements<VA, VX, CT> p) {
    if (p.is_first) begin_behind_kernel_before();
    const CT alpha = p.alpha.device ? *p.alpha.device : p.alpha.value;
    if (p.scales) {
        const CT beta = p.beta.device ? *p.beta.device : p.beta.value;
        for (int64_t i = threadIdx.x; i < p.size; i += blockDim.x)
            p.out[i] = equal(beta, CT{}) ? CT{} : mul(beta, p.out[i]);
        __syncthreads();
    }
    if (equal(alpha, CT{})) {
        after_kernel_before(p.out);
        return;
    }
    for_tiles<IT, true>(p, 0, static_cast<int>(blockIdx.x), [&](int tile, const element_place& place) {
        const int64_t element = int64_t{tile} * warp_size + threadIdx.x % warp_size;
        const bool exists = element < p.count;
        const int to = p.to_columns ? place.column : place.row;
        const int from = p.to_columns ? place.row : place.column;
        const CT a = exists ? load<CT>(p.values[element]) : CT{};
        const CT x = load<CT>(load_shared_by_many(p.x + from));
        after_kernel_before(p.out);
        if (exists) add_at_once(p.out + to, mul(alpha, mul(p.conjugate ? conj(a) : a, x)));
    });
    after_kernel_before(p.out);
}

template <class VA, class VX, class CT, class OT, class IT>
class tile_scatter {
    using operands = product<VA, VX, CT, CT, OT, IT>;
    using loaded = tile_elements<VA, CT, IT>;
    static constexpr int items = tile_items<CT>;

  public:
    struct memory {
        VA values[items];
        IT indices[items];
        uint16_t ends[items + 1];
    };

    __device__ tile_scatter(const operands& p, memory& shared, CT alpha)
        : p_(p), shared_(shared), alpha_(alpha) {}

    __device__ void run(int64_t t, int64_t* starts) {
        const merged_list<OT> list{p_.offsets, p_.rows, p_.nnz, p_.base};
        loaded registers;
        tile_ = guess_tile(list, items, t, starts);
        registers.load(p_.values, p_.indices, tile_);
        if (!settle_tile(list, items, t, starts, tile_)) registers.load(p_.values, p_.indices, tile_);
        stage(registers);
        const bool alike = rows_are_alike();
        const int rows = tile_.rows_ended() + 1;
        if (!alike || rows < block_warps) return scatter_by_elements();
        tile_.elements() >= rows* warp_size ? scatter_by_warps() : scatter_by_rows();
    }

  private:
    __device__ void stage(const loaded& registers) {
        const int rows = tile_.rows_ended();
        const int elements = tile_.elements();
        for (int i = threadIdx.x; i < rows; i += block_threads)
            shared_.ends[i] = static_cast<uint16_t>(p_.offset(tile_.begin.row + 1 + i) - tile_.begin.element);
        if (threadIdx.x == 0) shared_.ends[rows] = static_cast<uint16_t>(elements);
#pragma unroll
        for (int j = 0; j < loaded::per_thread; ++j) {
            if (loaded::place(j) >= elements) continue;
            shared_.indices[loaded::place(j)] = registers.index[j];
            shared_.values[loaded::place(j)] = registers.a[j];
        }
        __syncthreads();
    }

    __device__ int begin_of(int i) const { return i == 0 ? 0 : shared_.ends[i - 1]; }

    // True if no row is much longer than the mean. The row that does not end here counts as one more.
    __device__ bool rows_are_alike() const {
        const int rows = tile_.rows_ended() + 1;
        const int limit = 2 * ((tile_.elements() + rows - 1) / rows) + 4;
        bool alike = rows > 1;
        for (int i = threadIdx.x; i < rows; i += block_threads)
            alike = alike && shared_.ends[i] - begin_of(i) <= limit;
        return __syncthreads_and(alike);
    }

    // alpha*x of a row of the tile. Only a tile that reaches past the last row has an i without a row, and no
    // element there.
    __device__ CT factor(int i) const {
        const int64_t row = tile_.begin.row + i;
        return row < p_.rows ? mul(alpha_, load<CT>(load_shared_by_many(p_.x_shifted + row))) : CT{};
    }

    __device__ void add_to(IT index, CT sum) {
        add_at_once(p_.y + (static_cast<int64_t>(index) - p_.base), sum);
    }

    // A warp takes 32 rows and its lanes walk along them side by side. In banded matrices neighbouring rows
    // then write to neighbouring columns, which the memory adds together, and a lane reaches in one step the
    // column at which the lane above it was: it takes over the sum from there, so that most sums leave the
    // warp once instead of once per element.
    __device__ void scatter_by_rows() {
        const int rows = tile_.rows_ended() + 1;
        for (int first = static_cast<int>(threadIdx.x) / warp_size * warp_size; first < rows;
             first += block_threads) {
            const int i = first + static_cast<int>(threadIdx.x) % warp_size;
            const int begin = i < rows ? begin_of(i) : 0;
            const int end = i < rows ? shared_.ends[i] : 0;
            scatter_side_by_side(begin, end, i < rows ? factor(i) : CT{});
        }
    }

    __device__ void scatter_side_by_side(int begin, int end, CT x) {
        const int lane = threadIdx.x % warp_size;
        const int longest =
            static_cast<int>(__reduce_max_sync(all_lanes, static_cast<unsigned>(end - begin)));
        constexpr IT none = -1;
        IT index = none;
        CT sum{};
        for (int i = begin; i <= begin + longest; ++i) {
            const bool more = i < end;
            const IT next = more ? shared_.indices[i] : none;
            const CT term = more ? mul(p_.element(shared_.values[i]), x) : CT{};
            const IT index_above = from_lane_above(index, 1);
            const CT sum_above = from_lane_above(sum, 1);
            const bool takes = more && lane < warp_size - 1 && index_above == next;
            const bool given = from_lane_below(static_cast<int>(takes), 1) && lane > 0;
            if (index != none && !given) add_to(index, sum);
            sum = takes ? add(sum_above, term) : term;
            index = next;
        }
    }

    // A warp takes a row at a time, for rows that fill its lanes: they write to neighbouring columns, which
    // the memory adds together.
    __device__ void scatter_by_warps() {
        const int rows = tile_.rows_ended() + 1;
        for (int i = static_cast<int>(threadIdx.x) / warp_size; i < rows; i += block_warps) {
            const CT x = factor(i);
            for (int k = begin_of(i) + static_cast<int>(threadIdx.x) % warp_size; k < shared_.ends[i];
                 k += warp_size)
                add_to(shared_.indices[k], mul(p_.element(shared_.values[k]), x));
        }
    }

    // Every thread takes single elements, so that rows of any length cost the same, and looks up their rows.
    __device__ void scatter_by_elements() {
        const int elements = tile_.elements();
        for (int i = threadIdx.x; i < elements; i += block_threads)
            add_to(shared_.indices[i], mul(p_.element(shared_.values[i]), factor(row_of(i))));
    }

    // How many rows end at or before element i.
    __device__ int row_of(int i) const {
        int low = 0;
        int high = tile_.rows_ended();
        while (low < high) {
            const int middle = (low + high) / 2;
            if (shared_.ends[middle] <= i)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    const operands& p_;
    memory& shared_;
    const CT alpha_;
    merge_tile tile_;
};

// out[column] += alpha*op(a)*x[row]; out is p.y, x_shifted is x. One block per tile.
template <class VA, class VX, class CT, class OT, class IT>
__global__ void __launch_bounds__(block_threads)
    scatter_tiles(const __grid_constant__ product<VA, VX, CT, CT, OT, IT> p, int64_t* starts) {
    using work = tile_scatter<VA, VX, CT, OT, IT>;
    begin_behind_kernel_before();
    __shared__ typename work::memory shared;
    const CT alpha = p.alpha_now();
    if (equal(alpha, CT{})) return;
    work(p, shared, alpha).run(blockIdx.x, starts);
}

}  // namespace heron::HERON_LEVEL
