#include "pattern.hpp"
#include "grid.cuh"
#include "levels.cuh"
#include <bit>

namespace heron::HERON_LEVEL {
namespace {

constexpr int threads = 256;

int64_t blocks_of(int64_t count) { return (count + threads - 1) / threads; }

// The number of the last offset that is not larger: which row, slice or block row an element belongs to.
template <class OT>
__device__ int64_t owner_of(const OT* offsets, int64_t first, int64_t count, int64_t element) {
    int64_t low = 0;
    int64_t high = count - 1;
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (static_cast<int64_t>(offsets[middle]) - first <= element)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

struct place {
    int64_t row, column;  // -1: padding
};

// Where stored element k of a matrix is.
template <class OT, class IT>
__device__ place place_of(const heron_spmat& a, int64_t k) {
    const auto* const offsets = static_cast<const OT*>(a.offsets);
    const auto* const indices = static_cast<const IT*>(a.indices);
    if (a.format == HERON_FORMAT_COO)
        return {static_cast<int64_t>(static_cast<const IT*>(a.row_indices)[k]) - a.base,
                static_cast<int64_t>(indices[k]) - a.base};
    if (a.format == HERON_FORMAT_CSR)
        return {owner_of(offsets, a.base, a.rows, k), static_cast<int64_t>(indices[k]) - a.base};
    if (a.format == HERON_FORMAT_SELL) {
        const int64_t first = offsets[0];
        const int64_t slice = owner_of(offsets, first, (a.rows + a.slice_size - 1) / a.slice_size, k);
        const int64_t row =
            slice * a.slice_size + (k - (static_cast<int64_t>(offsets[slice]) - first)) % a.slice_size;
        if (indices[k] < 0) return {-1, -1};
        return {row, static_cast<int64_t>(indices[k]) - a.base};
    }
    const int64_t size = a.block_rows * a.block_cols;
    const int64_t block = k / size;
    const int64_t inside = k % size;
    const bool by_rows = a.block_order == HERON_ORDER_ROW;
    const int64_t r = by_rows ? inside / a.block_cols : inside % a.block_rows;
    const int64_t c = by_rows ? inside % a.block_cols : inside / a.block_rows;
    const int64_t block_row = owner_of(offsets, a.base, a.rows / a.block_rows, block);
    return {block_row * a.block_rows + r, (static_cast<int64_t>(indices[block]) - a.base) * a.block_cols + c};
}

// The key of an element is its row of op(A), or n if it has no part in the triangle.
template <class OT, class IT>
__global__ void place_elements(heron_spmat a, bool transposed, int64_t stored, unsigned* keys,
                               unsigned* others, unsigned* sources) {
    const int64_t k = static_cast<int64_t>(blockIdx.x) * threads + threadIdx.x;
    if (k >= stored) return;
    const place p = place_of<OT, IT>(a, k);
    const bool inside = p.row >= 0 && p.row < a.rows && p.column >= 0 && p.column < a.rows;
    const bool beside = a.fill == HERON_FILL_LOWER ? p.column < p.row : p.column > p.row;
    const bool used = inside && (p.row == p.column ? a.diag == HERON_DIAG_NON_UNIT : beside);
    const int64_t row = transposed ? p.column : p.row;
    const int64_t column = transposed ? p.row : p.column;
    keys[k] = static_cast<unsigned>(used ? row : a.rows);
    others[k] = static_cast<unsigned>(used ? column : 0);
    sources[k] = static_cast<unsigned>(k);
}

// offsets[row] := how many keys are smaller than row.
__global__ void find_offsets(const unsigned* keys, int64_t stored, int64_t n, int* offsets) {
    const int64_t row = static_cast<int64_t>(blockIdx.x) * threads + threadIdx.x;
    if (row > n) return;
    int64_t low = 0;
    int64_t high = stored;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (keys[middle] < static_cast<unsigned>(row))
            low = middle + 1;
        else
            high = middle;
    }
    offsets[row] = static_cast<int>(low);
}

__global__ void gather_columns(const unsigned* others, const unsigned* sources, int64_t stored,
                               int* columns) {
    const int64_t k = static_cast<int64_t>(blockIdx.x) * threads + threadIdx.x;
    if (k < stored) columns[k] = static_cast<int>(others[sources[k]]);
}

constexpr int scan_threads = guess_threads;

// How many there are in the threads before this one; all of the block's in the last element of sums.
__device__ unsigned count_before(unsigned count, unsigned (&sums)[scan_threads / warp_size]) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    const auto scan = [lane](unsigned v) {
        for (int distance = 1; distance < warp_size; distance *= 2) {
            const unsigned below = from_lane_below(v, distance);
            if (lane >= distance) v += below;
        }
        return v;
    };
    const unsigned upto = scan(count);
    if (lane == warp_size - 1) sums[warp] = upto;
    __syncthreads();
    if (warp == 0) sums[lane] = scan(sums[lane]);
    __syncthreads();
    return upto - count + (warp > 0 ? sums[warp - 1] : 0u);
}

// Where each level begins in the order, in place of how many rows it has; or that levels are too narrow.
__global__ void __launch_bounds__(scan_threads) start_levels(order_memory memory, int n) {
    __shared__ unsigned sums[scan_threads / warp_size];
    if (memory.guess->source != order_source::search) return;
    unsigned* const counts = memory.counts;
    const int levels = static_cast<int>(memory.schedule->highest) + 1;
    const int width = n / levels;
    if (threadIdx.x == 0) {
        memory.schedule->width = width > 0 ? width : 1;
        memory.schedule->is_ordered = width >= narrowest_level;
    }
    if (width < narrowest_level) return;
    unsigned before = 0;
    for (int first = 0; first < levels; first += scan_threads) {
        const int level = first + static_cast<int>(threadIdx.x);
        const unsigned start = count_before(level < levels ? counts[level] : 0u, sums);
        if (level < levels) counts[level] = before + start;
        before += sums[scan_threads / warp_size - 1];
        __syncthreads();
    }
}

template <class OT, class IT>
__global__ void place_rows(triangle_rows<OT, IT> triangle, order_memory memory) {
    const int row = static_cast<int>(blockIdx.x * threads + threadIdx.x);
    if (row == 0 && memory.report)
        *const_cast<volatile unsigned*>(memory.report) =
            memory.schedule->has_long ? memory.long_rows : memory.no_long_rows;
    if (row >= triangle.n || memory.guess->source != order_source::search || !memory.schedule->is_ordered)
        return;
    const unsigned place = memory.counts[memory.levels[row] - 1u] + memory.places[row];
    memory.records[place] = record_of(triangle, row);
    memory.places[row] = place;
}

// How many rows of a plane belong to each of its levels. Most are looked up.
class plane_levels {
  public:
    // By all threads of a block; `rows`: in shared memory.
    __device__ plane_levels(const row_grid& grid, unsigned* rows) : grid_(grid), rows_(rows) {
        for (int level = static_cast<int>(threadIdx.x); level < looked_up; level += scan_threads)
            rows_[level] = static_cast<unsigned>(grid.rows_of(level));
        __syncthreads();
    }
    __device__ unsigned rows_of(int level) const {
        if (level < 0) return 0;
        return level < looked_up ? rows_[level] : static_cast<unsigned>(grid_.rows_of(level));
    }
    static constexpr int looked_up = 4096;

