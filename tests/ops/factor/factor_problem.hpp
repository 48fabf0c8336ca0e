// One incomplete factorisation on the device, with everything that a test may vary, and its oracle.
#pragma once

#include "ops/operands.hpp"
#include "typed_functions.hpp"

#include <map>
#include <optional>

namespace heron::test {

// Which factorisation, and how its matrix is stored.
struct factor_choice {
    bool lu = true;
    std::int64_t block = 0;  // rows of a block; 0: CSR
    cusparseDirection_t direction = CUSPARSE_DIRECTION_ROW;
    int base = 0;
    cusparseSolvePolicy_t policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
    std::string name() const;
};

// A matrix by rows.
using number_rows = std::vector<std::map<std::int64_t, number>>;

// A replacement of small pivots.
struct pivot_boost {
    double tolerance;
    number value;
};

// What the factorisations mean, row by row, in the plainest words.
number_rows incomplete_lu(number_rows a, const std::optional<pivot_boost>& boost = {});
number_rows incomplete_cholesky(number_rows a);

// ---- patterns of blocks: square, elements in the order of their rows and columns ----

entries banded_pattern(std::int64_t n, const std::vector<std::int64_t>& distances);
entries grid_pattern(std::int64_t nx, std::int64_t ny, std::int64_t nz, bool corners);
entries random_square_pattern(std::int64_t n, std::int64_t per_row, std::uint64_t stream);
// Blocks of `size` rows and columns: those on the diagonal, and up to `others` more in each row of blocks.
entries scattered_blocks_pattern(std::int64_t blocks, std::int64_t size, std::int64_t others,
                                 std::uint64_t stream);
entries arrow_of(std::int64_t n);
entries full_pattern(std::int64_t n);
// Runs of up to nine columns, which those of other rows overlap in part.
entries runs_pattern(std::int64_t n);

// Arrays with numbers for which the factors exist and stay small. What must not be read is poison: the upper
// triangle of a Cholesky factorisation.
sparse_arrays factor_arrays(const entries& pattern, const factor_choice& choice, cudaDataType type,
                            std::uint64_t stream = 1);

// The four info objects.
struct factor_infos {
    factor_infos();
    ~factor_infos();
    factor_infos(const factor_infos&) = delete;
    factor_infos& operator=(const factor_infos&) = delete;

    csrilu02Info_t csr_lu = nullptr;
    csric02Info_t csr_cholesky = nullptr;
    bsrilu02Info_t bsr_lu = nullptr;
    bsric02Info_t bsr_cholesky = nullptr;
};

// A matrix on the device with its info object and workspace. F: typed_functions of its type. Functions fail
// the test unless they succeed.
template <class F>
class factor_problem {
  public:
    using T = typename F::scalar;

    factor_problem(const sparse_arrays& arrays, const factor_choice& choice, std::size_t misalignment = 0)
        : arrays_(arrays),
          choice_(choice),
          offsets_(CUSPARSE_INDEX_32I, arrays.offsets, misalignment),
          indices_(CUSPARSE_INDEX_32I, arrays.indices, misalignment),
          values_(F::type, arrays.values, misalignment) {
        expect(cusparseCreateMatDescr(&descr_));
        expect(cusparseSetMatIndexBase(descr_,
                                       choice.base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO));
        // Ignored, so they may be anything.
        expect(cusparseSetMatFillMode(descr_, CUSPARSE_FILL_MODE_UPPER));
        expect(cusparseSetMatDiagType(descr_, CUSPARSE_DIAG_TYPE_UNIT));
    }
    ~factor_problem() { cusparseDestroyMatDescr(descr_); }
    factor_problem(const factor_problem&) = delete;
    factor_problem& operator=(const factor_problem&) = delete;

