// Matrices in HYB: what goes in comes out bit for bit, and the product is the oracle's.
#include "ops/spmv/spmv_problem.hpp"
#include "typed_functions.hpp"

#include <set>

using namespace heron::test;

namespace {

using matrix_descriptor = std::unique_ptr<cusparseMatDescr, destroyer<&cusparseDestroyMatDescr>>;
using hyb_matrix = std::unique_ptr<cusparseHybMat, destroyer<&cusparseDestroyHybMat>>;

constexpr auto automatic = CUSPARSE_HYB_PARTITION_AUTO;
const layout csr{"CSR", CUSPARSE_FORMAT_CSR}, csc{"CSC", CUSPARSE_FORMAT_CSC};

matrix_descriptor general(int base) {
    cusparseMatDescr_t descr = nullptr;
    expect(cusparseCreateMatDescr(&descr));
    expect(cusparseSetMatIndexBase(descr, static_cast<cusparseIndexBase_t>(base)));
    return matrix_descriptor(descr);
}

hyb_matrix new_hyb() {
    cusparseHybMat_t hyb = nullptr;
    expect(cusparseCreateHybMat(&hyb));
    return hyb_matrix(hyb);
}

// The arrays of a matrix on the device, or room for them.
template <class F>
class arrays_of {
  public:
    explicit arrays_of(const sparse_arrays& a)
        : offsets_(CUSPARSE_INDEX_32I, a.offsets),
          indices_(CUSPARSE_INDEX_32I, a.indices, 1),
          values_(F::type, a.values, 1) {}
    static arrays_of room_for(sparse_arrays a) {
        for (auto* const numbers : {&a.offsets, &a.indices}) std::fill(numbers->begin(), numbers->end(), -7);
        std::fill(a.values.begin(), a.values.end(), poison(F::type));
        return arrays_of(a);
    }

    int* offsets() const { return static_cast<int*>(offsets_.data()); }
    int* indices() const { return static_cast<int*>(indices_.data()); }
    typename F::scalar* values() const { return static_cast<typename F::scalar*>(values_.data()); }

    void check(const char* what, const sparse_arrays& expected) const {
        INFO(what);
        CHECK((offsets_.numbers() == expected.offsets));
        CHECK((indices_.numbers() == expected.indices));
        CHECK((values_.bytes() == typed_array(F::type, expected.values).bytes()));
    }

  private:
    index_array offsets_, indices_;
    typed_array values_;
};

// One matrix in every form that functions give or take.
template <class F>
class hyb_problem {
  public:
    using T = typename F::scalar;

    hyb_problem(const entries& matrix, random_source& random) : matrix_(matrix) {
        for (const int base : {0, 1}) {
            const index_choice index{CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, base};
            by_rows_.push_back(arrange(matrix, csr, index, F::type, random));
            by_columns_.push_back(arrange(matrix, csc, index, F::type, random));
        }
    }

    hyb_matrix from_csr(int base) const {
        hyb_matrix hyb = new_hyb();
        const arrays_of<F> a(by_rows_[static_cast<std::size_t>(base)]);
        expect(F::csr2hyb(cusparse(), m(), n(), general(base).get(), a.values(), a.offsets(), a.indices(),
                          hyb.get(), 0, automatic));
        return hyb;
    }
    hyb_matrix from_csc(int base) const {
        hyb_matrix hyb = new_hyb();
        const arrays_of<F> a(by_columns_[static_cast<std::size_t>(base)]);
        expect(F::csc2hyb(cusparse(), m(), n(), general(base).get(), a.values(), a.indices(), a.offsets(),
                          hyb.get(), 3, CUSPARSE_HYB_PARTITION_USER));
        return hyb;
    }
    hyb_matrix from_dense() const {
        hyb_matrix hyb = new_hyb();
        const typed_array a(F::type, dense(number(0.0)), 1);
        const device_array<int> counts(std::vector<int>(static_cast<std::size_t>(m()), 1));
        expect(F::dense2hyb(cusparse(), m(), n(), general(1).get(), static_cast<const T*>(a.data()), ld(),
                            counts.data(), hyb.get(), 0, CUSPARSE_HYB_PARTITION_MAX));
        return hyb;
    }

