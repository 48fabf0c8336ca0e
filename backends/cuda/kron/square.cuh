#pragma once
// A batch of square factors: by which kernels its items go, and how overlapping outputs are added up.
#include "item_groups.cuh"
#include "launch.cuh"
#include "pair_launch.cuh"
#include "tuned.hpp"
#include <algorithm>

namespace heron::HERON_LEVEL::kron_cuda {

// Of slots for sums of groups that are cut.
constexpr int64_t slot_bytes = int64_t{32} << 20;

template <class CT, int N>
class square_kron : square_launch<CT, N> {
    using base = square_launch<CT, N>;
    using base::all_passes, base::one_pass, base::all_units, base::find_passes, base::take_chunk;
    using base::args_, base::rows_, base::sums_, base::passes_, base::chunk_, base::chunk_units_,
        base::device_;
    using base::launch, base::last_pass_of_groups;
    using base::range, base::parameters, base::item_parameters_of, base::scalar_of, base::layout_of;
    using typename base::block_plan;

  public:
    square_kron(cuda_device& device, heron_phase phase, const heron_kronmult_args& args,
                heron_workspace& workspace)
        : base(device, args), phase_(phase), workspace_(workspace) {}

    // False when it does not apply; nothing has been done then.
    bool apply() {
        if (args_.output == HERON_KRON_ADD_DETERMINISTIC && is_distinct()) sums_ = false;
        workspace_layout layout(phase_, workspace_);
        if (args_.output == HERON_KRON_ADD_GROUPED && group_items_of(item_modes<CT, N>{}, layout))
            return true;
        if (!find_passes()) return false;
        if (args_.output == HERON_KRON_ADD_DETERMINISTIC && sums_ && passes_ > 1) return false;
        if (passes_ == 2 && pair_passes(layout)) return true;
        take_chunk(layout);
        if (!sums_)
            units();
        else if (args_.output == HERON_KRON_ADD_GROUPED)
            grouped(layout);
        else
            sorted(layout);
        return true;
    }

  private:
    // Both passes in one launch; false when that does not apply.
    bool pair_passes(workspace_layout& layout) {
        if constexpr (pair_sizes<CT, N>::exist) {
            if (args_.ndim == 6) return pair_passes_of<3>(layout);
            // In single precision these are items of one pass.
            if constexpr (std::is_same_v<CT, f64> && N == 8)
                if (args_.ndim == 5) return pair_passes_of<2>(layout);
        }
        return false;
    }

    template <int last_modes>
    bool pair_passes_of(workspace_layout& layout) {
        pair_kron<CT, N, last_modes> pair(device_, phase_, args_);
        if (!sums_) return pair.apply(layout);
        return args_.output == HERON_KRON_ADD_GROUPED &&
               pair.apply_to_groups(layout, [&](const group_parameters& g) { combine(g); });
    }

    bool is_distinct() const {
        return args_.count == 1 ||
               (args_.y.kind == HERON_BATCH_STRIDED && args_.y.stride >= plans::kron_output_span(args_));
    }

    void units() {
        if (phase_ != HERON_PHASE_RUN) return;
        for (int64_t first = 0; first < all_units(); first += chunk_units_) {
            const int64_t left = all_units() - first;
            all_passes(first, left < chunk_units_ ? left : chunk_units_, kron_order_of{}, -1);
        }
    }

    void launch_groups(pass_parameters<CT> p, const tile_layout& t, const group_parameters& g) {
        const int64_t blocks = (g.slices * p.tiles + t.teams - 1) / t.teams;
        launch(&kron_groups<CT, N, 1>, blocks, t, p, g);
    }

    // Slices that fill the device, each of some items, and slots for them.
    int64_t slices_for(const tile_layout& t) const {
        const int64_t by_threads = 2048 / t.threads();
        const int64_t by_memory = 2 * most_shared_bytes / static_cast<int64_t>(t.shared_bytes);
        int64_t blocks = by_threads < by_memory ? by_threads : by_memory;
        if (blocks > 16) blocks = 16;
        int64_t slices = (blocks > 1 ? blocks : 1) * device_.multiprocessors() * t.teams;
        const int64_t worth = args_.count / 4 + 1;
        const int64_t fitting = slot_bytes / (rows_ * static_cast<int64_t>(sizeof(CT))) + 1;
        if (slices > worth) slices = worth;
        return slices < fitting ? slices : fitting;
    }

