// csrmm, csrmm2 and gemmi in four types against the oracle, and against SpMM.
#include "ops/spmv/spmv_problem.hpp"
#include "ops/typed_csr.hpp"

using namespace heron::test;

namespace {

constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

struct scalars {
    number alpha, beta;
    cusparsePointerMode_t mode;
};
std::vector<scalars> scalar_cases(cudaDataType type) {
    const number alpha = representable(type, {0.75, -0.5}), beta = representable(type, {-1.25, 1});
    return {{1.0, 0.0, CUSPARSE_POINTER_MODE_HOST},
            {alpha, beta, CUSPARSE_POINTER_MODE_HOST},
            {alpha, beta, CUSPARSE_POINTER_MODE_DEVICE},
            {0.0, beta, CUSPARSE_POINTER_MODE_DEVICE}};
}

// A dense matrix in column order with `padding` elements between its columns, which nobody may write.
class padded_matrix {
  public:
    padded_matrix(cudaDataType type, std::int64_t rows, std::int64_t cols, std::int64_t padding)
        : type_(type), rows_(rows), cols_(cols), ld_(rows + padding) {}

    int ld() const { return static_cast<int>(ld_); }
    // f(i, j) is element (i, j).
    template <class F>
    typed_array filled(F&& f) const {
        std::vector<number> all(static_cast<std::size_t>(ld_ * cols_), poison(type_));
        for (std::int64_t j = 0; j < cols_; ++j)
            for (std::int64_t i = 0; i < rows_; ++i) all[static_cast<std::size_t>(j * ld_ + i)] = f(i, j);
        return typed_array(type_, all, 1);
    }
    // Without what lies between the columns.
    std::vector<number> elements(const typed_array& array) const {
        const std::vector<number> all = array.numbers();
        std::vector<number> result;
        bool padding_stays = true;
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (static_cast<std::int64_t>(k) % ld_ < rows_)
                result.push_back(all[k]);
            else
                padding_stays = padding_stays && std::isnan(all[k].real());
        }
        CHECK(padding_stays);
        return result;
    }

  private:
    cudaDataType type_;
    std::int64_t rows_, cols_, ld_;
};

void compare(const std::vector<number>& found, const expectation& expected) {
    const std::string wrong = difference(found, expected);
    if (!wrong.empty()) FAIL_CHECK(wrong);
}

struct dense_case {
    cusparseOperation_t op_b;
    std::int64_t columns, padding;
    bool by_first_name = false;  // csrmm, not csrmm2
};

// The same product by the newer interface: C must have the same bits.
template <class F>
void compare_with_spmm(const sparse_arrays& arrays, const dense_case& d, const scalars& s,
                       const padded_matrix& b_place, const typed_array& b, const padded_matrix& c_place,
                       typed_array& c, const std::vector<unsigned char>& found, std::int64_t b_rows,
                       std::int64_t b_cols) {
    const device_matrix a(arrays, 1);
    const auto describe_dense = [](std::int64_t rows, std::int64_t cols, int ld, const typed_array& values) {
        cusparseDnMatDescr_t made = nullptr;
        expect(cusparseCreateDnMat(&made, rows, cols, ld, values.data(), F::type, CUSPARSE_ORDER_COL));
        return dense_matrix(made);
    };
    const dense_matrix right = describe_dense(b_rows, b_cols, b_place.ld(), b),
                       result = describe_dense(arrays.rows, d.columns, c_place.ld(), c);
    const pointer_mode_scope scope(s.mode);
    const scalar_operand alpha(F::type, s.alpha, s.mode), beta(F::type, s.beta, s.mode);
    const auto run = [&](auto* function, auto last) {
        expect(function(cusparse(), plain, d.op_b, alpha.data(), a.get(), right.get(), beta.data(),
                        result.get(), F::type, CUSPARSE_SPMM_ALG_DEFAULT, last));
    };
    std::size_t bytes = 0;
    run(&cusparseSpMM_bufferSize, &bytes);
    const workspace buffer(bytes);
    run(&cusparseSpMM, buffer.data());
    CHECK(c.bytes() == found);
}

template <class F>
void try_product(const sparse_arrays& arrays, cusparseOperation_t op, const scalars& s, const dense_case& d,
                 random_source& random) {
    using T = typename F::scalar;
    const entries matrix = expand(arrays);
    const csr_operand<T> a(arrays, true);
    const std::int64_t rows = rows_of(matrix, op), inner = cols_of(matrix, op), n = d.columns;
    const bool turned = d.op_b != plain;
    const auto b_used = random_values(F::type, static_cast<std::size_t>(inner * n), random);
    const auto c_start = random_values(F::type, static_cast<std::size_t>(rows * n), random);
    const padded_matrix b_place(F::type, turned ? n : inner, turned ? inner : n, d.padding),
        c_place(F::type, rows, n, d.padding);
    const typed_array b = b_place.filled([&](std::int64_t i, std::int64_t j) {
        const number v = b_used[static_cast<std::size_t>(turned ? i * inner + j : j * inner + i)];
        return d.op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? std::conj(v) : v;
    });
    const auto start_of_c = [&] {
        return c_place.filled([&](std::int64_t i, std::int64_t j) {
            return s.beta == 0.0 ? poison(F::type) : c_start[static_cast<std::size_t>(j * rows + i)];
        });
    };
    const typed_array c = start_of_c();
    {
        const pointer_mode_scope scope(s.mode);
        const scalar_operand alpha(F::type, s.alpha, s.mode), beta(F::type, s.beta, s.mode);
        if (d.by_first_name)
            expect(F::csrmm(cusparse(), op, a.rows, static_cast<int>(n), a.cols, a.nnz,
                            typed<T>(alpha.data()), a.descr.get(), a.values(), a.offsets(), a.indices(),
                            typed<T>(b.data()), b_place.ld(), typed<T>(beta.data()),
                            static_cast<T*>(c.data()), c_place.ld()));
        else
            expect(F::csrmm2(cusparse(), op, d.op_b, a.rows, static_cast<int>(n), a.cols, a.nnz,
                             typed<T>(alpha.data()), a.descr.get(), a.values(), a.offsets(), a.indices(),
                             typed<T>(b.data()), b_place.ld(), typed<T>(beta.data()),
                             static_cast<T*>(c.data()), c_place.ld()));
    }
    compare(c_place.elements(c), spmm(matrix, op, s.alpha, b_used, s.beta, c_start, n, F::type, F::type));
    if (op != plain || n == 0) return;
    typed_array again = start_of_c();
    compare_with_spmm<F>(arrays, d, s, b_place, b, c_place, again, c.bytes(), turned ? n : inner,
                         turned ? inner : n);
}

