#define DISABLE_CUSPARSE_DEPRECATED
#include "bsr_contender.hpp"

#include <algorithm>
#include <chrono>
#include <type_traits>

#include "measure/device_array.hpp"

namespace heron::tools {
namespace {

template <class T>
struct bsr_functions;
#define HERON_FAMILY "bench/bsr/bsr_functions.inc"
#include <cusparse/foreach_type.inc>

std::vector<int> ints(const std::vector<std::int64_t>& values) { return {values.begin(), values.end()}; }

template <class T>
T scalar_of(number v) {
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(v.real());
    else
        return {static_cast<decltype(T::x)>(v.real()), static_cast<decltype(T::y)>(v.imag())};
}
template <class T>
number number_of(T v) {
    if constexpr (std::is_floating_point_v<T>)
        return v;
    else
        return {v.x, v.y};
}
template <class T>
std::vector<T> rounded(const std::vector<number>& values) {
    std::vector<T> result(values.size());
    std::transform(values.begin(), values.end(), result.begin(), scalar_of<T>);
    return result;
}

// Matrices of rows x columns elements, one behind the other and stored by columns, stored by rows; or the
// other way round, of columns x rows.
std::vector<number> turned(const std::vector<number>& values, int columns, int rows) {
    const auto width = static_cast<std::size_t>(columns), height = static_cast<std::size_t>(rows);
    std::vector<number> result(values.size() / (width * height) * (width * height));
    for (std::size_t k = 0; k < result.size(); ++k) {
        const std::size_t matrix = k / (width * height), place = k % (width * height);
        result[matrix * width * height + place % height * width + place / height] = values[k];
    }
    return result;
}

using matrix_descriptor = std::unique_ptr<cusparseMatDescr, decltype(&cusparseDestroyMatDescr)>;

matrix_descriptor describe(const cusparse_library& library, bool is_upper) {
    cusparseMatDescr_t made = nullptr;
    library.check(HERON_PEER(library, cusparseCreateMatDescr)(&made), "cusparseCreateMatDescr");
    matrix_descriptor descr{made, HERON_PEER(library, cusparseDestroyMatDescr)};
    library.check(HERON_PEER(library, cusparseSetMatFillMode)(
                      made, is_upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER),
                  "cusparseSetMatFillMode");
    return descr;
}

cusparseOperation_t operation_of(char op) {
    return op == 'N' ? CUSPARSE_OPERATION_NON_TRANSPOSE : CUSPARSE_OPERATION_TRANSPOSE;
}

template <class T>
class typed_contender : public bsr_contender {
  public:
    typed_contender(const contestant& who, const bsr_case& what)
        : library_(who.handle->library()),
          handle_(who.handle->get()),
          where_(*who.where),
          function_(what.function),
          functions_(library_),
          block_(what.block),
          rows_(static_cast<int>(what.blocks.rows)),
          cols_(static_cast<int>(what.blocks.cols)),
          nnz_(static_cast<int>(what.blocks.nnz())),
          columns_(what.has_columns() ? what.columns : 1),
          op_(operation_of(what.op)),
          descr_(describe(library_, what.is_upper)),
          offsets_(where_, ints(what.blocks.offsets)),
          indices_(where_, ints(what.blocks.columns)),
          direction_(what.by_columns ? CUSPARSE_DIRECTION_COLUMN : CUSPARSE_DIRECTION_ROW),
          op_b_(operation_of(what.turns_b ? 'T' : 'N')),
          ldb_(what.turns_b ? columns_ : ld(cols_)),
          values_(where_, rounded<T>(what.by_columns ? turned(what.values, block_, block_) : what.values)),
          x_(where_, rounded<T>(what.turns_b ? turned(what.x, columns_, ld(cols_)) : what.x)),
          y_(where_, std::vector<T>(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(block_) *
                                    static_cast<std::size_t>(columns_))) {
        if (what.is_solve()) prepare();
    }
    ~typed_contender() override {
        where_.synchronize();
        if (sv_) HERON_PEER(library_, cusparseDestroyBsrsv2Info)(sv_);
        if (sm_) HERON_PEER(library_, cusparseDestroyBsrsm2Info)(sm_);
    }
    typed_contender(const typed_contender&) = delete;
    typed_contender& operator=(const typed_contender&) = delete;

