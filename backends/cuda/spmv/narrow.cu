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

}  // namespace

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
