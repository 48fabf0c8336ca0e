// What must hold between results, whatever they are: relations of linear algebra on random matrices of small
// integers, whose sums are exact, so that both sides are equal bit for bit. No reference is computed but the
// integers' own arrangement. HERON_TEST_CASES says how many random cases each relation gets, HERON_TEST_SEED
// repeats them.
#include "products.hpp"
#include <cstdlib>
#include <numeric>

using namespace heron::test;

namespace {

int case_count() {
    const char* const given = std::getenv("HERON_TEST_CASES");
    return given ? std::atoi(given) : 6;
}

int size_of(random_source& random) {
    constexpr int sizes[] = {1, 2, 7, 16, 33, 48};
    return sizes[random.below(6)];
}
int percentage(random_source& random) {
    constexpr int percentages[] = {0, 3, 20, 60};
    return percentages[random.below(4)];
}

// check(random) for so many cases; a failure names the case.
template <class F>
void for_cases(uint64_t stream, F&& check) {
    for (int k = 0; k < case_count(); ++k) {
        CAPTURE(seed(), stream, k);
        random_source random(stream * 1000003u + static_cast<uint64_t>(k));
        check(random);
    }
}

template <class T>
std::vector<T> plus(std::vector<T> a, const std::vector<T>& b) {
    for (size_t k = 0; k < a.size(); ++k) a[k] += b[k];
    return a;
}
template <class T>
std::vector<T> times(std::vector<T> a, T factor) {
    for (T& element : a) element *= factor;
    return a;
}

struct operands {
    explicit operands(random_source& random)
        : a(random_csr(size_of(random), size_of(random), percentage(random), random)) {}
    csr a;
};

}  // namespace

TEST_CASE("a permutation of the rows permutes the product") {
    for_cases(1, [](random_source& random) {
        const csr a = operands(random).a;
        const std::vector<float> x = random_vector(a.cols, random);
        std::vector<int> order(static_cast<size_t>(a.rows));
        std::iota(order.begin(), order.end(), 0);
        random.shuffle(order);
        const std::vector<float> y = spmv(a, x), moved = spmv(with_rows(a, order), x);
        for (size_t k = 0; k < order.size(); ++k) REQUIRE(moved[k] == y[static_cast<size_t>(order[k])]);
    });
}

TEST_CASE("products are linear, and scale by powers of two exactly") {
    for_cases(2, [](random_source& random) {
        const csr a = operands(random).a;
        for (const bool transpose : {false, true}) {
            const int size = transpose ? a.rows : a.cols;
            const auto x = random_vector(size, random), y = random_vector(size, random);
            const auto product = spmv(a, x, transpose);
            REQUIRE(spmv(a, plus(x, y), transpose) == plus(product, spmv(a, y, transpose)));
            REQUIRE(spmv(scaled(a, 0x1p-20f), x, transpose) == times(product, 0x1p-20f));
        }
    });
}

TEST_CASE("the transpose, another format, base or alignment give the same product") {
    for_cases(3, [](random_source& random) {
        const csr a = operands(random).a;
        const auto x = random_vector(a.cols, random), y = random_vector(a.rows, random);
        const auto product = spmv(a, x), turned = spmv(a, y, true);
        REQUIRE(spmv(transposed(a), x, true) == product);
        REQUIRE(spmv(transposed(a), y) == turned);
        REQUIRE(transposed(transposed(a)) == a);
        for (const auto format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO})
            for (const int base : {0, 1}) {
                const representation how{format, base, base};
                REQUIRE(spmv(a, x, false, how) == product);
                REQUIRE(spmv(a, y, true, how) == turned);
            }
    });
}

TEST_CASE("a product with several vectors is that with each") {
    for_cases(4, [](random_source& random) {
        const csr a = operands(random).a;
        const int columns = 1 + static_cast<int>(random.below(5));
        for (const bool transpose : {false, true}) {
            const int inner = transpose ? a.rows : a.cols, rows = transpose ? a.cols : a.rows;
            const image b = random_vector(inner * columns, random), c = spmm(a, b, columns, transpose);
            constexpr cusparseFormat_t formats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC,
                                                    CUSPARSE_FORMAT_COO};
            const int base = static_cast<int>(random.below(2));
            for (const auto order : {CUSPARSE_ORDER_ROW, CUSPARSE_ORDER_COL})
                REQUIRE(spmm(a, b, columns, transpose, {formats[random.below(3)], base, base, order}) == c);
            for (int column = 0; column < columns; ++column) {
                std::vector<float> x;
                for (int k = 0; k < inner; ++k) x.push_back(b[static_cast<size_t>(k * columns + column)]);
                const auto y = spmv(a, x, transpose);
                for (int k = 0; k < rows; ++k)
                    REQUIRE(c[static_cast<size_t>(k * columns + column)] == y[static_cast<size_t>(k)]);
            }
        }
    });
}

