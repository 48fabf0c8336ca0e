#pragma once
// How the kernels of sparse products are launched: shared memory, grids, and the bins of rows.
#include "spgemm_values.cuh"

namespace heron::HERON_LEVEL {

// Row numbers have 32 bits in the bins.
inline bool is_for_tuned_spgemm(const heron_spgemm_args& args) {
    return args.a.matrix.rows < INT32_MAX && !plans::is_empty_product(args);
}

inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

class spgemm_launcher {
  public:
    explicit spgemm_launcher(cuda_device& device) : device_(device) {
        int current = 0;
        check(cudaGetDevice(&current));
        check(cudaDeviceGetAttribute(&shared_limit_, cudaDevAttrMaxSharedMemoryPerBlockOptin, current));
    }

    // Bytes of shared memory that a block can have beside what kernels declare.
    int64_t shared_limit() const { return shared_limit_ - declared_at_most; }

    // As many places as fit with so many bytes each, a power of two, at most `most`.
    int largest_table(int most, size_t bytes_each) const {
        while (most * static_cast<int64_t>(bytes_each) > shared_limit()) most /= 2;
        return most;
    }

    template <class... Args>
    void launch(void (*kernel)(Args...), int64_t blocks, int64_t threads, size_t shared_bytes,
                std::type_identity_t<Args>... args) {
        constexpr size_t always_there = 48 << 10;
        if (shared_bytes + declared_at_most > always_there)
            check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                       cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(shared_bytes)));
        device_.launch_blocks(kernel, blocks, threads, shared_bytes, args...);
    }

    // For kernels that stride over a list whose size only the device knows: enough blocks to fill it.
    int64_t blocks_for(int64_t most_groups, int64_t groups_per_block) const {
        const int64_t wanted = ceil_div(most_groups, groups_per_block);
        const int64_t enough = int64_t{32} * device_.multiprocessors();
        return wanted < enough ? wanted : enough;
    }

    // Threads of a block whose groups of `lanes` take so many bytes each.
    int threads_for(int lanes, size_t bytes_each) const {
        int threads = 128;
        while (threads > warp_size && threads / lanes * static_cast<int64_t>(bytes_each) > shared_limit())
            threads /= 2;
        return threads;
    }

    cuda_device& device() { return device_; }

  private:
    static constexpr int declared_at_most = 1024;

    cuda_device& device_;
    int shared_limit_ = 0;
};

// Bins in a workspace.
class placed_bins {
  public:
    placed_bins(workspace_layout& layout, int64_t rows)
        : sizes_(layout.take<int>(row_bins::count)),
          lists_(layout.take<int>(row_bins::count * rows)),
          rows_(rows) {}

    void fill(spgemm_launcher& launcher, const int64_t* rows_of, bool by_offsets, int64_t most,
              const int (&limits)[row_bins::count - 1]) const {
        row_bins bins{{limits[0], limits[1], limits[2], limits[3]}, sizes_, lists_};
        launcher.device().fill(sizes_, 0, row_bins::count * sizeof(int));
        launcher.launch(bin_rows, ceil_div(rows_, spgemm_threads), spgemm_threads, 0, rows_of, by_offsets,
                        most, rows_, bins);
    }
    row_list list(int bin) const { return {sizes_ + bin, lists_ + bin * rows_}; }

  private:
    int* sizes_;
    int* lists_;
    int64_t rows_;
};

// The elements of a row of B that are read at a time are few: eight lanes have enough of them.
inline bool has_short_rows(const heron_spgemm_args& args) {
    constexpr int64_t short_row = 12;
    return args.products <= short_row * args.a.matrix.nnz;
}

// Lengths or columns of the rows in the last two bins, whose limit is `limit` elements for the first of them.
template <bool with_columns, class OT, class IT>
void find_long_rows(spgemm_launcher& launcher, const heron_spgemm_args& args, const placed_bins& bins,
                    int limit, const row_results<IT>& results) {
    const row_pattern<OT, IT> a(args.a.matrix), b(args.b.matrix);
    const int places = table_places(limit);
    const size_t hash_bytes = sizeof(IT) * static_cast<size_t>(with_columns ? places + places / 2 : places);
    const int64_t blocks = launcher.blocks_for(a.rows, 1);
    launcher.launch(find_rows_by_hash<with_columns, OT, IT>, blocks, spgemm_threads, hash_bytes, a, b,
                    bins.list(row_bins::count - 2), places, results);
    if (args.longest <= limit) return;
    constexpr int64_t most_words = 32768;
    int64_t words = ceil_div(ceil_div(args.b.matrix.cols, 32), spgemm_threads) * spgemm_threads;
    words = launcher.largest_table(static_cast<int>(most_words), 4) < words
                ? launcher.largest_table(most_words, 4)
                : words;
    launcher.launch(find_rows_by_bitmap<with_columns, OT, IT>, blocks, spgemm_threads,
                    static_cast<size_t>(words) * 4, a, b, bins.list(row_bins::count - 1), args.b.matrix.cols,
                    static_cast<int>(words), results);
}

}  // namespace heron::HERON_LEVEL
