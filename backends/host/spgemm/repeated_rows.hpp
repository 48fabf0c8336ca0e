#pragma once
// Rows of a matrix that are the row before one column further, as most are in matrices of grids and bands. In
// a product of such rows with such rows the row of C repeats the one before it too, and so does the place in
// C's row of every single product.
#include "compressed_rows.hpp"

namespace heron::HERON_LEVEL {

template <class OT, class IT>
class repeated_rows {
  public:
    repeated_rows(const heron_spmat& m, workspace_layout& layout)
        : pattern_(m), rows_(m.rows), repeats_(layout.take<unsigned char>(m.rows)) {}

    // Looks at all rows if enough of a sample repeat the row before; says whether.
    bool build(int team) {
        if (!repeats_often()) return false;
        run_team(team, [&](int member, int members) {
            const range part = equal_part(rows_, member, members);
            for (int64_t row = part.begin; row < part.end; ++row) repeats_[row] = compare(row);
        });
        return true;
    }

    bool repeats(int64_t row) const { return repeats_[row] != 0; }

  private:
    bool compare(int64_t row) const {
        if (row == 0) return false;
        const int64_t first = pattern_.begin(row);
        const int64_t length = pattern_.begin(row + 1) - first;
        if (first - pattern_.begin(row - 1) != length) return false;
        const IT* const own = pattern_.indices + first;
        const IT* const before = own - length;
        for (int64_t i = 0; i < length; ++i)
            if (own[i] - before[i] != 1) return false;
        return true;
    }

    bool repeats_often() const {
        constexpr int64_t sampled = 512;
        const int64_t step = rows_ / sampled + 1;
        int64_t looked_at = 0, repeated = 0;
        for (int64_t row = step / 2; row < rows_; row += step, ++looked_at) repeated += compare(row);
        return 2 * repeated > looked_at;
    }

    csr_pattern<OT, IT> pattern_;
    int64_t rows_;
    unsigned char* repeats_;
};

// Which rows of A*B repeat the row before.
template <class OT, class IT>
class repeated_products {
  public:
    repeated_products(const heron_spmat& a, const heron_spmat& b, workspace_layout& layout)
        : pattern_(a),
          is_square_(a.offsets == b.offsets && a.indices == b.indices && a.rows == b.rows),
          a_(a, layout),
          b_(b, layout) {}

    // Says whether enough rows repeat for it to pay.
    bool build(int team) { return is_built_ = b_.build(team) && (is_square_ || a_.build(team)); }

    bool is_built() const { return is_built_; }

    bool repeats(int64_t row) const {
        if (!is_built_) return false;
        bool all = is_square_ ? b_.repeats(row) : a_.repeats(row);
        if (!all) return false;
        for (int64_t k = pattern_.begin(row); k < pattern_.begin(row + 1); ++k)
            all &= b_.repeats(pattern_.column(k));
        return all;
    }

  private:
    csr_pattern<OT, IT> pattern_;
    bool is_square_;  // A*A
    repeated_rows<OT, IT> a_, b_;
    bool is_built_ = false;
};

// Where in C's row the products of a row of A*B go, in the order in which they are added up. One thread's.
template <class CT>
class product_places {
  public:
    static constexpr int64_t most = 2048;
    static constexpr int64_t bytes = most * static_cast<int64_t>(sizeof(CT) + sizeof(uint16_t));

    // For use only if rows are to be repeated.
    product_places(void* memory, bool repeats)
        : sums_(static_cast<CT*>(memory)), places_(reinterpret_cast<uint16_t*>(sums_ + most)) {
        for (int64_t i = 0; repeats && i < most; ++i) sums_[i] = CT{};
    }

    uint16_t* places() { return places_; }
    // Zero between rows.
    CT* sums() const { return sums_; }
    void set(int64_t row_length) { length_ = row_length; }
    void forget() { length_ = -1; }
    bool serve(int64_t row_length) const { return length_ == row_length; }

    // Adds the next products, of ak with neighbouring values, and returns where those after them go.
    template <class F>
    const uint16_t* add(const uint16_t* place, CT ak, int64_t count, F&& value) const {
        for (int64_t i = 0; i < count; ++i) sums_[place[i]] = mad(ak, value(i), sums_[place[i]]);
        return place + count;
    }
    const uint16_t* first() const { return places_; }

  private:
    CT* sums_;
    uint16_t* places_;
    int64_t length_ = -1;
};

}  // namespace heron::HERON_LEVEL
