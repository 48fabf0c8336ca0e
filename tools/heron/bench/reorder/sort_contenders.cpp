#include <numeric>

#include "reorder_contender.hpp"

namespace heron::tools {
namespace {

using ints = std::vector<std::int32_t>;

void shuffle(ints& list, std::size_t begin, std::size_t end, splitmix64& random) {
    for (std::size_t k = end; k > begin + 1; --k)
        std::swap(list[k - 1],
                  list[begin + static_cast<std::size_t>(random.below(static_cast<std::int64_t>(k - begin)))]);
}

bool sorts_coo(const std::string& function) { return function.starts_with("coosort"); }

// What is to be sorted: the matrix with its elements in any order, or those of every row.
struct sort_input {
    explicit sort_input(const reorder_case& what) {
        const csr_matrix& m = what.matrix;
        const ints columns = m.columns_as<std::int32_t>();
        ints order(columns.size());
        std::iota(order.begin(), order.end(), 0);
        splitmix64 random(what.seed);
        offsets = m.offsets_as<std::int32_t>();
        if (sorts_coo(what.function)) {
            shuffle(order, 0, order.size(), random);
        } else {
            for (std::size_t row = 0; row + 1 < offsets.size(); ++row)
                shuffle(order, static_cast<std::size_t>(offsets[row]),
                        static_cast<std::size_t>(offsets[row + 1]), random);
        }
        ints row_of(columns.size());
        for (std::size_t row = 0; row + 1 < offsets.size(); ++row)
            std::fill(row_of.begin() + offsets[row], row_of.begin() + offsets[row + 1],
                      static_cast<std::int32_t>(row));
        for (const std::int32_t k : order) {
            rows.push_back(row_of[static_cast<std::size_t>(k)]);
            cols.push_back(columns[static_cast<std::size_t>(k)]);
        }
    }
    ints offsets, rows, cols;
};

// No two elements have one place, so that there is but one right order.
std::string difference(const sort_input& input, bool by_column, const ints& rows, const ints& cols,
                       const ints& permutation) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const auto from = static_cast<std::size_t>(permutation[k]);
        if (from >= rows.size() || input.rows[from] != rows[k] || input.cols[from] != cols[k])
            return fmt::format("element {} is not the one that P names", k);
        if (k == 0) continue;
        const auto before =
            by_column ? std::pair(cols[k - 1], rows[k - 1]) : std::pair(rows[k - 1], cols[k - 1]);
        const auto here = by_column ? std::pair(cols[k], rows[k]) : std::pair(rows[k], cols[k]);
        if (!(before < here)) return fmt::format("elements {} and {} are not in order", k - 1, k);
    }
    return {};
}

ints identity(std::size_t count) {
    ints result(count);
    std::iota(result.begin(), result.end(), 0);
    return result;
}

class cusparse_sort : public reorder_contender {
  public:
    cusparse_sort(const contestant& who, const reorder_case& what)
        : library_(who.handle->library()),
          handle_(who.handle->get()),
          function_(what.function),
          m_(static_cast<int>(what.matrix.rows)),
          n_(static_cast<int>(what.matrix.cols)),
          nnz_(static_cast<int>(what.matrix.nnz())),
          input_(what),
          offsets_(*who.where, input_.offsets),
          rows_in_(*who.where, input_.rows),
          cols_in_(*who.where, input_.cols),
          order_in_(*who.where, identity(input_.rows.size())),
          rows_(*who.where, input_.rows),
          cols_(*who.where, input_.cols),
          order_(*who.where, input_.rows.size()),
          bytes_(needed_bytes()),
          buffer_(*who.where, bytes_) {
        cusparseMatDescr_t made = nullptr;
        library_.check(HERON_PEER(library_, cusparseCreateMatDescr)(&made), "cusparseCreateMatDescr");
        descr_ = {made, HERON_PEER(library_, cusparseDestroyMatDescr)};
        by_row_ = HERON_PEER(library_, cusparseXcoosortByRow);
        by_column_ = HERON_PEER(library_, cusparseXcoosortByColumn);
        csr_ = HERON_PEER(library_, cusparseXcsrsort);
        csc_ = HERON_PEER(library_, cusparseXcscsort);
    }

    void restore() override {
        if (sorts_coo(function_)) rows_.copy_from(rows_in_);
        cols_.copy_from(cols_in_);
        order_.copy_from(order_in_);
    }