    group_parameters take_slices(workspace_layout& layout, const tile_layout& t) const {
        group_parameters g{};
        g.rows = rows_;
        g.count = args_.count;
        g.slices = slices_for(t);
        g.slots = layout.take<CT>(rows_ * g.slices);
        g.owners = layout.take<int64_t>(g.slices);
        return g;
    }

    // Few slots are not worth more than one thread a row.
    void combine(const group_parameters& g) {
        if (g.slices <= 32)
            combine_by<1>(g);
        else
            combine_by<8>(g);
    }

    template <int lanes>
    void combine_by(const group_parameters& g) {
        constexpr int rows = combine_threads / lanes;
        const int64_t stretches = (rows_ + rows - 1) / rows;
        const int64_t most = 8 * device_.multiprocessors();
        int64_t parts = stretches < most ? most / stretches : 1;
        if (parts > g.slices / 8) parts = g.slices / 8 + 1;
        device_.launch_blocks(&kron_combine<CT, lanes>, stretches * parts, combine_threads, 0, g, parts,
                              args_.y_step, scalar_of(args_.alpha));
    }

    // Items that a crew has on chip.
    template <int D>
    bool group_items(workspace_layout& layout) {
        using shape = item_shape<CT, N, D, 1>;
        if constexpr (shape::fits) {
            constexpr sum_memory where = memory_of_sums<CT, N, D>;
            using group = group_shape<CT, N, D, where>;
            if (args_.ndim != D || !this->template fits_device<group>()) return false;
            const auto kernel = &kron_item_groups<CT, N, D, where>;
            const block_plan plan =
                this->template plan_blocks<shape>(kernel, group::crews, group::shared_bytes);
            group_parameters g{};
            g.rows = rows_;
            g.count = args_.count;
            g.slices = plan.resident * group::crews;
            // Slots, of groups that are cut, are worth it for four chunks.
            const int64_t chunks = args_.count / shape::items;
            const int64_t worth = std::max(chunks / 4, std::min(chunks, args_.group_count)) + 1;
            if (g.slices > worth) g.slices = worth;
            g.slots = layout.take<CT>(rows_ * g.slices);
            g.owners = layout.take<int64_t>(g.slices);
            if (where == sum_memory::second_level) g.sums = layout.take<CT>(shape::chunk_room * g.slices);
            if (phase_ == HERON_PHASE_RUN && args_.group_count > 0)
                sum_items(kernel, plan.threads, group::crews, group::shared_bytes, g);
            return true;
        }
        return false;
    }

    template <class Kernel>
    void sum_items(Kernel kernel, int threads, int crews, size_t shared_bytes, group_parameters g) {
        g.offsets = args_.group_offsets;
        g.offsets_are_wide = args_.group_type == HERON_INDEX_64;
        g.groups = args_.group_count;
        item_parameters<CT> p = item_parameters_of(0, 0, args_.count);
        p.vectors = 1;
        if (args_.group_items) {
            p.order = args_.group_items;
            p.order_is_wide = args_.group_type == HERON_INDEX_64;
            p.dense_in = p.dense_factors = nullptr;
        }
        for (p.column = 0; p.column < args_.vectors; ++p.column) {
            device_.launch_blocks(kernel, (g.slices + crews - 1) / crews, threads, shared_bytes, p, g);
            if (g.slices > 1) combine(g);
        }
    }

    template <int... D>
    bool group_items_of(std::integer_sequence<int, D...>, workspace_layout& layout) {
        return (group_items<D + 1>(layout) || ...);
    }

    void grouped(workspace_layout& layout) {
        group_parameters g{};
        tile_layout t;
        if (passes_ == 1) {
            t = layout_of(range(0), true);
            g = take_slices(layout, t);
        }
        if (phase_ != HERON_PHASE_RUN || args_.group_count == 0) return;
        g.offsets = args_.group_offsets;
        g.offsets_are_wide = args_.group_type == HERON_INDEX_64;
        g.groups = args_.group_count;
        g.rows = rows_;
        if (passes_ > 1) return grouped_chunks(g);
        pass_parameters<CT> p = parameters(0, t);
        p.order = args_.group_items;
        p.order_is_wide = g.offsets_are_wide;
        sum(p, t, g);
    }

