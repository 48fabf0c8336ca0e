#include "opencl_spgemm.hpp"
#include "../common/plans/spgemm.hpp"
#include <algorithm>
#include <cstdlib>

namespace heron::opencl {
namespace {

constexpr kernel_family tuned{"spgemm_tuned", "CT OT IT"};
struct measure_shares {
    static constexpr const char* name = "measure_shares";
};
struct scan_facts {
    static constexpr const char* name = "scan_facts";
};
struct scan_counts {
    static constexpr const char* name = "scan_counts";
};
struct sort_into_bins {
    static constexpr const char* name = "sort_into_bins";
};
struct find_unordered {
    static constexpr const char* name = "find_unordered";
};
struct count_lengths {
    static constexpr const char* name = "count_lengths";
};
struct multiply_rows {
    static constexpr const char* name = "multiply_rows";
};

// These mirror spgemm_tuned.cl.
constexpr int64_t share_group = 256;
constexpr int64_t share = 2048;
constexpr int bins = 4;
struct row_facts {
    i64 sum, longest;
};
struct bin_limits {
    heron_index limits[bins];
};

// Of the bounds by which rows are counted, and of the lengths by which they are summed.
constexpr bin_limits counted{{64, 256, 1024, 4096}};
constexpr bin_limits summed{{32, 64, 256, 1024}};
constexpr uint64_t local_bytes_needed = 48 * 1024;

// How the kernels of a bin divide a group.
struct team_shape {
    int group, lanes, limit;

    int64_t teams() const { return group / lanes; }
    std::string definitions() const {
        const auto number = [](int n) { return std::to_string(n); };
        return "#define GROUP " + number(group) + "\n#define LANES " + number(lanes) + "\n#define PLACES " +
               number(2 * limit) + "\n#define LIMIT " + number(limit) + "\n";
    }
};

// A group is as many items as a GPU runs in step. The elements of a row of B that are read at a time are few:
// eight lanes have enough of them.
team_shape shape_of(const bin_limits& limits, int bin, bool has_short_rows) {
    const int limit = static_cast<int>(limits.limits[bin]);
    if (bin == bins - 1) return {128, 128, limit};
    return {32, has_short_rows && limit <= 64 ? 8 : 32, limit};
}

bool has_short_rows(const heron_spgemm_args& args) {
    constexpr int64_t short_row = 12;
    return args.products <= short_row * args.a.matrix.nnz;
}

template <class CT, class OT, class IT>
program_key key_of(const team_shape& shape) {
    const char* const names[] = {type_name<CT>, type_name<OT>, type_name<IT>};
    program_key key = make_program_key(tuned, names, std::size(names));
    key.definitions += shape.definitions();
    return key;
}

// Sum and maximum of one count per row, and what precedes each.
template <class OT, class IT>
class row_totals {
  public:
    row_totals(opencl_device& device, workspace_layout& layout, int64_t rows)
        : device_(device),
          rows_(rows),
          shares_(quotient_up(rows, share)),
          facts_(layout.take<row_facts>(shares_ + 1)) {}

    // Waits for the device.
    row_facts find(const i64* counts, int64_t most) const {
        device_.launch_program_groups<measure_shares>(key_, shares_, share_group, counts, heron_index{rows_},
                                                      heron_index{most}, facts_);
        device_.launch_program_groups<scan_facts>(key_, 1, share_group, facts_, heron_index{shares_});
        row_facts all{0, 0};
        device_.read(&all, facts_ + shares_, sizeof all);
        return all;
    }
    // After find.
    void scan(i64* counts) const {
        device_.launch_program_groups<scan_counts>(key_, shares_, share_group, counts, heron_index{rows_},
                                                   static_cast<const row_facts*>(facts_),
                                                   heron_index{shares_});
    }

  private:
    opencl_device& device_;
    int64_t rows_, shares_;
    row_facts* facts_;
    program_key key_ = key_of<f32, OT, IT>(shape_of(summed, 0, true));
};

// The rows by their lengths.
template <class OT, class IT>
class row_bins {
  public:
    row_bins(opencl_device& device, workspace_layout& layout, int64_t rows)
        : device_(device), rows_(rows), sizes_(layout.take<int>(2 * bins)), lists_(layout.take<int>(rows)) {}

    void fill(const i64* counts, bool are_offsets, int64_t most, const bin_limits& limits, int64_t longest) {
        is_one_ = longest <= limits.limits[0];
        if (is_one_) return;
        device_.fill(sizes_, 0, 2 * bins * sizeof(int));
        for (const int moves : {0, 1})
            device_.launch_program_groups<sort_into_bins>(
                key_, quotient_up(rows_, share), share_group, counts, int{are_offsets}, heron_index{most},
                heron_index{rows_}, limits, moves, sizes_, sizes_ + bins, lists_);
    }
    // NULL: one bin has all rows.
    const int* sizes() const { return is_one_ ? nullptr : sizes_; }
    const int* lists() const { return is_one_ ? nullptr : lists_; }

