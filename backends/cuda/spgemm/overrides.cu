// The slots of sparse products: products per row, lengths of C's rows, and the way to the values' types.
#include "heavy.cuh"
#include "cuda/runtime/early_device.cuh"
#include "cuda/runtime/prompt.hpp"
#include "cuda/runtime/scan.hpp"
#include "common/runtime/slot.hpp"
#include "common/spgemm/sum_rows.hpp"
#include "tuned.hpp"

namespace heron::HERON_LEVEL {
namespace {

int64_t shares_of(int64_t rows) { return ceil_div(rows, rows_per_share); }

template <class OT, class IT>
void tuned_estimate(cuda_device& device, heron_phase phase, const heron_spgemm_args& args,
                    heron_workspace& workspace) {
    workspace_layout layout(phase, workspace);
    auto* const facts = layout.take<row_facts>(1);
    if (phase != HERON_PHASE_RUN) return;
    count_products<OT, IT>(device, args, args.row_products, facts);
    if (!args.products_found && !args.longest_found && !args.row_sizes_found) return;
    row_facts all{};
    device.read(&all, facts, sizeof all);
    plans::report(args.products_found, all.sum);
    plans::report(args.longest_found, all.longest);
    plans::report(args.row_sizes_found, all.sizes);
}

template <class OT, class IT>
class tuned_symbolic {
  public:
    tuned_symbolic(cuda_device& device, const heron_spgemm_args& args, workspace_layout& layout)
        : launcher_(device),
          args_(args),
          a_(args.a.matrix),
          b_(args.b.matrix),
          ranks_(layout, args),
          facts_(layout.take<row_facts>(shares_of(a_.rows) + 1)),
          marks_(layout, args) {
        if (!ranks_.are_kept()) bins_.emplace(layout, a_.rows);
    }

    void run() {
        cuda_device& device = launcher_.device();
        const int64_t shares = shares_of(a_.rows);
        if (!ranks_.are_kept() || !ranks_.take_all_rows())
            device.fill(args_.row_offsets, 0, static_cast<size_t>(a_.rows + 1) * sizeof(int64_t));
        count();
        shares > 1 ? measure(shares)
                   : device.launch_blocks(scan_few_lengths, 1, spgemm_threads, 0, args_.row_offsets, a_.rows,
                                          facts_ + shares);
        row_facts all{};
        device.read(&all, facts_ + shares, sizeof all);
        plans::require_offsets_hold(args_.c, all.sum);
        if (shares > 1)
            device.launch_blocks(scan_lengths, shares, spgemm_threads, 0, args_.row_offsets, a_.rows, facts_,
                                 shares);
        plans::write_product_offsets(device, args_);
        plans::report(args_.nnz_found, all.sum);
        plans::report(args_.longest_found, all.longest);
    }

  private:
    void measure(int64_t shares) {
        cuda_device& device = launcher_.device();
        device.launch_blocks(measure_lengths, shares, spgemm_threads, 0, args_.row_offsets, a_.rows, facts_);
        device.launch_blocks(scan_facts, 1, spgemm_threads, 0, facts_, shares);
    }

    void count() {
        const int hash_limit = launcher_.largest_table(16384, sizeof(IT)) / 2;
        ranks_.are_kept() ? count_with_ranks(hash_limit) : count_by_tables(hash_limit);
        if (marks_)
            marks_.find<false, OT, IT>(launcher_,
                                       ranks_.are_kept() ? ranks_.space().rows_of(rank_space::heavy)
                                                         : bins_->list(bound_rule::heavy),
                                       {args_.row_offsets, nullptr, nullptr, 0});
    }

