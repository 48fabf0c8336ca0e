// Sparse products for GPUs: short and middling rows by teams of work-items with tables in local memory,
// longer ones by the shared plan.
#include "opencl/runtime/device.hpp"
#include "opencl/runtime/kernels.hpp"
#include "common/runtime/slot.hpp"
#include "common/convert/grouped_scan.hpp"
#include "common/reorder/radix.hpp"
#include "common/spgemm/listed.hpp"
#include "common/spgemm/ranks.hpp"
#include "common/spgemm/sum_rows.hpp"
#include "heavy.hpp"
#include <optional>

namespace heron::opencl {
namespace {

constexpr kernel_family tables{"spgemm_rows spgemm_tuned", "CT OT IT"};
constexpr kernel_family chunking{"group_scan spgemm_rows spgemm_chunks spgemm_long", "CT OT IT"};
constexpr kernel_family sharing{"group_scan spgemm_rows spgemm_chunks spgemm_heavy", "CT OT IT"};
struct find_unordered {
    static constexpr const char* name = "find_unordered";
};
struct count_lengths {
    static constexpr const char* name = "count_lengths";
};
struct multiply_rows {
    static constexpr const char* name = "multiply_rows";
};
struct find_columns {
    static constexpr const char* name = "find_columns";
};
struct multiply_chunks {
    static constexpr const char* name = "multiply_chunks";
};

// Of the bounds by which rows are counted, and of the lengths by which they are summed. The first bin without
// a limit has the long rows; those behind it have none.
constexpr int64_t no_limit = INT64_MAX;
constexpr bin_limits counted{{64, 256, 1024, 4096, no_limit, no_limit, no_limit}};
template <class CT>
constexpr bin_limits summed{{32, 64, 256, sizeof(CT) > 8 ? 512 : 1024, no_limit, no_limit, no_limit}};
// Where products have ranks, rows are counted by them.
constexpr int ranked_bins = 4;
constexpr int most_ranked = rank_limit(ranked_bins - 1);
constexpr bin_limits ranked{{32, 64, 128, most_ranked, 1024, 4096, no_limit}};

constexpr bool is_long(const bin_limits& limits, int bin) { return limits.limits[bin] == no_limit; }

// What fits the longest bin with a limit.
constexpr int64_t largest_limit(const bin_limits& limits) {
    int bin = 0;
    while (!is_long(limits, bin + 1)) ++bin;
    return limits.limits[bin];
}

// As in chunks.cl.
constexpr int64_t marked_columns = 8192 * 32;

// The columns of long rows are found in several passes over the products where B is wide.
bool takes_long_rows(const heron_spgemm_args& args) {
    constexpr int64_t most_passes = 16;
    return args.b.matrix.cols <= most_passes * marked_columns;
}

// Where all rows' columns fit the bits of long rows.
bool may_have_heavy_rows(const heron_spgemm_args& args) {
    return takes_long_rows(args) && heavy_limits::can_exist(args);
}

constexpr uint64_t local_bytes_needed = 48 * 1024;

std::string define(const char* name, int64_t value) {
    return std::string("#define ") + name + ' ' + std::to_string(value) + '\n';
}

// How the kernels of a bin divide a group.
struct team_shape {
    int group, lanes, limit;

    bool operator==(const team_shape&) const = default;
    constexpr int64_t teams() const { return group / lanes; }
    // Local memory of heron_multiply_rows.
    template <class CT>
    constexpr uint64_t bytes() const {
        constexpr uint64_t of_place = sizeof(i32) + sizeof(CT),
                           of_item = sizeof(i64) + sizeof(i32) + sizeof(CT);
        const auto length = static_cast<uint64_t>(limit);
        const uint64_t of_team =
            2 * length * of_place + (length + 4) * sizeof(i32) + length * sizeof(u16) + sizeof(i32);
        return static_cast<uint64_t>(teams()) * of_team + static_cast<uint64_t>(group) * of_item;
    }
    std::string definitions() const {
        return define("GROUP", group) + define("LANES", lanes) + define("PLACES", 2 * limit) +
               define("LIMIT", limit);
    }
};

// A group is as many items as a GPU runs in step. The elements of a row of B that are read at a time are few:
// eight lanes have enough of them.
constexpr team_shape shape_of(const bin_limits& limits, int bin, bool has_short_rows) {
    const int limit = static_cast<int>(limits.limits[bin]);
    if (limit == largest_limit(limits)) return {128, 128, limit};
    return {32, has_short_rows && limit <= 64 ? 8 : 32, limit};
}

// The same for long rows.
struct chunk_shape {
    int group;

