#pragma once
// A batch of square factors: by which kernels its items go, and how overlapping outputs are added up.
#include "item_groups.cuh"
#include "launch.cuh"
#include "pair_launch.cuh"
#include "tuned.hpp"
#include <algorithm>

namespace heron::HERON_LEVEL::kron_cuda {

template <class CT, int N>
class square_kron : square_launch<CT, N> {
    using base = square_launch<CT, N>;
    using base::all_passes, base::one_pass, base::all_units, base::find_passes, base::take_chunk;
    using base::args_, base::rows_, base::passes_, base::keeps_results_, base::chunk_, base::chunk_units_,
        base::device_;
    using base::last_pass_of_groups, base::item_parameters_of, base::scalar_of;
    using typename base::block_plan;

  public:
    square_kron(cuda_device& device, heron_phase phase, const heron_kronmult_args& args,
                heron_workspace& workspace)
        : base(device, args), phase_(phase), workspace_(workspace) {
        sorts_ = args.output == HERON_KRON_ADD_DETERMINISTIC && !is_distinct();
        sums_ = args.output == HERON_KRON_ADD_GROUPED || sorts_;
    }

    // False when it does not apply; nothing has been done then.
    bool apply() {
        workspace_layout layout(phase_, workspace_);
        if (sums_ && sum_items_of(item_modes<CT, N>{}, layout)) return true;
        keeps_results_ = sums_;
        if (sorts_ || !find_passes()) return false;
        if (passes_ == 2 && pair_passes(layout)) return true;
        take_chunk(layout);
        if (phase_ != HERON_PHASE_RUN) return true;
        if (sums_)
            grouped_chunks();
        else
            units();
        return true;
    }

  private:
    // Both passes in one launch; false when that does not apply.
    bool pair_passes(workspace_layout& layout) {
        return pair_passes_of<5>(layout) || pair_passes_of<6>(layout);
    }

    template <int D>
    bool pair_passes_of(workspace_layout& layout) {
        if constexpr (row_of(pairs, {element_of<CT>, N, D, 1}).result != nullptr) {
            if (args_.ndim != D) return false;
            pair_kron<CT, N, D> pair(device_, phase_, args_);
            if (!sums_) return pair.apply(layout);
            return pair.apply_to_groups(layout, [&](const group_parameters& g) { combine(g); });
        }
        return false;
    }

    bool is_distinct() const {
        return args_.count == 1 ||
               (args_.y.kind == HERON_BATCH_STRIDED && args_.y.stride >= plans::kron_output_span(args_));
    }

    void units() {
        for (int64_t first = 0; first < all_units(); first += chunk_units_) {
            const int64_t left = all_units() - first;
            all_passes(first, left < chunk_units_ ? left : chunk_units_, kron_order_of{}, -1);
        }
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

    group_parameters groups_of_call() const {
        group_parameters g{};
        g.rows = rows_;
        g.count = args_.count;
        g.offsets = args_.group_offsets;
        g.offsets_are_wide = args_.group_type == HERON_INDEX_64;
        g.groups = args_.group_count;
        return g;
    }

    template <int... D>
    bool sum_items_of(std::integer_sequence<int, D...>, workspace_layout& layout) {
        return ((args_.ndim == D + 1 && sum_items<D + 1>(layout)) || ...);
    }

    // Items that a crew has on chip, in groups or, sorted by their outputs' addresses, with those of one
    // output as a group.
    template <int D>
    bool sum_items(workspace_layout& layout) {
        if constexpr (item_shape<CT, N, D, 1>::fits) {
            using group = summed_item<CT, N, D>;
            if (!this->template fits_device<group>()) return false;
            const auto kernel = &kron_item_groups<group>;
            const block_plan plan =
                this->template plan_blocks<group>(kernel, group::crews, group::shared_bytes);
            group_parameters g = groups_of_call();
            g.slices = plan.resident * group::crews;
            // Slots, of groups that are cut, are worth it for four chunks.
            const int64_t chunks = args_.count / group::items;
            const int64_t groups = sorts_ ? args_.count : args_.group_count;
            const int64_t worth = std::max(chunks / 4, std::min(chunks, groups)) + 1;
            if (g.slices > worth) g.slices = worth;
            g.slots = layout.take<CT>(rows_ * g.slices);
            g.owners = layout.take<int64_t>(g.slices);
            if (group::where == sum_memory::second_level)
                g.sums = layout.take<CT>(group::chunk_room * g.slices);
            item_parameters<CT> p = item_parameters_of(0, 0, args_.count);
            p.vectors = 1;
            if (sorts_ && !sort(layout, p, g)) return true;
            if (phase_ != HERON_PHASE_RUN || groups == 0) return true;
            if (args_.group_items) {
                p.order = args_.group_items;
                p.order_is_wide = g.offsets_are_wide;
            }
            if (p.order) p.dense_in = p.dense_factors = nullptr;
            for (p.column = 0; p.column < args_.vectors; ++p.column) {
                device_.launch_blocks(kernel, (g.slices + group::crews - 1) / group::crews, plan.threads,
                                      group::shared_bytes, p, g);
                if (sorts_) sum_alone(kernel, plan.threads, group::shared_bytes, p, g);
                if (g.slices > 1) combine(g);
            }
            return true;
        }
        return false;
    }

    // Sorts the items by their outputs; false where that is not to be done yet.
    bool sort(workspace_layout& layout, item_parameters<CT>& p, group_parameters& g) {
        plans::kron_sorting<cuda_device, CT> sorting(layout, args_.count);
        int* const mixed = layout.take<int>(1);
        if (phase_ != HERON_PHASE_RUN) return false;
        sorting.sort(device_, args_.y);
        device_.fill(mixed, 0, sizeof(int));
        device_.launch_blocks(&kron_find_mixed<CT>, (args_.count + 255) / 256, 256, 0, sorting.keys(),
                              args_.count, plans::kron_output_span(args_) * static_cast<int64_t>(sizeof(CT)),
                              mixed);
        g.keys = sorting.keys();
        g.mixed = mixed;
        p.order = sorting.order();
        p.order_is_wide = 1;
        return true;
    }

    // One crew for all items, which is the only one to work where outputs overlap without being the same.
    template <class Kernel>
    void sum_alone(Kernel kernel, int threads, size_t shared_bytes, const item_parameters<CT>& p,
                   group_parameters g) {
        g.slices = 1;
        g.runs_mixed = 1;
        device_.launch_blocks(kernel, 1, threads, shared_bytes, p, g);
    }

    // The items of a chunk go through all passes in the workspace and are added up there.
    void grouped_chunks() {
        group_parameters g = groups_of_call();
        if (g.groups == 0) return;
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

    heron_phase phase_;
    heron_workspace& workspace_;
    bool sorts_ = false, sums_ = false;
};

template <class CT, int... sizes>
bool for_sizes(cuda_device& device, heron_phase phase, const heron_kronmult_args& args,
               heron_workspace& workspace) {
    if (args.algorithm != HERON_KRON_FUSED || args.count == 0 || args.vectors == 0 ||
        plans::kron_is_zero(args))
        return false;
    const int64_t n = plans::kron_common_size(args);
    return ((n == sizes && square_kron<CT, sizes>(device, phase, args, workspace).apply()) || ...);
}

}  // namespace heron::HERON_LEVEL::kron_cuda