    void check(cusparseHybMat_t hyb) const {
        for (const int base : {0, 1}) {
            const auto k = static_cast<std::size_t>(base);
            INFO("into base " << base);
            const auto rows = arrays_of<F>::room_for(by_rows_[k]);
            expect(F::hyb2csr(cusparse(), general(base).get(), hyb, rows.values(), rows.offsets(),
                              rows.indices()));
            rows.check("hyb2csr", by_rows_[k]);
            const auto columns = arrays_of<F>::room_for(by_columns_[k]);
            expect(F::hyb2csc(cusparse(), general(base).get(), hyb, columns.values(), columns.indices(),
                              columns.offsets()));
            columns.check("hyb2csc", by_columns_[k]);
        }
        if (!fits_dense()) return;
        const std::vector<number> expected = dense(poison(F::type));
        const typed_array a(F::type, std::vector<number>(expected.size(), poison(F::type)), 1);
        expect(F::hyb2dense(cusparse(), general(0).get(), hyb, static_cast<T*>(a.data()), ld()));
        CHECK((a.bytes() == typed_array(F::type, expected).bytes()));
    }

    void multiply(cusparseHybMat_t hyb, cusparseOperation_t op, number alpha, number beta,
                  cusparsePointerMode_t mode, random_source& random) const {
        INFO("operation " << op << ", alpha " << alpha << ", beta " << beta << ", mode " << mode);
        const auto x_start = random_values(F::type, static_cast<std::size_t>(cols_of(matrix_, op)), random);
        const auto y_start = random_values(F::type, static_cast<std::size_t>(rows_of(matrix_, op)), random);
        const typed_array x(F::type, x_start, 1);
        const typed_array y(F::type,
                            beta == 0.0 ? std::vector<number>(y_start.size(), poison(F::type)) : y_start, 1);
        const pointer_mode_scope scope(mode);
        const scalar_operand a(F::type, alpha, mode), b(F::type, beta, mode);
        expect(F::hybmv(cusparse(), op, static_cast<const T*>(a.data()), general(1).get(), hyb,
                        static_cast<const T*>(x.data()), static_cast<const T*>(b.data()),
                        static_cast<T*>(y.data())));
        const std::string wrong =
            difference(y.numbers(), spmv(matrix_, op, alpha, x_start, beta, y_start, F::type, F::type));
        if (!wrong.empty()) FAIL_CHECK(wrong);
    }

    // Without duplicates, which a dense matrix cannot hold, and not too large.
    bool fits_dense() const {
        std::set<std::pair<std::int64_t, std::int64_t>> places;
        for (const auto& e : matrix_.list) places.insert({e.row, e.col});
        return places.size() == matrix_.list.size() && matrix_.rows * matrix_.cols < 2000000;
    }

  private:
    int m() const { return static_cast<int>(matrix_.rows); }
    int n() const { return static_cast<int>(matrix_.cols); }
    int ld() const { return m() + 3; }

    // In columns; what lies between these is `gap`.
    std::vector<number> dense(number gap) const {
        std::vector<number> all(static_cast<std::size_t>(ld()) * static_cast<std::size_t>(n()), gap);
        for (int j = 0; j < n(); ++j)
            for (int i = 0; i < m(); ++i) all[place(i, j)] = 0.0;
        for (const auto& e : matrix_.list) all[place(e.row, e.col)] = e.value;
        return all;
    }
    std::size_t place(std::int64_t i, std::int64_t j) const { return static_cast<std::size_t>(i + j * ld()); }

    entries matrix_;
    std::vector<sparse_arrays> by_rows_, by_columns_;  // by base
};

std::vector<named_pattern> patterns(random_source& random) {
    std::vector<named_pattern> result = small_patterns();
    result.push_back({"irregular", irregular_pattern()});
    result.push_back({"large", random_pattern(1500, 900, 40, random)});
    return result;
}

// Zeros would not come back from a dense matrix.
entries with_nonzeros(const entries& pattern, cudaDataType type, random_source& random) {
    entries matrix = with_values(pattern, type, random);
    for (auto& e : matrix.list)
        if (e.value == 0.0) e.value = 1.0;
    return matrix;
}

}  // namespace

TEST_CASE("HYB gives back what it took, in both bases, from and into every form") {
    for_each_type([&]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(42);
        for (const named_pattern& pattern : patterns(random)) {
            INFO(facts(F::type).name << ", " << pattern.name);
            const hyb_problem<F> problem(with_nonzeros(pattern.matrix, F::type, random), random);
            for (const int base : {0, 1}) {
                INFO("from base " << base);
                problem.check(problem.from_csr(base).get());
                problem.check(problem.from_csc(base).get());
            }
            if (problem.fits_dense()) problem.check(problem.from_dense().get());
        }
    });
}

