// ANALYSE of the products that read fewer bytes than the matrix has.
#include "narrow_rules.hpp"
#include "operands.cuh"
#include "common/runtime/pattern_stamp.hpp"
#include <algorithm>
#include <iterator>

namespace heron::HERON_LEVEL {

namespace {

constexpr int64_t widest_band = 0xffff;
constexpr int64_t fewest_rows_of_band = 32;
constexpr int most_shapes = 1024;
constexpr int most_probes = 8;
// Rows or bands that fit, for each that does not.
constexpr unsigned fits_per_misfit = 32;
constexpr int read_at_once = 4;  // elements, of which some may lie behind the last
constexpr int team = 8;          // lanes that read a row together

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
    pack_bands(const OT* offsets, const IT* indices, int64_t rows, int64_t nnz, int64_t base,
               int rows_of_band, uint64_t stamp, narrow_columns columns) {
    const int64_t band = blockIdx.x;
    const auto element_of = [&](int64_t row) {
        const int64_t k = static_cast<int64_t>(offsets[row < rows ? row : rows]) - base;
        return k < 0 ? 0 : (k < nnz ? k : nnz);
    };
    const int64_t begin = element_of(band * rows_of_band);
    const int64_t end = element_of((band + 1) * rows_of_band);
    const IT any = begin < end ? indices[begin] : static_cast<IT>(base);
    column_range<IT> range{any, any};
    for (int64_t k = begin + threadIdx.x; k < end; k += block_threads) range.join({indices[k], indices[k]});
    range = range_of_block(range);
    const int64_t first = static_cast<int64_t>(range.low) - base;
    const bool fits = first >= 0 && static_cast<int64_t>(range.high) - range.low <= widest_band;
    if (threadIdx.x == 0) {
        columns.first_columns[band] = fits ? first : -1;
        if (!fits) atomicAdd(columns.misfits, 1u);
        if (band == 0) *columns.front = *columns.back = stamp;
    }
    for (int64_t k = begin + threadIdx.x; k < end; k += block_threads)
        columns.packed[k] = static_cast<uint16_t>(fits ? indices[k] - range.low : 0);
    if (end == nnz && threadIdx.x < read_at_once) columns.packed[nnz + threadIdx.x] = 0;
}

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

// The number of the shape that the key is of, or of a new one if there is room. `seen` is what the block has
// seen of the keys, which its threads read and write as they come: volatile accesses of aligned words are
// relaxed ones in PTX's memory model, which are no data race, and a place has 0 or the one key that all
// blocks find there. Who still reads 0 asks for that key.
__device__ uint16_t shape_of_key(unsigned long long key, volatile unsigned long long* seen,
                                 const narrow_columns& columns, row_shape row) {
    int place = static_cast<int>(key >> 40) % most_shapes;
    for (int probe = 0; probe < most_probes; ++probe, place = (place + 1) % most_shapes) {
        unsigned long long there = seen[place];
        if (there == 0) {
            there = atomicCAS(columns.keys + place, 0ull, key);
            if (there == 0) {
                columns.shapes[place] = row;
                there = key;
            }
            seen[place] = there;
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
    __shared__ unsigned long long seen[most_shapes];
    for (int i = threadIdx.x; i < most_shapes; i += block_threads) seen[i] = 0;
    __syncthreads();
    unsigned misfits = 0;
    const int step = static_cast<int>(gridDim.x) * (block_threads / team);
    const int first = static_cast<int>(blockIdx.x * block_threads + threadIdx.x) / team;
    // The lanes of a warp leave the loop together.
    const int place_in_warp = static_cast<int>(threadIdx.x % warp_size) / team;
    for (int row = first; row - place_in_warp < rows; row += step) {
        const unsigned long long key = key_of_row(offsets, indices, base, row < rows ? row : rows - 1);
        if (threadIdx.x % team != 0 || row >= rows) continue;
        const auto begin = static_cast<int32_t>(offsets[row] - base);
        const uint16_t shape = shape_of_key(key, seen, columns, {row, begin});
        columns.packed[row] = shape;
        misfits += shape == no_shape;
    }
    misfits = __reduce_add_sync(all_lanes, misfits);
    if (threadIdx.x % warp_size == 0 && misfits > 0) atomicAdd(columns.misfits, misfits);
}

// Takes its shape from a row that is not exactly of it.
template <class OT>
__global__ void __launch_bounds__(block_threads)
    verify_row_shapes(const OT* offsets, const int32_t* indices, int rows, int64_t base, uint64_t stamp,
                      narrow_columns columns) {
    if (blockIdx.x == 0 && threadIdx.x == 0) *columns.front = *columns.back = stamp;
    const int row = static_cast<int>((int64_t{blockIdx.x} * block_threads + threadIdx.x) / team);
    if (row >= rows || *columns.misfits > static_cast<unsigned>(rows) / fits_per_misfit) return;
    const uint16_t number = columns.packed[row];
    if (number == no_shape) return;
    const row_shape shape = columns.shapes[number];
    const int64_t begin = offsets[row] - base;
    const int64_t length = offsets[row + 1] - base - begin;
    bool differs = length != offsets[shape.row + 1] - base - shape.begin;
    for (int64_t i = threadIdx.x % team; i < length && !differs; i += team)
        differs = indices[begin + i] - row != indices[shape.begin + i] - shape.row;
    if (!differs) return;
    columns.packed[row] = no_shape;
    atomicAdd(columns.misfits, 1u);
}

int64_t quotient_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

class narrow_search {
  public:
    narrow_search(cuda_device& device, const heron_spmat& a, const narrow_columns& columns)
        : device_(device), a_(a), columns_(columns) {}

    // Which keys find a place depends on who comes first, so a deterministic product has no shapes.
    narrow_plan run(bool is_deterministic) {
        const uint64_t stamp = next_pattern_stamp();
        for (const narrow_rule& rule : narrow_rules) {
            if (!rule.applies(a_) || (is_deterministic && rule.kind == narrow_kind::shapes)) continue;
            const narrow_plan plan{rule.kind, stamp, rule.shares};
            if (rule.kind == narrow_kind::shapes ? has_shapes(plan) : has_bands(plan)) return plan;
        }
        return {};
    }

  private:
    bool has_shapes(const narrow_plan& plan) {
        if (a_.index_type != HERON_INDEX_32) return false;
        device_.fill(columns_.misfits, 0, sizeof *columns_.misfits);
        device_.fill(columns_.keys, 0, most_shapes * sizeof *columns_.keys);
        const auto rows = static_cast<int>(a_.rows);
        const int64_t blocks = quotient_up(a_.rows * team, block_threads);
        const int64_t at_once = int64_t{8} * device_.multiprocessors();
        visit_index(a_.offset_type, [&]<class OT>(type<OT>) {
            const auto* const offsets = as<const OT>(a_.offsets);
            const auto* const indices = as<const int32_t>(a_.indices);
            device_.launch_blocks(find_row_shapes<OT>, std::min(blocks, at_once), block_threads, 0, offsets,
                                  indices, rows, a_.base, columns_);
            device_.launch_blocks(verify_row_shapes<OT>, blocks, block_threads, 0, offsets, indices, rows,
                                  a_.base, plan.stamp, columns_);
        });
        return misfits_found() <= static_cast<unsigned>(rows) / fits_per_misfit;
    }

    bool has_bands(const narrow_plan& plan) {
        const int64_t rows_of_band = block_threads / plan.shares.lanes;
        const int64_t bands = quotient_up(a_.rows, rows_of_band);
        device_.fill(columns_.misfits, 0, sizeof *columns_.misfits);
        visit_offsets_and_indices(a_.offset_type, a_.index_type, [&]<class OT, class IT>(type<OT>, type<IT>) {
            device_.launch_blocks(pack_bands<OT, IT>, bands, block_threads, 0, as<const OT>(a_.offsets),
                                  as<const IT>(a_.indices), a_.rows, a_.nnz, a_.base,
                                  static_cast<int>(rows_of_band), plan.stamp, columns_);
        });
        return misfits_found() <= bands / fits_per_misfit;
    }

    unsigned misfits_found() {
        unsigned found = 0;
        device_.read(&found, columns_.misfits, sizeof found);
        return found;
    }

    cuda_device& device_;
    const heron_spmat& a_;
    const narrow_columns& columns_;
};

}  // namespace

bool can_be_narrow(const heron_spmat& a) {
    constexpr int64_t fewest_elements = 1 << 20;
    constexpr int64_t most = 1 << 30;
    return a.nnz >= fewest_elements && a.nnz < most && a.rows > 0 && a.rows < most &&
           std::any_of(std::begin(narrow_rules), std::end(narrow_rules),
                       [&](const narrow_rule& r) { return r.applies(a); });
}

narrow_columns lay_out_narrow_columns(workspace_layout& layout, const heron_spmat& a, void* front) {
    narrow_columns columns{};
    columns.front = static_cast<uint64_t*>(front);
    columns.packed = layout.take<uint16_t>(std::max(a.nnz + read_at_once, a.rows));
    columns.first_columns = layout.take<int64_t>(quotient_up(a.rows, fewest_rows_of_band));
    columns.shapes = layout.take<row_shape>(most_shapes);
    columns.keys = layout.take<unsigned long long>(most_shapes);
    columns.misfits = layout.take<unsigned>(1);
    columns.back = layout.take<uint64_t>(1);
    return columns;
}

narrow_plan find_narrow_columns(cuda_device& device, const heron_spmat& a,
                                heron_reproducibility reproducibility, const narrow_columns& columns) {
    return narrow_search(device, a, columns).run(reproducibility == HERON_DETERMINISTIC);
}

}  // namespace heron::HERON_LEVEL
