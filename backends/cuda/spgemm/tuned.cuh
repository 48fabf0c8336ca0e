#pragma once
// The numeric phase of a sparse product for one type of values. Rows whose products have ranks are summed by
// these. Of the others those of up to 512 elements are found, sorted and summed in one go; of longer rows the
// columns are found first, and then parts of them are summed, by blocks where a bitmap of a row of B's width
// fits, else by warps. Heavy rows are apart.
#include "heavy.cuh"
#include "long.cuh"
#include "tuned.hpp"

namespace heron::HERON_LEVEL {

template <class CT, class OT, class IT>
class tuned_numeric {
  public:
    tuned_numeric(cuda_device& device, const heron_spgemm_args& args, workspace_layout& layout)
        : launcher_(device),
          args_(args),
          ranks_(layout, args),
          bins_(layout, args.a.matrix.rows),
          unordered_(layout.take<unsigned long long>(1)),
          marks_(layout, args),
          products_(layout, args, marks_ && !ranks_.are_kept()),
          heavy_(layout, launcher_, args, marks_ || shares_long_rows()) {}

    void run() {
        const sparse_product<CT, CT, OT, IT> product(args_);
        if (with_columns()) plans::write_product_offsets(launcher_.device(), args_);
        if (ranks_.are_kept()) ranked_rows(product);
        if (ranks_.can_have_rest() || can_have_light_rows()) other_rows(product);
    }

  private:
    static constexpr int chunk = 512;

    bool with_columns() const { return (args_.parts & HERON_SPGEMM_COLUMNS) != 0; }
    int64_t longest() const { return args_.longest_counted; }

    void ranked_rows(const sparse_product<CT, CT, OT, IT>& product) {
        ranks_.visit([&](int bin) {
            has_short_rows(args_) && bin < 3 ? ranked_rows<8>(product, bin) : ranked_rows<32>(product, bin);
        });
    }
    template <int lanes>
    void ranked_rows(const sparse_product<CT, CT, OT, IT>& p, int bin) {
        using shape = kernels::spgemm_ranked_rows<CT, OT, IT, ranked_threads, lanes>;
        constexpr int blocks = sizeof(CT) == 4 ? 9 : sizeof(CT) == 8 ? 8 : lanes == warp_size ? 7 : 6;
        using kernel = at_once<typename shape::multiply_ranked, blocks>;
        const rank_space& space = ranks_.space();
        const int teams = ranked_threads / lanes;
        const int elements = ranked_elements(bin);
        launcher_.device().launch_groups<kernel>(
            spgemm_ranked_product, launcher_.blocks_for(p.a.rows, teams), p.a.offsets, p.a.indices, p.a.base,
            p.b.offsets, p.b.indices, p.b.base, ranks_.sizes(), space.bins.lists, bin, p.a_values,
            p.a_permutation, p.a_conjugate, p.b_values, p.b_permutation, p.b_conjugate, p.offsets, p.columns,
            p.values, p.base, p.alpha.value, p.alpha.device, p.beta.value, p.beta.device, p.a.rows,
            space.unordered, space.ranks, elements,
            local_memory{static_cast<size_t>(teams * elements) * sizeof(CT)},
            local_memory{static_cast<size_t>(teams * elements) * sizeof(IT)});
    }

    void other_rows(const sparse_product<CT, CT, OT, IT>& product) {
        const length_limits limits{{32, 128, chunk, 4096}};
        bins_.fill(
            launcher_,
            length_rule{args_.row_offsets, products_per_row(), limits, marks_.light(), ranks_.are_kept()},
            reinterpret_cast<int*>(unordered_));
        constexpr int each = 4;  // elements or rows of a thread, if blocks suffice
        launcher_.device().launch_blocks(
            count_unordered<OT, IT>,
            launcher_.blocks_for(std::max(product.b.rows, args_.b.matrix.nnz), each * spgemm_threads),
            spgemm_threads, 0, product.b, unordered_);
        if (marks_) heavy_rows_of(product);
        if (!can_have_light_rows()) return;
        for (int bin = can_have_short_rows() ? 0 : 2; bin < 2; ++bin)
            has_short_rows(args_) ? short_rows<8>(product, bin, limits.limit[bin])
                                  : short_rows<32>(product, bin, limits.limit[bin]);
        short_rows<32>(product, 2, limits.limit[2]);
        if (args_.longest <= chunk) return;
        if (with_columns())
            find_long_rows<true, OT, IT>(launcher_, args_, bins_.list(3), limits.limit[3], bins_.list(4),
                                         {nullptr, args_.row_offsets, product.columns, product.base});
        if (product.with_values)
            for (int bin = 3; bin < length_limits::bins; ++bin) {
                const int64_t most = bin == 3 ? limits.limit[3] : longest();
                if (shares_long_rows() && longest() <= 2 * heavy_rows::most_sums)
                    heavy_.multiply(launcher_, product, bins_.list(bin), unordered_);
                else if (takes_long_rows())
                    long_rows(product, bin, most);
                chunks(product, bin, most);
            }
    }

