#pragma once
// Counting and dropping small elements, and the threshold for a share of them, by groups on GPUs.
#include "dense_tiles.hpp"
#include "plan.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family prune_element_tiles{"prune_elements", "RT WT ET GROUP LANES"};
inline constexpr kernel_family prune_radix{"prune_digits", "WT GROUP"};
inline constexpr kernel_family prune_offset_sums{"prune_offsets", "GROUP"};
#include "digits.h"
#include "elements.h"
#include "offsets.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// The elements above a threshold, which a number of the host is unless there is one on the device.
template <class RT>
kept_range<element_word<RT>> range_above(const heron_scalar& threshold) {
    using WT = element_word<RT>;
    constexpr auto mask = static_cast<WT>(magnitude_mask<RT>);
    constexpr auto last = static_cast<WT>(infinity_bits<RT>);
    const auto size = static_cast<WT>(static_cast<WT>(value_bits<RT>(threshold.re)) & mask);
    return {mask, static_cast<WT>(std::min(size, last) + 1), last, as<const WT>(threshold.device)};
}

// The elements of a CSR matrix that are kept. ET: the number that a part of a complex element is, else WT.
template <class Device, bool always_lanes, class RT, class WT, class ET>
class element_tiles {
  public:
    element_tiles(Device& device, const heron_spmat& a, const kept_range<WT>& range, ET tolerance, ET scale)
        : device_(device),
          policy_(tiles_on(device)),
          a_(a),
          range_(range),
          tolerance_(tolerance),
          scale_(scale) {}

    // counts[row] := elements that are kept; how many elements there are need not be known.
    void count(u32* counts) {
        device_.fill(counts, 0, static_cast<size_t>(a_.rows) * sizeof(u32));
        visit_shape([&]<class Program>(type<Program>) {
            const int64_t groups = std::min(tiles<Program>(), 4 * policy_.groups_at_once);
            launch<typename Program::count_rows>(groups, offsets(), base(), rows(), values(), range_.mask,
                                                 range_.first, range_.last, range_.threshold, tolerance_,
                                                 scale_, counts);
        });
    }

    // Workspace of keep. Where a device has no lanes there are more tiles.
    struct places {
        places(workspace_layout& layout, int64_t nnz, bool has_lanes)
            : row_of(layout.take<i32>(most(nnz, has_lanes))), inner(layout.take<u32>(most(nnz, has_lanes))) {}
        static int64_t most(int64_t nnz, bool has_lanes) {
            return has_lanes ? tiles_of<shared>(nnz) : tiles_of<single>(nnz);
        }
        i32* row_of;
        u32* inner;
    };

    void keep(const places& at, const heron_spmat& b) {
        visit_shape([&]<class Program>(type<Program>) {
            const int64_t all = tiles<Program>();
            constexpr int64_t group = Program::find_tiles::group;
            launch<typename Program::find_tiles>((all + group - 1) / group, offsets(), base(), rows(),
                                                 static_cast<int>(all), at.row_of);
            const i32* const row_of = at.row_of;
            launch<typename Program::count_inner>(all, offsets(), base(), rows(), row_of, values(),
                                                  range_.mask, range_.first, range_.last, range_.threshold,
                                                  tolerance_, scale_, at.inner);
            launch<typename Program::keep_elements>(
                all, offsets(), base(), rows(), row_of, static_cast<const u32*>(at.inner), values(),
                as<const i32>(static_cast<const void*>(a_.indices)), range_.mask, range_.first, range_.last,
                range_.threshold, tolerance_, scale_, as<const i32>(static_cast<const void*>(b.offsets)),
                int{b.base}, as<i32>(b.indices), as<element>(b.values));
        });
    }

  private:
    using element = element_bits<RT>;
    using shared = kernels::prune_elements<element, WT, ET, 256, 32>;
    using single = kernels::prune_elements<element, WT, ET, 32, 32>;

