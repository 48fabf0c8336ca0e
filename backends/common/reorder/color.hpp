#pragma once
// Colouring for any device: color.h says how.
#include "pair_sort.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family reorder_color{"reorder_color", "IT"};
#include "color.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

inline double host_value(float value) { return value; }
inline double host_value(double value) { return value; }

// Sort: as pair_sort.
template <class Device, class Sort>
class color_plan {
  public:
    color_plan(Device& device, const heron_color_args& args, workspace_layout& layout)
        : device_(device),
          args_(args),
          rows_(args.a.rows),
          chunk_(root(rows_)),
          chunks_((rows_ + chunk_ - 1) / chunk_),
          proposals_(layout.take<i32>(rows_)),
          facts_(layout.take<i64>(2 * chunks_)),
          left_(layout.take<i64>(rows_ + 1)),
          scan_(layout, rows_),
          turned_offsets_(layout.take<i32>(rows_ + 1)),
          turned_{layout.take<i32>(args.a.nnz), layout.take<i32>(args.a.nnz), nullptr},
          order_{proposals_, layout.take<i32>(rows_), nullptr},
          sort_rows_(layout, rows_),
          turn_(layout, args.a.nnz) {}

    void run() {
        device_.fill(args_.colors, 0xff, static_cast<size_t>(rows_) * sizeof(i32));
        if (!is_symmetric()) turn();
        const int64_t target = target_rows();
        progress before{0, 0}, now{0, 0};
        while (now.colored < rows_ && (now.colored < target || goes_on(target, before, now))) {
            for (int round = 0; round < rounds_at_a_time; ++round) color_round();
            before = now;
            now = measure();
        }
        *args_.color_count = static_cast<int32_t>(now.colors + rows_ - now.colored);
        if (now.colored < rows_) color_rest(now.colors);
        if (args_.reordering) number_rows();
    }

  private:
    struct progress {
        int64_t colored, colors;
    };
    // The host hears of the progress only so often.
    static constexpr int rounds_at_a_time = 3;

    // A round uses one colour more at most. Behind the fraction that was asked for rounds go on while they
    // save colours.
    static bool goes_on(int64_t target, const progress& before, const progress& now) {
        return target > 0 && now.colored - before.colored > rounds_at_a_time;
    }

    static heron_index root(int64_t n) {
        heron_index length = 1;
        while (length * length < n) length *= 2;
        return length;
    }

    template <template <class...> class Kernel, class... Args>
    void launch(int64_t count, Args... args) {
        device_.template launch<Kernel<i32>>(kernels::reorder_color, count, args...);
    }

    const i32* offsets() const { return as<const i32>(args_.a.offsets); }
    const i32* indices() const { return as<const i32>(args_.a.indices); }
    heron_index base() const { return args_.a.base; }

    template <class T>
    double fraction_as() {
        T value = static_cast<T>(args_.fraction.re);
        if (args_.fraction.device) device_.read(&value, args_.fraction.device, sizeof value);
        return host_value(value);
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

    bool is_symmetric() {
        launch<kernels::color_asymmetry>(chunks_, offsets(), indices(), base(), heron_index{rows_}, chunk_,
                                         facts_);
        launch<kernels::color_add_asymmetry>(1, facts_, chunks_);
        int64_t sum = 0;
        device_.read(&sum, facts_, sizeof sum);
        return sum == 0;
    }

    void turn() {
        const int64_t nnz = args_.a.nnz;
        device_.template launch<kernels::sort_row_of<i32>>(kernels::reorder, nnz, offsets(),
                                                           heron_index{rows_}, turned_.minor);
        device_.copy(turned_.major, indices(), static_cast<size_t>(nnz) * sizeof(i32));
        turn_.run(device_, turned_);
        launch<kernels::color_offset>(rows_ + 1, static_cast<const i32*>(turned_.major), heron_index{nnz},
                                      base(), turned_offsets_);
        is_turned_ = true;
    }

    void color_round() {
        const i32* const more_offsets = is_turned_ ? turned_offsets_ : nullptr;
        const i32* const more_indices = is_turned_ ? turned_.minor : nullptr;
        launch<kernels::color_propose>(rows_, offsets(), indices(), base(), more_offsets, more_indices,
                                       static_cast<const i32*>(args_.colors), proposals_);
        launch<kernels::color_settle>(rows_, offsets(), indices(), base(), more_offsets, more_indices,
                                      static_cast<const i32*>(proposals_), args_.colors);
    }

    progress measure() {
        launch<kernels::color_measure>(chunks_, static_cast<const i32*>(args_.colors), heron_index{rows_},
                                       chunk_, facts_);
        launch<kernels::color_measure_all>(1, facts_, chunks_);
        int64_t found[2] = {0, 0};
        device_.read(found, facts_, sizeof found);
        return {found[0], found[1]};
    }

    void color_rest(int64_t first) {
        launch<kernels::color_is_left>(rows_, static_cast<const i32*>(args_.colors), left_);
        scan_.apply(device_, left_, 0, left_);
        launch<kernels::color_rest>(rows_, static_cast<const i64*>(left_), heron_index{first}, args_.colors);
    }

    void number_rows() {
        device_.copy(order_.major, args_.colors, static_cast<size_t>(rows_) * sizeof(i32));
        device_.template launch<kernels::write_identity<i32>>(kernels::reorder, rows_, order_.minor);
        sort_rows_.run(device_, order_);
        launch<kernels::color_number>(rows_, static_cast<const i32*>(order_.minor), args_.reordering);
    }

    Device& device_;
    const heron_color_args& args_;
    int64_t rows_;
    heron_index chunk_, chunks_;
    i32* proposals_;
    i64* facts_;
    i64* left_;
    exclusive_scan<Device> scan_;
    i32* turned_offsets_;
    pair_arrays turned_;
    pair_arrays order_;
    Sort sort_rows_, turn_;
    bool is_turned_ = false;
};

}  // namespace heron::HERON_LEVEL::plans