    // Whether there can be rows that have neither ranks nor very many products.
    bool can_have_light_rows() const {
        return !ranks_.are_kept() || ranks_.can_have_rest(marks_.light()) ||
               (ranks_.can_have_too_many() && longest() > most_ranks);
    }

    // Whether such rows can have fewer elements than those that are too many for ranks.
    bool can_have_short_rows() const { return !ranks_.are_kept() || ranks_.can_have_rest(marks_.light()); }

    // NULL where no rule asks for them.
    const int64_t* products_per_row() {
        if (ranks_.are_kept()) return args_.row_products;
        return marks_ ? products_.count(launcher_) : nullptr;
    }

    void heavy_rows_of(const sparse_product<CT, CT, OT, IT>& product) {
        const row_list list = bins_.list(length_rule::heavy);
        if (with_columns())
            marks_.find<true, OT, IT>(launcher_, list,
                                      {nullptr, args_.row_offsets, product.columns, product.base});
        if (!product.with_values) return;
        heavy_.multiply(launcher_, product, list, unordered_);
        chunks(product, length_rule::heavy, longest());
    }

    template <int lanes>
    void short_rows(const sparse_product<CT, CT, OT, IT>& product, int bin, int limit) {
        const int places = table_places(limit);
        const size_t bytes = group_bytes<CT, IT>(places);
        const int threads = launcher_.threads_for(lanes, bytes);
        const int groups = threads / lanes;
        const auto kernel = with_columns() ? multiply_short_rows<lanes, true, CT, CT, OT, IT>
                                           : multiply_short_rows<lanes, false, CT, CT, OT, IT>;
        launcher_.device().launch_blocks(kernel, launcher_.blocks_for(product.a.rows, groups), threads,
                                         bytes * groups, product, bins_.list(bin), unordered_, places);
    }

    int words() const { return static_cast<int>(ceil_div(args_.b.matrix.cols, 32)); }
    bool takes_long_rows() const { return is_narrow(args_); }
    // Whether the rows of B are so short that the warps of a block had better take one each.
    bool shares_long_rows() const {
        constexpr int64_t short_row = 128;
        return takes_long_rows() && args_.longest > chunk && args_.products < short_row * args_.a.matrix.nnz;
    }

    void long_rows(const sparse_product<CT, CT, OT, IT>& product, int bin, int64_t longest_of_bin) {
        int most = bin == 3 ? 4096 : 8192;
        while (static_cast<int64_t>(long_row_bytes<CT>(most, words())) > launcher_.shared_limit()) most /= 2;
        const int threads = bin == 3 ? 256 : 512;
        const auto parts_per_row = static_cast<int>(ceil_div(longest_of_bin, most));
        launcher_.device().launch_blocks(multiply_long_rows<CT, CT, OT, IT>,
                                         launcher_.blocks_for(product.a.rows * parts_per_row, 1), threads,
                                         long_row_bytes<CT>(most, words()), product, bins_.list(bin),
                                         unordered_, most, parts_per_row, words());
    }

    void chunks(const sparse_product<CT, CT, OT, IT>& product, int bin, int64_t longest_of_bin) {
        const size_t bytes = group_bytes<CT, IT>(2 * chunk);
        const int threads = launcher_.threads_for(warp_size, bytes);
        const int warps = threads / warp_size;
        const int64_t chunks_per_row = ceil_div(longest_of_bin, chunk);
        launcher_.device().launch_blocks(
            multiply_chunks<CT, CT, OT, IT>, launcher_.blocks_for(product.a.rows * chunks_per_row, warps),
            threads, bytes * warps, product, bins_.list(bin), unordered_, takes_long_rows(),
            static_cast<int>(chunk), static_cast<int>(chunks_per_row));
    }

    spgemm_launcher launcher_;
    const heron_spgemm_args& args_;
    placed_ranks ranks_;
    placed_bins bins_;
    unsigned long long* unordered_;  // 0 if all rows of B ascend
    placed_marks marks_;
    placed_products<OT, IT> products_;
    heavy_values<CT, OT, IT> heavy_;
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
