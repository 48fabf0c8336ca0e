// csrmv and csrmv_mp in four types against the oracle.
#include "ops/spmv/spmv_problem.hpp"
#include "typed_functions.hpp"

using namespace heron::test;

namespace {

using matrix_descriptor = std::unique_ptr<cusparseMatDescr, destroyer<&cusparseDestroyMatDescr>>;

matrix_descriptor general(int base) {
    cusparseMatDescr_t descr = nullptr;
    expect(cusparseCreateMatDescr(&descr));
    expect(cusparseSetMatIndexBase(descr, static_cast<cusparseIndexBase_t>(base)));
    return matrix_descriptor(descr);
}

template <class F>
class csrmv_problem {
  public:
    csrmv_problem(const sparse_arrays& arrays, cusparseOperation_t op, random_source& random)
        : arrays_(arrays),
          op_(op),
          matrix_(expand(arrays)),
          x_start_(random_values(F::type, static_cast<std::size_t>(cols_of(matrix_, op)), random)),
          y_start_(random_values(F::type, static_cast<std::size_t>(rows_of(matrix_, op)), random)),
          descr_(general(arrays.base)),
          offsets_(CUSPARSE_INDEX_32I, arrays.offsets),
          columns_(CUSPARSE_INDEX_32I, arrays.indices, 1),
          values_(F::type, arrays.values, 1),
          x_(F::type, x_start_, 1),
          y_(F::type, y_start_, 1) {}

    void run(number alpha, number beta, cusparsePointerMode_t mode) {
        run("csrmv", F::csrmv, alpha, beta, mode);
        run("csrmv_mp", F::csrmv_mp, alpha, beta, mode);
    }

  private:
    using T = typename F::scalar;
    static const T* typed(const void* p) { return static_cast<const T*>(p); }

    template <class Function>
    void run(const char* name, Function function, number alpha, number beta, cusparsePointerMode_t mode) {
        INFO(name << ", operation " << op_ << ", alpha " << alpha << ", beta " << beta << ", mode " << mode);
        y_.upload(beta == 0.0 ? std::vector<number>(y_start_.size(), poison(F::type)) : y_start_);
        const pointer_mode_scope scope(mode);
        const scalar_operand a(F::type, alpha, mode), b(F::type, beta, mode);
        expect(function(cusparse(), op_, static_cast<int>(arrays_.rows), static_cast<int>(arrays_.cols),
                        static_cast<int>(arrays_.nnz), typed(a.data()), descr_.get(), typed(values_.data()),
                        static_cast<const int*>(offsets_.data()), static_cast<const int*>(columns_.data()),
                        typed(x_.data()), typed(b.data()), static_cast<T*>(y_.data())));
        const std::string wrong =
            difference(y_.numbers(), spmv(matrix_, op_, alpha, x_start_, beta, y_start_, F::type, F::type));
        if (!wrong.empty()) FAIL_CHECK(wrong);
    }

    sparse_arrays arrays_;
    cusparseOperation_t op_;
    entries matrix_;
    std::vector<number> x_start_, y_start_;
    matrix_descriptor descr_;
    index_array offsets_, columns_;
    typed_array values_, x_, y_;
};

// Patterns with an edge each, and one whose rows and columns are of all lengths.
std::vector<named_pattern> patterns(random_source& random) {
    std::vector<named_pattern> result = small_patterns();
    result.push_back({"irregular", irregular_pattern()});
    result.push_back({"large", random_pattern(1500, 900, 40, random)});
    return result;
}

}  // namespace

TEST_CASE("csrmv in four types, both bases, all operations and pointer modes") {
    const layout csr{"CSR", CUSPARSE_FORMAT_CSR};
    for_each_type([&]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(41);
        const number alpha = representable(F::type, {0.75, -0.5}), beta = representable(F::type, {-1.25, 1});
        for (const named_pattern& pattern : patterns(random))
            for (const int base : {0, 1}) {
                INFO(facts(F::type).name << ", " << pattern.name << ", base " << base);
                const index_choice index{CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, base};
                const entries matrix = with_values(pattern.matrix, F::type, random);
                const sparse_arrays arrays = arrange(matrix, csr, index, F::type, random);
                for (const cusparseOperation_t op : all_operations) {
                    csrmv_problem<F> problem(arrays, op, random);
                    problem.run(1.0, 0.0, CUSPARSE_POINTER_MODE_HOST);
                    problem.run(alpha, beta, CUSPARSE_POINTER_MODE_HOST);
                    problem.run(alpha, beta, CUSPARSE_POINTER_MODE_DEVICE);
                }
            }
    });
}
