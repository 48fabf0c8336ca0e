#pragma once
// Colouring for any device: coloring.h says how.
#include "pair_sort.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family reorder_color{"reorder_coloring", "IT"};
#include "coloring.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// The rows and their neighbours. The turned pattern is NULL where the matrix has its own.
struct color_graph {
    const i32* offsets;
    const i32* indices;
    heron_index base, rows;
    const i32* turned_offsets;
    const i32* turned_indices;
};

struct color_progress {
    int64_t colored, colors;
};

// Rounds until enough rows have a colour, or the last ones saved none. All rows begin without.
template <class Device, class Rounds>
color_progress color_in_rounds(Device& device, Rounds& rounds, const color_graph& graph, int64_t target,
                               i32* proposals, i32* colors) {
    // The host hears of the progress only so often.
    constexpr int rounds_at_a_time = 3;
    device.fill(colors, 0xff, static_cast<size_t>(graph.rows) * sizeof(i32));
    color_progress before{0, 0}, now{0, 0};
    // A round uses one colour more at most. Behind the fraction that was asked for rounds go on while they
    // save colours.
    while (target > 0 && now.colored < graph.rows &&
           (now.colored < target || now.colored - before.colored > rounds_at_a_time)) {
        for (int round = 0; round < rounds_at_a_time; ++round)
            rounds.run_round(device, graph, proposals, colors);
        before = now;
        now = rounds.measure(device, graph.rows, colors);
    }
    return now;
}

inline heron_index root_length(int64_t n) {
    heron_index length = 1;
    while (length * length < n) length *= 2;
    return length;
}

// The rounds with an item for each row.
template <class Device>
class item_rounds {
  public:
    item_rounds(workspace_layout& layout, int64_t rows)
        : chunk_(root_length(rows)),
          chunks_((rows + chunk_ - 1) / chunk_),
          facts_(layout.take<i64>(2 * chunks_)) {}

    // Waits for the device.
    bool is_symmetric(Device& device, const color_graph& g) const {
        launch<kernels::color_asymmetry>(device, chunks_, g.offsets, g.indices, g.base, g.rows, chunk_,
                                         facts_);
        launch<kernels::color_add_asymmetry>(device, 1, facts_, chunks_);
        int64_t sum = 0;
        device.read(&sum, facts_, sizeof sum);
        return sum == 0;
    }

    color_progress color(Device& device, const color_graph& g, int64_t target, i32* proposals, i32* colors) {
        return color_in_rounds(device, *this, g, target, proposals, colors);
    }

    void run_round(Device& device, const color_graph& g, i32* proposals, i32* colors) const {
        launch<kernels::color_propose>(device, g.rows, g.offsets, g.indices, g.base, g.turned_offsets,
                                       g.turned_indices, static_cast<const i32*>(colors), proposals);
        launch<kernels::color_settle>(device, g.rows, g.offsets, g.indices, g.base, g.turned_offsets,
                                      g.turned_indices, static_cast<const i32*>(proposals), colors);
    }

    // Waits for the device.
    color_progress measure(Device& device, heron_index rows, const i32* colors) const {
        launch<kernels::color_measure>(device, chunks_, colors, rows, chunk_, facts_);
        launch<kernels::color_measure_all>(device, 1, facts_, chunks_);
        int64_t found[2] = {0, 0};
        device.read(found, facts_, sizeof found);
        return {found[0], found[1]};
    }

  private:
    template <template <class...> class Kernel, class... Args>
    static void launch(Device& device, int64_t count, Args... args) {
        device.template launch<Kernel<i32>>(kernels::reorder_color, count, args...);
    }

    heron_index chunk_, chunks_;
    i64* facts_;
};

