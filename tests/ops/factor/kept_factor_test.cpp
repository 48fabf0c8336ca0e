// csrilu0 and csric0: against the oracle and the bits of csrilu02 and csric02, in both triangles and by
// transposing operations, and as a preconditioner with csrsv.
#include "factor_problem.hpp"

using namespace heron::test;

namespace {

constexpr auto no_transpose = CUSPARSE_OPERATION_NON_TRANSPOSE;
using matrix_descriptor = std::unique_ptr<cusparseMatDescr, destroyer<&cusparseDestroyMatDescr>>;
using analysis_info =
    std::unique_ptr<cusparseSolveAnalysisInfo, destroyer<&cusparseDestroySolveAnalysisInfo>>;

analysis_info make_info() {
    cusparseSolveAnalysisInfo_t info = nullptr;
    expect(cusparseCreateSolveAnalysisInfo(&info));
    return analysis_info(info);
}

matrix_descriptor describe(int base, cusparseMatrixType_t type,
                           cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER,
                           cusparseDiagType_t diag = CUSPARSE_DIAG_TYPE_NON_UNIT) {
    cusparseMatDescr_t descr = nullptr;
    expect(cusparseCreateMatDescr(&descr));
    expect(cusparseSetMatIndexBase(descr, static_cast<cusparseIndexBase_t>(base)));
    expect(cusparseSetMatType(descr, type));
    expect(cusparseSetMatFillMode(descr, fill));
    expect(cusparseSetMatDiagType(descr, diag));
    return matrix_descriptor(descr);
}

// The transpose in CSR, its values as they are.
sparse_arrays turned(const sparse_arrays& a) {
    sparse_arrays result = a;
    result.indices.clear();
    result.values.clear();
    for (std::int64_t column = 0; column < a.rows; ++column) {
        for (std::int64_t row = 0; row < a.rows; ++row)
            for (std::int64_t k = a.offsets[static_cast<std::size_t>(row)] - a.base;
                 k < a.offsets[static_cast<std::size_t>(row) + 1] - a.base; ++k)
                if (a.indices[static_cast<std::size_t>(k)] - a.base == column) {
                    result.indices.push_back(row + a.base);
                    result.values.push_back(a.values[static_cast<std::size_t>(k)]);
                }
        result.offsets[static_cast<std::size_t>(column) + 1] =
            static_cast<std::int64_t>(result.indices.size()) + a.base;
    }
    return result;
}

// Which of the functions, and of what: the matrix whose factors the oracle knows lies in memory as it is or
// turned.
struct kept_choice {
    bool lu = true;
    bool is_turned = false;
    int base = 0;
    cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_SYMMETRIC;  // of Cholesky
    cusparseOperation_t op = no_transpose;

    factor_choice plain() const { return {lu, 0, CUSPARSE_DIRECTION_ROW, base}; }
    std::string name() const {
        return fmt::format("{}{}, base {}, type {}, op {}", lu ? "LU" : "Cholesky",
                           is_turned ? " turned" : "", base, static_cast<int>(type), static_cast<int>(op));
    }
};

// The functions with types in their names, and csrilu0 with types as arguments.
enum class naming { typed, untyped };

template <class F>
class kept_problem {
  public:
    using T = typename F::scalar;

    kept_problem(const sparse_arrays& arrays, const kept_choice& choice)
        : start_(arrays),
          choice_(choice),
          stored_(choice.is_turned ? turned(arrays) : arrays),
          offsets_(CUSPARSE_INDEX_32I, stored_.offsets, 1),
          indices_(CUSPARSE_INDEX_32I, stored_.indices, 1),
          values_(F::type, stored_.values, 1),
          descr_(describe(choice.base, choice.lu ? CUSPARSE_MATRIX_TYPE_GENERAL : choice.type,
                          choice.is_turned ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER)) {}

    void take_info(kept_problem& other) { info_ = std::move(other.info_); }
    void set_values(const sparse_arrays& arrays) {
        start_ = arrays;
        stored_ = choice_.is_turned ? turned(arrays) : arrays;
        values_.upload(stored_.values);
    }
    void analyse() {
        expect(F::csrsv_analysis(cusparse(), choice_.op, n(), static_cast<int>(stored_.nnz), descr_.get(),
                                 values(), offsets(), indices(), info_.get()));
    }
    cusparseStatus_t try_factor(naming by = naming::typed) {
        if (!choice_.lu)
            return F::csric0(cusparse(), choice_.op, n(), descr_.get(), values(), offsets(), indices(),
                             info_.get());
        if (by == naming::typed)
            return F::csrilu0(cusparse(), choice_.op, n(), descr_.get(), values(), offsets(), indices(),
                              info_.get());
        return cusparseCsrilu0Ex(cusparse(), choice_.op, n(), descr_.get(), values(), F::type, offsets(),
                                 indices(), info_.get(), F::type);
    }
    // Compares with the oracle.
    void factor(naming by = naming::typed) {
        INFO(choice_.name() << ", n " << start_.rows << ", type " << facts(F::type).name);
        expect(try_factor(by));
        const std::string wrong = factor_difference(start_, found(), choice_.lu, {});
        if (!wrong.empty()) FAIL_CHECK(wrong);
        if (offsets_.numbers() != stored_.offsets || indices_.numbers() != stored_.indices)
            FAIL_CHECK("the pattern was written");
    }

