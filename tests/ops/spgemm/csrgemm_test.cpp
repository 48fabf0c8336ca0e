// csrgemm and csrgemm2 in four types against sums of products, and against SpGEMM.
#include "ops/typed_csr.hpp"

#include <map>

using namespace heron::test;

namespace {

constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

// What a matrix has at one place: the terms of a sum.
struct place {
    number sum = 0;
    double magnitude = 0;
    std::int64_t terms = 0;
    void add(number term) {
        sum += term;
        magnitude += absolute(term);
        ++terms;
    }
};
using places = std::map<std::pair<std::int64_t, std::int64_t>, place>;

entry taken(const entry& e, cusparseOperation_t op) {
    if (op == plain) return e;
    return {e.col, e.row, op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? std::conj(e.value) : e.value};
}

// alpha*op(A)*op(B) into the sum, whose pattern has every product.
void add_product(places& sum, const entries& a, cusparseOperation_t op_a, const entries& b,
                 cusparseOperation_t op_b, number alpha) {
    std::map<std::int64_t, std::vector<entry>> rows;
    for (const entry& e : b.list) {
        const entry t = taken(e, op_b);
        rows[t.row].push_back(t);
    }
    for (const entry& e : a.list) {
        const entry t = taken(e, op_a);
        for (const entry& f : rows[t.col]) sum[{t.row, f.col}].add(product(alpha, product(t.value, f.value)));
    }
}

template <class F>
struct expected_matrix {
    expected_matrix(const places& sum, std::int64_t rows, int base) : offsets{base} {
        auto next = sum.begin();
        for (std::int64_t i = 0; i < rows; ++i) {
            for (; next != sum.end() && next->first.first == i; ++next) {
                indices.push_back(static_cast<int>(next->first.second) + base);
                const place& p = next->second;
                values.value.push_back(p.sum);
                values.bound.push_back(error_bound(F::type, F::type, p.terms + 2, p.magnitude, p.sum));
            }
            offsets.push_back(static_cast<int>(indices.size()) + base);
        }
    }
    std::int64_t nnz() const { return static_cast<std::int64_t>(indices.size()); }

    void check(const csr_result<typename F::scalar>& found) const {
        CHECK((found.found_offsets() == offsets));
        CHECK((found.found_indices() == indices));
        const std::string wrong = difference(found.found_values(), values);
        if (!wrong.empty()) FAIL_CHECK(wrong);
    }

    std::vector<int> offsets, indices;
    expectation values;
};

// A number of elements in the pointer mode.
class count_operand {
  public:
    explicit count_operand(cusparsePointerMode_t mode) : on_host_(mode == CUSPARSE_POINTER_MODE_HOST) {}
    int* data() { return on_host_ ? &host_ : device_.data(); }
    int get() const { return on_host_ ? host_ : device_.download()[0]; }

