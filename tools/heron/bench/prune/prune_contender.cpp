#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <type_traits>

#include "measure/device_array.hpp"
#include "prune_case.hpp"

namespace heron::tools {
namespace {

template <class T>
struct prune_functions;
template <class T>
struct compress_functions;
#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)
#define NAME(name) TEXT_OF(HERON_FN(name))
#define HERON_FAMILY "bench/prune/compress_functions.inc"
#include <cusparse/foreach_type.inc>
#define HERON_HALF
#define HERON_FAMILY "bench/prune/prune_functions.inc"
#include <cusparse/foreach_type.inc>
#undef NAME
#undef TEXT_OF
#undef TEXT

constexpr auto zero_based = CUSPARSE_INDEX_BASE_ZERO;
constexpr auto with_ints = CUSPARSE_INDEX_32I;

template <class T>
constexpr cudaDataType type_code = sizeof(T) == 2   ? CUDA_R_16F
                                   : sizeof(T) == 4 ? CUDA_R_32F
                                                    : CUDA_R_64F;

// Puts the elements of each row in the order of their columns.
template <class T>
void sort_rows(const std::vector<std::int32_t>& offsets, std::vector<std::int32_t>& columns,
               std::vector<T>& values) {
    std::vector<std::pair<std::int32_t, T>> row;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
        const auto begin = static_cast<std::size_t>(offsets[i]);
        row.clear();
        for (auto k = begin; k < static_cast<std::size_t>(offsets[i + 1]); ++k)
            row.emplace_back(columns[k], values[k]);
        std::stable_sort(row.begin(), row.end(),
                         [](const auto& x, const auto& y) { return x.first < y.first; });
        for (std::size_t k = 0; k < row.size(); ++k) {
            columns[begin + k] = row[k].first;
            values[begin + k] = row[k].second;
        }
    }
}

// What the arrays of results have before, so that nothing is right by chance.
template <class E>
std::vector<E> unwritten(std::size_t count) {
    std::vector<E> values(count);
    std::memset(static_cast<void*>(values.data()), 0x5a, count * sizeof(E));
    return values;
}

template <class T>
class cusparse_prune : public function_contender {
  public:
    cusparse_prune(const contestant& who, const prune_case<T>& what)
        : is_heron_(who.is_heron),
          library_(who.handle->library()),
          handle_(who.handle->get()),
          where_(*who.where),
          case_(what),
          dense_(where_, what.is("SparseToDense") ? unwritten<T>(what.dense.size()) : what.dense),
          offsets_(where_, what.sparse.offsets),
          columns_(where_, what.sparse.columns),
          values_(where_, what.sparse.values),
          counts_(where_, unwritten<std::int32_t>(what.counts.size())),
          to_offsets_(where_, unwritten<std::int32_t>(what.kept.offsets.size())),
          to_columns_(where_, unwritten<std::int32_t>(what.kept.columns.size())),
          to_values_(where_, unwritten<T>(what.kept.values.size())) {
        cusparseMatDescr_t descr = nullptr;
        check(HERON_PEER(library_, cusparseCreateMatDescr)(&descr));
        descr_ = {descr, HERON_PEER(library_, cusparseDestroyMatDescr)};
        prepare();
    }

    void call() override { call_(); }

    std::string check() override {
        if (case_.is("SparseToDense")) return difference("elements", case_.dense, dense_);
        if (total_ >= 0 && total_ != case_.kept.nnz())
            return fmt::format("{} elements, not {}", total_, case_.kept.nnz());
        std::string wrong;
        if (has_counts()) wrong = difference("counts", case_.counts, counts_);
        if (wrong.empty() && has_offsets()) wrong = difference("offsets", case_.kept.offsets, to_offsets_);
        if (wrong.empty() && rows_) wrong = difference("rows", row_numbers(), *rows_);
        return has_values_ && wrong.empty() ? check_elements() : wrong;
    }

  private:
    // Other libraries may leave the elements of a row in any order.
    std::string check_elements() const {
        std::vector<std::int32_t> columns = to_columns_.download(), expected_columns = case_.kept.columns;
        std::vector<T> values = to_values_.download(), expected_values = case_.kept.values;
        if (!is_heron_) {
            sort_rows(case_.kept.offsets, columns, values);
            sort_rows(case_.kept.offsets, expected_columns, expected_values);
        }
        const std::string wrong = difference("columns", expected_columns, columns);
        return wrong.empty() ? difference("values", expected_values, values) : wrong;
    }

    void check(cusparseStatus_t status) const { library_.check(status, case_.function.name.c_str()); }
    bool is_like(const char* text) const { return case_.function.name.find(text) != std::string::npos; }
    bool has_counts() const { return is_like("nnz"); }
    bool has_offsets() const {
        return is_like("prune") || (case_.function.is_generic && !case_.is_coo) ||
               case_.is("csr2csr_compress");
    }

    std::vector<std::int32_t> row_numbers() const {
        std::vector<std::int32_t> rows;
        for (int row = 0; row < case_.rows; ++row)
            rows.insert(rows.end(),
                        static_cast<std::size_t>(case_.kept.offsets[static_cast<std::size_t>(row) + 1] -
                                                 case_.kept.offsets[static_cast<std::size_t>(row)]),
                        row);
        return rows;
    }