// The oracle knows products with the sparse matrix in front: C^T = B^T * A^T.
template <class F>
void try_gemmi(const sparse_arrays& b_arrays, const scalars& s, std::int64_t m, std::int64_t padding,
               random_source& random) {
    using T = typename F::scalar;
    const entries b_matrix = expand(b_arrays);
    const csr_operand<T> b(b_arrays, true);
    const std::int64_t k = b_arrays.rows, n = b_arrays.cols;
    const auto a_turned = random_values(F::type, static_cast<std::size_t>(k * m), random);
    const auto c_turned = random_values(F::type, static_cast<std::size_t>(n * m), random);
    const padded_matrix a_place(F::type, m, k, padding), c_place(F::type, m, n, padding);
    const typed_array a = a_place.filled(
        [&](std::int64_t i, std::int64_t j) { return a_turned[static_cast<std::size_t>(i * k + j)]; });
    const typed_array c = c_place.filled([&](std::int64_t i, std::int64_t j) {
        return s.beta == 0.0 ? poison(F::type) : c_turned[static_cast<std::size_t>(i * n + j)];
    });
    const pointer_mode_scope scope(s.mode);
    const scalar_operand alpha(F::type, s.alpha, s.mode), beta(F::type, s.beta, s.mode);
    expect(F::gemmi(cusparse(), static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), b.nnz,
                    typed<T>(alpha.data()), typed<T>(a.data()), a_place.ld(), b.values(), b.offsets(),
                    b.indices(), typed<T>(beta.data()), static_cast<T*>(c.data()), c_place.ld()));
    const std::vector<number> found = c_place.elements(c);
    std::vector<number> found_turned(found.size());
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < m; ++i)
            found_turned[static_cast<std::size_t>(i * n + j)] = found[static_cast<std::size_t>(j * m + i)];
    compare(found_turned, spmm(b_matrix, CUSPARSE_OPERATION_TRANSPOSE, s.alpha, a_turned, s.beta, c_turned, m,
                               F::type, F::type));
}

std::vector<named_pattern> patterns(random_source& random) {
    std::vector<named_pattern> result = small_patterns();
    result.push_back({"irregular", irregular_pattern()});
    result.push_back({"larger", random_pattern(150, 90, 8, random)});
    return result;
}

}  // namespace

TEST_CASE("csrmm and csrmm2 in four types, both bases, all operations on both sides") {
    constexpr dense_case shapes[] = {{plain, 1, 0, true},
                                     {plain, 5, 3},
                                     {plain, 3, 1, true},
                                     {CUSPARSE_OPERATION_TRANSPOSE, 5, 2},
                                     {CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, 3, 1},
                                     {plain, 0, 1},
                                     {CUSPARSE_OPERATION_TRANSPOSE, 40, 0}};
    for_each_type([&]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(61);
        const std::vector<scalars> cases = scalar_cases(F::type);
        std::size_t turn = 0;
        for (const named_pattern& pattern : patterns(random))
            for (const int base : {0, 1}) {
                const entries matrix = with_values(pattern.matrix, F::type, random);
                const sparse_arrays arrays = arrange(matrix, by_rows, indices_of_base(base), F::type, random);
                for (const cusparseOperation_t op : all_operations)
                    for (const dense_case& d : shapes) {
                        const scalars& s = cases[turn++ % cases.size()];
                        INFO(facts(F::type).name << ", " << pattern.name << ", base " << base << ", op " << op
                                                 << ", op(B) " << d.op_b << ", columns " << d.columns
                                                 << ", mode " << s.mode);
                        try_product<F>(arrays, op, s, d, random);
                    }
            }
    });
}

TEST_CASE("gemmi in four types") {
    for_each_type([&]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(62);
        for (const named_pattern& pattern : patterns(random)) {
            const entries matrix = with_values(pattern.matrix, F::type, random);
            const sparse_arrays arrays = arrange(matrix, by_columns, indices_of_base(0), F::type, random);
            for (const scalars& s : scalar_cases(F::type))
                for (const std::int64_t m : {0, 1, 6, 33}) {
                    INFO(facts(F::type).name << ", " << pattern.name << ", rows " << m << ", mode "
                                             << s.mode);
                    try_gemmi<F>(arrays, s, m, m % 4, random);
                }
        }
    });
}