    // One more than needed, because the first element may be in the middle of a tile.
    template <class Program>
    static int64_t tiles_of(int64_t nnz) {
        return (nnz + Program::tile - 1) / Program::tile + 1;
    }
    template <class Program>
    int64_t tiles() const {
        return tiles_of<Program>(a_.nnz);
    }

    template <class F>
    void visit_shape(F&& f) const {
        if constexpr (!always_lanes)
            if (!policy_.has_lanes) return f(type<single>{});
        f(type<shared>{});
    }

    template <class Kernel, class... Args>
    void launch(int64_t groups, Args... args) {
        device_.template launch_groups<Kernel>(kernels::prune_element_tiles, groups, args...);
    }

    const i32* offsets() const { return as<const i32>(static_cast<const void*>(a_.offsets)); }
    const element* values() const { return as<const element>(static_cast<const void*>(a_.values)); }
    int base() const { return a_.base; }
    int rows() const { return static_cast<int>(a_.rows); }

    Device& device_;
    tile_policy policy_;
    const heron_spmat& a_;
    kept_range<WT> range_;
    ET tolerance_, scale_;
};

// For CUDA and OpenCL: always_lanes as in dense_tiles.hpp.
template <class Device, bool always_lanes>
struct grouped_pruning {
    static void count_nonzeros(Device& device, heron_phase phase, const heron_count_nonzeros_args& args,
                               heron_workspace& workspace) {
        visit_pruned(args.a.type, [&]<class RT, class WT, class ET>(type<RT>, type<WT>, type<ET>) {
            using word = element_word<RT>;
            const bool by_columns = args.by_columns != 0;
            const int64_t lines = by_columns ? args.a.cols : args.a.rows;
            workspace_layout layout(phase, workspace);
            const line_counts<Device, RT, WT, ET> counts(layout, lines);
            dense_tiles<Device, always_lanes, RT> tiles(device, layout, args.a, by_columns,
                                                        nonzero_range<word>(nonzero_bits(args.a.type)));
            i32* const cell = layout.take<i32>(1);
            if (phase != HERON_PHASE_RUN) return;
            if (args.a.rows != 0 && args.a.cols != 0 && tiles.are_lines_few())
                return count_few(device, tiles, 0, static_cast<i32*>(nullptr), args.counts, args.nnz, cell);
            if (args.a.rows == 0 || args.a.cols == 0)
                device.fill(counts.counts(), 0, static_cast<size_t>(lines) * sizeof(i64));
            else
                tiles.count(counts.counts());
            counts.write_counts(device, args.counts);
            counts.add(device);
            counts.write_total(device, 0, args.nnz);
        });
    }

    static void prune_count(Device& device, heron_phase phase, const heron_prune_count_args& args,
                            heron_workspace& workspace) {
        visit_pruned(args.b.type, [&]<class RT, class WT, class ET>(type<RT>, type<WT>, type<ET>) {
            plan<RT, WT, ET>(device, phase, args, workspace).count();
        });
    }

    static void prune(Device& device, heron_phase phase, const heron_prune_args& args,
                      heron_workspace& workspace) {
        visit_pruned(args.b.type, [&]<class RT, class WT, class ET>(type<RT>, type<WT>, type<ET>) {
            plan<RT, WT, ET>(device, phase, args, workspace).keep();
        });
    }

    static void percentile(Device& device, heron_phase phase, const heron_percentile_args& args,
                           heron_workspace& workspace) {
        const ranked_values of(args);
        // Counts of digits have 32 bits.
        if (of.size > int64_t{UINT32_MAX}) return plans::percentile(device, phase, args, workspace);
        const heron_type element = args.is_dense ? args.dense.type : args.sparse.type;
        if (element == HERON_R_16F) return select<raw16>(device, phase, of, args.threshold, workspace);
        if (element == HERON_R_32F) return select<raw32>(device, phase, of, args.threshold, workspace);
        if (element == HERON_R_64F) return select<raw64>(device, phase, of, args.threshold, workspace);
        no_such_types();
    }