    bool operator==(const chunk_shape&) const = default;
    int64_t teams() const { return group / 32; }
    std::string definitions() const { return define("GROUP", group); }
};

// The same for heavy rows, which have a program of their own.
struct heavy_shape : chunk_shape {
    bool operator==(const heavy_shape&) const = default;
};

// The same for ranks, as constants. Where teams are no part of a warp they are groups.
template <int group_, int lanes_, int each_ = 1>
struct ranked_shape {
    static constexpr int group = group_, lanes = lanes_, each = each_;
};

// Calls f(ranked_shape) for the rows of a bin that lanes share out to each other. team_bytes: of local
// memory, which may be too little for many small teams.
template <class F>
void visit_lanes(const device_traits& traits, const heron_spgemm_args& args, int bin, uint64_t team_bytes,
                 F&& f) {
    using small_teams = ranked_shape<128, 8>;
    if (traits.nvidia_major == 0) return f(ranked_shape<32, 32>{});
    const bool fits = team_bytes * (small_teams::group / small_teams::lanes) <= local_bytes_needed;
    has_short_rows(args) && bin < 3 && fits ? f(small_teams{}) : f(ranked_shape<128, 32>{});
}

// The same with the products of a lane.
template <class F>
void visit_ranked_shape(const device_traits& traits, const heron_spgemm_args& args, int bin, F&& f) {
    visit_lanes(traits, args, bin, 0, [&]<int group, int lanes>(ranked_shape<group, lanes>) {
        switch (bin) {
            case 0: return f(ranked_shape<group, lanes, 32 / lanes>{});
            case 1: return f(ranked_shape<group, lanes, 64 / lanes>{});
            case 2: return f(ranked_shape<group, lanes, 128 / lanes>{});
            default: return f(ranked_shape<group, lanes, 256 / lanes>{});
        }
    });
}

template <class CT>
chunk_shape chunk_shape_of(const device_traits& traits) {
    return {traits.nvidia_major > 0 ? (sizeof(CT) > 8 ? 64 : 128) : 32};
}

template <class CT, class OT, class IT, class Shape>
const kept_program& program_of(const kernel_family& family, const Shape& shape) {
    static program_list<Shape> programs;
    return programs.get(shape, [&] {
        const char* const names[] = {type_name<CT>, type_name<OT>, type_name<IT>};
        program_key key = make_program_key(family, names, std::size(names));
        key.definitions += shape.definitions();
        return key;
    });
}

// Groups that stride over a list whose size only the device knows: enough to fill it.
int64_t groups_for(opencl_device& device, int64_t rows, int64_t teams) {
    return std::min(quotient_up(rows, teams), int64_t{64} * device.traits().compute_units);
}

// How many groups of what size run a kernel of a program.
struct group_launch {
    const kept_program& program;
    int64_t groups;
    int size;
};

template <class CT, class OT, class IT, class Shape>
group_launch teams_of(opencl_device& device, const kernel_family& family, const Shape& shape, int64_t rows) {
    return {program_of<CT, OT, IT>(family, shape), groups_for(device, rows, shape.teams()), shape.group};
}

// The kernels for the rows of one bin of a product: all take the patterns of A and B first.
template <class OT, class IT>
class bin_kernels {
  public:
    bin_kernels(opencl_device& device, const heron_spgemm_args& args, const row_bins<OT, IT>& rows, int bin)
        : device_(device), args_(args), rows_(rows), bin_(bin) {}