  private:
    const row_grid& grid_;
    unsigned* rows_;
};

// For each level and plane, how many rows come before the first one of both.
__device__ void start_grid_levels(const row_grid& grid, unsigned* starts) {
    __shared__ unsigned sums[scan_threads / warp_size];
    __shared__ unsigned plane_rows[plane_levels::looked_up];
    const plane_levels in_plane(grid, plane_rows);
    const int entries = static_cast<int>(grid.levels()) * grid.planes;
    const int share = (entries + scan_threads - 1) / scan_threads;
    const int first = min(static_cast<int>(threadIdx.x) * share, entries);
    const int end = min(first + share, entries);
    const auto over_share = [&](auto&& visit) {
        int level = first / grid.planes;
        int plane = first - level * grid.planes;
        for (int i = first; i < end; ++i) {
            visit(i, in_plane.rows_of(level - grid.plane_step * plane));
            if (++plane < grid.planes) continue;
            plane = 0;
            ++level;
        }
    };
    unsigned count = 0;
    over_share([&](int, unsigned rows) { count += rows; });
    unsigned before = count_before(count, sums);
    over_share([&](int i, unsigned rows) {
        starts[i] = before;
        before += rows;
    });
}

// The first block guesses where the order comes from, the others clear memory.
template <class OT, class IT>
__global__ void __launch_bounds__(guess_threads, 1)
    prepare_order(triangle_rows<OT, IT> triangle, order_memory memory, int64_t room) {
    if (blockIdx.x > 0) {
        auto* const words = static_cast<uint4*>(memory.zeroed.begin);
        const int64_t count = static_cast<int64_t>(memory.zeroed.bytes / sizeof(uint4));
        const int64_t step = static_cast<int64_t>(gridDim.x - 1) * guess_threads;
        for (int64_t i = static_cast<int64_t>(blockIdx.x - 1) * guess_threads + threadIdx.x; i < count;
             i += step)
            words[i] = uint4{};
        return;
    }
    const int64_t n = triangle.n;
    const grid_guess guess = grid_finder<OT, IT>(triangle).guess(room);
    if (threadIdx.x == 0) {
        memory.controls[0] = memory.controls[1] = solve_control{};
        *memory.guess = guess;
        const bool is_grid = guess.source == order_source::grid;
        const int width = is_grid ? static_cast<int>(n / guess.grid.levels()) : 1;
        *memory.schedule = row_schedule{0, is_grid, width, 0};
    }
    if (guess.source == order_source::grid) start_grid_levels(guess.grid, memory.grid_starts);
}

// Whether all that a row needs is in lower levels.
template <class OT, class IT>
__device__ bool fits_grid(const triangle_rows<OT, IT>& triangle, const row_grid& grid,
                          const row_record& record, int level) {
    bool fits = true;
    for (unsigned k = record.begin; k < record.end; ++k) {
        const int column = static_cast<int>(triangle.column(k));
        if (triangle.needs(record.row, column))
            fits = fits && grid.level(grid.at(triangle.turned(column))) < level;
    }
    return fits;
}

// Puts the rows of a grid into their order, or finds out that this is none.
template <class OT, class IT>
__global__ void __launch_bounds__(threads)
    place_grid_rows(triangle_rows<OT, IT> triangle, order_memory memory) {
    const grid_guess guess = *memory.guess;
    const int number = static_cast<int>(blockIdx.x * threads + threadIdx.x);
    if (guess.source == order_source::search || number >= triangle.n) return;
    auto* const source = reinterpret_cast<unsigned*>(&memory.guess->source);
    const row_record record = record_of(triangle, static_cast<int>(triangle.turned(number)));
    if (record.end - record.begin > triangle.longest) {
        store_relaxed(&memory.schedule->has_long, 1u);
        if (guess.source == order_source::grid)
            store_relaxed(source, static_cast<unsigned>(order_source::search));
        return;
    }
    if (guess.source == order_source::number) return;
    const row_grid& grid = guess.grid;
    const grid_point p = grid.at(number);
    const int level = grid.level(p);
    if (!fits_grid(triangle, grid, record, level)) {
        store_relaxed(source, static_cast<unsigned>(order_source::search));
        return;
    }
    const int line = p.y - grid.first_line(grid.level_in_plane(p));
    const unsigned place = memory.grid_starts[level * grid.planes + p.z] + static_cast<unsigned>(line);
    memory.records[place] = record;
    memory.places[record.row] = place;
}

template <class OT, class IT>
void order_rows(cuda_device& device, const triangle_rows<OT, IT>& triangle, const order_memory& memory) {
    const int64_t n = triangle.n;
    if (n < fewest_ordered_rows) {
        const char* const end = static_cast<const char*>(memory.zeroed.begin) + memory.zeroed.bytes;
        return device.fill(memory.controls, 0,
                           static_cast<size_t>(end - reinterpret_cast<const char*>(memory.controls)));
    }
    device.launch_blocks(prepare_order<OT, IT>, 2 * device.multiprocessors(), guess_threads, 0, triangle,
                         memory, grid_room(n));
    device.launch_blocks(place_grid_rows<OT, IT>, blocks_of(n), threads, 0, triangle, memory);
    device.launch_blocks(find_levels<OT, IT>, blocks_of_rows(n, level_threads), level_threads, 0, triangle,
                         memory);
    device.launch_blocks(start_levels, 1, scan_threads, 0, memory, static_cast<int>(n));
    device.launch_blocks(place_rows<OT, IT>, blocks_of(n), threads, 0, triangle, memory);
}

}  // namespace

