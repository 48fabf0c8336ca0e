#pragma once
// The nonzero elements of a dense matrix by rows, by groups on GPUs.
#include "common/prune/dense_tiles.hpp"
#include "plan.hpp"

namespace heron::HERON_LEVEL::plans {

template <bool always_lanes>
struct rows_by_tiles {
    template <class Device, class RT, class WT, class OT, class IT>
    class rows {
      public:
        rows(Device& device, workspace_layout& layout, const heron_dense_to_sparse_args& args)
            : device_(device),
              args_(args),
              tiles_(device, layout, args.a, false,
                     nonzero_range<element_word<RT>>(nonzero_mask(args.a.type))) {}

        void count(i64* counts) {
            const auto lines = static_cast<size_t>(args_.a.rows);
            is_empty() ? device_.fill(counts, 0, lines * sizeof *counts) : tiles_.count(counts);
        }

        // Whether count and a scan of the counts were done, from `first` on, where all elements fit into OT.
        bool write_offsets(heron_index first, OT* offsets) {
            if (is_empty() || !tiles_.are_lines_few()) return false;
            tiles_.count_few(first, offsets, nullptr, nullptr);
            return true;
        }

        void fill(const OT* offsets, heron_index offsets_base, IT* row_indices, i64* counts) {
            if (is_empty()) return;
            IT* const columns = as<IT>(args_.b.indices);
            counts ? tiles_.count_and_keep(counts, offsets, offsets_base, args_.b.nnz, args_.b.base,
                                           row_indices, columns, args_.b.values)
                   : tiles_.keep(offsets, offsets_base, args_.b.nnz, args_.b.base, row_indices, columns,
                                 args_.b.values);
        }

      private:
        bool is_empty() const { return args_.a.rows == 0 || args_.a.cols == 0; }

        Device& device_;
        const heron_dense_to_sparse_args& args_;
        dense_tiles<Device, always_lanes, RT> tiles_;
    };
};

}  // namespace heron::HERON_LEVEL::plans
