// The slots of sparse products: products per row, lengths of C's rows, and the way to the values' types.
#include "spgemm_launch.cuh"
#include "spgemm_tuned.hpp"

namespace heron::HERON_LEVEL {
namespace {

int64_t shares_of(int64_t rows) { return ceil_div(rows, rows_per_share); }

template <class OT, class IT>
void tuned_estimate(cuda_device& device, heron_phase phase, const heron_spgemm_args& args,
                    heron_workspace& workspace) {
    const row_pattern<OT, IT> a(args.a.matrix);
    const int64_t shares = shares_of(a.rows);
    workspace_layout layout(phase, workspace);
    auto* const facts = layout.take<row_facts>(shares + 1);
    if (phase != HERON_PHASE_RUN) return;
    device.launch_blocks(count_row_products<OT, IT>, shares, spgemm_threads, 0, a,
                         static_cast<const OT*>(args.b.matrix.offsets), plans::row_limit(args),
                         args.row_products, facts);
    device.launch_blocks(scan_facts, 1, spgemm_threads, 0, facts, shares);
    row_facts all{0, 0};
    device.read(&all, facts + shares, sizeof all);
    plans::report(args.products_found, all.sum);
    plans::report(args.longest_found, all.longest);
}

template <class OT, class IT>
class tuned_symbolic {
  public:
    tuned_symbolic(cuda_device& device, const heron_spgemm_args& args, workspace_layout& layout)
        : launcher_(device),
          args_(args),
          a_(args.a.matrix),
          b_(args.b.matrix),
          bins_(layout, a_.rows),
          facts_(layout.take<row_facts>(shares_of(a_.rows) + 1)) {}

    void run() {
        cuda_device& device = launcher_.device();
        const int64_t shares = shares_of(a_.rows);
        device.fill(args_.row_offsets, 0, static_cast<size_t>(a_.rows + 1) * sizeof(int64_t));
        count();
        device.launch_blocks(measure_lengths, shares, spgemm_threads, 0, args_.row_offsets, a_.rows, facts_);
        device.launch_blocks(scan_facts, 1, spgemm_threads, 0, facts_, shares);
        row_facts all{0, 0};
        device.read(&all, facts_ + shares, sizeof all);
        plans::require_offsets_hold(args_.c, all.sum);
        device.launch_blocks(scan_lengths, shares, spgemm_threads, 0, args_.row_offsets, a_.rows, facts_,
                             shares);
        plans::write_product_offsets(device, args_);
        plans::report(args_.nnz_found, all.sum);
        plans::report(args_.longest_found, all.longest);
    }

  private:
    void count() {
        const int hash_limit = launcher_.largest_table(16384, sizeof(IT)) / 2;
        const int limits[] = {32, 256, 1024, hash_limit};
        bins_.fill(launcher_, args_.row_products, false, plans::row_limit(args_), limits);
        for (int bin = 0; bin < 2; ++bin)
            has_short_rows(args_) ? count_short<8>(bin, limits[bin]) : count_short<32>(bin, limits[bin]);
        count_short<32>(2, limits[2]);
        if (args_.longest > limits[2])
            find_long_rows<false, OT, IT>(launcher_, args_, bins_, hash_limit,
                                          {args_.row_offsets, nullptr, nullptr, 0});
    }

    template <int lanes>
    void count_short(int bin, int limit) {
        const int places = table_places(limit);
        const size_t bytes = static_cast<size_t>(places) * sizeof(IT);
        const int threads = launcher_.threads_for(lanes, bytes);
        const int groups = threads / lanes;
        launcher_.launch(count_short_rows<lanes, OT, IT>, launcher_.blocks_for(a_.rows, groups), threads,
                         bytes * groups, a_, b_, bins_.list(bin), args_.row_products, plans::row_limit(args_),
                         places, args_.row_offsets);
    }

    spgemm_launcher launcher_;
    const heron_spgemm_args& args_;
    row_pattern<OT, IT> a_, b_;
    placed_bins bins_;
    row_facts* facts_;
};

}  // namespace

namespace plans {

template <>
void spgemm_estimate<cuda_device>(cuda_device& device, heron_phase phase, const heron_spgemm_args& args,
                                  heron_workspace& workspace) {
    visit_spgemm_pattern(args, [&]<class OT, class IT>(type<OT>, type<IT>) {
        if (is_for_tuned_spgemm(args)) return tuned_estimate<OT, IT>(device, phase, args, workspace);
        workspace_layout layout(phase, workspace);
        estimate_products<cuda_device, OT, IT>(device, phase, args, layout);
    });
}

template <>
void spgemm_symbolic<cuda_device>(cuda_device& device, heron_phase phase, const heron_spgemm_args& args,
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

template <>
void spgemm_numeric<cuda_device>(cuda_device& device, heron_phase phase, const heron_spgemm_args& args,
                                 heron_workspace& workspace) {
    if (is_for_tuned_spgemm(args)) {
        switch (args.c.type) {
            case HERON_R_32F:
                return tuned_spgemm_numeric<f32>(device, phase, args, workspace);
            case HERON_R_64F:
                return tuned_spgemm_numeric<f64>(device, phase, args, workspace);
            case HERON_C_32F:
                return tuned_spgemm_numeric<c32>(device, phase, args, workspace);
            case HERON_C_64F:
                return tuned_spgemm_numeric<c64>(device, phase, args, workspace);
            default:
                break;
        }
    }
    compute_products<cuda_device>(device, phase, args, workspace);
}

}  // namespace plans

}  // namespace heron::HERON_LEVEL