gather_memory::gather_memory(workspace_layout& layout, int64_t n, int64_t count)
    : stored(count),
      keys{{layout.take<unsigned>(count), layout.take<unsigned>(count)}},
      sources{{layout.take<unsigned>(count), layout.take<unsigned>(count)}},
      others(layout.take<unsigned>(count)),
      offsets(layout.take<int>(n + 1)),
      sort_bytes(sort_workspace(count)),
      sort_memory(layout.take<char>(static_cast<int64_t>(sort_bytes))) {}

gathered_triangle gather_triangle(cuda_device& device, const heron_trisolve_args& args,
                                  const gather_memory& memory) {
    const heron_spmat& a = args.a;
    array_pair keys = memory.keys;
    array_pair sources = memory.sources;
    // COO has no offsets: any width that pairs with its indices will do.
    const heron_index_type offset_type = a.format == HERON_FORMAT_COO ? HERON_INDEX_64 : a.offset_type;
    visit_offsets_and_indices(offset_type, a.index_type, [&]<class OT, class IT>(type<OT>, type<IT>) {
        device.launch_blocks(place_elements<OT, IT>, blocks_of(memory.stored), threads, 0, a,
                             plans::is_transposed(args.op), memory.stored, keys.current(), memory.others,
                             sources.current());
    });
    // By row, and in a row in storage order, so that sums are the same every time.
    if (memory.stored > 0)
        sort_pairs(device, memory.sort_memory, memory.sort_bytes, keys, sources, memory.stored,
                   std::bit_width(static_cast<uint64_t>(a.rows)));
    device.launch_blocks(find_offsets, blocks_of(a.rows + 1), threads, 0, keys.current(), memory.stored,
                         a.rows, memory.offsets);
    int* const columns = reinterpret_cast<int*>(keys.other());
    device.launch_blocks(gather_columns, blocks_of(memory.stored), threads, 0, memory.others,
                         sources.current(), memory.stored, columns);
    return {memory.offsets, columns, reinterpret_cast<const int*>(sources.current())};
}

void order_by_levels(cuda_device& device, const heron_spmat& a, bool lower, const order_memory& memory) {
    visit_offsets_and_indices(a.offset_type, a.index_type, [&]<class OT, class IT>(type<OT>, type<IT>) {
        const triangle_rows<OT, IT> triangle{
            as<const OT>(a.offsets),   as<const IT>(a.indices), nullptr, a.rows, a.base, lower, false,
            longest_row(a.nnz, a.rows)};
        order_rows(device, triangle, memory);
    });
}

void order_by_levels(cuda_device& device, const gathered_triangle& t, int64_t n, int64_t stored, bool lower,
                     const order_memory& memory) {
    const triangle_rows<int, int> triangle{t.offsets, t.columns, t.sources, n,
                                           0,         lower,     false,     longest_row(stored, n)};
    order_rows(device, triangle, memory);
}

}  // namespace heron::HERON_LEVEL