    double analyse() override {
        if (!buffer_) return 0;
        where_.synchronize();
        const auto start = std::chrono::steady_clock::now();
        sv_ ? analyse_vector() : analyse_matrix();
        where_.synchronize();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    void call() override {
        if (sv_) return solve_vector();
        if (sm_) return solve_matrix();
        function_ == "bsrmv" ? multiply_vector() : multiply_matrix();
    }

    std::vector<number> result() const override {
        const std::vector<T> found = y_.download();
        std::vector<number> result(found.size());
        std::transform(found.begin(), found.end(), result.begin(), number_of<T>);
        return result;
    }

  private:
    static constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    static constexpr auto levels = CUSPARSE_SOLVE_POLICY_USE_LEVEL;

    int ld(int block_rows) const { return block_rows * block_; }

    void prepare() {
        int bytes = 0;
        if (function_ == "bsrsv2") {
            library_.check(HERON_PEER(library_, cusparseCreateBsrsv2Info)(&sv_), "cusparseCreateBsrsv2Info");
            library_.check(
                functions_.sv_size(handle_, direction_, op_, rows_, nnz_, descr_.get(), values_.get(),
                                   offsets_.get(), indices_.get(), block_, sv_, &bytes),
                "bsrsv2_bufferSize");
        } else {
            library_.check(HERON_PEER(library_, cusparseCreateBsrsm2Info)(&sm_), "cusparseCreateBsrsm2Info");
            library_.check(
                functions_.sm_size(handle_, direction_, op_, plain, rows_, columns_, nnz_, descr_.get(),
                                   values_.get(), offsets_.get(), indices_.get(), block_, sm_, &bytes),
                "bsrsm2_bufferSize");
        }
        buffer_ = std::make_unique<device_array<std::byte>>(where_, static_cast<std::size_t>(bytes));
    }

    void analyse_vector() {
        library_.check(
            functions_.sv_analysis(handle_, direction_, op_, rows_, nnz_, descr_.get(), values_.get(),
                                   offsets_.get(), indices_.get(), block_, sv_, levels, buffer_->get()),
            "bsrsv2_analysis");
    }
    void analyse_matrix() {
        library_.check(functions_.sm_analysis(handle_, direction_, op_, plain, rows_, columns_, nnz_,
                                              descr_.get(), values_.get(), offsets_.get(), indices_.get(),
                                              block_, sm_, levels, buffer_->get()),
                       "bsrsm2_analysis");
    }
    void solve_vector() {
        library_.check(functions_.sv_solve(handle_, direction_, op_, rows_, nnz_, &one_, descr_.get(),
                                           values_.get(), offsets_.get(), indices_.get(), block_, sv_,
                                           x_.get(), y_.get(), levels, buffer_->get()),
                       "bsrsv2_solve");
    }
    void solve_matrix() {
        library_.check(
            functions_.sm_solve(handle_, direction_, op_, plain, rows_, columns_, nnz_, &one_, descr_.get(),
                                values_.get(), offsets_.get(), indices_.get(), block_, sm_, x_.get(),
                                ld(rows_), y_.get(), ld(rows_), levels, buffer_->get()),
            "bsrsm2_solve");
    }
    void multiply_vector() {
        library_.check(
            functions_.mv(handle_, direction_, plain, rows_, cols_, nnz_, &one_, descr_.get(), values_.get(),
                          offsets_.get(), indices_.get(), block_, x_.get(), &zero_, y_.get()),
            "bsrmv");
    }
    void multiply_matrix() {
        library_.check(functions_.mm(handle_, direction_, plain, op_b_, rows_, columns_, cols_, nnz_, &one_,
                                     descr_.get(), values_.get(), offsets_.get(), indices_.get(), block_,
                                     x_.get(), ldb_, &zero_, y_.get(), ld(rows_)),
                       "bsrmm");
    }

    const cusparse_library& library_;
    cusparseHandle_t handle_;
    const device& where_;
    const std::string function_;
    const bsr_functions<T> functions_;
    const int block_, rows_, cols_, nnz_, columns_;
    const cusparseOperation_t op_;
    matrix_descriptor descr_;
    device_array<int> offsets_, indices_;
    const cusparseDirection_t direction_;
    const cusparseOperation_t op_b_;
    const int ldb_;
    device_array<T> values_, x_, y_;
    bsrsv2Info_t sv_ = nullptr;
    bsrsm2Info_t sm_ = nullptr;
    std::unique_ptr<device_array<std::byte>> buffer_;
    const T one_ = scalar_of<T>(1), zero_ = scalar_of<T>(0);
};

}  // namespace

std::unique_ptr<bsr_contender> make_bsr_contender(const contestant& who, const bsr_case& what,
                                                  const std::string& type) {
    if (type == "f32") return std::make_unique<typed_contender<float>>(who, what);
    if (type == "c32") return std::make_unique<typed_contender<cuComplex>>(who, what);
    if (type == "c64") return std::make_unique<typed_contender<cuDoubleComplex>>(who, what);
    return std::make_unique<typed_contender<double>>(who, what);
}

}  // namespace heron::tools