TEST_CASE("sparse products are associative and the identity changes nothing") {
    for_cases(5, [](random_source& random) {
        const csr a = operands(random).a;
        const csr b = random_csr(a.cols, size_of(random), percentage(random), random);
        const csr c = random_csr(b.cols, size_of(random), percentage(random), random);
        REQUIRE(spgemm(a, identity_csr(a.cols)) == a);
        REQUIRE(spgemm(identity_csr(a.rows), a) == a);
        REQUIRE(image_of(spgemm(spgemm(a, b), c)) == image_of(spgemm(a, spgemm(b, c))));
        const auto x = random_vector(b.cols, random);
        REQUIRE(spmv(spgemm(a, b), x) == spmv(a, spmv(b, x)));
    });
}

TEST_CASE("a triangular solve takes a product back") {
    for_cases(6, [](random_source& random) {
        // Unknowns stay small integers: few elements beside the diagonal.
        const csr a = random_lower(size_of(random), 4, random);
        const auto x = random_vector(a.rows, random);
        REQUIRE(spsv(a, spmv(a, x)) == x);
        REQUIRE(spsv(a, spmv(a, x, true), true) == x);
    });
}

TEST_CASE("a sampled product is the product at the samples") {
    for_cases(7, [](random_source& random) {
        const csr mask = operands(random).a;
        const int inner = size_of(random);
        const image a = random_vector(mask.rows * inner, random),
                    b = random_vector(inner * mask.cols, random);
        const image product = spmm(csr_of(mask.rows, inner, a), b, mask.cols);
        const csr sampled = sddmm(mask, a, b, inner);
        REQUIRE(sampled.columns == mask.columns);
        for (int row = 0; row < mask.rows; ++row)
            for (int k = mask.offsets[static_cast<size_t>(row)];
                 k < mask.offsets[static_cast<size_t>(row) + 1]; ++k)
                REQUIRE(sampled.values[static_cast<size_t>(k)] ==
                        product[static_cast<size_t>(row * mask.cols + mask.columns[static_cast<size_t>(k)])]);
    });
}

namespace {

// C := op(A) op(B)^H and the like are made of these: dense matrices of complex integers, by columns.
using complex_image = std::vector<float>;

complex_image complex_product(int n, int k, const complex_image& a, const complex_image& b,
                              const float (&alpha)[2], const complex_image& c) {
    const device_array<float> left(a), right(b), result(c);
    const float one[2] = {1, 0};
    expect(heron_gemm(native(), HERON_C_32F, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_CONJUGATE_TRANSPOSE,
                      n, n, k, alpha, left.data(), n, right.data(), n, one, result.data(), n,
                      HERON_GEMM_DEFAULT));
    expect(heron_synchronize(native()));
    return result.download();
}

complex_image rank_2k(int n, int k, const complex_image& a, const complex_image& b, const float (&alpha)[2],
                      const complex_image& c) {
    const device_array<float> left(a), right(b), result(c);
    const float one[2] = {1, 0};
    expect(heron_her2k(native(), HERON_C_32F, HERON_ORDER_COLUMN, HERON_FILL_LOWER, HERON_OP_NONE, n, k,
                       alpha, left.data(), n, right.data(), n, one, result.data(), n, HERON_RANK_2K_FUSED));
    expect(heron_synchronize(native()));
    return result.download();
}

// Products of factors of n_1 x n_1 and n_2 x n_2.
std::vector<float> kron_times(const std::vector<float>& a, int m, const std::vector<float>& b, int n,
                              const std::vector<float>& x) {
    const device_array<float> first(a), second(b), in(x), out(x.size());
    const int64_t sizes[2] = {m, n};
    heron_kronmult_desc desc{};
    expect(heron_kronmult_init(&desc, HERON_R_32F, 2, sizes, sizes, 1));
    desc.factors[0].a.base = first.data();
    desc.factors[1].a.base = second.data();
    desc.x.base = in.data();
    desc.y.base = out.data();
    size_t bytes = 0;
    expect(heron_kronmult_workspace(native(), &desc, &bytes));
    const workspace buffer(bytes);
    expect(heron_kronmult(native(), nullptr, &desc, nullptr, buffer.data(), bytes));
    expect(heron_synchronize(native()));
    return out.download();
}

std::vector<float> dense_times(const std::vector<float>& a, int n, const std::vector<float>& x) {
    const device_array<float> matrix(a), in(x), out(x.size());
    const float one = 1, zero = 0;
    expect(heron_gemm(native(), HERON_R_32F, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_NONE, n, 1, n, &one,
                      matrix.data(), n, in.data(), n, &zero, out.data(), n, HERON_GEMM_DEFAULT));
    expect(heron_synchronize(native()));
    return out.download();
}

std::vector<float> outer(const std::vector<float>& x, const std::vector<float>& y) {
    std::vector<float> all;
    for (const float a : x)
        for (const float b : y) all.push_back(a * b);
    return all;
}

}  // namespace

