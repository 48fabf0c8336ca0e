// ANALYSE of the transposed product.
#include "columns.hpp"
#include "common/runtime/pattern_stamp.hpp"

namespace heron::HERON_LEVEL {
namespace {

constexpr int analysis_threads = 256;

// Fewer elements are soon scattered.
constexpr int64_t fewest_elements = 1 << 16;
// The columns of a tile, as a share of its elements, from which on nothing is gained by adding up within the
// tile.
constexpr double most_columns_per_element = 0.85;
// Shared memory for a bit per column between a tile's first and last one.
constexpr int map_words = 40 * 1024;
constexpr size_t map_bytes = (map_words + tile_pattern::threads) * sizeof(uint32_t);

int64_t blocks_for(int64_t threads) { return (threads + analysis_threads - 1) / analysis_threads; }

__device__ int64_t this_thread() { return int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ int64_t all_threads() { return int64_t{gridDim.x} * blockDim.x; }

// The elements of this block's tile.
struct tile_range {
    int64_t base;
    int count;

    __device__ explicit tile_range(int64_t nnz)
        : base(int64_t{blockIdx.x} * tile_pattern::elements),
          count(static_cast<int>(nnz - base < tile_pattern::elements ? nnz - base : tile_pattern::elements)) {
    }
};

// A bit per column of a tile, and how many columns lie before each thread's words.
class column_map {
  public:
    __device__ column_map(const csr_pattern& a, uint32_t* words, uint32_t* before)
        : a_(a), words_(words), before_(before), tile_(a.nnz) {}

    // False if the columns lie too far apart. The number of columns is returned in *count.
    __device__ bool fill(int most_words, uint32_t* count) {
        __shared__ int limits[2];
        if (threadIdx.x == 0) {
            limits[0] = INT32_MAX;
            limits[1] = 0;
        }
        __syncthreads();
        int low = INT32_MAX, high = 0;
        for (int i = threadIdx.x; i < tile_.count; i += tile_pattern::threads) {
            const auto column = static_cast<int>(a_.column(tile_.base + i));
            low = min(low, column);
            high = max(high, column);
        }
        atomicMin(&limits[0], low);
        atomicMax(&limits[1], high);
        __syncthreads();
        first_ = limits[0];
        words_in_use_ = (limits[1] - first_) / 32 + 1;
        if (words_in_use_ > most_words) return false;
        for (int w = threadIdx.x; w < words_in_use_; w += tile_pattern::threads) words_[w] = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < tile_.count; i += tile_pattern::threads) {
            const auto bit = static_cast<uint32_t>(a_.column(tile_.base + i) - first_);
            atomicOr(words_ + bit / 32, 1u << bit % 32);
        }
        __syncthreads();
        *count = count_before();
        return true;
    }

    __device__ uint32_t number_of(int64_t column) const {
        const auto bit = static_cast<uint32_t>(column - first_);
        const int word = static_cast<int>(bit / 32);
        uint32_t number =
            before_[word / share()] + static_cast<uint32_t>(__popc(words_[word] & ((1u << bit % 32) - 1)));
        for (int w = word / share() * share(); w < word; ++w)
            number += static_cast<uint32_t>(__popc(words_[w]));
        return number;
    }

    __device__ void list(i32* columns) const {
        uint32_t number = before_[threadIdx.x];
        for (int w = static_cast<int>(threadIdx.x) * share();
             w < (static_cast<int>(threadIdx.x) + 1) * share() && w < words_in_use_; ++w)
            for (uint32_t bits = words_[w]; bits; bits &= bits - 1)
                columns[number++] = static_cast<i32>(first_ + w * 32 + __ffs(static_cast<int>(bits)) - 1);
    }

  private:
    __device__ int share() const {
        return (words_in_use_ + tile_pattern::threads - 1) / tile_pattern::threads;
    }

    __device__ uint32_t count_before() {
        __shared__ uint32_t warp_counts[tile_pattern::warps];
        const int thread = static_cast<int>(threadIdx.x);
        uint32_t own = 0;
        for (int w = thread * share(); w < (thread + 1) * share() && w < words_in_use_; ++w)
            own += static_cast<uint32_t>(__popc(words_[w]));
        uint32_t sum = own;
        for (int distance = 1; distance < warp_size; distance *= 2) {
            const uint32_t below = from_lane_below(sum, distance);
            if (thread % warp_size >= distance) sum += below;
        }
        if (thread % warp_size == warp_size - 1) warp_counts[thread / warp_size] = sum;
        __syncthreads();
        uint32_t total = 0;
        uint32_t lower = 0;
        for (int w = 0; w < tile_pattern::warps; ++w) {
            if (w < thread / warp_size) lower += warp_counts[w];
            total += warp_counts[w];
        }
        before_[thread] = lower + sum - own;
        __syncthreads();
        return total;
    }

    const csr_pattern& a_;
    uint32_t* const words_;
    uint32_t* const before_;
    const tile_range tile_;
    int64_t first_ = 0;
    int words_in_use_ = 0;
};

// columns, column_begins, column_counts and places. One block per tile.
__global__ void __launch_bounds__(tile_pattern::threads)
    number_columns(const __grid_constant__ csr_pattern a, const __grid_constant__ tile_pattern p,
                   uint32_t room, tile_totals* totals) {
    extern __shared__ uint32_t words[];
    __shared__ uint32_t begin;
    column_map map(a, words, words + map_words);
    uint32_t count = 0;
    if (!map.fill(map_words, &count)) {
        if (threadIdx.x == 0) atomicExch(&totals->is_unfit, 1u);
        return;
    }
    if (threadIdx.x == 0) {
        begin = atomicAdd(&totals->columns, count);
        atomicMax(&totals->most_columns, count);
        p.column_begins[blockIdx.x] = begin;
        p.column_counts[blockIdx.x] = count;
    }
    __syncthreads();
    if (begin > room || count > room - begin) return;
    map.list(p.columns + begin);
    const tile_range tile(a.nnz);
    for (int i = threadIdx.x; i < tile.count; i += tile_pattern::threads)
        p.places[tile.base + i] = static_cast<uint16_t>(map.number_of(a.column(tile.base + i)));
}

// All lanes of a warp together.
__device__ void keep_longest(uint32_t* to, uint32_t length) {
    length = __reduce_max_sync(all_lanes, length);
    if (threadIdx.x % warp_size == 0) atomicMax(to, length);
}

// counts[row] := whether the row has elements.
__global__ void mark_rows(csr_pattern a, i64* counts, tile_totals* totals) {
    uint32_t longest = 0;
    for (int64_t row = this_thread(); row < a.rows; row += all_threads()) {
        const int64_t length = a.offset(row + 1) - a.offset(row);
        counts[row] = length > 0;
        longest = max(longest, static_cast<uint32_t>(length));
    }
    keep_longest(&totals->longest_row, longest);
}

// rows and starts, which are zero before; ranks[row] counts the rows with elements before it.
__global__ void list_rows(csr_pattern a, row_pattern p, const i64* ranks) {
    for (int64_t row = this_thread(); row < a.rows; row += all_threads()) {
        const int64_t first = a.offset(row);
        if (first == a.offset(row + 1)) continue;
        p.rows[ranks[row]] = static_cast<i32>(row);
        atomicOr(p.starts + first / 32, 1u << first % 32);
    }
}

__global__ void rank_parts(csr_pattern a, row_pattern p, const i64* ranks) {
    const int64_t parts = (a.nnz + row_pattern::part - 1) / row_pattern::part;
    for (int64_t i = this_thread(); i < parts; i += all_threads()) {
        const int64_t k = i * row_pattern::part;
        const int64_t row = a.row_of(k);
        p.ranks[i] = static_cast<i32>(ranks[row]) - (a.offset(row) == k);
    }
}

__global__ void count_elements(csr_pattern a, unsigned long long* counts) {
    for (int64_t k = this_thread(); k < a.nnz; k += all_threads()) atomicAdd(counts + a.column(k), 1ull);
}

__global__ void find_longest_column(int64_t columns, const i64* counts, tile_totals* totals) {
    uint32_t longest = 0;
    for (int64_t c = this_thread(); c < columns; c += all_threads())
        longest = max(longest, static_cast<uint32_t>(counts[c]));
    keep_longest(&totals->longest_column, longest);
}

// rows and places in any order within a column. next[column] starts as the column's offset.
__global__ void turn(csr_pattern a, column_pattern p, i32* next) {
    for (int64_t row = this_thread(); row < a.rows; row += all_threads()) {
        const int64_t begin = a.offset(row);
        for (int64_t k = begin; k < a.offset(row + 1); ++k) {
            const int to = atomicAdd(next + a.column(k), 1);
            p.rows[to] = static_cast<i32>(row);
            p.places[to] = static_cast<unsigned char>(k - begin);
        }
    }
}

// Sorts each column by rows, which neighbouring columns then read together, and by places: the same on every
// run.
__global__ void sort_columns(int64_t columns, column_pattern p) {
    for (int64_t c = this_thread(); c < columns; c += all_threads()) {
        const int begin = p.offsets[c];
        for (int i = begin + 1; i < p.offsets[c + 1]; ++i) {
            const i32 row = p.rows[i];
            const unsigned char place = p.places[i];
            int to = i;
            for (;
                 to > begin && (p.rows[to - 1] > row || (p.rows[to - 1] == row && p.places[to - 1] > place));
                 --to) {
                p.rows[to] = p.rows[to - 1];
                p.places[to] = p.places[to - 1];
            }
            p.rows[to] = row;
            p.places[to] = place;
        }
    }
}

__global__ void set_stamps(stamped p) { *p.front = *p.back = p.stamp; }

}  // namespace

bool transposed_patterns::serves(const csr_pattern& a) {
    return a.nnz >= fewest_elements && a.nnz < INT32_MAX && a.rows > 0 && a.columns > 0;
}

int64_t transposed_patterns::most_columns() const {
    return static_cast<int64_t>(most_columns_per_element * static_cast<double>(a_.nnz)) + 64;
}

transposed_patterns::transposed_patterns(heron_phase phase, heron_workspace& workspace, const csr_pattern& a)
    : a_(a) {
    lay_out_tiles({phase, workspace});
    if (phase == HERON_PHASE_SIZE) bytes_ = workspace.size;
    lay_out_columns({phase, workspace});
    if (phase == HERON_PHASE_SIZE) workspace.size = bytes_ = std::max(bytes_, workspace.size);
}

void transposed_patterns::lay_out_tiles(workspace_layout layout) {
    tile_pattern& p = by_tiles_;
    totals_ = layout.take<tile_totals>(1);
    p.front = layout.take<uint64_t>(1);
    p.places = layout.take<uint16_t>(a_.nnz);
    p.starts = layout.take<uint32_t>(start_words());
    p.columns = layout.take<i32>(most_columns());
    p.column_begins = layout.take<uint32_t>(tile_count());
    p.column_counts = layout.take<uint32_t>(tile_count());
    p.rows = layout.take<i32>(a_.rows);
    p.ranks = layout.take<i32>(tile_count() * tile_pattern::warps);
    p.back = layout.take<uint64_t>(1);
    row_counts_ = layout.take<i64>(a_.rows + 1);
    row_scan_.emplace(layout, a_.rows);
}

void transposed_patterns::lay_out_columns(workspace_layout layout) {
    column_pattern& p = by_columns_;
    layout.take<tile_totals>(1);
    p.front = layout.take<uint64_t>(1);
    p.offsets = layout.take<i32>(a_.columns + 1);
    p.rows = layout.take<i32>(a_.nnz);
    p.places = layout.take<unsigned char>(a_.nnz);
    p.back = layout.take<uint64_t>(1);
    column_counts_ = layout.take<i64>(a_.columns + 1);
    next_ = layout.take<i32>(a_.columns + 1);
    column_scan_.emplace(layout, a_.columns);
}

transposed_kind transposed_patterns::analyse(cuda_device& device, size_t value_bytes) {
    constexpr int64_t longest_mean = 12;
    if (!find_tiles(device)) {
        rank_rows(device);
        return transposed_kind::by_rows;
    }
    const uint32_t longest_row = read_totals(device).longest_row;
    const bool is_short = a_.nnz <= longest_mean * a_.columns && longest_row <= column_pattern::longest_row;
    if (is_short && find_columns(device)) {
        by_columns_.stamp = next_pattern_stamp();
        device.launch_blocks(set_stamps, 1, 1, 0, by_columns_);
        return transposed_kind::by_columns;
    }
    // Warps that merge such rows in registers are faster than additions of single precision in shared memory.
    if (value_bytes == 4 && longest_row <= warp_size) return transposed_kind::without;
    // What was tried has written over it.
    if (is_short) find_tiles(device);
    rank_rows(device);
    return transposed_kind::by_tiles;
}

// False if the matrix gains nothing.
bool transposed_patterns::find_tiles(cuda_device& device) {
    device.fill(totals_, 0, sizeof *totals_);
    device.launch_blocks(mark_rows, blocks_for(a_.rows), analysis_threads, 0, a_, row_counts_, totals_);
    device.launch_blocks(number_columns, tile_count(), tile_pattern::threads, map_bytes, a_, by_tiles_,
                         static_cast<uint32_t>(most_columns()), totals_);
    const tile_totals found = read_totals(device);
    by_tiles_.most_columns = found.most_columns;
    return !found.is_unfit && found.columns <= most_columns();
}

void transposed_patterns::rank_rows(cuda_device& device) {
    device.fill(by_tiles_.starts, 0, static_cast<size_t>(start_words()) * sizeof *by_tiles_.starts);
    row_scan_->apply(device, row_counts_, 0, row_counts_);
    device.launch_blocks(list_rows, blocks_for(a_.rows), analysis_threads, 0, a_, by_tiles_, row_counts_);
    device.launch_blocks(rank_parts, blocks_for(tile_count() * tile_pattern::warps), analysis_threads, 0, a_,
                         by_tiles_, row_counts_);
    by_tiles_.stamp = next_pattern_stamp();
    device.launch_blocks(set_stamps, 1, 1, 0, by_tiles_);
}

// False if a column is too long. Rows are known to be short.
bool transposed_patterns::find_columns(cuda_device& device) {
    auto* const counters = reinterpret_cast<unsigned long long*>(column_counts_);
    device.fill(column_counts_, 0, static_cast<size_t>(a_.columns + 1) * sizeof *column_counts_);
    device.launch_blocks(count_elements, blocks_for(a_.nnz), analysis_threads, 0, a_, counters);
    device.launch_blocks(find_longest_column, blocks_for(a_.columns), analysis_threads, 0, a_.columns,
                         column_counts_, totals_);
    if (read_totals(device).longest_column > column_pattern::longest_column) return false;
    column_scan_->apply(device, column_counts_, 0, by_columns_.offsets);
    column_scan_->apply(device, column_counts_, 0, next_);
    device.launch_blocks(turn, blocks_for(a_.rows), analysis_threads, 0, a_, by_columns_, next_);
    device.launch_blocks(sort_columns, blocks_for(a_.columns), analysis_threads, 0, a_.columns, by_columns_);
    return true;
}

tile_totals transposed_patterns::read_totals(cuda_device& device) const {
    tile_totals found{};
    device.read(&found, totals_, sizeof found);
    return found;
}

}  // namespace heron::HERON_LEVEL