    void count_with_ranks(int hash_limit) {
        ranks_.sort_rows(launcher_, hash_limit, marks_.light());
        if (!rank_by_narrow_keys()) rank<uint64_t>();
        const rank_space& space = ranks_.space();
        if (ranks_.can_have_too_many()) count_short<32>(space.rest(), rank_space::most_products);
        if (ranks_.can_have_rest(marks_.light()))
            find_long_rows<false, OT, IT>(launcher_, args_, space.rows_of(rank_space::ranked), hash_limit,
                                          space.rows_of(rank_space::ranked + 1),
                                          {args_.row_offsets, nullptr, nullptr, 0});
    }

    // False where columns do not fit, or take 64 bits as they are.
    bool rank_by_narrow_keys() {
        if constexpr (sizeof(IT) == 4) {
            if (args_.b.matrix.cols >= narrow_columns) return false;
            rank<uint32_t>();
            return true;
        }
        return false;
    }

    template <class K>
    void rank() {
        int first = rank_space::ranked, last = -1;  // of the bins that tables take, all in one launch
        ranks_.visit([&](int bin) {
            if (bin < rank_space::sorted) return rank_by_sorting<K>(bin);
            first = std::min(first, bin);
            last = bin;
        });
        if (last >= first) rank_by_tables<K>(first, last);
    }

    template <class K>
    void rank_by_sorting(int bin) {
        const bool is_short = has_short_rows(args_);
        switch (bin) {
            case 0: return is_short ? rank_sorted<8, 4, K>(bin) : rank_sorted<32, 1, K>(bin);
            case 1: return is_short ? rank_sorted<8, 8, K>(bin) : rank_sorted<32, 2, K>(bin);
            case 2: return is_short ? rank_sorted<8, 16, K>(bin) : rank_sorted<32, 4, K>(bin);
            default: return rank_sorted<32, 8, K>(bin);
        }
    }
    template <int lanes, int each, class K>
    void rank_sorted(int bin) {
        using shape = kernels::spgemm_ranks<OT, IT, K, ranked_threads, lanes, each>;
        // Warps wait for memory: as many as fit hide it best.
        constexpr int blocks = sizeof(K) == 4 ? 16 : 12;
        using kernel = std::conditional_t<lanes == warp_size, at_once<typename shape::rank_products, blocks>,
                                          typename shape::rank_products>;
        const rank_space& space = ranks_.space();
        launcher_.device().launch_groups<kernel>(
            spgemm_ranking, launcher_.blocks_for(a_.rows, ranked_threads / lanes), a_.offsets, a_.indices,
            a_.base, b_.offsets, b_.indices, b_.base, ranks_.sizes(), space.bins.lists, bin, a_.rows,
            args_.row_products, space.ranks, args_.row_offsets, space.unordered);
    }

    template <class K>
    void rank_by_tables(int first, int last) {
        constexpr int warps = ranked_threads / warp_size;
        launcher_.device().launch_blocks(rank_rows<K, OT, IT>, launcher_.blocks_for(a_.rows, warps),
                                         ranked_threads,
                                         warps * rank_memory<K, IT>::bytes(rank_space::limit(last)), a_, b_,
                                         ranks_.space(), first, last, args_.row_products, args_.row_offsets);
    }

    void count_by_tables(int hash_limit) {
        const length_limits limits{{32, 256, 1024, hash_limit}};
        bins_->fill(launcher_,
                    bound_rule{args_.row_products, plans::row_limit(args_), limits, marks_.light()});
        for (int bin = 0; bin < 2; ++bin)
            has_short_rows(args_) ? count_short<8>(bins_->list(bin), limits.limit[bin])
                                  : count_short<32>(bins_->list(bin), limits.limit[bin]);
        count_short<32>(bins_->list(2), limits.limit[2]);
        if (args_.longest > limits.limit[2])
            find_long_rows<false, OT, IT>(launcher_, args_, bins_->list(3), hash_limit, bins_->list(4),
                                          {args_.row_offsets, nullptr, nullptr, 0});
    }