    template <class Kernel, class... Args>
    void find(const group_launch& l, Args... args) const {
        with_patterns([&](auto... patterns) {
            device_.launch_program_groups<Kernel>(l.program, l.groups, static_cast<size_t>(l.size),
                                                  patterns..., args...);
        });
    }

    // And their values, and where C goes.
    template <class Kernel, class CT, class... Args>
    void multiply(const group_launch& l, const scalar_argument<CT>& alpha, const scalar_argument<CT>& beta,
                  Args... args) const {
        with_product(alpha, beta, [&](auto... product) { find<Kernel>(l, product..., args...); });
    }

    // The same by kernels of the group dialect.
    template <class Kernel, class... Args>
    void rank(int64_t groups, Args... args) const {
        with_patterns([&](auto... patterns) {
            device_.launch_groups<Kernel>(spgemm_ranking, groups, patterns..., args...);
        });
    }
    template <class Kernel, class CT, class... Args>
    void multiply_ranked(int64_t groups, const scalar_argument<CT>& alpha, const scalar_argument<CT>& beta,
                         Args... args) const {
        with_patterns([&](auto... patterns) {
            with_product(alpha, beta, [&](auto... product) {
                device_.launch_groups<Kernel>(spgemm_ranked_product, groups, patterns..., product...,
                                              args...);
            });
        });
    }

    // The lengths of long rows, or with c_indices their columns.
    template <class CT>
    void find_long(const chunk_shape& shape, i64* counts, IT* c_indices) const {
        const int64_t most_groups = int64_t{8} * device_.traits().compute_units;
        find<find_columns>({program_of<CT, OT, IT>(chunking, shape),
                            std::min(args_.a.matrix.rows, most_groups), share_group},
                           heron_index{args_.b.matrix.cols}, counts,
                           static_cast<const i64*>(args_.row_offsets), c_indices, heron_index{args_.c.base});
    }

  private:
    template <class F>
    void with_patterns(F&& f) const {
        const heron_spmat &a = args_.a.matrix, &b = args_.b.matrix;
        f(as<const OT>(a.offsets), as<const IT>(a.indices), heron_index{a.base}, as<const OT>(b.offsets),
          as<const IT>(b.indices), heron_index{b.base}, rows_.sizes(), rows_.lists(), bin_);
    }

    template <class CT, class F>
    void with_product(const scalar_argument<CT>& alpha, const scalar_argument<CT>& beta, F&& f) const {
        const heron_spgemm_operand &a = args_.a, &b = args_.b;
        f(as<const CT>(a.matrix.values), as<const OT>(a.permutation), int{a.conjugate},
          as<const CT>(b.matrix.values), as<const OT>(b.permutation), int{b.conjugate},
          static_cast<const i64*>(args_.row_offsets), as<IT>(args_.c.indices), as<CT>(args_.c.values),
          heron_index{args_.c.base}, alpha.value, alpha.device, beta.value, beta.device,
          heron_index{a.matrix.rows});
    }

    opencl_device& device_;
    const heron_spgemm_args& args_;
    const row_bins<OT, IT>& rows_;
    int bin_;
};

// The ranks of the products and the rows by the numbers of these: the first part of the workspace of the
// symbolic and the numeric phase.
template <class OT, class IT>
class kept_ranks {
  public:
    kept_ranks(opencl_device& device, const heron_spgemm_args& args, workspace_layout& layout) : args_(args) {
        const int64_t bytes = rank_bytes(args, ranked_bins);
        if (bytes == 0) return;
        bins_.emplace(device, layout, args.a.matrix.rows);
        unordered_ = layout.take<int>(1);
        ranks_ = layout.take<uint8_t>(bytes);
    }

    bool are_there() const { return bins_.has_value(); }
    uint8_t* get() const { return ranks_; }
    int* unordered() const { return unordered_; }
    bool take_all_rows() const { return common_bin() >= 0; }
    const row_bins<OT, IT>& bins() const { return *bins_; }