  private:
    bool on_host_;
    int host_ = -1;
    device_array<int> device_{1, 1};
};

template <class F>
sparse_arrays by_sorted_rows(const entries& matrix, int base, random_source& random) {
    return arrange(matrix, by_rows, indices_of_base(base), F::type, random);
}

struct shape {
    const char* name;
    entries a, b, d;
};

// A is m x k, B k x n and D m x n.
std::vector<shape> shapes(random_source& random) {
    const auto nothing = [](std::int64_t rows, std::int64_t cols) { return entries{rows, cols, {}}; };
    entries long_row = random_pattern(20, 600, 40, random);
    for (std::int64_t j = 0; j < 600; j += 2) long_row.list.push_back({7, j, 1.0});
    std::sort(long_row.list.begin(), long_row.list.end(), [](const entry& x, const entry& y) {
        return std::pair{x.row, x.col} < std::pair{y.row, y.col};
    });
    long_row.list.erase(
        std::unique(long_row.list.begin(), long_row.list.end(),
                    [](const entry& x, const entry& y) { return x.row == y.row && x.col == y.col; }),
        long_row.list.end());
    return {
        {"no rows", nothing(0, 5), random_pattern(5, 4, 2, random), nothing(0, 4)},
        {"no elements", nothing(6, 5), random_pattern(5, 4, 2, random), random_pattern(6, 4, 3, random)},
        {"nothing in D", random_pattern(6, 5, 2, random), random_pattern(5, 4, 2, random), nothing(6, 4)},
        {"no inner dimension", nothing(6, 0), nothing(0, 4), random_pattern(6, 4, 2, random)},
        {"small", random_pattern(9, 7, 3, random), random_pattern(7, 11, 3, random),
         random_pattern(9, 11, 3, random)},
        {"full", random_pattern(12, 9, 1, random), random_pattern(9, 14, 1, random),
         random_pattern(12, 14, 1, random)},
        {"a long row", long_row, random_pattern(600, 500, 100, random), random_pattern(20, 500, 9, random)},
        {"larger", random_pattern(200, 300, 40, random), random_pattern(300, 150, 30, random),
         random_pattern(200, 150, 25, random)}};
}

entries turned(const entries& matrix, cusparseOperation_t op) {
    if (op == plain) return matrix;
    entries result{matrix.cols, matrix.rows, {}};
    for (const entry& e : matrix.list) result.list.push_back({e.col, e.row, e.value});
    return result;
}

// C has the same bits by the newer interface.
template <class F>
void compare_with_spgemm(const sparse_arrays& a_arrays, const sparse_arrays& b_arrays, number alpha_value,
                         const csr_result<typename F::scalar>& found, std::int64_t nnz, std::int64_t m,
                         std::int64_t n, cusparsePointerMode_t mode) {
    const device_matrix a(a_arrays, 1), b(b_arrays, 1);
    const csr_result<typename F::scalar> c(m, nnz, 0);
    cusparseSpMatDescr_t made = nullptr;
    expect(cusparseCreateCsr(&made, m, n, 0, c.offsets(), nullptr, nullptr, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, F::type));
    const sparse_matrix result(made);
    cusparseSpGEMMDescr_t descr = nullptr;
    expect(cusparseSpGEMM_createDescr(&descr));
    const scalar_operand alpha(F::type, alpha_value, mode), beta(F::type, 0.0, mode);
    const auto phase = [&](auto* function, std::size_t* size, void* buffer) {
        expect(function(cusparse(), plain, plain, alpha.data(), a.get(), b.get(), beta.data(), result.get(),
                        F::type, CUSPARSE_SPGEMM_DEFAULT, descr, size, buffer));
    };
    std::size_t first = 0, second = 0;
    phase(&cusparseSpGEMM_workEstimation, &first, nullptr);
    const workspace buffer1(first);
    phase(&cusparseSpGEMM_workEstimation, &first, buffer1.data());
    phase(&cusparseSpGEMM_compute, &second, nullptr);
    const workspace buffer2(second);
    phase(&cusparseSpGEMM_compute, &second, buffer2.data());
    expect(cusparseCsrSetPointers(result.get(), c.offsets(), c.indices(), c.values()));
    expect(cusparseSpGEMM_copy(cusparse(), plain, plain, alpha.data(), a.get(), b.get(), beta.data(),
                               result.get(), F::type, CUSPARSE_SPGEMM_DEFAULT, descr));
    expect(cusparseSpGEMM_destroyDescr(descr));
    CHECK((c.found_indices() == found.found_indices()));
    CHECK((c.found_bytes() == found.found_bytes()));
}

template <class F>
void try_csrgemm(const shape& s, cusparseOperation_t op_a, cusparseOperation_t op_b, int bases,
                 cusparsePointerMode_t mode, random_source& random) {
    using T = typename F::scalar;
    const entries a_matrix = with_values(turned(s.a, op_a), F::type, random),
                  b_matrix = with_values(turned(s.b, op_b), F::type, random);
    const sparse_arrays a_arrays = by_sorted_rows<F>(a_matrix, bases & 1, random),
                        b_arrays = by_sorted_rows<F>(b_matrix, bases >> 1 & 1, random);
    const csr_operand<T> a(a_arrays, true), b(b_arrays, true);
    const int m = static_cast<int>(s.a.rows), n = static_cast<int>(s.b.cols), k = static_cast<int>(s.a.cols),
              base = bases >> 2;
    places sum;
    add_product(sum, a_matrix, op_a, b_matrix, op_b, 1.0);
    const expected_matrix<F> expected(sum, m, base);
    const csr_result<T> c(m, expected.nnz(), base);
    const pointer_mode_scope scope(mode);
    count_operand count(mode);
    expect(cusparseXcsrgemmNnz(cusparse(), op_a, op_b, m, n, k, a.descr.get(), a.nnz, a.offsets(),
                               a.indices(), b.descr.get(), b.nnz, b.offsets(), b.indices(), c.descr.get(),
                               c.offsets(), count.data()));
    CHECK(count.get() == expected.nnz());
    CHECK((c.found_offsets() == expected.offsets));
    expect(F::csrgemm(cusparse(), op_a, op_b, m, n, k, a.descr.get(), a.nnz, a.values(), a.offsets(),
                      a.indices(), b.descr.get(), b.nnz, b.values(), b.offsets(), b.indices(), c.descr.get(),
                      c.values(), c.offsets(), c.indices()));
    expected.check(c);
    if (op_a == plain && op_b == plain && base == 0)
        compare_with_spgemm<F>(a_arrays, b_arrays, 1.0, c, expected.nnz(), m, n, mode);
}

using product_info = std::unique_ptr<csrgemm2Info, destroyer<&cusparseDestroyCsrgemm2Info>>;

product_info make_info() {
    csrgemm2Info_t info = nullptr;
    expect(cusparseCreateCsrgemm2Info(&info));
    return product_info(info);
}

struct sum_case {
    bool product, summand;
};

// One sum with an info that may have served another.
template <class F>
class sum_problem {
  public:
    using T = typename F::scalar;