  private:
    // Few lines, with the sum where the caller wants it.
    template <class Tiles>
    static void count_few(Device& device, Tiles& tiles, heron_index base, i32* offsets, i32* counts,
                          const heron_count_result& result, i32* cell) {
        i32* const sum = !result.value ? nullptr : result.on_device ? result.value : cell;
        tiles.count_few(base, offsets, counts, sum);
        if (sum == cell && sum) read_number(device, result.value, static_cast<const i32*>(cell));
    }

    static uint64_t nonzero_bits(heron_type t) {
        switch (t) {
            case HERON_R_16F: return magnitude_mask<raw16>;
            case HERON_R_32F: return magnitude_mask<raw32>;
            case HERON_C_32F: return uint64_t{magnitude_mask<raw32>} << 32 | magnitude_mask<raw32>;
            default: return magnitude_mask<raw64>;
        }
    }

    template <class RT, class WT, class ET>
    class plan {
      public:
        plan(Device& device, heron_phase phase, const heron_prune_args& args, heron_workspace& workspace)
            : device_(device), phase_(phase), args_(args), layout_(phase, workspace) {
            if constexpr (is_complex) set_tolerance();
        }

        void count() {
            const line_counts<Device, RT, WT, ET> counts(layout_, args_.b.rows);
            if (is_dense() && count_dense(counts.counts())) return;
            if (!is_dense()) count_sparse(counts);
            if (phase_ != HERON_PHASE_RUN) return;
            counts.write_counts(device_, args_.counts);
            counts.add(device_);
            counts.write_total(device_, args_.b.base, args_.nnz);
            counts.write_offsets(device_, args_.b.base, as<i32>(args_.b.offsets));
        }

        void keep() {
            if (args_.counts) add_counts();
            is_dense() ? keep_dense() : keep_sparse();
        }

      private:
        static constexpr bool is_complex = !std::is_same_v<WT, ET>;
        using word = element_word<WT>;
        using number = std::conditional_t<is_complex, ET, word>;
        using element_kernels = element_tiles<Device, always_lanes, RT, word, number>;

        bool is_dense() const { return args_.is_dense != 0; }
        bool is_empty() const {
            return is_dense() ? args_.dense.rows == 0 || args_.dense.cols == 0 : args_.sparse.nnz == 0;
        }

        // Whether that was all, as with few lines.
        bool count_dense(i64* counts) {
            // Complex ones are compressed only.
            if constexpr (!is_complex) {
                dense_tiles<Device, always_lanes, RT> tiles(device_, layout_, args_.dense, false,
                                                            range_above<WT>(args_.threshold));
                i32* const cell = layout_.template take<i32>(1);
                if (phase_ != HERON_PHASE_RUN) return true;
                if (!is_empty() && tiles.are_lines_few()) {
                    count_few(device_, tiles, args_.b.base, as<i32>(args_.b.offsets), args_.counts, args_.nnz,
                              cell);
                    return true;
                }
                is_empty() ? clear(counts) : tiles.count(counts);
            }
            return false;
        }

        void count_sparse(const line_counts<Device, RT, WT, ET>& counts) {
            u32* const lengths = layout_.template take<u32>(args_.b.rows);
            if (phase_ != HERON_PHASE_RUN) return;
            if (is_empty()) return clear(counts.counts());
            elements().count(lengths);
            widen(as<const i32>(static_cast<const void*>(lengths)), counts.counts());
        }

        void keep_dense() {
            if constexpr (!is_complex) {
                dense_tiles<Device, always_lanes, RT> tiles(device_, layout_, args_.dense, false,
                                                            range_above<WT>(args_.threshold));
                i64* const totals = layout_.template take<i64>(tiles.has_strips() ? args_.b.rows : 0);
                if (phase_ != HERON_PHASE_RUN || is_empty()) return;
                tiles.count_and_keep(totals, as<const i32>(static_cast<const void*>(args_.b.offsets)),
                                     args_.b.base, INT64_MAX, args_.b.base, static_cast<i32*>(nullptr),
                                     as<i32>(args_.b.indices), args_.b.values);
            }
        }