// Sort: as pair_sort. Coloring: as item_rounds, of which is_symmetric and color are called; color may give
// more rows a colour than were asked for.
template <class Device, class Sort, class Coloring>
class color_plan {
  public:
    color_plan(Device& device, const heron_color_args& args, workspace_layout& layout)
        : device_(device),
          args_(args),
          rows_(args.a.rows),
          graph_{as<const i32>(args.a.offsets),
                 as<const i32>(args.a.indices),
                 args.a.base,
                 rows_,
                 nullptr,
                 nullptr},
          proposals_(layout.take<i32>(rows_)),
          left_(layout.take<i64>(rows_ + 1)),
          scan_(layout, rows_),
          coloring_(layout, rows_),
          order_{proposals_, layout.take<i32>(rows_), layout.take<i32>(rows_)},
          sort_rows_(layout, rows_),
          turned_offsets_(layout.take<i32>(rows_ + 1)),
          turned_{layout.take<i32>(args.a.nnz), layout.take<i32>(args.a.nnz), nullptr},
          turn_(layout, args.a.nnz) {}

    void run() {
        if (!coloring_.is_symmetric(device_, graph_)) turn();
        const color_progress now = coloring_.color(device_, graph_, target_rows(), proposals_, args_.colors);
        *args_.color_count = static_cast<int32_t>(now.colors + rows_ - now.colored);
        if (now.colored < rows_) color_rest(now.colors);
        if (args_.reordering) order_rows();
    }

  private:
    template <template <class...> class Kernel, class... Args>
    void launch(int64_t count, Args... args) {
        device_.template launch<Kernel<i32>>(kernels::reorder_color, count, args...);
    }

    template <class T>
    double fraction_as() {
        T value = static_cast<T>(args_.fraction.re);
        if (args_.fraction.device) device_.read(&value, args_.fraction.device, sizeof value);
        return static_cast<double>(value);
    }

    // NaN and what lies outside [0, 1] count as 1 and the nearer end.
    int64_t target_rows() {
        const bool is_double = args_.a.type == HERON_R_64F || args_.a.type == HERON_C_64F;
        const double fraction = is_double ? fraction_as<double>() : fraction_as<float>();
        if (fraction <= 0) return 0;
        if (!(fraction < 1)) return rows_;
        const double wanted = fraction * static_cast<double>(rows_);
        const auto whole = static_cast<int64_t>(wanted);
        return static_cast<double>(whole) < wanted ? whole + 1 : whole;
    }

    void turn() {
        const int64_t nnz = args_.a.nnz;
        find_rows(device_, graph_.offsets, rows_, nnz, turned_.minor);
        device_.copy(turned_.major, graph_.indices, static_cast<size_t>(nnz) * sizeof(i32));
        turn_.run(device_, turned_);
        launch<kernels::color_offset>(rows_ + 1, static_cast<const i32*>(turned_.major), heron_index{nnz},
                                      graph_.base, turned_offsets_);
        graph_.turned_offsets = turned_offsets_;
        graph_.turned_indices = turned_.minor;
    }

    void color_rest(int64_t first) {
        launch<kernels::color_is_left>(rows_, static_cast<const i32*>(args_.colors), left_);
        scan_.apply(device_, left_, 0, left_);
        launch<kernels::color_rest>(rows_, static_cast<const i64*>(left_), heron_index{first}, args_.colors);
    }

    // A stable sort by colours alone.
    void order_rows() {
        const size_t bytes = static_cast<size_t>(rows_) * sizeof(i32);
        device_.copy(order_.major, args_.colors, bytes);
        device_.fill(order_.minor, 0, bytes);
        device_.template launch<kernels::write_identity<i32>>(kernels::reorder, rows_, order_.permutation);
        sort_rows_.run(device_, order_);
        launch<kernels::color_order>(rows_, static_cast<const i32*>(order_.permutation), args_.reordering);
    }

    Device& device_;
    const heron_color_args& args_;
    int64_t rows_;
    color_graph graph_;
    i32* proposals_;
    i64* left_;
    exclusive_scan<Device> scan_;
    Coloring coloring_;
    pair_arrays order_;
    Sort sort_rows_;
    i32* turned_offsets_;
    pair_arrays turned_;
    Sort turn_;
};

}  // namespace heron::HERON_LEVEL::plans
