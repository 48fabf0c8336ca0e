#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "convert_case.hpp"
#include "measure/device_array.hpp"

namespace heron::tools {
namespace {

template <class T>
struct typed_conversions;
#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)
#define NAME(name) TEXT_OF(HERON_FN(name))
#define HERON_FAMILY "bench/convert/convert_functions.inc"
#include <cusparse/foreach_type.inc>
#undef NAME
#undef TEXT_OF
#undef TEXT

constexpr auto by_rows = CUSPARSE_DIRECTION_ROW;
constexpr auto zero_based = CUSPARSE_INDEX_BASE_ZERO;
constexpr auto numeric = CUSPARSE_ACTION_NUMERIC;

template <class T>
struct device_blocks {
    device_blocks(const device& where, const block_matrix<T>& m)
        : offsets(where, m.offsets), columns(where, m.columns), values(where, m.values) {}
    // Room for the same.
    device_blocks(const device& where, std::size_t offset_count, std::size_t column_count,
                  std::size_t value_count)
        : offsets(where, offset_count), columns(where, column_count), values(where, value_count) {}
    device_array<std::int32_t> offsets, columns;
    device_array<T> values;
};

template <class T>
class cusparse_conversion : public function_contender {
  public:
    cusparse_conversion(const contestant& who, const convert_case<T>& what)
        : library_(who.handle->library()),
          handle_(who.handle->get()),
          where_(*who.where),
          case_(what),
          typed_(library_),
          from_(where_, what.from),
          to_(where_, what.to.offsets.size(), what.to.columns.size(), what.to.values.size()),
          rows_(where_, what.row_of) {
        cusparseMatDescr_t descr = nullptr;
        check(general<decltype(&cusparseCreateMatDescr)>("cusparseCreateMatDescr")(&descr));
        descr_ = {descr, general<decltype(&cusparseDestroyMatDescr)>("cusparseDestroyMatDescr")};
        find_call();
        count_first();
    }

    void call() override { call_(); }

    std::string check() override {
        const std::string& f = case_.function;
        if (f == "csr2coo") return difference("rows", case_.row_of, rows_);
        if (f == "coo2csr") return difference("offsets", case_.from.offsets, from_.offsets);
        std::string wrong = difference("offsets", case_.to.offsets, to_.offsets);
        if (f == "csr2bsrNnz" && wrong.empty() && nnz_ != case_.to.nnz())
            return fmt::format("{} blocks, not {}", nnz_, case_.to.nnz());
        if (f == "csr2bsrNnz") return wrong;
        if (wrong.empty()) wrong = difference("columns", case_.to.columns, to_.columns);
        if (wrong.empty()) wrong = difference("values", case_.to.values, to_.values);
        return wrong;
    }

  private:
    template <class F>
    F general(const char* name) const {
        return library_.function<F>(name);
    }
    void check(cusparseStatus_t status) const { library_.check(status, case_.function.c_str()); }

    // Memory for a call; size(bytes) asks for its size.
    template <class Bytes, class Size>
    void* workspace(Size&& size) {
        Bytes bytes = 0;
        check(size(&bytes));
        buffer_ = where_.allocate(std::max<std::size_t>(static_cast<std::size_t>(bytes), 1));
        return buffer_.get();
    }

    // Conversions into blocks read the offsets.
    void count_first() {
        const std::string& f = case_.function;
        if (f != "csr2bsr" && f != "csr2gebsr" && f != "gebsr2gebsr") return;
        where_.copy(to_.offsets.get(), case_.to.offsets.data(), case_.to.offsets.size() * 4);
    }

    void find_call() {
        const std::string& f = case_.function;
        if (f == "csr2csc") return csr2csc();
        if (f == "csr2coo" || f == "coo2csr") return coo();
        if (f == "csr2bsrNnz") return csr2bsr_nnz();
        if (f == "csr2bsr" || f == "bsr2csr") return square();
        if (f == "csr2gebsr" || f == "gebsr2csr") return general_blocks();
        if (f == "gebsr2gebsc") return gebsr2gebsc();
        gebsr2gebsr();
    }

    void csr2csc() {
        const auto run = general<decltype(&cusparseCsr2cscEx2)>("cusparseCsr2cscEx2");
        const auto size = general<decltype(&cusparseCsr2cscEx2_bufferSize)>("cusparseCsr2cscEx2_bufferSize");
        const auto type = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
        constexpr auto alg = CUSPARSE_CSR2CSC_ALG1;
        const auto with = [this](auto function, auto... rest) {
            const block_matrix<T>& a = case_.from;
            return function(handle_, a.rows, a.cols, a.nnz(), from_.values.get(), from_.offsets.get(),
                            from_.columns.get(), to_.values.get(), to_.offsets.get(), to_.columns.get(),
                            rest...);
        };
        void* const memory = workspace<std::size_t>(
            [&](std::size_t* bytes) { return with(size, type, numeric, zero_based, alg, bytes); });
        call_ = [=, this] { check(with(run, type, numeric, zero_based, alg, memory)); };
    }