        void keep_sparse() {
            const typename element_kernels::places at(layout_, args_.sparse.nnz, tiles_on(device_).has_lanes);
            if (phase_ != HERON_PHASE_RUN || is_empty()) return;
            elements().keep(at, args_.b);
        }

        void add_counts() {
            const line_counts<Device, RT, WT, ET> counts(layout_, args_.b.rows);
            if (phase_ != HERON_PHASE_RUN) return;
            constexpr int64_t most_lines = 1 << 15;  // that a group adds up faster than four launches do
            if (args_.b.rows <= most_lines)
                return device_.template launch_groups<kernels::prune_offsets<256>::add_counts>(
                    kernels::prune_offset_sums, 1, static_cast<const i32*>(args_.counts),
                    static_cast<int>(args_.b.rows), int{args_.b.base}, as<i32>(args_.b.offsets));
            widen(args_.counts, counts.counts());
            counts.add(device_);
            counts.write_offsets(device_, args_.b.base, as<i32>(args_.b.offsets));
        }

        void widen(const i32* from, i64* to) {
            device_.template launch<kernels::widen_counts<RT, WT, ET>>(kernels::prune, args_.b.rows, from,
                                                                       to);
        }
        void clear(i64* counts) { device_.fill(counts, 0, static_cast<size_t>(args_.b.rows) * sizeof(i64)); }

        element_kernels elements() {
            return {device_, args_.sparse, range_above<WT>(args_.threshold), static_cast<number>(tolerance_),
                    static_cast<number>(scale_)};
        }

        // A power of two that the tolerance times it is close to 1 with, as far as the type reaches.
        void set_tolerance() {
            tolerance_ = static_cast<ET>(args_.threshold.re);
            if (tolerance_ > 0 && std::isfinite(tolerance_))
                scale_ = std::ldexp(ET{1}, std::clamp(-std::ilogb(tolerance_), -120, 120));
        }

        Device& device_;
        heron_phase phase_;
        const heron_prune_args& args_;
        workspace_layout layout_;
        ET tolerance_ = 0, scale_ = 1;
    };

    template <class WT>
    static void select(Device& device, heron_phase phase, const ranked_values& of, void* result,
                       heron_workspace& workspace) {
        using program = kernels::prune_digits<element_bits<WT>, 256>;
        using word = element_bits<WT>;
        workspace_layout layout(phase, workspace);
        i64* const cell = layout.take<i64>(2);
        u32* const sums = layout.take<u32>(program::digits);
        if (phase != HERON_PHASE_RUN) return;
        if (of.size == 0) return device.fill(result, 0, sizeof(WT));
        device.fill(sums, 0, program::digits * sizeof *sums);
        device.template launch<kernels::select_begin<WT, WT, WT>>(kernels::prune, 1, i64{of.rank}, cell);
        const heron_index pieces = (of.rows + program::piece - 1) / program::piece;
        const heron_index tiles = of.size / of.rows * pieces;
        const int64_t groups = std::min<int64_t>(tiles, tiles_on(device).groups_at_once);
        for_each_digit<WT>([&](i32 above, i32 shift) {
            device.template launch_groups<typename program::count_digits>(
                kernels::prune_radix, groups, as<const word>(of.values), of.rows, of.ld, pieces, tiles,
                static_cast<word>(magnitude_mask<WT>), above, shift, static_cast<const i64*>(cell), sums);
            device.template launch_groups<typename program::take_digit>(
                kernels::prune_radix, 1, sums, above - shift, cell, as<word>(result));
        });
    }
};

}  // namespace heron::HERON_LEVEL::plans
