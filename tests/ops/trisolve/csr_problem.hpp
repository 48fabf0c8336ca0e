// A triangular system of a CSR matrix for the typed functions: csrsv2, csrsm2, csrsv and csrsm.
#pragma once

#include "trisolve_problem.hpp"
#include "typed_functions.hpp"

#include <optional>

namespace heron::test {

inline constexpr auto no_transpose = CUSPARSE_OPERATION_NON_TRANSPOSE;
inline constexpr auto with_levels = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
inline constexpr auto without_levels = CUSPARSE_SOLVE_POLICY_NO_LEVEL;

enum class solve_method { csrsv2, csrsm2, csrsv, csrsm, csrsv_ex };

inline bool is_of_matrices(solve_method by) {
    return by == solve_method::csrsm2 || by == solve_method::csrsm;
}
// Whether it has a buffer, a policy and zero pivots.
inline bool has_phases(solve_method by) { return by == solve_method::csrsv2 || by == solve_method::csrsm2; }

// csrsm2 always solves in place. Where csrsm does not, its solutions have another leading dimension.
struct sides_case {
    solve_method by{};
    std::int64_t columns = 1;
    bool turned = false;
    std::int64_t padding = 0;
    bool in_place = false;
    number alpha = 1.0;
    cusparsePointerMode_t mode = CUSPARSE_POINTER_MODE_HOST;

    bool shares_memory() const { return in_place || by == solve_method::csrsm2; }
    std::int64_t ld(std::int64_t n, bool solution) const {
        return (turned ? columns : n) + padding +
               (solution && by == solve_method::csrsm && !in_place ? 2 : 0);
    }
    std::size_t at(std::int64_t n, std::int64_t i, std::int64_t j, bool solution) const {
        return static_cast<std::size_t>(turned ? j + i * ld(n, solution) : i + j * ld(n, solution));
    }
    std::size_t size(std::int64_t n, bool solution) const {
        return static_cast<std::size_t>(ld(n, solution) * (turned ? n : columns));
    }
    cusparseOperation_t op() const { return turned ? CUSPARSE_OPERATION_TRANSPOSE : no_transpose; }
    std::string name() const {
        static constexpr const char* names[] = {"csrsv2", "csrsm2", "csrsv", "csrsm", "csrsv Ex"};
        return fmt::format("{}, {} columns{}{}", names[static_cast<int>(by)], columns,
                           turned ? ", turned" : "", in_place ? ", in place" : "");
    }
};

inline index_choice indices_of_base(int base) { return {CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, base}; }

// The values with zeros in place of the diagonal elements of some rows.
std::vector<number> with_zero_diagonal(const sparse_arrays& arrays, std::initializer_list<std::int64_t> rows);

// Numbers in device memory that the library owns.
std::vector<int> from_device(const int* data, std::size_t count);

// The elements that take part, without a unit diagonal.
entries elements_of(const sparse_arrays& arrays, const triangle& t);

// The bits of SpSV, or of SpSM of right-hand sides in columns.
std::vector<unsigned char> solve_generically(const sparse_arrays& arrays, triangle t, bool as_matrix,
                                             number alpha, const std::vector<number>& right_sides,
                                             std::int64_t columns);

// The rows of op(A) by the longest chain of rows that they wait for.
std::vector<std::vector<int>> levels_of(const entries& used, std::int64_t n, cusparseOperation_t op);

// A matrix with an info of each kind and a workspace of exactly the size that is asked for. Functions fail
// the test unless they succeed. With `absent` the arrays of a matrix that stores nothing are NULL.
template <class F>
class csr_problem {
  public:
    using T = typename F::scalar;

    csr_problem(const sparse_arrays& arrays, const triangle& t, bool absent = false)
        : arrays_(arrays),
          t_(t),
          absent_(absent),
          offsets_(CUSPARSE_INDEX_32I, arrays.offsets, 1),
          columns_(CUSPARSE_INDEX_32I, arrays.indices, 1),
          values_(arrays.type, arrays.values, 1),
          descr_(make<cusparseMatDescr_t>(cusparseCreateMatDescr)),
          sv_(make<csrsv2Info_t>(cusparseCreateCsrsv2Info)),
          sm_(make<csrsm2Info_t>(cusparseCreateCsrsm2Info)),
          info_(make<cusparseSolveAnalysisInfo_t>(cusparseCreateSolveAnalysisInfo)) {
        expect(cusparseSetMatIndexBase(descr_.get(), static_cast<cusparseIndexBase_t>(arrays.base)));
        set_fill(t.fill);
        set_diagonal(t.diag);
    }

