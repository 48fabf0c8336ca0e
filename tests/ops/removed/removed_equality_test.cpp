// Removed functions have the bits of those that came after them. csrgeam, csrgemm, csrmm, csrmvEx, dense
// conversions, solves and factorisations are compared where their own tests are.
#include "ops/typed_csr.hpp"

using namespace heron::test;

namespace {

constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto host_mode = CUSPARSE_POINTER_MODE_HOST;
using bytes = std::vector<unsigned char>;

template <class Visit>
void for_types(Visit&& f) {
    for_each_type([&]<class F>(F functions) {
        if (!device_has(F::type)) return;
        INFO(facts(F::type).name);
        f(functions);
    });
}

// A, x and y of a product, in host and device memory.
template <class F>
struct product_problem {
    using T = typename F::scalar;

    explicit product_problem(const entries& pattern, int index_base)
        : base(index_base),
          arrays(arrange(with_values(pattern, F::type, random), by_rows, indices_of_base(base), F::type,
                         random)),
          a(arrays),
          on_same_arrays(describe(arrays, const_cast<int*>(a.offsets()), nullptr,
                                  const_cast<int*>(a.indices()), const_cast<T*>(a.values()))),
          matrix(arrays),
          x(F::type, random_values(F::type, static_cast<std::size_t>(arrays.cols + arrays.rows), random)),
          start(random_values(F::type, static_cast<std::size_t>(arrays.cols + arrays.rows), random)),
          alpha(F::type, representable(F::type, {0.75, -0.5}), host_mode),
          beta(F::type, representable(F::type, {-1.5, 0.25}), host_mode) {}

    // What call(x, y) makes of y.
    template <class Call>
    bytes result_of(Call&& call) const {
        const typed_array y(F::type, start);
        expect(call(typed<T>(x.data()), static_cast<T*>(y.data())));
        return y.bytes();
    }

    bytes by_spmv(cusparseSpMatDescr_t of, cusparseOperation_t op, bool with_preprocess) const {
        const typed_array y(F::type, start);
        const auto cols = static_cast<std::size_t>(op == N ? arrays.cols : arrays.rows);
        const auto rows = static_cast<std::size_t>(op == N ? arrays.rows : arrays.cols);
        const dense_vector on_x = describe(F::type, cols, x), on_y = describe(F::type, rows, y);
        std::size_t size = 0;
        expect(cusparseSpMV_bufferSize(cusparse(), op, alpha.data(), of, on_x.get(), beta.data(), on_y.get(),
                                       F::type, CUSPARSE_SPMV_ALG_DEFAULT, &size));
        const workspace buffer(size);
        if (with_preprocess)
            expect(cusparseSpMV_preprocess(cusparse(), op, alpha.data(), of, on_x.get(), beta.data(),
                                           on_y.get(), F::type, CUSPARSE_SPMV_ALG_DEFAULT, buffer.data()));
        expect(cusparseSpMV(cusparse(), op, alpha.data(), of, on_x.get(), beta.data(), on_y.get(), F::type,
                            CUSPARSE_SPMV_ALG_DEFAULT, buffer.data()));
        return y.bytes();
    }

    random_source random{71};
    int base;
    sparse_arrays arrays;
    csr_operand<T> a;
    sparse_matrix on_same_arrays;  // where arrays lie decides how products go through them
    device_matrix matrix;          // whose arrays lie on aligned addresses, as HYB's own do
    typed_array x;
    std::vector<number> start;
    scalar_operand alpha, beta;
};

// Without atomic sums, whose order the device chooses: op N.
template <class F>
void check_products(const product_problem<F>& p) {
    using T = typename F::scalar;
    const T *const alpha = typed<T>(p.alpha.data()), *const beta = typed<T>(p.beta.data());
    const auto& a = p.a;
    // A backend may learn from the first products of a pattern how to go through it.
    for (int product = 0; product < 3; ++product) {
        p.by_spmv(p.on_same_arrays.get(), N, false);
        p.result_of([&](const T* x, T* y) {
            return F::csrmv(cusparse(), N, a.rows, a.cols, a.nnz, alpha, a.descr.get(), a.values(),
                            a.offsets(), a.indices(), x, beta, y);
        });
    }
    for (const auto csrmv : {F::csrmv, F::csrmv_mp}) {
        const bytes found = p.result_of([&](const T* x, T* y) {
            return csrmv(cusparse(), N, a.rows, a.cols, a.nnz, alpha, a.descr.get(), a.values(), a.offsets(),
                         a.indices(), x, beta, y);
        });
        CHECK((found == p.by_spmv(p.on_same_arrays.get(), N, false)));
    }
    cusparseHybMat_t made = nullptr;
    expect(cusparseCreateHybMat(&made));
    const std::unique_ptr<cusparseHybMat, destroyer<&cusparseDestroyHybMat>> hyb(made);
    expect(F::csr2hyb(cusparse(), a.rows, a.cols, a.descr.get(), a.values(), a.offsets(), a.indices(), made,
                      0, CUSPARSE_HYB_PARTITION_AUTO));
    const bytes found = p.result_of(
        [&](const T* x, T* y) { return F::hybmv(cusparse(), N, alpha, a.descr.get(), made, x, beta, y); });
    CHECK((found == p.by_spmv(p.matrix.get(), N, true)));
}

template <class F>
struct tridiagonal {
    using T = typename F::scalar;
    static constexpr int m = 300, columns = 3, ld = 303;

