#pragma once
// What ANALYSE finds out about the columns of a CSR matrix for the transposed product (spmv_columns.cuh).
#include "cuda/runtime/scan.hpp"
#include "cuda/runtime/warp.cuh"
#include <optional>

namespace heron::HERON_LEVEL {

// A CSR matrix without its values.
struct csr_pattern {
    const i32* offsets;
    const i32* indices;
    int64_t rows, columns, nnz, base;

    __device__ int64_t offset(int64_t row) const { return int64_t{offsets[row]} - base; }
    __device__ int64_t column(int64_t k) const { return int64_t{indices[k]} - base; }

    // The row of element k.
    __device__ int64_t row_of(int64_t k) const {
        int64_t low = 0;
        int64_t high = rows - 1;
        while (low < high) {
            const int64_t middle = low + (high - low + 1) / 2;
            if (offset(middle) <= k)
                low = middle;
            else
                high = middle - 1;
        }
        return low;
    }
};

// The caller may overwrite the workspace: a pattern in it lies between two stamps.
struct stamped {
    uint64_t* front;
    uint64_t* back;
    uint64_t stamp;

    __device__ bool is_lost() const { return *front != stamp || *back != stamp; }
};

// The elements by columns, for short rows and columns.
struct column_pattern : stamped {
    i32* offsets;           // of the columns
    i32* rows;              // of the elements by columns
    unsigned char* places;  // of the same elements in their rows

    static constexpr int64_t longest_row = 256;
    static constexpr int64_t longest_column = 64;
};

// The row of every element. Parts of the matrix go to a warp each.
struct row_pattern : stamped {
    uint32_t* starts;  // a bit per element: the first of its row
    i32* rows;         // those that have elements
    i32* ranks;        // of the parts: the row before the first one that begins there, in `rows`

    static constexpr int part = 512;
    static constexpr int threads = 512;
    static constexpr int warps = threads / warp_size;
};

// The elements cut into tiles that know their columns.
struct tile_pattern : row_pattern {
    uint16_t* places;         // of the elements: number of the column in the tile
    i32* columns;             // of the tiles
    uint32_t* column_begins;  // of the tiles, in `columns`
    uint32_t* column_counts;  // of the tiles
    uint32_t most_columns;    // of a tile

    static constexpr int elements = part * warps;
};

// What is counted over all tiles.
struct tile_totals {
    uint32_t columns;       // sum over the tiles
    uint32_t most_columns;  // of a tile
    uint32_t is_unfit;      // the columns of a tile lie too far apart
    uint32_t longest_row;
    uint32_t longest_column;
};

enum class transposed_kind { without, by_columns, by_tiles, by_rows };

// The workspace of either pattern.
class transposed_patterns {
  public:
    transposed_patterns(heron_phase phase, heron_workspace& workspace, const csr_pattern& a);

    // Whether there is one, as far as sizes tell.
    static bool serves(const csr_pattern& a);

    // Chooses a pattern and fills it in. Waits for the device.
    transposed_kind analyse(cuda_device& device, size_t value_bytes);

    size_t bytes() const { return bytes_; }
    const column_pattern& by_columns() const { return by_columns_; }
    const tile_pattern& by_tiles() const { return by_tiles_; }

  private:
    int64_t tile_count() const { return (a_.nnz + tile_pattern::elements - 1) / tile_pattern::elements; }
    int64_t start_words() const { return (a_.nnz + 31) / 32; }
    int64_t most_columns() const;
    void lay_out_tiles(workspace_layout layout);
    void lay_out_columns(workspace_layout layout);
    bool find_tiles(cuda_device& device);
    void rank_rows(cuda_device& device);
    bool find_columns(cuda_device& device);
    tile_totals read_totals(cuda_device& device) const;

    csr_pattern a_;
    size_t bytes_ = 0;
    column_pattern by_columns_{};
    tile_pattern by_tiles_{};
    i64* row_counts_ = nullptr;
    i64* column_counts_ = nullptr;
    i32* next_ = nullptr;
    tile_totals* totals_ = nullptr;
    std::optional<plans::exclusive_scan<cuda_device>> row_scan_, column_scan_;
};

}  // namespace heron::HERON_LEVEL