    void sum(const pass_parameters<CT>& p, const tile_layout& t, group_parameters g) {
        for (g.vector = 0; g.vector < args_.vectors; ++g.vector) {
            launch_groups(p, t, g);
            if (g.mixed) {
                group_parameters alone = g;
                alone.slices = 1;
                alone.runs_mixed = 1;
                launch_groups(p, t, alone);
            }
            if (g.slices > 1) combine(g);
        }
    }

    // The items of a chunk go through all passes in the workspace and are added up there.
    void grouped_chunks(group_parameters g) {
        const kron_order_of order{args_.group_items, args_.group_type == HERON_INDEX_64};
        for (g.vector = 0; g.vector < args_.vectors; ++g.vector)
            for (int64_t first = 0; first < args_.count; first += chunk_units_) {
                const int64_t left = args_.count - first;
                g.count = left < chunk_units_ ? left : chunk_units_;
                for (int pass = 0; pass + 1 < passes_; ++pass)
                    one_pass(pass, first, g.count, order, g.vector);
                const sum_runs runs = last_pass_of_groups(g, first, order);
                if (runs.length > 0) sum_chunk(g, runs, first);
            }
    }

    // Short items, of which a chunk has many, need several threads a row to fill the device, or groups that
    // are added up beside each other.
    void sum_chunk(const group_parameters& g, const sum_runs& runs, int64_t first) {
        constexpr int64_t groups_of_part = 4, most_parts = 64;
        const int64_t most = sum_blocks * device_.multiprocessors();
        const int64_t groups = g.count * args_.group_count / args_.count;
        const int64_t parts = std::clamp<int64_t>(groups / groups_of_part, 1, most_parts);
        const auto launch = [&](auto kernel, int64_t rows) {
            const int64_t blocks = (rows_ + rows - 1) / rows;
            device_.launch_blocks(kernel, (blocks < most ? blocks : most) * parts, sum_threads, 0, g, chunk_,
                                  runs, first, parts, as_operand(args_.y), args_.y_column_step, args_.y_step,
                                  scalar_of(args_.alpha));
        };
        if (rows_ * parts < most * sum_threads)
            launch(&kron_sum_chunk<CT, 4>, sum_threads / 4);
        else
            launch(&kron_sum_chunk<CT, 1>, sum_threads);
    }

    void sorted(workspace_layout& layout) {
        const tile_layout t = layout_of(range(0), true);
        plans::kron_sorting<cuda_device, CT> sorting(layout, args_.count);
        group_parameters g = take_slices(layout, t);
        int* const mixed = layout.take<int>(1);
        if (phase_ != HERON_PHASE_RUN) return;
        sorting.sort(device_, args_.y);
        device_.fill(mixed, 0, sizeof(int));
        device_.launch_blocks(&kron_find_mixed<CT>, (args_.count + 255) / 256, 256, 0, sorting.keys(),
                              args_.count, plans::kron_output_span(args_) * static_cast<int64_t>(sizeof(CT)),
                              mixed);
        g.keys = sorting.keys();
        g.mixed = mixed;
        pass_parameters<CT> p = parameters(0, t);
        p.order = sorting.order();
        p.order_is_wide = 1;
        sum(p, t, g);
    }

    heron_phase phase_;
    heron_workspace& workspace_;
};

// The size of all factors, or 0.
inline int64_t common_size(const heron_kronmult_args& args) {
    for (int i = 0; i < args.ndim; ++i)
        if (args.factors[i].m != args.factors[0].n || args.factors[i].n != args.factors[0].n) return 0;
    return args.factors[0].n;
}

template <class CT, int... sizes>
bool for_sizes(cuda_device& device, heron_phase phase, const heron_kronmult_args& args,
               heron_workspace& workspace) {
    if (args.algorithm != HERON_KRON_FUSED || args.count == 0 || args.vectors == 0 ||
        plans::kron_is_zero(args))
        return false;
    const int64_t n = common_size(args);
    return ((n == sizes && square_kron<CT, sizes>(device, phase, args, workspace).apply()) || ...);
}

}  // namespace heron::HERON_LEVEL::kron_cuda