    // Calls f(bin) for bins that can have rows.
    template <class F>
    static void visit(const bin_limits& limits, int64_t longest, F&& f) {
        for (int bin = 0; bin < bins; ++bin)
            if (bin == 0 || longest > limits.limits[bin - 1]) f(bin);
    }

  private:
    opencl_device& device_;
    int64_t rows_;
    int* sizes_;  // and the cursors
    int* lists_;
    bool is_one_ = false;
    program_key key_ = key_of<f32, OT, IT>(shape_of(summed, 0, true));
};

// Groups that stride over a list whose size only the device knows: enough to fill it.
int64_t groups_for(opencl_device& device, int64_t rows, const team_shape& shape) {
    return std::min(quotient_up(rows, shape.teams()), int64_t{64} * device.traits().compute_units);
}

template <class OT, class IT>
class team_symbolic {
  public:
    team_symbolic(opencl_device& device, const heron_spgemm_args& args, workspace_layout& layout)
        : device_(device),
          args_(args),
          totals_(device, layout, args.a.matrix.rows),
          bins_(device, layout, args.a.matrix.rows),
          longer_(device, args, layout, counted.limits[bins - 1]) {}

    void run() {
        const int64_t rows = args_.a.matrix.rows;
        const int64_t most = plans::row_limit(args_);
        device_.fill(args_.row_offsets, 0, static_cast<size_t>(rows + 1) * sizeof(i64));
        bins_.fill(args_.row_products, false, most, counted, args_.longest);
        bins_.visit(counted, args_.longest, [&](int bin) { count(bin); });
        longer_.run();
        const row_facts all = totals_.find(args_.row_offsets, most);
        plans::require_offsets_hold(args_.c, all.sum);
        totals_.scan(args_.row_offsets);
        plans::write_product_offsets(device_, args_);
        plans::report(args_.nnz_found, all.sum);
        plans::report(args_.longest_found, all.longest);
    }

  private:
    void count(int bin) {
        const heron_spmat& a = args_.a.matrix;
        const heron_spmat& b = args_.b.matrix;
        const team_shape shape = shape_of(counted, bin, has_short_rows(args_));
        device_.launch_program_groups<count_lengths>(
            key_of<f32, OT, IT>(shape), groups_for(device_, a.rows, shape), static_cast<size_t>(shape.group),
            as<const OT>(a.offsets), as<const IT>(a.indices), heron_index{a.base}, as<const OT>(b.offsets),
            as<const IT>(b.indices), heron_index{b.base}, heron_index{a.rows}, bins_.sizes(), bins_.lists(),
            bin, static_cast<i64*>(args_.row_offsets));
    }

    opencl_device& device_;
    const heron_spgemm_args& args_;
    row_totals<OT, IT> totals_;
    row_bins<OT, IT> bins_;
    plans::length_count<opencl_device, OT, IT> longer_;
};

template <class CT, class OT, class IT>
class team_numeric {
  public:
    team_numeric(opencl_device& device, const heron_spgemm_args& args, workspace_layout& layout)
        : device_(device),
          args_(args),
          bins_(device, layout, args.a.matrix.rows),
          unordered_(layout.take<int>(1)),
          longer_(device, args, layout, summed.limits[bins - 1]) {}

    void run() {
        const heron_spmat& b = args_.b.matrix;
        if (with_columns()) plans::write_product_offsets(device_, args_);
        bins_.fill(args_.row_offsets, true, 0, summed, args_.longest_counted);
        device_.fill(unordered_, 0, sizeof(int));
        device_.launch_program<find_unordered>(key_of<CT, OT, IT>(shape_of(summed, 0, true)), b.nnz - 1,
                                               as<const OT>(b.offsets), as<const IT>(b.indices),
                                               heron_index{b.rows}, heron_index{b.base}, unordered_);
        bins_.visit(summed, args_.longest_counted, [&](int bin) { multiply(bin); });
        if (args_.longest_counted > summed.limits[bins - 1]) longer_.compute_rows();
    }

  private:
    bool with_columns() const { return (args_.parts & HERON_SPGEMM_COLUMNS) != 0; }

