#include "pattern.hpp"
#include "cuda/runtime/early_device.cuh"
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

template <class F>
void visit_order_groups(const early_device& device, F&& f) {
    f(plans::order_groups<1024, 128>{2 * device.multiprocessors() - 1});
}

void order_by_levels(cuda_device& device, const plans::row_pattern& rows, bool is_lower, bool is_unit,
                     const plans::row_order_memory& memory, const plans::long_rows_report& report,
                     int64_t fewest, const plans::least_widths& least) {
    if (rows.rows >= fewest) {
        early_device early(nullptr, &device);
        return plans::order_rows(early, rows, is_lower, is_unit, least, memory, report);
    }
    const auto bytes_upto = [&](const void* end) {
        return static_cast<size_t>(static_cast<const char*>(end) -
                                   reinterpret_cast<const char*>(memory.control));
    };
    device.fill(memory.control, 0, bytes_upto(memory.records));
}

}  // namespace heron::HERON_LEVEL