    // In the places of the matrix that the oracle knows.
    std::vector<unsigned char> found() const {
        sparse_arrays memory = stored_;
        memory.values = values_.numbers();
        return encode(F::type, choice_.is_turned ? turned(memory).values : memory.values);
    }

    // op(A) * x = b by one triangle of what is stored. An info of its own is analysed before, with the
    // descriptor's own diagonal.
    std::vector<number> solve(cusparseOperation_t op, cusparseFillMode_t fill, cusparseDiagType_t diag,
                              const std::vector<number>& b, bool by_own_info) {
        const auto type = choice_.lu ? CUSPARSE_MATRIX_TYPE_GENERAL : CUSPARSE_MATRIX_TYPE_TRIANGULAR;
        const matrix_descriptor descr = describe(choice_.base, type, fill, diag);
        const analysis_info other = make_info();
        cusparseSolveAnalysisInfo_t info = by_own_info ? info_.get() : other.get();
        if (!by_own_info)
            expect(F::csrsv_analysis(cusparse(), op, n(), static_cast<int>(stored_.nnz), descr.get(),
                                     values(), offsets(), indices(), info));
        const typed_array right(F::type, b), x(F::type, b);
        const scalar_operand one(F::type, 1.0, CUSPARSE_POINTER_MODE_HOST);
        expect(F::csrsv_solve(cusparse(), op, n(), static_cast<const T*>(one.data()), descr.get(), values(),
                              offsets(), indices(), info, static_cast<const T*>(right.data()),
                              static_cast<T*>(x.data())));
        return x.numbers();
    }

  private:
    int n() const { return static_cast<int>(stored_.rows); }
    T* values() const { return static_cast<T*>(values_.data()); }
    const int* offsets() const { return static_cast<const int*>(offsets_.data()); }
    const int* indices() const { return static_cast<const int*>(indices_.data()); }

    sparse_arrays start_;
    kept_choice choice_;
    sparse_arrays stored_;
    index_array offsets_, indices_;
    typed_array values_;
    matrix_descriptor descr_;
    analysis_info info_ = make_info();
};

// Everything that a matrix without new values can be asked for.
std::vector<kept_choice> choices() {
    constexpr auto transpose = CUSPARSE_OPERATION_TRANSPOSE,
                   conjugate = CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    constexpr auto hermitian = CUSPARSE_MATRIX_TYPE_HERMITIAN, triangular = CUSPARSE_MATRIX_TYPE_TRIANGULAR,
                   symmetric = CUSPARSE_MATRIX_TYPE_SYMMETRIC;
    return {{true},
            {true, false, 1},
            {true, true, 1, symmetric, transpose},
            {true, true, 0, symmetric, conjugate},
            {false},
            {false, false, 1, hermitian, transpose},
            {false, false, 0, triangular, conjugate},
            {false, true, 0, symmetric},
            {false, true, 1, hermitian, conjugate},
            {false, true, 1, triangular, transpose}};
}

template <class Visit>
void for_types(Visit&& f) {
    for_each_type([&]<class F>(F functions) {
        if (device_has(F::type)) f(functions);
    });
}

}  // namespace

TEST_CASE("csrilu0 and csric0 of every type, triangle, operation and shape") {
    const std::vector<named_pattern> patterns{{"1x1", full_pattern(1)},
                                              {"diagonal", banded_pattern(60, {0})},
                                              {"chain", banded_pattern(150, {0, 1})},
                                              {"arrow", arrow_of(50)},
                                              {"dense", full_pattern(30)},
                                              {"scattered", random_square_pattern(200, 3, 5)},
                                              {"grid", grid_pattern(6, 5, 4, true)}};
    for (const named_pattern& pattern : patterns)
        for_types([&]<class F>(F) {
            for (const kept_choice& choice : choices()) {
                INFO(pattern.name);
                kept_problem<F> problem(factor_arrays(pattern.matrix, choice.plain(), F::type), choice);
                problem.analyse();
                problem.factor();
            }
        });
}

TEST_CASE("the bits of csrilu02 and csric02, however it is called") {
    const entries pattern = random_square_pattern(300, 4, 6);
    for_types([&]<class F>(F) {
        for (const kept_choice& choice : choices())
            for (const naming by : {naming::typed, naming::untyped}) {
                INFO(choice.name());
                const sparse_arrays arrays = factor_arrays(pattern, choice.plain(), F::type);
                factor_problem<F> newer(arrays, choice.plain());
                newer.analyse();
                newer.factor();
                kept_problem<F> problem(arrays, choice);
                problem.analyse();
                problem.factor(by);
                CHECK(problem.found() == newer.bytes());
            }
    });
}