TEST_CASE("a rank-2k update is two products") {
    for_cases(8, [](random_source& random) {
        const int n = size_of(random), k = size_of(random);
        const complex_image a = random_vector(2 * n * k, random), b = random_vector(2 * n * k, random);
        complex_image c = random_vector(2 * n * n, random);
        for (int row = 0; row < n; ++row) c[static_cast<size_t>(2 * (row * n + row) + 1)] = 0;
        // alpha/conj(alpha) is a whole number (-i): a fused update may multiply one of the sums by it, so
        // that one factor serves both.
        const float alpha[2] = {2, -2}, conjugate[2] = {2, 2};
        const complex_image expected =
            complex_product(n, k, b, a, conjugate, complex_product(n, k, a, b, alpha, c));
        const complex_image found = rank_2k(n, k, a, b, alpha, c);
        for (int col = 0; col < n; ++col)
            for (int row = 0; row < n; ++row)
                for (int part = 0; part < 2; ++part) {
                    const auto at = static_cast<size_t>(2 * (col * n + row) + part);
                    REQUIRE(found[at] == (row >= col ? expected[at] : c[at]));
                }
    });
}

namespace {

struct batch {
    int m, n, k, count;
    std::vector<float> a, b;  // items one behind the other, by columns
};

// The products of the items as they lie.
std::vector<float> batched_in_order(const batch& items) {
    const int m = items.m, n = items.n, k = items.k;
    const device_array<float> a(items.a), b(items.b), c(static_cast<size_t>(m * n * items.count));
    const float one = 1, zero = 0;
    expect(heron_gemm_batched(native(), HERON_R_32F, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_NONE, m, n,
                              k, &one, heron_batch_strided(a.data(), m * k), m,
                              heron_batch_strided(b.data(), k * n), k, &zero,
                              heron_batch_strided(c.data(), m * n), m, items.count, HERON_GEMM_DEFAULT));
    expect(heron_synchronize(native()));
    return c.download();
}

// The product of item order[i] at place order[i], as item i of the call: A by indices, B and C by addresses.
std::vector<float> batched(const batch& items, const std::vector<int>& order) {
    const int m = items.m, n = items.n, k = items.k;
    const device_array<float> a(items.a), b(items.b), c(static_cast<size_t>(m * n * items.count));
    std::vector<void*> bs, cs;
    for (const int item : order) {
        bs.push_back(b.data() + item * k * n);
        cs.push_back(c.data() + item * m * n);
    }
    const device_array<int> a_list(order);
    const device_array<void*> b_list(bs), c_list(cs);
    const float one = 1, zero = 0;
    expect(heron_gemm_batched(native(), HERON_R_32F, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_NONE, m, n,
                              k, &one, heron_batch_indexed(a.data(), m * k, a_list.data(), HERON_INDEX_32), m,
                              heron_batch_pointers(b_list.data()), k, &zero,
                              heron_batch_pointers(c_list.data()), m, items.count, HERON_GEMM_DEFAULT));
    expect(heron_synchronize(native()));
    return c.download();
}

}  // namespace

TEST_CASE("a batch in another order gives the same products") {
    for_cases(10, [](random_source& random) {
        const int m = size_of(random), n = size_of(random), k = size_of(random);
        const int count = 1 + static_cast<int>(random.below(9));
        const batch items{
            m, n, k, count, random_vector(m * k * count, random), random_vector(k * n * count, random)};
        std::vector<int> order(static_cast<size_t>(count));
        std::iota(order.begin(), order.end(), 0);
        random.shuffle(order);
        REQUIRE(batched(items, order) == batched_in_order(items));
    });
}

TEST_CASE("a Kronecker product of products is the product of Kronecker products") {
    for_cases(9, [](random_source& random) {
        const int m = 1 + static_cast<int>(random.below(9)), n = 1 + static_cast<int>(random.below(9));
        const auto a = random_vector(m * m, random), b = random_vector(n * n, random);
        const auto x = random_vector(m, random), y = random_vector(n, random);
        REQUIRE(kron_times(a, m, b, n, outer(x, y)) == outer(dense_times(a, m, x), dense_times(b, n, y)));
    });
}
