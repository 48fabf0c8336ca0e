#pragma once
// The pattern of a triangular system, worked out on the host: which stored elements take part in which row,
// and which rows can be solved at the same time.
#include "common/runtime/dispatch.hpp"
#include "common/runtime/host_array.hpp"

namespace heron::HERON_LEVEL::plans {

// Calls f(row, column, position in the values) for every stored element of a matrix whose arrays the host can
// read, in storage order. Rows and columns are as stored, in range or not.
template <class OT, class IT>
class element_walk {
  public:
    explicit element_walk(const heron_spmat& m) : m_(m) {}

    template <class F>
    void each(F&& f) const {
        switch (m_.format) {
            case HERON_FORMAT_COO: return coo(f);
            case HERON_FORMAT_CSR: return csr(f);
            case HERON_FORMAT_SELL: return sell(f);
            case HERON_FORMAT_BSR: return bsr(f);
            default: throw plan_error{HERON_NOT_SUPPORTED, "triangular solves are not built for this format"};
        }
    }

  private:
    template <class F>
    void coo(F&& f) const {
        const IT* const rows = as<const IT>(m_.row_indices);
        for (int64_t k = 0; k < m_.nnz; ++k) f(int64_t{rows[k]} - m_.base, column(k), k);
    }

    template <class F>
    void csr(F&& f) const {
        for (int64_t row = 0; row < m_.rows; ++row) {
            const int64_t end = offset(row + 1, m_.base, m_.nnz);
            for (int64_t k = offset(row, m_.base, m_.nnz); k < end; ++k) f(row, column(k), k);
        }
    }

    template <class F>
    void sell(F&& f) const {
        const int64_t first = as<const OT>(m_.offsets)[0];
        for (int64_t row = 0; row < m_.rows; ++row) {
            const int64_t slice = row / m_.slice_size;
            const int64_t end = offset(slice + 1, first, m_.values_size);
            int64_t k = offset(slice, first, m_.values_size) + row % m_.slice_size;
            for (; k < end; k += m_.slice_size)
                if (as<const IT>(m_.indices)[k] >= 0) f(row, column(k), k);
        }
    }

    template <class F>
    void bsr(F&& f) const {
        const bool by_rows = m_.block_order == HERON_ORDER_ROW;
        const int64_t row_step = by_rows ? m_.block_cols : 1;
        const int64_t column_step = by_rows ? 1 : m_.block_rows;
        for (int64_t block_row = 0; block_row < m_.rows / m_.block_rows; ++block_row) {
            const int64_t end = offset(block_row + 1, m_.base, m_.nnz);
            for (int64_t b = offset(block_row, m_.base, m_.nnz); b < end; ++b)
                for (int64_t r = 0; r < m_.block_rows; ++r)
                    for (int64_t c = 0; c < m_.block_cols; ++c)
                        f(block_row * m_.block_rows + r, column(b) * m_.block_cols + c,
                          b * m_.block_rows * m_.block_cols + r * row_step + c * column_step);
        }
    }

    int64_t column(int64_t k) const { return int64_t{as<const IT>(m_.indices)[k]} - m_.base; }
    int64_t offset(int64_t i, int64_t first, int64_t most) const {
        const int64_t value = int64_t{as<const OT>(m_.offsets)[i]} - first;
        if (value < 0 || value > most)
            throw plan_error{HERON_INVALID_VALUE, "an offset of the matrix is out of range"};
        return value;
    }

    const heron_spmat& m_;
};

inline int64_t stored_elements(const heron_spmat& m) {
    if (m.format == HERON_FORMAT_SELL) return m.values_size;
    return m.format == HERON_FORMAT_BSR ? m.nnz * m.block_rows * m.block_cols : m.nnz;
}

// The triangle of op(A) by rows. Elements of a row come in storage order, so that its sum is the same every
// time.
template <class ST>
struct row_triangle {
    host_array<ST> begin;    // n + 1
    host_array<ST> columns;  // of the elements of op(A)
    host_array<ST> sources;  // where their values are
    bool lower = false;      // op(A) is lower triangular
};

template <class ST, class OT, class IT>
class triangle_builder {
  public:
    triangle_builder(const heron_spmat& m, bool transposed)
        : walk_(m),
          n_(m.rows),
          lower_(m.fill == HERON_FILL_LOWER),
          unit_(m.diag == HERON_DIAG_UNIT),
          transposed_(transposed) {}