    sum_problem(const shape& s, const sum_case& which, int bases, random_source& random)
        : which_(which),
          base_(bases >> 3),
          a_matrix_(with_values(s.a, F::type, random)),
          b_matrix_(with_values(s.b, F::type, random)),
          d_matrix_(with_values(s.d, F::type, random)),
          a_arrays_(by_sorted_rows<F>(a_matrix_, bases & 1, random)),
          b_arrays_(by_sorted_rows<F>(b_matrix_, bases >> 1 & 1, random)),
          a_(a_arrays_, true),
          b_(b_arrays_, true),
          d_(by_sorted_rows<F>(d_matrix_, bases >> 2 & 1, random), true) {}

    // With its two buffers, of which the second one takes the first one's place where they differ.
    void check(csrgemm2Info_t info, number alpha, number beta, cusparsePointerMode_t mode,
               bool other_buffer) {
        places sum;
        if (which_.product) add_product(sum, a_matrix_, plain, b_matrix_, plain, alpha);
        if (which_.summand)
            for (const entry& e : d_matrix_.list) sum[{e.row, e.col}].add(product(beta, e.value));
        const expected_matrix<F> expected(sum, a_.rows, base_);
        const csr_result<T> c(a_.rows, expected.nnz(), base_);
        const pointer_mode_scope scope(mode);
        const scalar_operand alpha_at(F::type, alpha, mode), beta_at(F::type, beta, mode);
        const T* const first = which_.product ? typed<T>(alpha_at.data()) : nullptr;
        const T* const second = which_.summand ? typed<T>(beta_at.data()) : nullptr;
        std::size_t bytes = 0;
        expect(F::csrgemm2_bufferSizeExt(cusparse(), a_.rows, b_.cols, a_.cols, first, a_.descr.get(), a_.nnz,
                                         a_.offsets(), a_.indices(), b_.descr.get(), b_.nnz, b_.offsets(),
                                         b_.indices(), second, d_.descr.get(), d_.nnz, d_.offsets(),
                                         d_.indices(), info, &bytes));
        workspace buffer(bytes), another(bytes);
        count_operand count(mode);
        expect(cusparseXcsrgemm2Nnz(cusparse(), a_.rows, b_.cols, a_.cols, a_.descr.get(), a_.nnz,
                                    a_.offsets(), a_.indices(), b_.descr.get(), b_.nnz, b_.offsets(),
                                    b_.indices(), d_.descr.get(), d_.nnz, d_.offsets(), d_.indices(),
                                    c.descr.get(), c.offsets(), count.data(), info, buffer.data()));
        CHECK(count.get() == expected.nnz());
        CHECK((c.found_offsets() == expected.offsets));
        if (other_buffer) buffer.overwrite(0x5a);
        for (int turn = 0; turn < 2; ++turn) {
            expect(F::csrgemm2(cusparse(), a_.rows, b_.cols, a_.cols, first, a_.descr.get(), a_.nnz,
                               a_.values(), a_.offsets(), a_.indices(), b_.descr.get(), b_.nnz, b_.values(),
                               b_.offsets(), b_.indices(), second, d_.descr.get(), d_.nnz, d_.values(),
                               d_.offsets(), d_.indices(), c.descr.get(), c.values(), c.offsets(),
                               c.indices(), info, other_buffer ? another.data() : buffer.data()));
            expected.check(c);
        }
        if (which_.product && !which_.summand && base_ == 0)
            compare_with_spgemm<F>(a_arrays_, b_arrays_, alpha, c, expected.nnz(), a_.rows, b_.cols, mode);
    }