    void set_operation(cusparseOperation_t op) { t_.op = op; }
    void set_fill(cusparseFillMode_t fill) {
        t_.fill = fill;
        expect(cusparseSetMatFillMode(descr_.get(), fill));
    }
    void set_diagonal(cusparseDiagType_t diag) {
        t_.diag = diag;
        expect(cusparseSetMatDiagType(descr_.get(), diag));
    }
    void set_values(const std::vector<number>& values) {
        arrays_.values = values;
        values_.upload(values);
    }
    // The infos of another problem.
    void take_infos(csr_problem& other) {
        sv_ = std::move(other.sv_);
        sm_ = std::move(other.sm_);
        info_ = std::move(other.info_);
    }
    void share_buffer(csr_problem& other) { buffer_ = other.buffer_; }

    std::size_t buffer_size(const sides_case& s) {
        std::size_t wide = 0;
        if (s.by == solve_method::csrsm2) {
            expect(F::csrsm2_bufferSizeExt(cusparse(), 1, t_.op, s.op(), n(), columns(s), nnz(), nullptr,
                                           descr_.get(), values(), offsets(), indices(), nullptr,
                                           ld(s, false), sm_.get(), with_levels, &wide));
            return wide;
        }
        int size = -1;
        expect(F::csrsv2_bufferSize(cusparse(), t_.op, n(), nnz(), descr_.get(), values(), offsets(),
                                    indices(), sv_.get(), &size));
        expect(F::csrsv2_bufferSizeExt(cusparse(), t_.op, n(), nnz(), descr_.get(), values(), offsets(),
                                       indices(), sv_.get(), &wide));
        REQUIRE(size >= 0);
        CHECK(static_cast<std::size_t>(size) == wide);
        return wide;
    }

    void analyse(const sides_case& s, cusparseSolvePolicy_t policy = with_levels) {
        if (has_phases(s.by)) buffer_ = std::make_shared<workspace>(buffer_size(s));
        expect(try_analyse(s, policy));
    }

    // Compares the residual, unless a zero pivot has spoilt the solution.
    void solve(const sides_case& s, cusparseSolvePolicy_t policy = with_levels, bool is_regular = true) {
        const std::vector<number> right_sides = right_sides_of(s);
        const std::vector<number> start = laid_out(s, right_sides, false);
        const typed_array b(F::type, start, 1),
            other(F::type, std::vector<number>(s.size(arrays_.rows, true), poison(F::type)), 1);
        const typed_array& x = s.shares_memory() ? b : other;
        const pointer_mode_scope scope(s.mode);
        const scalar_operand alpha(F::type, s.alpha, s.mode);
        if (buffer_) buffer_->overwrite(0xff);
        expect(try_solve(s, static_cast<const T*>(alpha.data()), static_cast<T*>(b.data()),
                         static_cast<T*>(x.data()), policy));
        const std::vector<number> found = x.numbers();
        solution_ = x.bytes();
        if (buffer_) CHECK(buffer_->canaries_are_whole());
        if (!s.shares_memory() && b.bytes() != encode(F::type, start))
            FAIL_CHECK("the right-hand side was written");
        if (!is_regular) return;
        const std::vector<number> solution = taken_out(s, found);
        if (s.columns == 0) return;
        const system_residual r = triangular_residual(elements_of(arrays_, t_), t_.op, t_.diag, {}, s.alpha,
                                                      right_sides, solution, s.columns, F::type);
        const std::string wrong = difference(r.left, r.right);
        if (!wrong.empty()) FAIL_CHECK(wrong);
    }

    void run(const sides_case& s, cusparseSolvePolicy_t policy = with_levels) {
        analyse(s, policy);
        solve(s, policy);
        expect_pivot(s, -1);
    }