    template <int lanes>
    void count_short(const row_list& list, int limit) {
        const int places = table_places(limit);
        const size_t bytes = static_cast<size_t>(places) * sizeof(IT);
        const int threads = launcher_.threads_for(lanes, bytes);
        const int groups = threads / lanes;
        launcher_.device().launch_blocks(
            count_short_rows<lanes, OT, IT>, launcher_.blocks_for(a_.rows, groups), threads, bytes * groups,
            a_, b_, list, args_.row_products, plans::row_limit(args_), places, args_.row_offsets);
    }

    spgemm_launcher launcher_;
    const heron_spgemm_args& args_;
    row_pattern<OT, IT> a_, b_;
    placed_ranks ranks_;
    row_facts* facts_;
    placed_marks marks_;
    std::optional<placed_bins> bins_;  // without ranks
};

}  // namespace

namespace plans {

static void cuda_spgemm_estimate(cuda_device& device, heron_phase phase, const heron_spgemm_args& args,
                                 heron_workspace& workspace) {
    visit_spgemm_pattern(args, [&]<class OT, class IT>(type<OT>, type<IT>) {
        if (is_for_tuned_spgemm(args)) return tuned_estimate<OT, IT>(device, phase, args, workspace);
        workspace_layout layout(phase, workspace);
        estimate_products<cuda_device, OT, IT>(device, phase, args, layout);
    });
}

static void cuda_spgemm_symbolic(cuda_device& device, heron_phase phase, const heron_spgemm_args& args,
                                 heron_workspace& workspace) {
    visit_spgemm_pattern(args, [&]<class OT, class IT>(type<OT>, type<IT>) {
        workspace_layout layout(phase, workspace);
        if (is_for_tuned_spgemm(args)) {
            tuned_symbolic<OT, IT> plan(device, args, layout);
            if (phase == HERON_PHASE_RUN) plan.run();
        } else {
            spgemm_symbolic_plan<cuda_device, OT, IT> plan(device, args, layout);
            if (phase == HERON_PHASE_RUN) plan.run();
        }
    });
}

static void cuda_spgemm_numeric(cuda_device& device, heron_phase phase, const heron_spgemm_args& args,
                                heron_workspace& workspace) {
    if (listed_spgemm_numeric(device, phase, args, workspace)) return;
    if (is_for_tuned_spgemm(args)) {
        switch (args.c.type) {
            case HERON_R_32F: return tuned_spgemm_numeric<f32>(device, phase, args, workspace);
            case HERON_R_64F: return tuned_spgemm_numeric<f64>(device, phase, args, workspace);
            case HERON_C_32F: return tuned_spgemm_numeric<c32>(device, phase, args, workspace);
            case HERON_C_64F: return tuned_spgemm_numeric<c64>(device, phase, args, workspace);
            default: break;
        }
    }
    compute_products<cuda_device>(device, phase, args, workspace);
}

}  // namespace plans

static int64_t row_groups_at_once(cuda_device& device) { return 8 * int64_t{device.multiprocessors()}; }

void override_spgemm(heron_backend& table) {
    table.spgemm_estimate =
        &slot<cuda_device, heron_spgemm_args, &plans::cuda_spgemm_estimate, operation_names::spgemm_estimate>;
    table.spgemm_symbolic =
        &slot<cuda_device, heron_spgemm_args, &plans::cuda_spgemm_symbolic, operation_names::spgemm_symbolic>;
    table.spadd_count =
        &slot<early_cuda_device, heron_spadd_count_args,
              &plans::spadd_count_by_rows<plans::team_groups::of_256, plans::exclusive_scan<cuda_device>,
                                          early_cuda_device>,
              operation_names::spadd_count>;
    table.spadd =
        &slot<early_cuda_device, heron_spadd_args,
              &plans::spadd_by_rows<plans::team_groups::of_256, early_cuda_device>, operation_names::spadd>;
    table.spgemm_numeric =
        &slot<cuda_device, heron_spgemm_args, &plans::cuda_spgemm_numeric, operation_names::spgemm_numeric>;
}

}  // namespace heron::HERON_LEVEL