    void call() override { library_.check(sort(), function_.c_str()); }

    std::string check(record& row) override {
        row["work_bytes"] = bytes_;
        return difference(input_, function_ == "coosortByColumn", rows_.download(), cols_.download(),
                          order_.download());
    }

  private:
    // A CSR matrix is the CSC matrix of its transpose.
    cusparseStatus_t sort() {
        if (function_ == "coosortByRow")
            return by_row_(handle_, m_, n_, nnz_, rows_.get(), cols_.get(), order_.get(), buffer_.get());
        if (function_ == "coosortByColumn")
            return by_column_(handle_, m_, n_, nnz_, rows_.get(), cols_.get(), order_.get(), buffer_.get());
        if (function_ == "csrsort")
            return csr_(handle_, m_, n_, nnz_, descr_.get(), offsets_.get(), cols_.get(), order_.get(),
                        buffer_.get());
        return csc_(handle_, n_, m_, nnz_, descr_.get(), offsets_.get(), cols_.get(), order_.get(),
                    buffer_.get());
    }

    std::size_t needed_bytes() const {
        std::size_t bytes = 0;
        if (sorts_coo(function_))
            library_.check(HERON_PEER(library_, cusparseXcoosort_bufferSizeExt)(
                               handle_, m_, n_, nnz_, rows_.get(), cols_.get(), &bytes),
                           "cusparseXcoosort_bufferSizeExt");
        else if (function_ == "csrsort")
            library_.check(HERON_PEER(library_, cusparseXcsrsort_bufferSizeExt)(
                               handle_, m_, n_, nnz_, offsets_.get(), cols_.get(), &bytes),
                           "cusparseXcsrsort_bufferSizeExt");
        else
            library_.check(HERON_PEER(library_, cusparseXcscsort_bufferSizeExt)(
                               handle_, n_, m_, nnz_, offsets_.get(), cols_.get(), &bytes),
                           "cusparseXcscsort_bufferSizeExt");
        return bytes;
    }

    const cusparse_library& library_;
    cusparseHandle_t handle_;
    std::string function_;
    int m_, n_, nnz_;
    sort_input input_;
    device_array<std::int32_t> offsets_, rows_in_, cols_in_, order_in_, rows_, cols_, order_;
    std::size_t bytes_;
    device_array<std::byte> buffer_;
    std::unique_ptr<cusparseMatDescr, decltype(&cusparseDestroyMatDescr)> descr_{nullptr, nullptr};
    decltype(&cusparseXcoosortByRow) by_row_{};
    decltype(&cusparseXcoosortByColumn) by_column_{};
    decltype(&cusparseXcsrsort) csr_{};
    decltype(&cusparseXcscsort) csc_{};
};

// One thread.
class standard_sort : public reorder_contender {
  public:
    explicit standard_sort(const reorder_case& what)
        : input_(what), by_column_(what.function == "coosortByColumn") {
        for (std::size_t k = 0; k < input_.rows.size(); ++k)
            start_.push_back({input_.rows[k], input_.cols[k], static_cast<std::int32_t>(k)});
    }

    void restore() override { elements_ = start_; }

    void call() override {
        std::sort(elements_.begin(), elements_.end(), [this](const element& a, const element& b) {
            if (by_column_) return a.col != b.col ? a.col < b.col : a.row < b.row;
            return a.row != b.row ? a.row < b.row : a.col < b.col;
        });
    }

    std::string check(record&) override {
        ints rows, cols, order;
        for (const element& e : elements_) {
            rows.push_back(e.row);
            cols.push_back(e.col);
            order.push_back(e.place);
        }
        return difference(input_, by_column_, rows, cols, order);
    }

  private:
    struct element {
        std::int32_t row, col, place;
    };
    sort_input input_;
    bool by_column_;
    std::vector<element> start_, elements_;
};

}  // namespace

std::unique_ptr<reorder_contender> make_sort(const contestant& who, const reorder_case& what) {
    return std::make_unique<cusparse_sort>(who, what);
}

std::unique_ptr<reorder_contender> make_standard_sort(const reorder_case& what) {
    return sorts_coo(what.function) ? std::make_unique<standard_sort>(what) : nullptr;
}

}  // namespace heron::tools