    void prepare() {
        if (case_.function.is_generic) return generic();
        if (is_like("prune")) return prune();
        if constexpr (sizeof(T) != 2) compress();
    }

    void* take_buffer(std::size_t bytes) {
        buffer_ = where_.allocate(std::max<std::size_t>(bytes, 1));
        return buffer_.get();
    }

    // f(function, rest...) with what all functions of a source begin with.
    void prune() {
        const prune_functions<T> f(library_);
        const int m = case_.rows, n = case_.cols;
        const auto dense = [this, m, n](auto function, auto... rest) {
            check(function(handle_, m, n, dense_.get(), m, rest...));
        };
        const auto csr = [this, m, n](auto function, auto... rest) {
            check(function(handle_, m, n, static_cast<int>(case_.sparse.nnz()), descr_.get(), values_.get(),
                           offsets_.get(), columns_.get(), rest...));
        };
        case_.function.takes_dense ? prune_from(dense, f.dense_size, f.dense_count, f.dense_keep,
                                                f.dense_share_size, f.dense_share_count, f.dense_share_keep)
                                   : prune_from(csr, f.csr_size, f.csr_count, f.csr_keep, f.csr_share_size,
                                                f.csr_share_count, f.csr_share_keep);
    }

    template <class Source, class Size, class Count, class Keep, class ShareSize, class ShareCount,
              class ShareKeep>
    void prune_from(Source from, Size size, Count count, Keep keep, ShareSize share_size,
                    ShareCount share_count, ShareKeep share_keep) {
        const T* const threshold = &case_.threshold;
        const float percentage = case_.percentage();
        const bool by_share = is_like("Percentage");
        std::size_t bytes = 0;
        if (by_share) {
            pruneInfo_t info = nullptr;
            check(HERON_PEER(library_, cusparseCreatePruneInfo)(&info));
            info_ = {info, HERON_PEER(library_, cusparseDestroyPruneInfo)};
            from(share_size, percentage, descr_.get(), to_values_.get(), to_offsets_.get(), to_columns_.get(),
                 info_.get(), &bytes);
        } else {
            from(size, threshold, descr_.get(), to_values_.get(), to_offsets_.get(), to_columns_.get(),
                 &bytes);
        }
        void* const buffer = take_buffer(bytes);
        const std::function<void()> counted = [=, this] {
            by_share
                ? from(share_count, percentage, descr_.get(), to_offsets_.get(), &total_, info_.get(), buffer)
                : from(count, threshold, descr_.get(), to_offsets_.get(), &total_, buffer);
        };
        if (is_like("Nnz")) {
            call_ = counted;
            return;
        }
        counted();
        has_values_ = true;
        call_ = [=, this] {
            by_share ? from(share_keep, percentage, descr_.get(), to_values_.get(), to_offsets_.get(),
                            to_columns_.get(), info_.get(), buffer)
                     : from(keep, threshold, descr_.get(), to_values_.get(), to_offsets_.get(),
                            to_columns_.get(), buffer);
        };
    }

    void compress() {
        const compress_functions<T> f(library_);
        const int m = case_.rows, n = case_.cols;
        if (case_.function.takes_dense) {
            const auto direction = case_.is("nnz") ? CUSPARSE_DIRECTION_ROW : CUSPARSE_DIRECTION_COLUMN;
            call_ = [=, this] {
                check(f.nnz(handle_, direction, m, n, descr_.get(), dense_.get(), m, counts_.get(), &total_));
            };
            return;
        }
        const std::function<void()> counted = [=, this] {
            check(f.count(handle_, m, descr_.get(), values_.get(), offsets_.get(), counts_.get(), &total_,
                          case_.threshold));
        };
        if (case_.is("nnz_compress")) {
            call_ = counted;
            return;
        }
        counted();
        has_values_ = true;
        call_ = [=, this] {
            check(f.keep(handle_, m, n, descr_.get(), values_.get(), columns_.get(), offsets_.get(),
                         static_cast<int>(case_.sparse.nnz()), counts_.get(), to_values_.get(),
                         to_columns_.get(), to_offsets_.get(), case_.threshold));
        };
    }

    void generic() {
        const auto order = case_.is_row_order ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
        cusparseDnMatDescr_t dense = nullptr;
        check(library_.create_dn_mat(&dense, case_.rows, case_.cols,
                                     case_.is_row_order ? case_.cols : case_.rows, dense_.get(), type_code<T>,
                                     order));
        matrix_ = {dense, library_.destroy_dn_mat};
        const bool from_sparse = case_.is("SparseToDense");
        if (case_.is_coo)
            rows_ = std::make_unique<device_array<std::int32_t>>(
                where_, from_sparse ? row_numbers() : unwritten<std::int32_t>(case_.kept.columns.size()));
        make_sparse();
        from_sparse ? sparse_to_dense() : dense_to_sparse();
    }