    void sort_rows(const heavy_filter<OT>& heavy) {
        if (take_all_rows()) return;
        bins_->fill(args_.row_products, nullptr, {ranked, 0, most_ranked, plans::row_limit(args_)}, heavy);
    }
    // In the numeric phase.
    void adopt_rows() {
        if (!take_all_rows()) bins_->adopt_lists();
    }
    // Calls f(bin) for bins that can have rows.
    template <class F>
    void visit(F&& f) const {
        if (take_all_rows()) return f(common_bin());
        bins_->visit(ranked, 1, longest(), [&](int bin) {
            if (bin < ranked_bins) f(bin);
        });
    }
    template <class F>
    void visit_rest(F&& f) const {
        bins_->visit(ranked, most_ranked + 1, longest(), f);
    }
    bool have_all() const { return longest() <= most_ranked; }
    // By which a row is known to have ranks; NULL: none has.
    const i64* products() const { return are_there() ? args_.row_products : nullptr; }

  private:
    int64_t longest() const { return knows_products(args_) ? args_.longest : INT64_MAX; }

    int common_bin() const { return common_rank_bin(args_, ranked_bins); }

    const heron_spgemm_args& args_;
    std::optional<row_bins<OT, IT>> bins_;
    int* unordered_ = nullptr;  // whether a row of B does not ascend
    uint8_t* ranks_ = nullptr;
};

template <class OT, class IT>
class team_symbolic {
  public:
    team_symbolic(opencl_device& device, const heron_spgemm_args& args, workspace_layout& layout)
        : device_(device),
          args_(args),
          ranks_(device, args, layout),
          totals_(device, layout, args.a.matrix.rows) {
        if (!takes_long_rows(args)) longer_.emplace(device, args, layout, largest_limit(counted));
        if (!ranks_.are_there()) bins_.emplace(device, layout, args.a.matrix.rows);
        if (may_have_heavy_rows(args)) heavy_.emplace(device, args, layout, ranks_.products(), most_ranked);
    }

    void run() {
        const int64_t rows = args_.a.matrix.rows;
        const int64_t most = plans::row_limit(args_);
        if (!ranks_.are_there() || !ranks_.take_all_rows())
            device_.fill(args_.row_offsets, 0, static_cast<size_t>(rows + 1) * sizeof(i64));
        ranks_.are_there() ? count_with_ranks() : count_by_tables();
        if (heavy_) count_heavy_rows();
        const row_facts all = totals_.find(args_.row_offsets, most);
        plans::require_offsets_hold(args_.c, all.sum);
        totals_.scan(args_.row_offsets, args_.c);
        plans::report(args_.nnz_found, all.sum);
        plans::report(args_.longest_found, all.longest);
    }

  private:
    void count_with_ranks() {
        device_.fill(ranks_.unordered(), 0, sizeof(int));
        ranks_.sort_rows(filter());
        ranks_.visit([&](int bin) { rank(bin); });
        if (ranks_.have_all()) return;
        ranks_.visit_rest([&](int bin) { count(ranks_.bins(), ranked, bin); });
    }

    void count_by_tables() {
        if (args_.longest > counted.limits[0] || heavy_)
            bins_->fill(args_.row_products, nullptr, {counted, 0, 0, plans::row_limit(args_)}, filter());
        bins_->visit(counted, 1, args_.longest, [&](int bin) { count(*bins_, counted, bin); });
    }

    void rank(int bin) {
        visit_ranked_shape(device_.traits(), args_, bin, [&](auto shape) {
            if (args_.b.matrix.cols < narrow_columns)
                rank<u32>(bin, shape);
            else
                rank<u64>(bin, shape);
        });
    }
    template <class KEY, int group, int lanes, int each>
    void rank(int bin, ranked_shape<group, lanes, each>) {
        using kernel = typename kernels::spgemm_ranks<OT, IT, KEY, group, lanes, each>::rank_products;
        bin_kernels(device_, args_, ranks_.bins(), bin)
            .template rank<kernel>(groups_for(device_, args_.a.matrix.rows, group / lanes),
                                   heron_index{args_.a.matrix.rows},
                                   static_cast<const i64*>(args_.row_products), ranks_.get(),
                                   static_cast<i64*>(args_.row_offsets), ranks_.unordered());
    }