TEST_CASE("one analysis serves new values of factorisations, and the next one another matrix") {
    const entries first = random_square_pattern(60, 4, 8), second = grid_pattern(8, 7, 1, false);
    for_types([&]<class F>(F) {
        for (const kept_choice& choice : choices()) {
            kept_problem<F> a(factor_arrays(first, choice.plain(), F::type), choice);
            kept_problem<F> b(factor_arrays(second, choice.plain(), F::type), choice);
            a.analyse();
            for (const std::uint64_t stream : {1, 2, 3}) {
                a.set_values(factor_arrays(first, choice.plain(), F::type, stream));
                a.factor();
            }
            b.take_info(a);
            expect(b.try_factor(), CUSPARSE_STATUS_INVALID_VALUE);
            b.analyse();
            b.factor();
        }
    });
}

TEST_CASE("matrices without rows or elements, and with zero pivots, crash nothing") {
    for_types([&]<class F>(F) {
        for (const kept_choice& choice : choices()) {
            kept_problem<F> none(factor_arrays(full_pattern(0), choice.plain(), F::type), choice);
            none.analyse();
            none.factor();
            kept_problem<F> empty(factor_arrays(banded_pattern(5, {}), choice.plain(), F::type), choice);
            empty.analyse();
            empty.factor();
            entries gap = random_square_pattern(25, 4, 10);
            std::erase_if(gap.list, [](const entry& e) { return e.row == 7 && e.col == 7; });
            kept_problem<F> missing(factor_arrays(gap, choice.plain(), F::type), choice);
            missing.analyse();
            missing.factor();
        }
    });
}

TEST_CASE("an incomplete LU factorisation as a preconditioner, with the info that it was made with") {
    for_types([&]<class F>(F) {
        const entries pattern = grid_pattern(9, 8, 3, false);
        const kept_choice choice{true, false, 1};
        const sparse_arrays arrays = factor_arrays(pattern, choice.plain(), F::type);
        kept_problem<F> problem(arrays, choice);
        problem.analyse();
        problem.factor();
        random_source random(9);
        const std::vector<number> b = random_values(F::type, static_cast<std::size_t>(arrays.rows), random);
        const std::vector<number> y =
            problem.solve(no_transpose, CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_UNIT, b, true);
        const std::vector<number> x =
            problem.solve(no_transpose, CUSPARSE_FILL_MODE_UPPER, CUSPARSE_DIAG_TYPE_NON_UNIT, y, false);
        sparse_arrays factors = arrays;
        factors.values = decode(F::type, problem.found());
        std::vector<number> ux(b.size()), lux(b.size());
        for (const entry& e : expand(factors).list)
            if (e.col >= e.row)
                ux[static_cast<std::size_t>(e.row)] += product(e.value, x[static_cast<std::size_t>(e.col)]);
        lux = ux;
        for (const entry& e : expand(factors).list)
            if (e.col < e.row)
                lux[static_cast<std::size_t>(e.row)] += product(e.value, ux[static_cast<std::size_t>(e.col)]);
        for (std::size_t i = 0; i < b.size(); ++i) CHECK(absolute(lux[i] - b[i]) < 100 * epsilon(F::type));
    });
}

TEST_CASE("an incomplete Cholesky factorisation of an upper triangle as a preconditioner") {
    for_types([&]<class F>(F) {
        const entries pattern = grid_pattern(7, 6, 5, false);
        const auto conjugate =
            F::is_complex ? CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE : CUSPARSE_OPERATION_TRANSPOSE;
        const kept_choice choice{false, true, 0, CUSPARSE_MATRIX_TYPE_HERMITIAN, conjugate};
        // Stored is R's pattern alone, so that nothing is poison.
        entries lower = pattern;
        std::erase_if(lower.list, [](const entry& e) { return e.col > e.row; });
        const sparse_arrays arrays = factor_arrays(lower, choice.plain(), F::type);
        kept_problem<F> problem(arrays, choice);
        problem.analyse();
        problem.factor();
        random_source random(10);
        const std::vector<number> b = random_values(F::type, static_cast<std::size_t>(arrays.rows), random);
        const auto diag = CUSPARSE_DIAG_TYPE_NON_UNIT;
        const std::vector<number> y = problem.solve(conjugate, CUSPARSE_FILL_MODE_UPPER, diag, b, true);
        const std::vector<number> x = problem.solve(no_transpose, CUSPARSE_FILL_MODE_UPPER, diag, y, false);
        // R is the transpose of the factor in the lower triangle.
        sparse_arrays factors = arrays;
        factors.values = decode(F::type, problem.found());
        std::vector<number> rx(b.size()), rhrx(b.size());
        for (const entry& e : expand(factors).list)
            rx[static_cast<std::size_t>(e.col)] += product(e.value, x[static_cast<std::size_t>(e.row)]);
        for (const entry& e : expand(factors).list)
            rhrx[static_cast<std::size_t>(e.row)] +=
                product(std::conj(e.value), rx[static_cast<std::size_t>(e.col)]);
        for (std::size_t i = 0; i < b.size(); ++i) CHECK(absolute(rhrx[i] - b[i]) < 100 * epsilon(F::type));
    });
}
