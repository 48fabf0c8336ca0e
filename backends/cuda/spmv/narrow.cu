// ANALYSE of the products with columns of 16 bits: the bands' first columns, and each element's distance from
// it.
#include "narrow.hpp"
#include "operands.cuh"
#include "common/runtime/pattern_stamp.hpp"

namespace heron::HERON_LEVEL {

namespace {

constexpr int64_t widest_band = 0xffff;

// The least and the greatest of all threads of a block.
template <class IT>
struct column_range {
    IT low, high;

    __device__ void join(const column_range& other) {
        low = other.low < low ? other.low : low;
        high = other.high > high ? other.high : high;
    }
};

template <class IT>
__device__ column_range<IT> range_of_block(column_range<IT> mine) {
    __shared__ column_range<IT> of_warps[block_warps];
    for (int distance = warp_size / 2; distance > 0; distance /= 2)
        mine.join({from_lane_across(mine.low, distance), from_lane_across(mine.high, distance)});
    if (threadIdx.x % warp_size == 0) of_warps[threadIdx.x / warp_size] = mine;
    __syncthreads();
    for (const column_range<IT>& of_warp : of_warps) mine.join(of_warp);
    return mine;
}

// A block per band.
template <class OT, class IT>
__global__ void __launch_bounds__(block_threads)
    narrow_bands(const OT* offsets, const IT* indices, int64_t rows, int64_t nnz, int64_t base,
                 int rows_of_band, uint64_t stamp, narrow_columns columns) {
    const int64_t band = blockIdx.x;
    const auto element_of = [&](int64_t row) {
        const int64_t k = static_cast<int64_t>(offsets[row < rows ? row : rows]) - base;
        return k < 0 ? 0 : (k < nnz ? k : nnz);
    };
    const int64_t begin = element_of(band * rows_of_band);
    const int64_t end = element_of((band + 1) * rows_of_band);
    const auto none = static_cast<IT>(base);
    column_range<IT> range{begin < end ? indices[begin] : none, begin < end ? indices[begin] : none};
    for (int64_t k = begin + threadIdx.x; k < end; k += block_threads) range.join({indices[k], indices[k]});
    range = range_of_block(range);
    const int64_t first = static_cast<int64_t>(range.low) - base;
    const bool fits = first >= 0 && static_cast<int64_t>(range.high) - range.low <= widest_band;
    if (threadIdx.x == 0) {
        columns.of_bands[band] = fits ? first : -1;
        if (!fits) atomicAdd(columns.wide_bands, 1u);
        if (band == 0) *columns.front = *columns.back = stamp;
    }
    if (!fits) return;
    for (int64_t k = begin + threadIdx.x; k < end; k += block_threads)
        columns.of_elements[k] = static_cast<uint16_t>(indices[k] - range.low);
}

constexpr int team = 8;  // lanes that read a row together
constexpr int most_probes = 8;

__device__ unsigned long long mixed(unsigned long long v) {
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
    v = (v ^ v >> 27) * 0x94d049bb133111ebu;
    return v ^ v >> 31;
}

// Of where a row's columns are beside the diagonal. Never 0.
template <class OT>
__device__ unsigned long long key_of_row(const OT* offsets, const int32_t* indices, int64_t base, int row) {
    const int64_t begin = offsets[row] - base;
    const int64_t end = offsets[row + 1] - base;
    unsigned long long sum = 0;
    for (int64_t k = begin + threadIdx.x % team; k < end; k += team) {
        const auto distance = static_cast<uint32_t>(indices[k] - row);
        sum += mixed(static_cast<unsigned long long>(k - begin + 1) << 32 | distance);
    }
    for (int distance = team / 2; distance > 0; distance /= 2) sum += from_lane_across(sum, distance);
    return mixed(sum + static_cast<unsigned long long>(end - begin)) | 1;
}

// Where the key is in the table, into which it goes if there is room. `known` is what the block has seen of
// it.
__device__ uint16_t place_of_key(unsigned long long key, unsigned long long* known, unsigned long long* keys,
                                 row_shape* table, row_shape mine) {
    int place = static_cast<int>(key >> 40) % most_shapes;
    for (int probe = 0; probe < most_probes; ++probe, place = (place + 1) % most_shapes) {
        unsigned long long there = *static_cast<volatile unsigned long long*>(known + place);
        if (there == 0) {
            there = atomicCAS(keys + place, 0ull, key);
            if (there == 0) {
                table[place] = mine;
                there = key;
            }
            known[place] = there;
        }
        if (there == key) return static_cast<uint16_t>(place);
    }
    return no_shape;
}

// The shapes of rows by their keys, which may be the same for different ones. A few blocks for all.
template <class OT>
__global__ void __launch_bounds__(block_threads)
    find_row_shapes(const OT* offsets, const int32_t* indices, int rows, int64_t base,
                    narrow_columns columns) {
    __shared__ unsigned long long known[most_shapes];
    for (int i = threadIdx.x; i < most_shapes; i += block_threads) known[i] = 0;
    __syncthreads();
    unsigned shapeless = 0;
    const int step = static_cast<int>(gridDim.x) * (block_threads / team);
    const int first = static_cast<int>(blockIdx.x * block_threads + threadIdx.x) / team;
    // The lanes of a warp leave the loop together.
    for (int row = first; row - static_cast<int>(threadIdx.x % warp_size) / team < rows; row += step) {
        const int known_row = row < rows ? row : rows - 1;
        const unsigned long long key = key_of_row(offsets, indices, base, known_row);
        if (threadIdx.x % team != 0 || row >= rows) continue;
        const auto begin = static_cast<int32_t>(offsets[row] - base);
        const uint16_t shape = place_of_key(key, known, columns.keys, columns.table, {row, begin});
        columns.shapes[row] = shape;
        shapeless += shape == no_shape;
    }
    shapeless = __reduce_add_sync(all_lanes, shapeless);
    if (threadIdx.x % warp_size == 0 && shapeless > 0) atomicAdd(columns.wide_bands, shapeless);
}

constexpr unsigned rows_per_shapeless_one = 32;

// Takes its shape from a row that is not exactly of it.
template <class OT>
__global__ void __launch_bounds__(block_threads)
    verify_row_shapes(const OT* offsets, const int32_t* indices, int rows, int64_t base, uint64_t stamp,
                      narrow_columns columns) {
    if (blockIdx.x == 0 && threadIdx.x == 0) *columns.front = *columns.back = stamp;
    const int row = static_cast<int>((int64_t{blockIdx.x} * block_threads + threadIdx.x) / team);
    if (row >= rows || *columns.wide_bands > static_cast<unsigned>(rows) / rows_per_shapeless_one) return;
    const uint16_t shape = columns.shapes[row];
    if (shape == no_shape) return;
    const row_shape of = columns.table[shape];
    const int64_t begin = offsets[row] - base;
    const int64_t length = offsets[row + 1] - base - begin;
    bool differs = length != offsets[of.row + 1] - base - of.begin;
    for (int64_t i = threadIdx.x % team; i < length && !differs; i += team)
        differs = indices[begin + i] - row != indices[of.begin + i] - of.row;
    if (!differs) return;
    columns.shapes[row] = no_shape;
    atomicAdd(columns.wide_bands, 1u);
}

}  // namespace

void find_shapes(cuda_device& device, const heron_spmat& a, const narrow_columns& columns,
                 narrow_plan& plan) {
    if (a.index_type != HERON_INDEX_32) return;
    const uint64_t stamp = next_pattern_stamp();
    device.fill(columns.wide_bands, 0, sizeof *columns.wide_bands);
    device.fill(columns.keys, 0, most_shapes * sizeof *columns.keys);
    const auto rows = static_cast<int>(a.rows);
    const int64_t blocks = (a.rows * team + block_threads - 1) / block_threads;
    visit_index(a.offset_type, [&]<class OT>(type<OT>) {
        const auto* const offsets = as<const OT>(a.offsets);
        const auto* const indices = as<const int32_t>(a.indices);
        device.launch_blocks(find_row_shapes<OT>,
                             std::min<int64_t>(blocks, int64_t{8} * device.multiprocessors()), block_threads,
                             0, offsets, indices, rows, a.base, columns);
        device.launch_blocks(verify_row_shapes<OT>, blocks, block_threads, 0, offsets, indices, rows, a.base,
                             stamp, columns);
    });
    unsigned shapeless = 0;
    device.read(&shapeless, columns.wide_bands, sizeof shapeless);
    if (shapeless > static_cast<unsigned>(rows) / rows_per_shapeless_one) return;
    plan.stamp = stamp;
    plan.has_shapes = true;
}

int narrow_plan::rows_of_band() const {
    return rows.lanes_per_row > 0 ? block_threads / rows.lanes_per_row : rows.rows_per_tile;
}

bool can_be_narrow(const heron_spmat& a) {
    constexpr int64_t fewest_elements = 1 << 16;
    constexpr int64_t most = 1 << 30;
    return a.nnz >= fewest_elements && a.nnz < most && a.rows > 0 && a.rows < most;
}

void find_narrow_columns(cuda_device& device, const heron_spmat& a, const narrow_columns& columns,
                         narrow_plan& plan) {
    constexpr int64_t bands_per_wide_one = 32;
    const int64_t rows_of_band = plan.rows_of_band();
    const int64_t bands = (a.rows + rows_of_band - 1) / rows_of_band;
    const uint64_t stamp = next_pattern_stamp();
    device.fill(columns.wide_bands, 0, sizeof *columns.wide_bands);
    visit_offsets_and_indices(a.offset_type, a.index_type, [&]<class OT, class IT>(type<OT>, type<IT>) {
        device.launch_blocks(narrow_bands<OT, IT>, bands, block_threads, 0, as<const OT>(a.offsets),
                             as<const IT>(a.indices), a.rows, a.nnz, a.base, static_cast<int>(rows_of_band),
                             stamp, columns);
    });
    unsigned wide = 0;
    device.read(&wide, columns.wide_bands, sizeof wide);
    if (wide * bands_per_wide_one <= bands) plan.stamp = stamp;
}

}  // namespace heron::HERON_LEVEL