    void count(const row_bins<OT, IT>& rows, const bin_limits& limits, int bin) {
        const int64_t a_rows = args_.a.matrix.rows;
        const bin_kernels kernels(device_, args_, rows, bin);
        if (is_long(limits, bin)) return count_long_rows(kernels);
        kernels.template find<count_lengths>(
            teams_of<f32, OT, IT>(device_, tables, shape_of(limits, bin, has_short_rows(args_)), a_rows),
            heron_index{a_rows}, static_cast<i64*>(args_.row_offsets));
    }

    heavy_filter<OT> filter() const { return heavy_ ? heavy_->filter() : heavy_filter<OT>{}; }

    void count_heavy_rows() {
        heavy_->find();
        heavy_->find_columns(
            program_of<f32, OT, IT>(sharing, heavy_shape{chunk_shape_of<f32>(device_.traits())}),
            args_.row_offsets, nullptr);
    }

    void count_long_rows(const bin_kernels<OT, IT>& kernels) {
        if (longer_) return longer_->run();
        kernels.template find_long<f32>(chunk_shape_of<f32>(device_.traits()), args_.row_offsets, nullptr);
    }

    opencl_device& device_;
    const heron_spgemm_args& args_;
    kept_ranks<OT, IT> ranks_;
    row_totals<OT, IT> totals_;
    std::optional<plans::length_count<opencl_device, OT, IT>> longer_;
    std::optional<row_bins<OT, IT>> bins_;  // without ranks
    std::optional<heavy_rows<OT, IT>> heavy_;
};

template <class CT, class OT, class IT>
class team_numeric {
  public:
    team_numeric(opencl_device& device, const heron_spgemm_args& args, workspace_layout& layout)
        : device_(device),
          args_(args),
          ranks_(device, args, layout),
          bins_(device, layout, args.a.matrix.rows),
          unordered_(layout.take<int>(1)) {
        if (!takes_long_rows(args)) longer_.emplace(device, args, layout, largest_limit(limits));
        if (!may_have_heavy_rows(args)) return;
        heavy_.emplace(device, args, layout, ranks_.products(), most_ranked);
        partials_ = layout.take<CT>(heavy_limits::tasks(device.traits()) * chunk_columns);
    }

    void run() {
        if (with_columns()) plans::write_product_offsets(device_, args_);
        if (ranks_.are_there()) {
            ranks_.adopt_rows();
            ranks_.visit([&](int bin) { multiply_by_ranks(bin); });
            if (ranks_.have_all()) return;
        }
        multiply_by_tables();
    }

  private:
    static constexpr bin_limits limits = summed<CT>;
    static constexpr bool fits(int bin) {
        return is_long(limits, bin) ||
               (shape_of(limits, bin, false).template bytes<CT>() <= local_bytes_needed &&
                shape_of(limits, bin, true).template bytes<CT>() <= local_bytes_needed);
    }
    static_assert(fits(0) && fits(1) && fits(2) && fits(3));

    bool with_columns() const { return (args_.parts & HERON_SPGEMM_COLUMNS) != 0; }
    bool with_values() const { return (args_.parts & HERON_SPGEMM_VALUES) != 0; }

