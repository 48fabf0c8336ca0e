#pragma once
// Rows of a sparse product that several groups share (heavy.cl).
#include "bins.hpp"
#include "common/spgemm/ranks.hpp"

namespace heron::opencl {

struct find_heavy {
    static constexpr const char* name = "find_heavy";
};
struct mark_heavy {
    static constexpr const char* name = "mark_heavy";
};
struct find_heavy_columns {
    static constexpr const char* name = "find_heavy_columns";
};
struct multiply_heavy {
    static constexpr const char* name = "multiply_heavy";
};
struct add_segments {
    static constexpr const char* name = "add_segments";
};

// Columns of a row of C that a team sums at a time, as in chunks.cl.
constexpr int64_t chunk_columns = 512;
// Of the longest one.
inline int64_t chunks_of_row(const heron_spgemm_args& args) {
    return quotient_up(args.longest_counted, chunk_columns);
}

// Rows are heavy whose row of A has some thousands of elements, and more than so many times what all have
// that there are fewer heavy ones than memory for their columns. A group, or 32 lanes, would take these one
// after the other.
struct heavy_limits {
    static constexpr int64_t least_elements = 2048;
    static constexpr int64_t most_rows = 1024;
    static constexpr int64_t most_words = int64_t{1} << 22;  // of bits for columns
    // Products of the largest row by which the host sees that there may be one.
    static constexpr int size_of_products = 13;
    // That are worth their memory: a multiprocessor of an H200 has some twenty teams at a time.
    static constexpr int64_t most_tasks = 2048;
    static constexpr int64_t tasks_of_unit = 16;

    static int64_t words(const heron_spgemm_args& args) { return quotient_up(args.b.matrix.cols, 32); }
    static int64_t most(const heron_spgemm_args& args) {
        return std::clamp<int64_t>(most_words / words(args), 1, most_rows);
    }
    static int64_t longest(const heron_spgemm_args& args) {
        return std::max(least_elements, args.a.matrix.nnz / most(args));
    }
    // That rows are divided into where there are fewer rows.
    static int64_t tasks(const device_traits& traits) {
        return std::min(most_tasks, tasks_of_unit * int64_t{traits.compute_units});
    }
    // The same in all phases of an operation.
    static bool can_exist(const heron_spgemm_args& args) {
        const heron_spmat& a = args.a.matrix;
        return args.row_sizes >> size_of_products > 0 && a.nnz > longest(args) && a.cols > longest(args);
    }
};

// The heavy rows of a product, and memory for their columns. products: if rows of few products are none.
template <class OT, class IT>
class heavy_rows {
  public:
    heavy_rows(opencl_device& device, const heron_spgemm_args& args, workspace_layout& layout,
               const i64* products, int64_t most_ranked)
        : device_(device),
          args_(args),
          words_(heavy_limits::words(args)),
          most_(heavy_limits::most(args)),
          tasks_(heavy_limits::tasks(device.traits())),
          filter_{as<const OT>(args.a.matrix.offsets), products, {heavy_limits::longest(args), most_ranked}},
          list_(layout.take<int>(1 + most_)),
          marks_(layout.take<u32>(most_ * words_)) {}

    const heavy_filter<OT>& filter() const { return filter_; }
    const int* list() const { return list_; }

    void find() const {
        device_.fill(list_, 0, sizeof *list_);
        device_.launch_program<find_heavy>(sorting_program<OT, IT>(), args_.a.matrix.rows, filter_.a_offsets,
                                           filter_.products, filter_.rule, list_);
    }

    // After find: counts[row] := their lengths, or with c_indices their columns.
    void find_columns(const kept_program& program, i64* counts, IT* c_indices) const {
        const heron_spmat &a = args_.a.matrix, &b = args_.b.matrix;
        device_.fill(marks_, 0, static_cast<size_t>(most_ * words_) * sizeof *marks_);
        device_.launch_program_groups<mark_heavy>(
            program, tasks_, share_group, as<const OT>(a.offsets), as<const IT>(a.indices),
            heron_index{a.base}, as<const OT>(b.offsets), as<const IT>(b.indices), heron_index{b.base},
            list(), static_cast<int>(tasks_), has_short_rows(args_) ? 8 : 32, heron_index{words_}, marks_);
        device_.launch_program_groups<find_heavy_columns>(
            program, std::min(most_, tasks_), share_group, list(), heron_index{words_},
            static_cast<const u32*>(marks_), counts, static_cast<const i64*>(args_.row_offsets), c_indices,
            heron_index{args_.c.base});
    }

    // Their values, in groups of so many items and teams. partials: for heavy_limits::tasks() chunks.
    template <class CT>
    void multiply(const kept_program& program, int64_t group, int64_t teams, const int* unordered,
                  CT* partials) const {
        const heron_spgemm_operand &a = args_.a, &b = args_.b;
        const auto chunks_per_row = static_cast<int>(chunks_of_row(args_));
        const int64_t tasks = std::max(tasks_, most_ * chunks_per_row);
        const scalar_argument<CT> alpha = as_argument<CT>(args_.alpha);
        const scalar_argument<CT> beta = as_argument<CT>(args_.beta);
        const auto* const c_offsets = static_cast<const i64*>(args_.row_offsets);
        device_.launch_program_groups<multiply_heavy>(
            program, quotient_up(std::min(tasks, most_groups() * teams), teams), static_cast<size_t>(group),
            as<const OT>(a.matrix.offsets), as<const IT>(a.matrix.indices), heron_index{a.matrix.base},
            as<const OT>(b.matrix.offsets), as<const IT>(b.matrix.indices), heron_index{b.matrix.base},
            list(), as<const CT>(a.matrix.values), as<const OT>(a.permutation), int{a.conjugate},
            as<const CT>(b.matrix.values), as<const OT>(b.permutation), int{b.conjugate}, c_offsets,
            as<const IT>(args_.c.indices), as<CT>(args_.c.values), heron_index{args_.c.base}, alpha.value,
            alpha.device, beta.value, beta.device, unordered, static_cast<int>(tasks_), chunks_per_row,
            partials);
        device_.launch_program_groups<add_segments>(
            program, tasks_, share_group, as<const OT>(a.matrix.offsets), heron_index{a.matrix.base}, list(),
            c_offsets, as<CT>(args_.c.values), alpha.value, alpha.device, beta.value, beta.device,
            static_cast<int>(tasks_), chunks_per_row, static_cast<const CT*>(partials));
    }

  private:
    int64_t most_groups() const { return int64_t{64} * int64_t{device_.traits().compute_units}; }

    opencl_device& device_;
    const heron_spgemm_args& args_;
    int64_t words_, most_, tasks_;
    heavy_filter<OT> filter_;
    int* list_;
    u32* marks_;
};

}  // namespace heron::opencl
