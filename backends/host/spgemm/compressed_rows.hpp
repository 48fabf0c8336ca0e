#pragma once
// The columns of a matrix's rows as masks of 64 columns, so that a row is united with others word by word
// instead of column by column (Deveci, Trott and Rajamanickam, "Multithreaded sparse matrix-matrix
// multiplication for many-core and GPU architectures", Parallel Computing 78, 2018). Worth it where
// neighbouring columns occur together and rows are used often.
#include "column_set.hpp"

namespace heron::HERON_LEVEL {

// A CSR pattern as the loops want it.
template <class OT, class IT>
struct csr_pattern {
    explicit csr_pattern(const heron_spmat& m)
        : offsets(as<const OT>(m.offsets)), indices(as<const IT>(m.indices)), base(m.base) {}
    int64_t begin(int64_t row) const { return static_cast<int64_t>(offsets[row]) - base; }
    int64_t column(int64_t k) const { return static_cast<int64_t>(indices[k]) - base; }

    const OT* offsets;
    const IT* indices;
    int64_t base;
};

template <class OT, class IT>
class compressed_rows {
  public:
    compressed_rows(const heron_spmat& m, workspace_layout& layout)
        : pattern_(m),
          rows_(m.rows),
          counts_(layout.take<int32_t>(m.rows)),
          words_(layout.take<int32_t>(m.nnz)),
          masks_(layout.take<uint64_t>(m.nnz)) {}

    // Builds the rows if that pays for so many products; says whether.
    bool build(int team, int64_t nnz, int64_t products) {
        constexpr int64_t uses_that_pay = 3;
        if (products < uses_that_pay * nnz || !compresses_well()) return false;
        run_team(team, [&](int member, int members) {
            const range part = equal_part(rows_, member, members);
            for (int64_t row = part.begin; row < part.end; ++row) counts_[row] = compress(row);
        });
        return true;
    }

    void unite(int64_t row, column_set& set) const {
        const int64_t first = pattern_.begin(row);
        const int64_t count = counts_[row] < 0 ? ~counts_[row] : counts_[row];
        for (int64_t k = first; k < first + count; ++k) set.insert(words_[k], masks_[k]);
    }

    // The row's columns follow each other without a gap.
    bool is_contiguous(int64_t row) const { return counts_[row] < 0; }

  private:
    // The number of words, complemented for a contiguous row.
    int32_t compress(int64_t row) {
        const int64_t first = pattern_.begin(row), end = pattern_.begin(row + 1);
        int64_t at = first - 1;
        int32_t word = -1;
        bool contiguous = true;
        for (int64_t k = first; k < end; ++k) {
            const int64_t column = pattern_.column(k);
            contiguous &= column == pattern_.column(first) + (k - first);
            if (static_cast<int32_t>(column >> 6) != word) {
                word = static_cast<int32_t>(column >> 6);
                words_[++at] = word;
                masks_[at] = 0;
            }
            masks_[at] |= uint64_t{1} << (column & 63);
        }
        const auto count = static_cast<int32_t>(at + 1 - first);
        return contiguous ? ~count : count;
    }

    // From a sample of the rows.
    bool compresses_well() const {
        constexpr int64_t sampled = 512;
        const int64_t step = rows_ / sampled + 1;
        int64_t elements = 0, words = 0;
        for (int64_t row = 0; row < rows_; row += step) {
            int64_t word = -1;
            for (int64_t k = pattern_.begin(row); k < pattern_.begin(row + 1); ++k) {
                words += pattern_.column(k) >> 6 != word;
                word = pattern_.column(k) >> 6;
                ++elements;
            }
        }
        return 4 * words <= 3 * elements;
    }

    csr_pattern<OT, IT> pattern_;
    int64_t rows_;
    int32_t* counts_;
    int32_t* words_;
    uint64_t* masks_;
};

}  // namespace heron::HERON_LEVEL