    tridiagonal()
        : lower(F::type, random_values(F::type, m, random)),
          main(F::type, raised(random_values(F::type, m, random))),
          upper(F::type, random_values(F::type, m, random)),
          right(random_values(F::type, std::size_t{ld} * columns, random)) {
        // The first below and the last above the diagonal are zeros, as the functions want.
        for (const auto& [diagonal, at] : {std::pair{&lower, 0}, std::pair{&upper, m - 1}}) {
            std::vector<number> values = diagonal->numbers();
            values[static_cast<std::size_t>(at)] = 0.0;
            diagonal->upload(values);
        }
    }
    static std::vector<number> raised(std::vector<number> values) {
        for (number& v : values) v += 4.0;
        return values;
    }
    template <class Call>
    bytes result_of(Call&& call) const {
        const typed_array b(F::type, right);
        expect(call(typed<T>(lower.data()), typed<T>(main.data()), typed<T>(upper.data()),
                    static_cast<T*>(b.data())));
        return b.bytes();
    }

    random_source random{72};
    typed_array lower, main, upper;
    std::vector<number> right;
};

template <class F, class Removed, class Size, class Newer>
void check_tridiagonal(Removed removed, Size size_of_newer, Newer newer) {
    using T = typename F::scalar;
    tridiagonal<F> s;
    const bytes found = s.result_of([&](const T* dl, const T* d, const T* du, T* b) {
        return removed(cusparse(), s.m, s.columns, dl, d, du, b, s.ld);
    });
    const bytes expected = s.result_of([&](const T* dl, const T* d, const T* du, T* b) {
        std::size_t size = 0;
        expect(size_of_newer(cusparse(), s.m, s.columns, dl, d, du, b, s.ld, &size));
        const workspace buffer(size);
        return newer(cusparse(), s.m, s.columns, dl, d, du, b, s.ld, buffer.data());
    });
    CHECK((found == expected));
}

template <class F>
struct sparse_operand {
    using T = typename F::scalar;
    static constexpr int nnz = 90, size = 400;

    sparse_operand()
        : values(random_values(F::type, nnz, random)),
          dense(random_values(F::type, size, random)),
          indices(places()) {}
    static std::vector<int> places() {
        std::vector<int> all;
        for (int k = 0; k < nnz; ++k) all.push_back(1 + 4 * k + k % 3);
        return all;
    }

    // The bytes of x and y after call(x's values, y, descriptors of both).
    template <class Call>
    std::pair<bytes, bytes> result_of(Call&& call) const {
        const typed_array x(F::type, values), y(F::type, dense);
        cusparseSpVecDescr_t made = nullptr;
        expect(cusparseCreateSpVec(&made, size, nnz, indices.data(), x.data(), CUSPARSE_INDEX_32I,
                                   CUSPARSE_INDEX_BASE_ONE, F::type));
        const sparse_vector on_x(made);
        const dense_vector on_y = describe(F::type, size, y);
        expect(call(static_cast<T*>(x.data()), static_cast<T*>(y.data()), on_x.get(), on_y.get()));
        return {x.bytes(), y.bytes()};
    }