    void coo() {
        const auto expand = general<decltype(&cusparseXcsr2coo)>("cusparseXcsr2coo");
        const auto compress = general<decltype(&cusparseXcoo2csr)>("cusparseXcoo2csr");
        const int nnz = case_.from.nnz(), m = case_.from.rows;
        if (case_.function == "csr2coo")
            call_ = [=, this] {
                check(expand(handle_, from_.offsets.get(), nnz, m, rows_.get(), zero_based));
            };
        else
            call_ = [=, this] {
                check(compress(handle_, rows_.get(), nnz, m, from_.offsets.get(), zero_based));
            };
    }

    void csr2bsr_nnz() {
        const auto run = general<decltype(&cusparseXcsr2bsrNnz)>("cusparseXcsr2bsrNnz");
        call_ = [=, this] {
            check(run(handle_, by_rows, case_.from.rows, case_.from.cols, descr_.get(), from_.offsets.get(),
                      from_.columns.get(), case_.to.block_rows, descr_.get(), to_.offsets.get(), &nnz_));
        };
    }

    void square() {
        const bool into = case_.function == "csr2bsr";
        const auto run = into ? typed_.csr2bsr : typed_.bsr2csr;
        const int block = into ? case_.to.block_rows : case_.from.block_rows;
        call_ = [=, this] {
            check(run(handle_, by_rows, case_.from.rows, case_.from.cols, descr_.get(), from_.values.get(),
                      from_.offsets.get(), from_.columns.get(), block, descr_.get(), to_.values.get(),
                      to_.offsets.get(), to_.columns.get()));
        };
    }

    void general_blocks() {
        const block_matrix<T>& a = case_.from;
        if (case_.function == "gebsr2csr") {
            call_ = [&a, this] {
                check(typed_.gebsr2csr(handle_, by_rows, a.rows, a.cols, descr_.get(), from_.values.get(),
                                       from_.offsets.get(), from_.columns.get(), a.block_rows, a.block_cols,
                                       descr_.get(), to_.values.get(), to_.offsets.get(), to_.columns.get()));
            };
            return;
        }
        const int rows = case_.to.block_rows, cols = case_.to.block_cols;
        void* const memory = workspace<int>([&](int* bytes) {
            return typed_.csr2gebsr_size(handle_, by_rows, a.rows, a.cols, descr_.get(), from_.values.get(),
                                         from_.offsets.get(), from_.columns.get(), rows, cols, bytes);
        });
        call_ = [=, &a, this] {
            check(typed_.csr2gebsr(handle_, by_rows, a.rows, a.cols, descr_.get(), from_.values.get(),
                                   from_.offsets.get(), from_.columns.get(), descr_.get(), to_.values.get(),
                                   to_.offsets.get(), to_.columns.get(), rows, cols, memory));
        };
    }

    void gebsr2gebsc() {
        const block_matrix<T>& a = case_.from;
        void* const memory = workspace<int>([&](int* bytes) {
            return typed_.gebsr2gebsc_size(handle_, a.rows, a.cols, a.nnz(), from_.values.get(),
                                           from_.offsets.get(), from_.columns.get(), a.block_rows,
                                           a.block_cols, bytes);
        });
        call_ = [=, &a, this] {
            check(typed_.gebsr2gebsc(handle_, a.rows, a.cols, a.nnz(), from_.values.get(),
                                     from_.offsets.get(), from_.columns.get(), a.block_rows, a.block_cols,
                                     to_.values.get(), to_.columns.get(), to_.offsets.get(), numeric,
                                     zero_based, memory));
        };
    }

    void gebsr2gebsr() {
        const block_matrix<T>& a = case_.from;
        const int rows = case_.to.block_rows, cols = case_.to.block_cols;
        void* const memory = workspace<int>([&](int* bytes) {
            return typed_.gebsr2gebsr_size(handle_, by_rows, a.rows, a.cols, a.nnz(), descr_.get(),
                                           from_.values.get(), from_.offsets.get(), from_.columns.get(),
                                           a.block_rows, a.block_cols, rows, cols, bytes);
        });
        call_ = [=, &a, this] {
            check(typed_.gebsr2gebsr(handle_, by_rows, a.rows, a.cols, a.nnz(), descr_.get(),
                                     from_.values.get(), from_.offsets.get(), from_.columns.get(),
                                     a.block_rows, a.block_cols, descr_.get(), to_.values.get(),
                                     to_.offsets.get(), to_.columns.get(), rows, cols, memory));
        };
    }

    const cusparse_library& library_;
    cusparseHandle_t handle_;
    const device& where_;
    const convert_case<T>& case_;
    typed_conversions<T> typed_;
    device_blocks<T> from_, to_;
    device_array<std::int32_t> rows_;
    device_buffer buffer_{};
    std::unique_ptr<cusparseMatDescr, decltype(&cusparseDestroyMatDescr)> descr_{nullptr, nullptr};
    std::function<void()> call_{};
    int nnz_ = 0;
};

}  // namespace

template <class T>
std::unique_ptr<function_contender> make_convert_contender(const contestant& who,
                                                           const convert_case<T>& what) {
    return std::make_unique<cusparse_conversion<T>>(who, what);
}
template std::unique_ptr<function_contender> make_convert_contender(const contestant&,
                                                                    const convert_case<float>&);
template std::unique_ptr<function_contender> make_convert_contender(const contestant&,
                                                                    const convert_case<double>&);

}  // namespace heron::tools
