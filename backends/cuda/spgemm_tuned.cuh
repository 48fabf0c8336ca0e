#pragma once
// The numeric phase of a sparse product for one type of values. Rows of up to 512 elements are found, sorted
// and summed in one go; of longer rows the columns are found first, and then chunks of them are summed by
// warps.
#include "spgemm_launch.cuh"
#include "spgemm_tuned.hpp"

namespace heron::HERON_LEVEL {

template <class CT, class OT, class IT>
class tuned_numeric {
  public:
    tuned_numeric(cuda_device& device, const heron_spgemm_args& args, workspace_layout& layout)
        : launcher_(device),
          args_(args),
          bins_(layout, args.a.matrix.rows),
          unordered_(layout.take<int>(1)) {}

    void run() {
        const sparse_product<CT, CT, OT, IT> product(args_);
        const int limits[] = {32, 128, chunk, 4096};
        cuda_device& device = launcher_.device();
        if (with_columns()) plans::write_product_offsets(device, args_);
        bins_.fill(launcher_, args_.row_offsets, true, 0, limits);
        device.fill(unordered_, 0, sizeof(int));
        launcher_.launch(find_unordered_rows<OT, IT>,
                         launcher_.blocks_for(product.b.rows, spgemm_threads / 8), spgemm_threads, 0,
                         product.b, unordered_);
        for (int bin = 0; bin < 2; ++bin)
            has_short_rows(args_) ? short_rows<8>(product, bin, limits[bin])
                                  : short_rows<32>(product, bin, limits[bin]);
        short_rows<32>(product, 2, limits[2]);
        if (args_.longest <= chunk) return;
        if (with_columns())
            find_long_rows<true, OT, IT>(launcher_, args_, bins_, limits[3],
                                         {nullptr, args_.row_offsets, product.columns, product.base});
        if (product.with_values)
            for (int bin = 3; bin < row_bins::count; ++bin)
                chunks(product, bin, bin == 3 ? limits[3] : longest());
    }

  private:
    static constexpr int chunk = 512;

    bool with_columns() const { return (args_.parts & HERON_SPGEMM_COLUMNS) != 0; }
    int64_t longest() const { return args_.longest_counted; }

    template <int lanes>
    void short_rows(const sparse_product<CT, CT, OT, IT>& product, int bin, int limit) {
        const int places = table_places(limit);
        const size_t bytes = group_bytes<CT, IT>(places);
        const int threads = launcher_.threads_for(lanes, bytes);
        const int groups = threads / lanes;
        const auto kernel = with_columns() ? multiply_short_rows<lanes, true, CT, CT, OT, IT>
                                           : multiply_short_rows<lanes, false, CT, CT, OT, IT>;
        launcher_.launch(kernel, launcher_.blocks_for(product.a.rows, groups), threads, bytes * groups,
                         product, bins_.list(bin), unordered_, places);
    }

    void chunks(const sparse_product<CT, CT, OT, IT>& product, int bin, int64_t longest_of_bin) {
        const size_t bytes = group_bytes<CT, IT>(2 * chunk);
        const int threads = launcher_.threads_for(warp_size, bytes);
        const int warps = threads / warp_size;
        const int64_t chunks_per_row = ceil_div(longest_of_bin, chunk);
        launcher_.launch(multiply_chunks<CT, CT, OT, IT>,
                         launcher_.blocks_for(product.a.rows * chunks_per_row, warps), threads, bytes * warps,
                         product, bins_.list(bin), unordered_, static_cast<int>(chunk),
                         static_cast<int>(chunks_per_row));
    }

    spgemm_launcher launcher_;
    const heron_spgemm_args& args_;
    placed_bins bins_;
    int* unordered_;
};

template <class CT>
void tuned_spgemm_numeric(cuda_device& device, heron_phase phase, const heron_spgemm_args& args,
                          heron_workspace& workspace) {
    plans::visit_spgemm_pattern(args, [&]<class OT, class IT>(type<OT>, type<IT>) {
        workspace_layout layout(phase, workspace);
        tuned_numeric<CT, OT, IT> plan(device, args, layout);
        if (phase == HERON_PHASE_RUN) plan.run();
    });
}

}  // namespace heron::HERON_LEVEL