    // The bytes of the last solution, and what SpSV or SpSM make of the same right-hand sides.
    const std::vector<unsigned char>& solution() const { return solution_; }
    std::vector<unsigned char> generic_solution(const sides_case& s) const {
        const std::vector<unsigned char> columns =
            solve_generically(arrays_, t_, is_of_matrices(s.by), s.alpha, right_sides_of(s), s.columns);
        if (s.by != solve_method::csrsm) return columns;
        const std::vector<number> numbers = decode(F::type, columns);
        std::vector<number> by_rows;
        for (std::int64_t i = 0; i < arrays_.rows; ++i)
            for (std::int64_t j = 0; j < s.columns; ++j)
                by_rows.push_back(numbers[static_cast<std::size_t>(i + j * arrays_.rows)]);
        return encode(F::type, laid_out(s, by_rows, true));
    }

    cusparseStatus_t try_any_solve(const sides_case& s, cusparseSolvePolicy_t policy) {
        const typed_array b(F::type, std::vector<number>(s.size(arrays_.rows, true), number(1.0)));
        const scalar_operand alpha(F::type, 1.0, CUSPARSE_POINTER_MODE_HOST);
        T* const x = static_cast<T*>(b.data());
        sides_case in_place = s;
        in_place.in_place = true;
        return try_solve(in_place, static_cast<const T*>(alpha.data()), x, x, policy);
    }

    // Those without phases have none to tell.
    void expect_pivot(const sides_case& s, int expected) {
        if (!has_phases(s.by)) return;
        const cusparseStatus_t status = expected < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
        for (const auto mode : {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE}) {
            const pointer_mode_scope scope(mode);
            int on_host = 77;
            device_array<int> on_device(std::vector<int>{77}, 1);
            int* const position = mode == CUSPARSE_POINTER_MODE_HOST ? &on_host : on_device.data();
            expect(s.by == solve_method::csrsm2 ? cusparseXcsrsm2_zeroPivot(cusparse(), sm_.get(), position)
                                                : cusparseXcsrsv2_zeroPivot(cusparse(), sv_.get(), position),
                   status);
            CHECK((mode == CUSPARSE_POINTER_MODE_HOST ? on_host : on_device.download()[0]) == expected);
        }
    }

    cusparseStatus_t try_levels(int* count, int** starts, int** rows) {
        return cusparseGetLevelInfo(cusparse(), info_.get(), count, starts, rows);
    }
    std::vector<std::vector<int>> expected_levels() const {
        return levels_of(elements_of(arrays_, t_), arrays_.rows, t_.op);
    }

  private:
    template <class Handle, class Create>
    static Handle make(Create create) {
        Handle handle = nullptr;
        expect(create(&handle));
        return handle;
    }

    int n() const { return static_cast<int>(arrays_.rows); }
    int nnz() const { return static_cast<int>(arrays_.nnz); }
    int columns(const sides_case& s) const { return static_cast<int>(s.columns); }
    int ld(const sides_case& s, bool solution) const {
        return std::max(1, static_cast<int>(s.ld(arrays_.rows, solution)));
    }
    T* values() const { return absent_ ? nullptr : static_cast<T*>(values_.data()); }
    const int* offsets() const { return absent_ ? nullptr : static_cast<const int*>(offsets_.data()); }
    const int* indices() const { return absent_ ? nullptr : static_cast<const int*>(columns_.data()); }

    cusparseStatus_t try_analyse(const sides_case& s, cusparseSolvePolicy_t policy) {
        // An analysis does without values.
        const T* const values = policy == CUSPARSE_SOLVE_POLICY_USE_LEVEL ? this->values() : nullptr;
        switch (s.by) {
            case solve_method::csrsv2:
                return F::csrsv2_analysis(cusparse(), t_.op, n(), nnz(), descr_.get(), values, offsets(),
                                          indices(), sv_.get(), policy, buffer_->data());
            case solve_method::csrsm2:
                return F::csrsm2_analysis(cusparse(), 0, t_.op, s.op(), n(), columns(s), nnz(), nullptr,
                                          descr_.get(), values, offsets(), indices(), nullptr, ld(s, false),
                                          sm_.get(), policy, buffer_->data());
            case solve_method::csrsv:
                return F::csrsv_analysis(cusparse(), t_.op, n(), nnz(), descr_.get(), values, offsets(),
                                         indices(), info_.get());
            case solve_method::csrsm:
                return F::csrsm_analysis(cusparse(), t_.op, n(), nnz(), descr_.get(), values, offsets(),
                                         indices(), info_.get());
            default:
                return cusparseCsrsv_analysisEx(cusparse(), t_.op, n(), nnz(), descr_.get(), values, F::type,
                                                offsets(), indices(), info_.get(), F::type);
        }
    }

