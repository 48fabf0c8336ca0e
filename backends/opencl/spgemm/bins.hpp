#pragma once
// The rows of a sparse product by their lengths: sums, maxima and lists, by the kernels of spgemm_bins.cl.
#include "common/spgemm/plan.hpp"
#include "opencl/runtime/device.hpp"
#include <algorithm>
#include <vector>

namespace heron::opencl {

inline constexpr kernel_family sorting{"group_scan spgemm_bins", "OT IT"};
struct measure_shares {
    static constexpr const char* name = "measure_shares";
};
struct measure_products {
    static constexpr const char* name = "measure_products";
};
struct scan_counts {
    static constexpr const char* name = "scan_counts";
};
struct sort_into_bins {
    static constexpr const char* name = "sort_into_bins";
};
// These mirror spgemm_bins.cl.
inline constexpr int64_t share_group = 256;
inline constexpr int64_t share = 2048;
inline constexpr int64_t walked_alone = 2048;
inline constexpr int bins = 7;
struct row_facts {
    i64 sum, longest, sizes;
};
struct bin_limits {
    heron_index limits[bins];
};
struct heavy_rule {
    heron_index longest, most_ranked;
};
struct bin_rule {
    bin_limits limits;
    int are_offsets;
    heron_index exact, most;
};

template <class OT, class IT>
const kept_program& sorting_program() {
    static const char* const names[] = {type_name<OT>, type_name<IT>};
    static const kept_program& program = keep_program(make_program_key(sorting, names, std::size(names)));
    return program;
}

// Sum and maximum of one count per row, and what precedes each.
template <class OT, class IT>
class row_totals {
  public:
    row_totals(opencl_device& device, workspace_layout& layout, int64_t rows)
        : row_totals(device, layout, rows, share) {}
    // For find_products alone. Where most rows of A are long, each is a group's.
    row_totals(opencl_device& device, workspace_layout& layout, const heron_spmat& a)
        : row_totals(device, layout, a.rows, a.nnz >= walked_alone * a.rows ? 1 : share) {}

    // Waits for the device.
    row_facts find(const i64* counts, int64_t most) const {
        launch<measure_shares>(counts, heron_index{rows_}, heron_index{most}, facts_);
        return read();
    }
    // Of args.row_products, which are counted first.
    row_facts find_products(const heron_spgemm_args& args) const {
        const heron_spmat& a = args.a.matrix;
        launch<measure_products>(as<const OT>(a.offsets), as<const IT>(a.indices), heron_index{a.base},
                                 as<const OT>(args.b.matrix.offsets), heron_index{rows_},
                                 static_cast<int>(share_), static_cast<i64*>(args.row_products),
                                 heron_index{plans::row_limit(args)}, facts_);
        return read();
    }
    // After find, of the same counts.
    void scan(i64* counts, const heron_spmat& c) const {
        const bool is_wide = c.offset_type == HERON_INDEX_64;
        launch<scan_counts>(counts, heron_index{rows_}, static_cast<const row_facts*>(facts_),
                            heron_index{c.base}, is_wide ? nullptr : as<i32>(c.offsets),
                            is_wide ? as<i64>(c.offsets) : nullptr);
    }

  private:
    row_totals(opencl_device& device, workspace_layout& layout, int64_t rows, int64_t rows_of_share)
        : device_(device),
          rows_(rows),
          share_(rows_of_share),
          shares_(quotient_up(rows, share_)),
          facts_(layout.take<row_facts>(shares_)) {}

    row_facts read() const {
        std::vector<row_facts> found(static_cast<size_t>(shares_));
        device_.read(found.data(), facts_, found.size() * sizeof found[0]);
        row_facts all{0, 0, 0};
        for (const row_facts& f : found)
            all = {all.sum + f.sum, std::max(all.longest, f.longest), all.sizes | f.sizes};
        return all;
    }
    template <class Kernel, class... Args>
    void launch(Args... args) const {
        device_.launch_program_groups<Kernel>(sorting_program<OT, IT>(), shares_, share_group, args...);
    }

    opencl_device& device_;
    int64_t rows_, share_, shares_;
    row_facts* facts_;
};

// Which rows of A have no bin, since several groups share them: none without offsets.
template <class OT>
struct heavy_filter {
    const OT* a_offsets = nullptr;
    const i64* products = nullptr;
    heavy_rule rule{0, 0};
};

// The rows by their lengths.
template <class OT, class IT>
class row_bins {
  public:
    row_bins(opencl_device& device, workspace_layout& layout, int64_t rows)
        : device_(device), rows_(rows), sizes_(layout.take<int>(2 * bins)), lists_(layout.take<int>(rows)) {}

    // products: see bin_of_row; NULL where none of them counts.
    void fill(const i64* counts, const i64* products, const bin_rule& rule, const heavy_filter<OT>& heavy) {
        has_lists_ = true;
        device_.fill(sizes_, 0, 2 * bins * sizeof(int));
        for (const int moves : {0, 1})
            device_.launch_program_groups<sort_into_bins>(
                sorting_program<OT, IT>(), quotient_up(rows_, share), share_group, counts, products,
                heron_index{rows_}, rule, heavy.a_offsets, heavy.products, heavy.rule, moves, sizes_,
                sizes_ + bins, lists_);
    }
    // NULL: one bin has all rows.
    const int* sizes() const { return has_lists_ ? sizes_ : nullptr; }
    const int* lists() const { return has_lists_ ? lists_ : nullptr; }
    // As they were left by another one in the same place.
    void adopt_lists() { has_lists_ = true; }

    // Calls f(bin) for bins that can have rows of lengths from `shortest` on.
    template <class F>
    static void visit(const bin_limits& limits, int64_t shortest, int64_t longest, F&& f) {
        for (int bin = 0; bin < bins; ++bin) {
            const int64_t below = bin == 0 ? 0 : limits.limits[bin - 1];
            if (limits.limits[bin] >= shortest && limits.limits[bin] > below && longest > below) f(bin);
        }
    }

  private:
    opencl_device& device_;
    int64_t rows_;
    int* sizes_;  // and the cursors
    int* lists_;
    bool has_lists_ = false;
};

}  // namespace heron::opencl