    void multiply_by_ranks(int bin) {
        const int elements = ranked_elements(bin);
        const uint64_t team_bytes = static_cast<uint64_t>(elements) * (sizeof(CT) + sizeof(IT));
        visit_lanes(
            device_.traits(), args_, bin, team_bytes, [&]<int group, int lanes>(ranked_shape<group, lanes>) {
                using kernel =
                    typename kernels::spgemm_ranked_rows<CT, OT, IT, group, lanes>::multiply_ranked;
                constexpr int teams = group / lanes;
                bin_kernels(device_, args_, ranks_.bins(), bin)
                    .template multiply_ranked<kernel>(
                        groups_for(device_, args_.a.matrix.rows, teams), alpha_, beta_,
                        static_cast<const int*>(ranks_.unordered()), static_cast<const u8*>(ranks_.get()),
                        elements, local_memory{static_cast<size_t>(teams * elements) * sizeof(CT)},
                        local_memory{static_cast<size_t>(teams * elements) * sizeof(IT)});
            });
    }

    // All rows, or those whose products have no ranks.
    void multiply_by_tables() {
        const int64_t longest = args_.longest_counted;
        const i64* const products = ranks_.products();
        if (products || longest > limits.limits[0] || heavy_)
            bins_.fill(args_.row_offsets, products, {limits, 1, most_ranked, 0},
                       heavy_ ? heavy_->filter() : heavy_filter<OT>{});
        const heron_spmat& b = args_.b.matrix;
        device_.fill(unordered_, 0, sizeof(int));
        device_.launch_program_groups<find_unordered>(
            sorting_program<OT, IT>(), quotient_up(b.rows, share_group), share_group, as<const OT>(b.offsets),
            as<const IT>(b.indices), heron_index{b.rows}, heron_index{b.base}, unordered_);
        bins_.visit(limits, 1, longest,
                    [&](int bin) { is_long(limits, bin) ? multiply_long_rows(bin) : multiply(bin); });
        if (heavy_) multiply_heavy_rows();
    }

    void multiply_heavy_rows() {
        const heavy_shape shape{chunk_shape_of<CT>(device_.traits())};
        const kept_program& program = program_of<CT, OT, IT>(sharing, shape);
        heavy_->find();
        if (with_columns()) heavy_->find_columns(program, nullptr, as<IT>(args_.c.indices));
        if (with_values()) heavy_->multiply(program, shape.group, shape.teams(), unordered_, partials_);
    }

    void multiply_long_rows(int bin) {
        if (longer_) return longer_->compute_rows();
        const bin_kernels kernels(device_, args_, bins_, bin);
        const chunk_shape shape = chunk_shape_of<CT>(device_.traits());
        if (with_columns()) kernels.template find_long<CT>(shape, nullptr, as<IT>(args_.c.indices));
        if (!with_values()) return;
        const int64_t chunks_per_row = chunks_of_row(args_);
        kernels.template multiply<multiply_chunks>(
            teams(chunking, shape, args_.a.matrix.rows * chunks_per_row), alpha_, beta_,
            static_cast<const int*>(unordered_), static_cast<int>(chunks_per_row));
    }

    void multiply(int bin) {
        const team_shape shape = shape_of(limits, bin, has_short_rows(args_));
        bin_kernels(device_, args_, bins_, bin)
            .template multiply<multiply_rows>(teams(tables, shape, args_.a.matrix.rows), alpha_, beta_,
                                              static_cast<const int*>(unordered_), int{with_columns()},
                                              int{with_values()});
    }

    template <class Shape>
    group_launch teams(const kernel_family& family, const Shape& shape, int64_t rows) {
        return teams_of<CT, OT, IT>(device_, family, shape, rows);
    }