TEST_CASE("hybmv in four types, all operations and pointer modes") {
    for_each_type([&]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(43);
        const number alpha = representable(F::type, {0.75, -0.5}), beta = representable(F::type, {-1.25, 1});
        for (const named_pattern& pattern : patterns(random)) {
            INFO(facts(F::type).name << ", " << pattern.name);
            const hyb_problem<F> problem(with_values(pattern.matrix, F::type, random), random);
            const hyb_matrix hyb = problem.from_csr(1);
            for (const cusparseOperation_t op : all_operations) {
                problem.multiply(hyb.get(), op, 1.0, 0.0, CUSPARSE_POINTER_MODE_HOST, random);
                problem.multiply(hyb.get(), op, alpha, beta, CUSPARSE_POINTER_MODE_HOST, random);
                problem.multiply(hyb.get(), op, alpha, beta, CUSPARSE_POINTER_MODE_DEVICE, random);
            }
        }
    });
}

TEST_CASE("a HYB matrix takes another in its place, and keeps its own where that fails") {
    using F = typed_functions<float>;
    random_source random(44);
    const hyb_problem<F> first(with_nonzeros(irregular_pattern(), F::type, random), random);
    const hyb_matrix hyb = first.from_csr(0);
    const auto one = general(0);
    expect(F::csr2hyb(cusparse(), 4, 4, one.get(), nullptr, nullptr, nullptr, hyb.get(), 0, automatic),
           CUSPARSE_STATUS_INVALID_VALUE);
    first.check(hyb.get());
    const index_choice index{CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, 0};
    const entries matrix = with_nonzeros(random_pattern(300, 500, 9, random), F::type, random);
    const arrays_of<F> a(arrange(matrix, csr, index, F::type, random));
    expect(F::csr2hyb(cusparse(), 300, 500, one.get(), a.values(), a.offsets(), a.indices(), hyb.get(), 0,
                      automatic));
    const hyb_problem<F> other(matrix, random);
    other.check(hyb.get());
    other.multiply(hyb.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, 1.0, 0.0, CUSPARSE_POINTER_MODE_HOST, random);
}

// Bit for bit what csrsv finds with the same matrix.
TEST_CASE("hybsv in four types, both triangles, all operations") {
    for_each_type([&]<class F>(F) {
        if (!device_has(F::type)) return;
        using T = typename F::scalar;
        random_source random(45);
        entries matrix = random_pattern(400, 400, 30, random);
        for (std::int64_t i = 0; i < 400; ++i) matrix.list.push_back({i, i, 1.0});
        matrix = with_nonzeros(matrix, F::type, random);
        for (auto& e : matrix.list) e.value = e.row == e.col ? number(4.0) : e.value;
        const index_choice index{CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, 1};
        const arrays_of<F> a(arrange(matrix, csr, index, F::type, random));
        const hyb_problem<F> problem(matrix, random);
        const hyb_matrix hyb = problem.from_csr(0);
        const auto f_start = random_values(F::type, 400, random);
        const typed_array f(F::type, f_start, 1);
        const scalar_operand alpha(F::type, representable(F::type, {0.75, -0.5}), CUSPARSE_POINTER_MODE_HOST);
        for (const cusparseFillMode_t fill : {CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER})
            for (const cusparseOperation_t op : all_operations) {
                INFO(facts(F::type).name << ", fill mode " << fill << ", operation " << op);
                const auto descr = general(1);
                expect(cusparseSetMatFillMode(descr.get(), fill));
                const auto solution = [&](auto&& analyse, auto&& solve) {
                    cusparseSolveAnalysisInfo_t info = nullptr;
                    expect(cusparseCreateSolveAnalysisInfo(&info));
                    const typed_array x(F::type, std::vector<number>(400, poison(F::type)), 1);
                    expect(analyse(info));
                    expect(solve(info, static_cast<const T*>(alpha.data()), static_cast<const T*>(f.data()),
                                 static_cast<T*>(x.data())));
                    expect(cusparseDestroySolveAnalysisInfo(info));
                    return x.bytes();
                };
                const auto by_hyb = solution(
                    [&](auto info) {
                        return F::hybsv_analysis(cusparse(), op, descr.get(), hyb.get(), info);
                    },
                    [&](auto info, auto scale, auto b, auto x) {
                        return F::hybsv_solve(cusparse(), op, scale, descr.get(), hyb.get(), info, b, x);
                    });
                const auto by_csr = solution(
                    [&](auto info) {
                        return F::csrsv_analysis(cusparse(), op, 400, static_cast<int>(matrix.list.size()),
                                                 descr.get(), a.values(), a.offsets(), a.indices(), info);
                    },
                    [&](auto info, auto scale, auto b, auto x) {
                        return F::csrsv_solve(cusparse(), op, 400, scale, descr.get(), a.values(),
                                              a.offsets(), a.indices(), info, b, x);
                    });
                CHECK((by_hyb == by_csr));
            }
    });
}