    cusparseStatus_t try_solve(const sides_case& s, const T* alpha, T* b, T* x,
                               cusparseSolvePolicy_t policy) {
        switch (s.by) {
            case solve_method::csrsv2:
                return F::csrsv2_solve(cusparse(), t_.op, n(), nnz(), alpha, descr_.get(), values(),
                                       offsets(), indices(), sv_.get(), b, x, policy, any_buffer());
            case solve_method::csrsm2:
                return F::csrsm2_solve(cusparse(), 1, t_.op, s.op(), n(), columns(s), nnz(), alpha,
                                       descr_.get(), values(), offsets(), indices(), b, ld(s, false),
                                       sm_.get(), policy, any_buffer());
            case solve_method::csrsv:
                return F::csrsv_solve(cusparse(), t_.op, n(), alpha, descr_.get(), values(), offsets(),
                                      indices(), info_.get(), b, x);
            case solve_method::csrsm:
                return F::csrsm_solve(cusparse(), t_.op, n(), columns(s), alpha, descr_.get(), values(),
                                      offsets(), indices(), info_.get(), b, ld(s, false), x, ld(s, true));
            default:
                return cusparseCsrsv_solveEx(cusparse(), t_.op, n(), alpha, F::type, descr_.get(), values(),
                                             F::type, offsets(), indices(), info_.get(), b, F::type, x,
                                             F::type, F::type);
        }
    }
    void* any_buffer() {
        if (!buffer_) buffer_ = std::make_shared<workspace>(128);
        return buffer_->data();
    }

    // By rows.
    std::vector<number> right_sides_of(const sides_case& s) const {
        random_source random(71);
        return random_values(F::type, static_cast<std::size_t>(arrays_.rows * s.columns), random);
    }
    // As memory holds them, with poison between the lines.
    std::vector<number> laid_out(const sides_case& s, const std::vector<number>& by_rows,
                                 bool solution) const {
        std::vector<number> result(s.size(arrays_.rows, solution), poison(F::type));
        for (std::int64_t i = 0; i < arrays_.rows; ++i)
            for (std::int64_t j = 0; j < s.columns; ++j)
                result[s.at(arrays_.rows, i, j, solution)] =
                    by_rows[static_cast<std::size_t>(i * s.columns + j)];
        return result;
    }
    std::vector<number> taken_out(const sides_case& s, const std::vector<number>& memory) const {
        std::vector<number> by_rows;
        std::vector<bool> written(memory.size());
        for (std::int64_t i = 0; i < arrays_.rows; ++i)
            for (std::int64_t j = 0; j < s.columns; ++j) {
                const std::size_t at = s.at(arrays_.rows, i, j, true);
                by_rows.push_back(memory[at]);
                written[at] = true;
            }
        for (std::size_t k = 0; k < memory.size(); ++k)
            if (!written[k] && !std::isnan(memory[k].real())) FAIL_CHECK("written between the lines");
        return by_rows;
    }

    sparse_arrays arrays_;
    triangle t_;
    bool absent_;
    index_array offsets_, columns_;
    typed_array values_;
    std::unique_ptr<cusparseMatDescr, destroyer<&cusparseDestroyMatDescr>> descr_;
    std::unique_ptr<csrsv2Info, destroyer<&cusparseDestroyCsrsv2Info>> sv_;
    std::unique_ptr<csrsm2Info, destroyer<&cusparseDestroyCsrsm2Info>> sm_;
    std::unique_ptr<cusparseSolveAnalysisInfo, destroyer<&cusparseDestroySolveAnalysisInfo>> info_;
    std::shared_ptr<workspace> buffer_;
    std::vector<unsigned char> solution_;
};

}  // namespace heron::test