    void multiply(int bin) {
        const heron_spmat& a = args_.a.matrix;
        const heron_spmat& b = args_.b.matrix;
        const team_shape shape = shape_of(summed, bin, has_short_rows(args_));
        const scalar_argument<CT> alpha = as_argument<CT>(args_.alpha);
        const scalar_argument<CT> beta = as_argument<CT>(args_.beta);
        device_.launch_program_groups<multiply_rows>(
            key_of<CT, OT, IT>(shape), groups_for(device_, a.rows, shape), static_cast<size_t>(shape.group),
            as<const OT>(a.offsets), as<const IT>(a.indices), as<const CT>(a.values),
            as<const OT>(args_.a.permutation), heron_index{a.base}, int{args_.a.conjugate},
            as<const OT>(b.offsets), as<const IT>(b.indices), as<const CT>(b.values),
            as<const OT>(args_.b.permutation), heron_index{b.base}, int{args_.b.conjugate},
            static_cast<const i64*>(args_.row_offsets), as<IT>(args_.c.indices), as<CT>(args_.c.values),
            heron_index{args_.c.base}, int{with_columns()}, int{(args_.parts & HERON_SPGEMM_VALUES) != 0},
            alpha.value, alpha.device, beta.value, beta.device, heron_index{a.rows}, bins_.sizes(),
            bins_.lists(), bin, static_cast<const int*>(unordered_));
    }

    opencl_device& device_;
    const heron_spgemm_args& args_;
    row_bins<OT, IT> bins_;
    int* unordered_;
    plans::spgemm_numeric_plan<opencl_device, CT, CT, OT, IT> longer_;
};

// HERON_OPENCL_SPGEMM=teams or items overrides the choice, for comparing the two and for testing the teams on
// a CPU.
bool prefers_teams(const device_traits& traits) {
    static const char* const wanted = std::getenv("HERON_OPENCL_SPGEMM");
    return prefers("teams", "items", wanted, traits.is_gpu);
}

// Rows and columns have 32 bits in lists and tables.
bool takes_teams(const device_traits& traits, const heron_spgemm_args& args) {
    return prefers_teams(traits) && traits.largest_group >= share_group &&
           traits.local_bytes >= local_bytes_needed && args.a.matrix.rows < INT32_MAX &&
           args.b.matrix.cols < INT32_MAX && !plans::is_empty_product(args);
}

}  // namespace

void spgemm_estimate(opencl_device& device, heron_phase phase, const heron_spgemm_args& args,
                     heron_workspace& workspace) {
    if (!takes_teams(device.traits(), args)) return plans::spgemm_estimate(device, phase, args, workspace);
    plans::visit_spgemm_pattern(args, [&]<class OT, class IT>(type<OT>, type<IT>) {
        const heron_spmat& a = args.a.matrix;
        workspace_layout layout(phase, workspace);
        const row_totals<OT, IT> totals(device, layout, a.rows);
        if (phase != HERON_PHASE_RUN) return;
        device.launch<kernels::count_products<OT, IT>>(
            kernels::spgemm_pattern, a.rows, as<const OT>(a.offsets), as<const IT>(a.indices),
            heron_index{a.base}, as<const OT>(args.b.matrix.offsets), static_cast<i64*>(args.row_products));
        const row_facts all = totals.find(args.row_products, plans::row_limit(args));
        plans::report(args.products_found, all.sum);
        plans::report(args.longest_found, all.longest);
    });
}

void spgemm_symbolic(opencl_device& device, heron_phase phase, const heron_spgemm_args& args,
                     heron_workspace& workspace) {
    if (!takes_teams(device.traits(), args)) return plans::spgemm_symbolic(device, phase, args, workspace);
    plans::visit_spgemm_pattern(args, [&]<class OT, class IT>(type<OT>, type<IT>) {
        workspace_layout layout(phase, workspace);
        team_symbolic<OT, IT> symbolic(device, args, layout);
        if (phase == HERON_PHASE_RUN) symbolic.run();
    });
}

void spgemm_numeric(opencl_device& device, heron_phase phase, const heron_spgemm_args& args,
                    heron_workspace& workspace) {
    if (!takes_teams(device.traits(), args)) return plans::spgemm_numeric(device, phase, args, workspace);
    visit_uniform(args.c.type, args.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        if constexpr (std::is_same_v<VT, CT> && !std::is_same_v<CT, i32>) {
            plans::visit_spgemm_pattern(args, [&]<class OT, class IT>(type<OT>, type<IT>) {
                workspace_layout layout(phase, workspace);
                team_numeric<CT, OT, IT> numeric(device, args, layout);
                if (phase == HERON_PHASE_RUN) numeric.run();
            });
        } else {
            plans::spgemm_numeric(device, phase, args, workspace);
        }
    });
}

}  // namespace heron::opencl