  private:
    sum_case which_;
    int base_;
    entries a_matrix_, b_matrix_, d_matrix_;
    sparse_arrays a_arrays_, b_arrays_;
    csr_operand<T> a_, b_, d_;
};

constexpr cusparsePointerMode_t modes[] = {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE};

}  // namespace

TEST_CASE("csrgemm in four types, all operations and bases") {
    constexpr cusparseOperation_t operations[] = {plain, CUSPARSE_OPERATION_TRANSPOSE,
                                                  CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
    for_each_type([&]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(81);
        int turn = 0;
        for (const shape& s : shapes(random))
            for (const cusparseOperation_t op_a : operations)
                for (const cusparseOperation_t op_b : operations) {
                    const int bases = turn++ % 8;
                    INFO(facts(F::type).name << ", " << s.name << ", operations " << op_a << " and " << op_b
                                             << ", bases " << bases);
                    try_csrgemm<F>(s, op_a, op_b, op_a == op_b ? bases & 3 : bases, modes[turn % 2], random);
                }
    });
}

TEST_CASE("csrgemm2 with and without a product and a summand, by one info after the other") {
    for_each_type([&]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(82);
        const number alpha = representable(F::type, {0.75, -0.5}), beta = representable(F::type, {-1.25, 1});
        const product_info info = make_info();
        int turn = 0;
        for (const shape& s : shapes(random))
            for (const sum_case& which : {sum_case{true, false}, {true, true}, {false, true}}) {
                const int bases = (turn * 5) % 16;
                INFO(facts(F::type).name << ", " << s.name << ", product " << which.product << ", summand "
                                         << which.summand << ", bases " << bases);
                sum_problem<F> problem(s, which, turn % 3 ? bases : bases & 7, random);
                problem.check(info.get(), alpha, beta, modes[turn % 2], turn % 3 == 1);
                ++turn;
            }
    });
}

TEST_CASE("an info of csrgemm2 serves larger patterns than its size was asked for") {
    using F = typed_functions<float>;
    random_source random(83);
    const auto shape_of = [&](std::int64_t one_of) {
        return shape{"", random_pattern(80, 80, one_of, random), random_pattern(80, 80, one_of, random),
                     random_pattern(80, 80, one_of, random)};
    };
    const product_info info = make_info();
    for (const std::int64_t one_of : {40, 2, 9, 1})
        for (const sum_case& which : {sum_case{true, false}, {true, true}})
            sum_problem<F>(shape_of(one_of), which, 0, random)
                .check(info.get(), 2.0, -1.0, CUSPARSE_POINTER_MODE_HOST, false);
}
