#pragma once
// How the kernels of sparse products are launched: shared memory, grids, and the bins of rows.
#include "ranks.cuh"
#include <algorithm>
#include <optional>

namespace heron::HERON_LEVEL {

// Row numbers have 32 bits in the bins.
inline bool is_for_tuned_spgemm(const heron_spgemm_args& args) {
    return args.a.matrix.rows < INT32_MAX && !plans::is_empty_product(args);
}

inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

class spgemm_launcher {
  public:
    explicit spgemm_launcher(cuda_device& device) : device_(device) {}

    // Bytes of shared memory that a block can have beside what kernels declare.
    int64_t shared_limit() const { return device_.shared_bytes() - cuda_device::declared_at_most; }

    // As many places as fit with so many bytes each, a power of two, at most `most`.
    int largest_table(int most, size_t bytes_each) const {
        while (most * static_cast<int64_t>(bytes_each) > shared_limit()) most /= 2;
        return most;
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
    cuda_device& device_;
};

// Bins in a workspace.
class placed_bins {
  public:
    placed_bins(workspace_layout& layout, int64_t rows)
        : bins_{layout.take<int>(2 * row_bins::count), nullptr, layout.take<int>(rows)}, rows_(rows) {
        bins_.cursors = bins_.sizes + row_bins::count;
    }

    // Sets zeros[0] and zeros[1] too, where there are any.
    template <class Rule>
    void fill(spgemm_launcher& launcher, const Rule& rule, int* zeros = nullptr) const {
        cuda_device& device = launcher.device();
        const auto sort = [&](auto* kernel) {
            device.launch_blocks(kernel, ceil_div(rows_, bin_rows), spgemm_threads, 0, rule, rows_, bins_,
                                 zeros);
        };
        if (rows_ <= bin_rows) return sort(sort_into_bins<bin_pass::alone, Rule>);
        if (zeros) device.fill(zeros, 0, 2 * sizeof *zeros);
        device.fill(bins_.sizes, 0, 2 * row_bins::count * sizeof(int));
        sort(sort_into_bins<bin_pass::count, Rule>);
        sort(sort_into_bins<bin_pass::move, Rule>);
    }
    row_list list(int bin) const { return {bins_.sizes, bins_.lists, bin}; }
    const row_bins& bins() const { return bins_; }

  private:
    row_bins bins_;
    int64_t rows_;
};

// The ranks in a workspace: the first part of that of the symbolic and the numeric phase.
class placed_ranks {
  public:
    placed_ranks(workspace_layout& layout, const heron_spgemm_args& args) : args_(args) {
        const int64_t bytes = rank_bytes(args, rank_space::ranked);
        if (bytes == 0) return;
        const int64_t rows = args.a.matrix.rows;
        bins_.emplace(layout, rows);
        int* const flags = layout.take<int>(2);  // 0 at first
        space_ = {bins_->bins(), flags, flags + 1, layout.take<int>(rows), layout.take<uint8_t>(bytes)};
    }

    bool are_kept() const { return bins_.has_value(); }
    const rank_space& space() const { return space_; }
    bool take_all_rows() const { return common_bin() >= 0; }
    // NULL where a bin has all rows.
    int* sizes() const { return take_all_rows() ? nullptr : space_.bins.sizes; }

    // Rows of more than `light` products are apart.
    void sort_rows(spgemm_launcher& launcher, int64_t hash_limit, int64_t light) const {
        if (take_all_rows()) return launcher.device().fill(space_.unordered, 0, sizeof(int));
        bins_->fill(launcher, rank_rule{args_.row_products, plans::row_limit(args_), hash_limit, light},
                    space_.unordered);
    }
    // Calls f(bin) for the bins that can have rows.
    template <class F>
    void visit(F&& f) const {
        if (take_all_rows()) return f(common_bin());
        for (int bin = 0; bin < rank_space::ranked; ++bin)
            if (can_have_rows(bin > 0 ? rank_space::limit(bin - 1) : 0, rank_space::limit(bin))) f(bin);
    }
    // Rows without ranks of up to so many products.
    bool can_have_rest(int64_t upto = INT64_MAX) const {
        return can_have_rows(rank_space::most_products, upto);
    }
    bool can_have_too_many() const { return can_have_rows(most_ranks, rank_space::most_products); }

  private:
    // Of more than `above` products and up to `upto`.
    bool can_have_rows(int64_t above, int64_t upto) const {
        if (upto <= above || (knows_products(args_) && args_.longest <= above)) return false;
        if (args_.row_sizes == 0) return true;
        for (int s = 0; s < 63; ++s)
            if ((args_.row_sizes >> s & 1) && int64_t{1} << s > above && (int64_t{1} << s) / 2 < upto)
                return true;
        return false;
    }
    int common_bin() const { return common_rank_bin(args_, rank_space::sorted); }

    const heron_spgemm_args& args_;
    std::optional<placed_bins> bins_;
    rank_space space_{};
};

// Whether a bitmap of a row's columns is small enough to be better than any table.
inline bool is_narrow(const heron_spgemm_args& args) {
    constexpr int64_t most_columns = int64_t{1} << 18;
    return args.b.matrix.cols <= most_columns;
}

template <bool with_columns, class OT, class IT>
void find_rows_by_bitmaps(spgemm_launcher& launcher, const heron_spgemm_args& args, const row_list& list,
                          int threads, const row_results<IT>& results, const unsigned* marks = nullptr) {
    const row_pattern<OT, IT> a(args.a.matrix), b(args.b.matrix);
    constexpr int most_words = 32768;
    const int64_t all = ceil_div(ceil_div(args.b.matrix.cols, 32), threads) * threads;
    const int64_t words = std::min<int64_t>(all, launcher.largest_table(most_words, 4));
    launcher.device().launch_blocks(find_rows_by_bitmap<with_columns, OT, IT>, launcher.blocks_for(a.rows, 1),
                                    threads, static_cast<size_t>(words) * 4, a, b, list, args.b.matrix.cols,
                                    static_cast<int>(words), results, marks);
}

// Lengths or columns of longer rows: those that a hash table of `limit` elements takes, and the others.
template <bool with_columns, class OT, class IT>
void find_long_rows(spgemm_launcher& launcher, const heron_spgemm_args& args, const row_list& hashed,
                    int limit, const row_list& others, const row_results<IT>& results) {
    const row_pattern<OT, IT> a(args.a.matrix), b(args.b.matrix);
    const int places = table_places(limit);
    const size_t hash_bytes = sizeof(IT) * static_cast<size_t>(with_columns ? places + places / 2 : places);
    if (is_narrow(args))
        find_rows_by_bitmaps<with_columns, OT, IT>(launcher, args, hashed, spgemm_threads, results);
    else
        launcher.device().launch_blocks(find_rows_by_hash<with_columns, OT, IT>,
                                        launcher.blocks_for(a.rows, 1), spgemm_threads, hash_bytes, a, b,
                                        hashed, places, results);
    constexpr int most_threads = 1024;
    if (args.longest > limit)
        find_rows_by_bitmaps<with_columns, OT, IT>(launcher, args, others, most_threads, results);
}

}  // namespace heron::HERON_LEVEL