    opencl_device& device_;
    const heron_spgemm_args& args_;
    kept_ranks<OT, IT> ranks_;
    row_bins<OT, IT> bins_;
    int* unordered_;
    std::optional<heavy_rows<OT, IT>> heavy_;
    CT* partials_ = nullptr;
    std::optional<plans::spgemm_numeric_plan<opencl_device, CT, CT, OT, IT>> longer_;
    const scalar_argument<CT> alpha_ = as_argument<CT>(args_.alpha);
    const scalar_argument<CT> beta_ = as_argument<CT>(args_.beta);
};

// Rows and columns have 32 bits in lists and tables.
bool takes_teams(const device_traits& traits, const heron_spgemm_args& args) {
    return takes_gpu_kernels("spgemm", traits.is_gpu) && traits.largest_group >= share_group &&
           traits.local_bytes >= local_bytes_needed && args.a.matrix.rows < INT32_MAX &&
           args.b.matrix.cols < INT32_MAX && !plans::is_empty_product(args);
}

// Values again and again, from a list of the products; false without one. All items of its kernels come to
// every word, so that teams need not be groups.
bool run_listed(opencl_device& device, heron_phase phase, const heron_spgemm_args& args,
                heron_workspace& workspace) {
    const auto serve = [&]<class Sort>(type<Sort>) {
        using memory = plans::sorted_in_pairs<opencl_device, Sort>;
        return plans::listed_product<opencl_device, memory>(device, args).serve(phase, workspace);
    };
    return device.traits().nvidia_major > 0 ? serve(type<plans::radix_sort<opencl_device, 256, 16, 32>>{})
                                            : serve(type<plans::pair_sort<opencl_device>>{});
}

// Calls `grouped` with what a group of items is on a GPU, or `plain`.
template <class Plain, class Grouped>
void visit_team_groups(const device_traits& traits, Plain&& plain, Grouped&& grouped) {
    using plans::team_groups;
    if (!takes_gpu_kernels("spgemm", traits.is_gpu) || traits.largest_group < share_group) return plain();
    if (traits.nvidia_major > 0) return grouped(std::integral_constant<team_groups, team_groups::of_256>{});
    grouped(std::integral_constant<team_groups, team_groups::of_one_team>{});
}

}  // namespace

void spgemm_estimate(opencl_device& device, heron_phase phase, const heron_spgemm_args& args,
                     heron_workspace& workspace) {
    if (!takes_teams(device.traits(), args)) return plans::spgemm_estimate(device, phase, args, workspace);
    plans::visit_spgemm_pattern(args, [&]<class OT, class IT>(type<OT>, type<IT>) {
        workspace_layout layout(phase, workspace);
        const row_totals<OT, IT> totals(device, layout, args.a.matrix);
        if (phase != HERON_PHASE_RUN) return;
        const row_facts all = totals.find_products(args);
        plans::report(args.products_found, all.sum);
        plans::report(args.longest_found, all.longest);
        plans::report(args.row_sizes_found, all.sizes);
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
    if (run_listed(device, phase, args, workspace)) return;
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

static int64_t row_groups_at_once(opencl_device& device) {
    return 8 * int64_t{device.traits().compute_units};
}

static void spadd_count(opencl_device& device, heron_phase phase, const heron_spadd_count_args& args,
                        heron_workspace& workspace) {
    using scan = plans::grouped_scan<opencl_device>;
    visit_team_groups(
        device.traits(), [&] { plans::spadd_count(device, phase, args, workspace); },
        [&](auto groups) { plans::spadd_count_by_rows<groups, scan>(device, phase, args, workspace); });
}

static void spadd(opencl_device& device, heron_phase phase, const heron_spadd_args& args,
                  heron_workspace& workspace) {
    visit_team_groups(
        device.traits(), [&] { plans::spadd(device, phase, args, workspace); },
        [&](auto groups) { plans::spadd_by_rows<groups>(device, phase, args, workspace); });
}

void override_spgemm(heron_backend& table) {
    table.spadd_count =
        &slot<opencl_device, heron_spadd_count_args, &spadd_count, operation_names::spadd_count>;
    table.spadd = &slot<opencl_device, heron_spadd_args, &spadd, operation_names::spadd>;
    table.spgemm_estimate =
        &slot<opencl_device, heron_spgemm_args, &spgemm_estimate, operation_names::spgemm_estimate>;
    table.spgemm_symbolic =
        &slot<opencl_device, heron_spgemm_args, &spgemm_symbolic, operation_names::spgemm_symbolic>;
    table.spgemm_numeric =
        &slot<opencl_device, heron_spgemm_args, &spgemm_numeric, operation_names::spgemm_numeric>;
}

}  // namespace heron::opencl