    std::size_t buffer_size() {
        int size = 0;
        std::size_t extended = 0;
        if (choice_.block == 0) {
            expect(choice_.lu ? with_csr(F::csrilu02_bufferSize, infos_.csr_lu, &size)
                              : with_csr(F::csric02_bufferSize, infos_.csr_cholesky, &size));
            expect(choice_.lu ? with_csr(F::csrilu02_bufferSizeExt, infos_.csr_lu, &extended)
                              : with_csr(F::csric02_bufferSizeExt, infos_.csr_cholesky, &extended));
        } else {
            expect(choice_.lu ? with_bsr(F::bsrilu02_bufferSize, infos_.bsr_lu, &size)
                              : with_bsr(F::bsric02_bufferSize, infos_.bsr_cholesky, &size));
            expect(choice_.lu ? with_bsr(F::bsrilu02_bufferSizeExt, infos_.bsr_lu, &extended)
                              : with_bsr(F::bsric02_bufferSizeExt, infos_.bsr_cholesky, &extended));
        }
        CHECK(size > 0);
        CHECK(extended == static_cast<std::size_t>(size));
        return extended;
    }
    void analyse() {
        if (!buffer_) buffer_.emplace(buffer_size());
        expect(try_analyse(choice_.policy, buffer_->data()));
    }
    // An analysis does without values.
    cusparseStatus_t try_analyse(cusparseSolvePolicy_t policy, void* buffer) {
        gives_values_ = policy == CUSPARSE_SOLVE_POLICY_USE_LEVEL;
        const cusparseStatus_t status = submit_analysis(policy, buffer);
        gives_values_ = true;
        return status;
    }
    cusparseStatus_t submit_analysis(cusparseSolvePolicy_t policy, void* buffer) {
        if (choice_.block == 0)
            return choice_.lu ? with_csr(F::csrilu02_analysis, infos_.csr_lu, policy, buffer)
                              : with_csr(F::csric02_analysis, infos_.csr_cholesky, policy, buffer);
        return choice_.lu ? with_bsr(F::bsrilu02_analysis, infos_.bsr_lu, policy, buffer)
                          : with_bsr(F::bsric02_analysis, infos_.bsr_cholesky, policy, buffer);
    }
    cusparseStatus_t try_factor(cusparseSolvePolicy_t policy, void* buffer) {
        if (choice_.block == 0)
            return choice_.lu ? with_csr(F::csrilu02, infos_.csr_lu, policy, buffer)
                              : with_csr(F::csric02, infos_.csr_cholesky, policy, buffer);
        return choice_.lu ? with_bsr(F::bsrilu02, infos_.bsr_lu, policy, buffer)
                          : with_bsr(F::bsric02, infos_.bsr_cholesky, policy, buffer);
    }
    void factor() {
        buffer_->overwrite(0xff);
        expect(try_factor(choice_.policy, buffer_->data()));
        CHECK(buffer_->canaries_are_whole());
    }
    cusparseStatus_t boost(int enable, const void* tolerance, const void* value) {
        auto* const limit = static_cast<double*>(const_cast<void*>(tolerance));
        T* const by = static_cast<T*>(const_cast<void*>(value));
        return choice_.block == 0 ? F::csrilu02_numericBoost(cusparse(), infos_.csr_lu, enable, limit, by)
                                  : F::bsrilu02_numericBoost(cusparse(), infos_.bsr_lu, enable, limit, by);
    }
    cusparseStatus_t try_zero_pivot(int* position) {
        if (choice_.block == 0)
            return choice_.lu ? cusparseXcsrilu02_zeroPivot(cusparse(), infos_.csr_lu, position)
                              : cusparseXcsric02_zeroPivot(cusparse(), infos_.csr_cholesky, position);
        return choice_.lu ? cusparseXbsrilu02_zeroPivot(cusparse(), infos_.bsr_lu, position)
                          : cusparseXbsric02_zeroPivot(cusparse(), infos_.bsr_cholesky, position);
    }
    // -1 for none; counted from 0.
    int zero_pivot() {
        int position = -7;
        const cusparseStatus_t status = try_zero_pivot(&position);
        CHECK(status == (position == -1 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT));
        return position == -1 ? -1 : position - choice_.base;
    }

    void set_values(const std::vector<number>& values) {
        arrays_.values = values;
        values_.upload(values);
    }
    const sparse_arrays& arrays() const { return arrays_; }
    std::vector<unsigned char> bytes() const { return values_.bytes(); }
    std::vector<number> numbers() const { return values_.numbers(); }
    void* buffer() const { return buffer_->data(); }

    // Compares with the oracle, and that nothing else was written.
    void check(const std::optional<pivot_boost>& boosted = {}) const;

  private:
    T* given_values() const { return gives_values_ ? static_cast<T*>(values_.data()) : nullptr; }

    template <class Function, class Info, class... More>
    cusparseStatus_t with_csr(Function function, Info info, More... more) {
        return function(cusparse(), static_cast<int>(arrays_.rows), static_cast<int>(arrays_.nnz), descr_,
                        given_values(), static_cast<int*>(offsets_.data()),
                        static_cast<int*>(indices_.data()), info, more...);
    }
    template <class Function, class Info, class... More>
    cusparseStatus_t with_bsr(Function function, Info info, More... more) {
        return function(cusparse(), choice_.direction, static_cast<int>(arrays_.rows / choice_.block),
                        static_cast<int>(arrays_.nnz), descr_, given_values(),
                        static_cast<int*>(offsets_.data()), static_cast<int*>(indices_.data()),
                        static_cast<int>(choice_.block), info, more...);
    }

    sparse_arrays arrays_;
    factor_choice choice_;
    index_array offsets_, indices_;
    typed_array values_;
    bool gives_values_ = true;
    cusparseMatDescr_t descr_ = nullptr;
    factor_infos infos_;
    std::optional<workspace> buffer_;
};

// Where the found values differ from the oracle's factors of the arrays; empty if nowhere.
std::string factor_difference(const sparse_arrays& start, const std::vector<unsigned char>& found, bool lu,
                              const std::optional<pivot_boost>& boosted);

template <class F>
void factor_problem<F>::check(const std::optional<pivot_boost>& boosted) const {
    INFO(choice_.name() << ", n " << arrays_.rows << ", type " << facts(F::type).name);
    const std::string wrong = factor_difference(arrays_, bytes(), choice_.lu, boosted);
    if (!wrong.empty()) FAIL_CHECK(wrong);
    if (offsets_.numbers() != arrays_.offsets || indices_.numbers() != arrays_.indices)
        FAIL_CHECK("the pattern was written");
}

}  // namespace heron::test