    row_triangle<ST> build() const {
        host_array<ST> begin(n_ + 1, ST{0});
        each([&](int64_t row, int64_t, int64_t) { ++begin[row + 1]; });
        for (int64_t row = 0; row < n_; ++row) begin[row + 1] = static_cast<ST>(begin[row + 1] + begin[row]);
        row_triangle<ST> t{static_cast<host_array<ST>&&>(begin), {}, {}, lower_ != transposed_};
        t.columns = host_array<ST>(t.begin[n_]);
        t.sources = host_array<ST>(t.begin[n_]);
        host_array<ST> next(n_);
        for (int64_t row = 0; row < n_; ++row) next[row] = t.begin[row];
        each([&](int64_t row, int64_t column, int64_t source) {
            const int64_t k = next[row]++;
            t.columns[k] = static_cast<ST>(column);
            t.sources[k] = static_cast<ST>(source);
        });
        return t;
    }

  private:
    // The elements of op(A) that take part.
    template <class F>
    void each(F&& f) const {
        walk_.each([&](int64_t row, int64_t column, int64_t source) {
            if (row < 0 || row >= n_ || column < 0 || column >= n_)
                throw plan_error{HERON_INVALID_VALUE, "an index of the matrix is out of range"};
            if (row == column ? unit_ : (column < row) != lower_) return;
            transposed_ ? f(column, row, source) : f(row, column, source);
        });
    }

    element_walk<OT, IT> walk_;
    int64_t n_;
    bool lower_, unit_, transposed_;
};

// Calls f(triangle builder) for the index types of a matrix, whose arrays the host can read.
template <class ST, class F>
void visit_triangle(const heron_spmat& m, bool transposed, F&& f) {
    visit_offsets_and_indices(offset_type_of(m), m.index_type, [&]<class OT, class IT>(type<OT>, type<IT>) {
        f(triangle_builder<ST, OT, IT>(m, transposed));
    });
}

// Rows level by level: those of level l are order[starts[l]] ... order[starts[l + 1] - 1], ascending.
template <class ST>
struct level_sets {
    host_array<ST> order;
    host_array<int64_t> starts;
    int64_t count = 0;
};

// The level of a row is the length of the longest chain of rows that it waits for.
template <class ST>
level_sets<ST> find_levels(const row_triangle<ST>& t) {
    const int64_t n = t.begin.size() - 1;
    host_array<ST> level(n);
    int64_t count = 0;
    for (int64_t step = 0; step < n; ++step) {
        const int64_t row = t.lower ? step : n - 1 - step;
        int64_t own = 0;
        for (int64_t k = t.begin[row]; k < t.begin[row + 1]; ++k)
            if (t.columns[k] != row && level[t.columns[k]] >= own) own = level[t.columns[k]] + 1;
        level[row] = static_cast<ST>(own);
        if (own >= count) count = own + 1;
    }
    level_sets<ST> sets{host_array<ST>(n), host_array<int64_t>(count + 1, 0), count};
    for (int64_t row = 0; row < n; ++row) ++sets.starts[level[row] + 1];
    for (int64_t l = 0; l < count; ++l) sets.starts[l + 1] += sets.starts[l];
    host_array<int64_t> next(count);
    for (int64_t l = 0; l < count; ++l) next[l] = sets.starts[l];
    for (int64_t row = 0; row < n; ++row) sets.order[next[level[row]]++] = static_cast<ST>(row);
    return sets;
}

}  // namespace heron::HERON_LEVEL::plans