    void make_sparse() {
        cusparseSpMatDescr_t sparse = nullptr;
        const std::int64_t nnz = case_.is("SparseToDense") ? case_.kept.nnz() : 0;
        if (case_.is_coo)
            check(library_.create_coo(&sparse, case_.rows, case_.cols, nnz, rows_->get(), to_columns_.get(),
                                      to_values_.get(), with_ints, zero_based, type_code<T>));
        else
            check(library_.create_csr(&sparse, case_.rows, case_.cols, nnz, to_offsets_.get(),
                                      to_columns_.get(), to_values_.get(), with_ints, with_ints, zero_based,
                                      type_code<T>));
        sparse_ = {sparse, library_.destroy_sp_mat};
    }

    void dense_to_sparse() {
        constexpr auto alg = CUSPARSE_DENSETOSPARSE_ALG_DEFAULT;
        const auto size = HERON_PEER(library_, cusparseDenseToSparse_bufferSize);
        const auto analyse = HERON_PEER(library_, cusparseDenseToSparse_analysis);
        const auto convert = HERON_PEER(library_, cusparseDenseToSparse_convert);
        std::size_t bytes = 0;
        check(size(handle_, matrix_.get(), sparse_.get(), alg, &bytes));
        void* const buffer = take_buffer(bytes);
        const std::function<void()> analysed = [=, this] {
            check(analyse(handle_, matrix_.get(), sparse_.get(), alg, buffer));
        };
        if (case_.is("DenseToSparse_analysis")) {
            call_ = analysed;
            rows_.reset();
            return;
        }
        analysed();
        std::int64_t rows = 0, cols = 0, nnz = 0;
        check(library_.sp_mat_get_size(sparse_.get(), &rows, &cols, &nnz));
        if (nnz != case_.kept.nnz())
            throw std::runtime_error(fmt::format("{} elements, not {}", nnz, case_.kept.nnz()));
        if (case_.is_coo)
            check(HERON_PEER(library_, cusparseCooSetPointers)(sparse_.get(), rows_->get(), to_columns_.get(),
                                                               to_values_.get()));
        else
            check(library_.csr_set_pointers(sparse_.get(), to_offsets_.get(), to_columns_.get(),
                                            to_values_.get()));
        has_values_ = true;
        const std::function<void()> converted = [=, this] {
            check(convert(handle_, matrix_.get(), sparse_.get(), alg, buffer));
        };
        if (!case_.is("DenseToSparse")) {
            call_ = converted;
            return;
        }
        call_ = [=] {
            analysed();
            converted();
        };
    }

    void sparse_to_dense() {
        constexpr auto alg = CUSPARSE_SPARSETODENSE_ALG_DEFAULT;
        where_.copy(to_offsets_.get(), case_.kept.offsets.data(), 4 * case_.kept.offsets.size());
        where_.copy(to_columns_.get(), case_.kept.columns.data(), 4 * case_.kept.columns.size());
        where_.copy(to_values_.get(), case_.kept.values.data(), sizeof(T) * case_.kept.values.size());
        const auto convert = HERON_PEER(library_, cusparseSparseToDense);
        std::size_t bytes = 0;
        check(HERON_PEER(library_, cusparseSparseToDense_bufferSize)(handle_, sparse_.get(), matrix_.get(),
                                                                     alg, &bytes));
        void* const buffer = take_buffer(bytes);
        call_ = [=, this] { check(convert(handle_, sparse_.get(), matrix_.get(), alg, buffer)); };
    }

    bool is_heron_;
    const cusparse_library& library_;
    cusparseHandle_t handle_;
    const device& where_;
    const prune_case<T>& case_;
    device_array<T> dense_;
    device_array<std::int32_t> offsets_, columns_;
    device_array<T> values_;
    device_array<std::int32_t> counts_, to_offsets_, to_columns_;
    device_array<T> to_values_;
    std::unique_ptr<device_array<std::int32_t>> rows_{};
    device_buffer buffer_{};
    std::unique_ptr<cusparseMatDescr, decltype(&cusparseDestroyMatDescr)> descr_{nullptr, nullptr};
    std::unique_ptr<pruneInfo, decltype(&cusparseDestroyPruneInfo)> info_{nullptr, nullptr};
    std::unique_ptr<cusparseDnMatDescr, decltype(&cusparseDestroyDnMat)> matrix_{nullptr, nullptr};
    std::unique_ptr<cusparseSpMatDescr, decltype(&cusparseDestroySpMat)> sparse_{nullptr, nullptr};
    std::function<void()> call_{};
    int total_ = -1;
    bool has_values_ = false;
};

}  // namespace

template <class T>
std::unique_ptr<function_contender> make_prune_contender(const contestant& who, const prune_case<T>& what) {
    return std::make_unique<cusparse_prune<T>>(who, what);
}
template std::unique_ptr<function_contender> make_prune_contender(const contestant&,
                                                                  const prune_case<__half>&);
template std::unique_ptr<function_contender> make_prune_contender(const contestant&,
                                                                  const prune_case<float>&);
template std::unique_ptr<function_contender> make_prune_contender(const contestant&,
                                                                  const prune_case<double>&);

}  // namespace heron::tools