    random_source random{73};
    std::vector<number> values, dense;
    device_array<int> indices;
};

template <class F>
void check_vectors() {
    using T = typename F::scalar;
    constexpr auto one_based = CUSPARSE_INDEX_BASE_ONE;
    const sparse_operand<F> o;
    const int* const indices = o.indices.data();
    const scalar_operand alpha(F::type, representable(F::type, {0.75, -0.5}), host_mode),
        one(F::type, 1.0, host_mode);
    const auto same = [&](const auto& removed, const auto& newer) {
        CHECK((o.result_of(removed) == o.result_of(newer)));
    };
    same([&](T* x, T* y, auto,
             auto) { return F::axpyi(cusparse(), o.nnz, typed<T>(alpha.data()), x, indices, y, one_based); },
         [&](T*, T*, auto x, auto y) { return cusparseAxpby(cusparse(), alpha.data(), x, one.data(), y); });
    same([&](T* x, T* y, auto, auto) { return F::gthr(cusparse(), o.nnz, y, x, indices, one_based); },
         [&](T*, T*, auto x, auto y) { return cusparseGather(cusparse(), y, x); });
    same([&](T* x, T* y, auto, auto) { return F::sctr(cusparse(), o.nnz, x, indices, y, one_based); },
         [&](T*, T*, auto x, auto y) { return cusparseScatter(cusparse(), x, y); });
    T removed{}, newer{};
    o.result_of([&](T* x, T* y, auto, auto) {
        return F::doti(cusparse(), o.nnz, x, indices, y, &removed, one_based);
    });
    o.result_of([&](T*, T*, auto x, auto y) {
        std::size_t size = 0;
        expect(cusparseSpVV_bufferSize(cusparse(), N, x, y, &newer, F::type, &size));
        const workspace buffer(size);
        return cusparseSpVV(cusparse(), N, x, y, &newer, F::type, buffer.data());
    });
    CHECK(std::memcmp(&removed, &newer, sizeof removed) == 0);
}

template <class F>
void check_transposition(const product_problem<F>& p) {
    using T = typename F::scalar;
    const auto& a = p.a;
    const auto base = static_cast<cusparseIndexBase_t>(p.base);
    constexpr auto numeric = CUSPARSE_ACTION_NUMERIC;
    const csr_result<T> found(p.arrays.cols, p.arrays.nnz, p.base),
        expected(p.arrays.cols, p.arrays.nnz, p.base);
    expect(F::csr2csc(cusparse(), a.rows, a.cols, a.nnz, a.values(), a.offsets(), a.indices(), found.values(),
                      found.indices(), found.offsets(), numeric, base));
    std::size_t size = 0;
    expect(cusparseCsr2cscEx2_bufferSize(
        cusparse(), a.rows, a.cols, a.nnz, a.values(), a.offsets(), a.indices(), expected.values(),
        expected.offsets(), expected.indices(), F::type, numeric, base, CUSPARSE_CSR2CSC_ALG1, &size));
    const workspace buffer(size);
    expect(cusparseCsr2cscEx2(cusparse(), a.rows, a.cols, a.nnz, a.values(), a.offsets(), a.indices(),
                              expected.values(), expected.offsets(), expected.indices(), F::type, numeric,
                              base, CUSPARSE_CSR2CSC_ALG1, buffer.data()));
    CHECK((found.found_offsets() == expected.found_offsets()));
    CHECK((found.found_indices() == expected.found_indices()));
    CHECK((found.found_bytes() == expected.found_bytes()));
}

}  // namespace

TEST_CASE("csrmv, csrmv_mp and hybmv have the bits of SpMV, csr2csc those of Csr2cscEx2") {
    random_source random{70};
    const entries patterns[] = {irregular_pattern(), random_pattern(500, 300, 25, random)};
    for_types([&]<class F>(F) {
        for (const entries& pattern : patterns)
            for (const int base : {0, 1}) {
                INFO(pattern.rows << " rows, base " << base);
                const product_problem<F> p(pattern, base);
                check_products(p);
                check_transposition(p);
            }
    });
}

TEST_CASE("gtsv and gtsv_nopivot have the bits of gtsv2 and gtsv2_nopivot") {
    for_types([]<class F>(F) {
        check_tridiagonal<F>(F::gtsv, F::gtsv2_bufferSizeExt, F::gtsv2);
        check_tridiagonal<F>(F::gtsv_nopivot, F::gtsv2_nopivot_bufferSizeExt, F::gtsv2_nopivot);
    });
}

TEST_CASE("axpyi, doti, gthr and sctr have the bits of Axpby, SpVV, Gather and Scatter") {
    for_types([]<class F>(F) { check_vectors<F>(); });
}
