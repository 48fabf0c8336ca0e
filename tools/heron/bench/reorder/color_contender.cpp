#include <numeric>

#include "reorder_contender.hpp"

namespace heron::tools {
namespace {

using ints = std::vector<std::int32_t>;

// A graph: the pattern with what is missing across the diagonal, as NVIDIA's function wants it.
csr_matrix symmetrised(const csr_matrix& m) {
    coo_matrix both;
    both.rows = both.cols = m.rows;
    for (std::int64_t row = 0; row < m.rows; ++row)
        for (auto k = m.offsets[static_cast<std::size_t>(row)];
             k < m.offsets[static_cast<std::size_t>(row) + 1]; ++k) {
            const std::int64_t column = m.columns[static_cast<std::size_t>(k)];
            both.row.insert(both.row.end(), {row, column});
            both.col.insert(both.col.end(), {column, row});
            both.real.insert(both.real.end(), {1, 1});
        }
    return to_csr(both);
}

class cusparse_color : public reorder_contender {
  public:
    cusparse_color(const contestant& who, const reorder_case& what)
        : library_(who.handle->library()),
          handle_(who.handle->get()),
          graph_(symmetrised(what.matrix)),
          offsets_(*who.where, graph_.offsets_as<std::int32_t>()),
          columns_(*who.where, graph_.columns_as<std::int32_t>()),
          values_(*who.where, std::vector<float>(graph_.columns.size(), 1.0f)),
          colors_(*who.where, static_cast<std::size_t>(graph_.rows)),
          numbers_(*who.where, static_cast<std::size_t>(graph_.rows)) {
        cusparseMatDescr_t descr = nullptr;
        library_.check(HERON_PEER(library_, cusparseCreateMatDescr)(&descr), "cusparseCreateMatDescr");
        descr_ = {descr, HERON_PEER(library_, cusparseDestroyMatDescr)};
        cusparseColorInfo_t info = nullptr;
        library_.check(HERON_PEER(library_, cusparseCreateColorInfo)(&info), "cusparseCreateColorInfo");
        info_ = {info, HERON_PEER(library_, cusparseDestroyColorInfo)};
        color_ = HERON_PEER(library_, cusparseScsrcolor);
    }

    void call() override {
        const float all = 1;
        library_.check(color_(handle_, static_cast<int>(graph_.rows), static_cast<int>(graph_.nnz()),
                              descr_.get(), values_.get(), offsets_.get(), columns_.get(), &all, &count_,
                              colors_.get(), numbers_.get(), info_.get()),
                       "cusparseScsrcolor");
    }

    std::string check(record& row) override {
        const ints colors = colors_.download();
        row["colors"] = count_;
        row["reordering"] = meaning_of(colors, numbers_.download());
        for (std::int64_t i = 0; i < graph_.rows; ++i)
            for (auto k = graph_.offsets[static_cast<std::size_t>(i)];
                 k < graph_.offsets[static_cast<std::size_t>(i) + 1]; ++k) {
                const std::int64_t j = graph_.columns[static_cast<std::size_t>(k)];
                if (i != j && colors[static_cast<std::size_t>(i)] == colors[static_cast<std::size_t>(j)])
                    return fmt::format("rows {} and {} have one colour", i, j);
            }
        return {};
    }

  private:
    // Whether a library gives the new number of each row, or the row at each place, which cuSPARSE's text
    // leaves open.
    static std::string meaning_of(const ints& colors, const ints& numbers) {
        ints at(numbers.size(), -1);
        bool rows_ascend = true;
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            const auto to = static_cast<std::size_t>(numbers[k]);
            if (to >= numbers.size() || at[to] >= 0) return "no permutation";
            at[to] = colors[k];
            if (k > 0 && colors[static_cast<std::size_t>(numbers[k - 1])] > colors[to]) rows_ascend = false;
        }
        const bool numbers_ascend = std::is_sorted(at.begin(), at.end());
        if (numbers_ascend && rows_ascend) return "either";
        return numbers_ascend ? "new numbers" : rows_ascend ? "rows" : "neither";
    }

    const cusparse_library& library_;
    cusparseHandle_t handle_;
    csr_matrix graph_;
    device_array<std::int32_t> offsets_, columns_;
    device_array<float> values_;
    device_array<std::int32_t> colors_, numbers_;
    std::unique_ptr<cusparseMatDescr, decltype(&cusparseDestroyMatDescr)> descr_{nullptr, nullptr};
    std::unique_ptr<cusparseColorInfo, decltype(&cusparseDestroyColorInfo)> info_{nullptr, nullptr};
    decltype(&cusparseScsrcolor) color_{};
    int count_ = 0;
};

}  // namespace

std::unique_ptr<reorder_contender> make_color(const contestant& who, const reorder_case& what) {
    if (what.matrix.rows != what.matrix.cols) return nullptr;
    return std::make_unique<cusparse_color>(who, what);
}

}  // namespace heron::tools
