// csrgeam2 in four types against sums of dense rows, csrgeam and SpGEAM against csrgeam2.
#include "ops/operands.hpp"
#include "typed_functions.hpp"

#include <map>
#include <set>

using namespace heron::test;

namespace {

using pattern = std::vector<std::set<int>>;  // columns of each row

struct shape {
    std::string name;
    int cols;
    pattern a, b;
};

pattern random_rows(int rows, int cols, int one_of, random_source& random) {
    pattern p(static_cast<std::size_t>(rows));
    for (auto& row : p)
        for (int j = 0; j < cols; ++j)
            if (random.below(one_of) == 0) row.insert(j);
    return p;
}

pattern full_rows(int rows, int cols) {
    random_source random;
    return random_rows(rows, cols, 1, random);
}

std::vector<shape> shapes() {
    random_source random{21};
    const pattern none(7), some = random_rows(60, 90, 5, random), others = random_rows(60, 90, 5, random);
    pattern uneven = random_rows(40, 5000, 600, random), sparse = random_rows(40, 5000, 300, random);
    for (int j = 0; j < 5000; ++j) uneven[17].insert(j);
    for (int j = 0; j < 5000; j += 3) sparse[18].insert(j);
    const pattern long_a = random_rows(3, 9000, 2, random), long_b = random_rows(3, 9000, 3, random);
    pattern even(1), odd(1);
    for (int j = 0; j < 700; ++j) (j % 2 ? odd : even)[0].insert(j);
    return {{"no rows", 3, {}, {}},
            {"no elements", 5, none, none},
            {"nothing in A", 90, pattern(60), some},
            {"nothing in B", 90, some, pattern(60)},
            {"one row, no place in common", 700, even, odd},
            {"the same places", 90, some, some},
            {"full", 70, full_rows(30, 70), full_rows(30, 70)},
            {"random", 90, some, others},
            {"full rows among short ones", 5000, uneven, sparse},
            {"few long rows", 9000, long_a, long_b},
            {"few full rows", 3000, full_rows(2, 3000), full_rows(2, 3000)},
            {"one column", 1, random_rows(500, 1, 2, random), random_rows(500, 1, 2, random)},
            {"many rows", 300, random_rows(3000, 300, 60, random), random_rows(3000, 300, 90, random)}};
}

struct arrays {
    arrays(const pattern& rows, int index_base) : base(index_base), offsets{index_base} {
        for (const auto& row : rows) {
            for (const int j : row) indices.push_back(j + base);
            offsets.push_back(base + static_cast<int>(indices.size()));
        }
    }
    int base;
    std::vector<int> offsets, indices;
};

pattern merged(const pattern& a, const pattern& b) {
    pattern result = a;
    for (std::size_t i = 0; i < b.size(); ++i) result[i].insert(b[i].begin(), b[i].end());
    return result;
}

using descriptor = std::unique_ptr<cusparseMatDescr, destroyer<&cusparseDestroyMatDescr>>;

descriptor describe_base(int base) {
    cusparseMatDescr_t made = nullptr;
    expect(cusparseCreateMatDescr(&made));
    expect(cusparseSetMatIndexBase(made, static_cast<cusparseIndexBase_t>(base)));
    return descriptor(made);
}

// On the device.
struct matrix {
    matrix(const arrays& from, cudaDataType type, const std::vector<number>& numbers)
        : descr(describe_base(from.base)),
          offsets(from.offsets, 1),
          indices(from.indices, 1),
          values(type, numbers, 1) {}
    int nnz() const { return static_cast<int>(indices.size()); }
    template <class T>
    T* data() const {
        return static_cast<T*>(values.data());
    }

    descriptor descr;
    device_array<int> offsets, indices;
    typed_array values;
};

// What C has: alpha*a + beta*b by places. Factors of 0 read no values.
expectation sum_of(const arrays& a, const std::vector<number>& values_a, number alpha, const arrays& b,
                   const std::vector<number>& values_b, number beta, cudaDataType type) {
    expectation result;
    for (std::size_t i = 0; i + 1 < a.offsets.size(); ++i) {
        std::map<int, std::vector<number>> row;
        const auto add = [&](const arrays& m, const std::vector<number>& values, number factor) {
            for (int k = m.offsets[i] - m.base; k < m.offsets[i + 1] - m.base; ++k) {
                const auto at = static_cast<std::size_t>(k);
                row[m.indices[at] - m.base].push_back(factor == 0.0 ? 0.0 : product(factor, values[at]));
            }
        };
        add(a, values_a, alpha);
        add(b, values_b, beta);
        for (const auto& [column, terms] : row) {
            number sum = 0;
            double magnitude = 0;
            for (const number& t : terms) {
                sum += t;
                magnitude += std::abs(t);
            }
            result.value.push_back(sum);
            result.bound.push_back(error_bound(type, type, 2, magnitude, sum));
        }
    }
    return result;
}

struct factors {
    number alpha, beta;
};

template <class F>
class problem {
  public:
    using T = typename F::scalar;

    problem(const shape& s, int base_a, int base_b, int base_c)
        : cols_(s.cols),
          a_(s.a, base_a),
          b_(s.b, base_b),
          c_(merged(s.a, s.b), base_c),
          a_values_(random_values(F::type, a_.indices.size(), random_)),
          b_values_(random_values(F::type, b_.indices.size(), random_)) {}

    // Values of a factor 0 are poison.
    void check(factors f, cusparsePointerMode_t mode) {
        const pointer_mode_scope scope(mode);
        const auto or_poison = [](const std::vector<number>& values, number factor) {
            return factor == 0.0 ? std::vector<number>(values.size(), poison(F::type)) : values;
        };
        const matrix a(a_, F::type, or_poison(a_values_, f.alpha));
        const matrix b(b_, F::type, or_poison(b_values_, f.beta));
        const scalar_operand alpha(F::type, f.alpha, mode), beta(F::type, f.beta, mode);
        const device_array<int> offsets(c_.offsets.size(), 1), indices(c_.indices.size(), 1);
        const typed_array values(F::type, std::vector<number>(c_.indices.size(), poison(F::type)), 1);
        const descriptor descr = describe_base(c_.base);
        const int rows = static_cast<int>(a_.offsets.size()) - 1;
        const T* const alpha_at = static_cast<const T*>(alpha.data());
        const T* const beta_at = static_cast<const T*>(beta.data());
        T* const sums = static_cast<T*>(values.data());

        std::size_t bytes = 0;
        expect(F::csrgeam2_bufferSizeExt(
            cusparse(), rows, cols_, alpha_at, a.descr.get(), a.nnz(), a.template data<T>(), a.offsets.data(),
            a.indices.data(), beta_at, b.descr.get(), b.nnz(), b.template data<T>(), b.offsets.data(),
            b.indices.data(), descr.get(), sums, offsets.data(), indices.data(), &bytes));
        workspace buffer(bytes);
        CHECK(count(a, b, descr, offsets, rows, mode, buffer) == static_cast<int>(c_.indices.size()));
        CHECK((offsets.download() == c_.offsets));
        buffer.overwrite(0x5a);
        expect(F::csrgeam2(cusparse(), rows, cols_, alpha_at, a.descr.get(), a.nnz(), a.template data<T>(),
                           a.offsets.data(), a.indices.data(), beta_at, b.descr.get(), b.nnz(),
                           b.template data<T>(), b.offsets.data(), b.indices.data(), descr.get(), sums,
                           offsets.data(), indices.data(), buffer.data()));
        CHECK((indices.download() == c_.indices));
        CHECK((offsets.download() == c_.offsets));
        const std::string wrong =
            difference(values.numbers(), sum_of(a_, a_values_, f.alpha, b_, b_values_, f.beta, F::type));
        if (!wrong.empty()) FAIL_CHECK(wrong);
        check_without_buffer(a, b, descr, alpha_at, beta_at, rows, mode, values.bytes());
        check_generic(a, b, alpha_at, beta_at, values.bytes());
    }

  private:
    // csrgeam has the same answer, bit for bit.
    void check_without_buffer(const matrix& a, const matrix& b, const descriptor& descr, const T* alpha,
                              const T* beta, int rows, cusparsePointerMode_t mode,
                              const std::vector<unsigned char>& expected) const {
        const device_array<int> offsets(c_.offsets.size(), 1), indices(c_.indices.size(), 1), on_device(1, 1);
        const typed_array values(F::type, std::vector<number>(c_.indices.size(), poison(F::type)), 1);
        int on_host = -1;
        const bool is_host = mode == CUSPARSE_POINTER_MODE_HOST;
        expect(cusparseXcsrgeamNnz(cusparse(), rows, cols_, a.descr.get(), a.nnz(), a.offsets.data(),
                                   a.indices.data(), b.descr.get(), b.nnz(), b.offsets.data(),
                                   b.indices.data(), descr.get(), offsets.data(),
                                   is_host ? &on_host : on_device.data()));
        CHECK((is_host ? on_host : on_device.download()[0]) == static_cast<int>(c_.indices.size()));
        expect(F::csrgeam(cusparse(), rows, cols_, alpha, a.descr.get(), a.nnz(), a.template data<T>(),
                          a.offsets.data(), a.indices.data(), beta, b.descr.get(), b.nnz(),
                          b.template data<T>(), b.offsets.data(), b.indices.data(), descr.get(),
                          static_cast<T*>(values.data()), offsets.data(), indices.data()));
        CHECK((offsets.download() == c_.offsets));
        CHECK((indices.download() == c_.indices));
        CHECK((values.bytes() == expected));
    }

    sparse_matrix describe_csr(const arrays& m, std::size_t nnz, int* offsets, int* indices,
                               T* values) const {
        cusparseSpMatDescr_t made = nullptr;
        expect(cusparseCreateCsr(&made, static_cast<std::int64_t>(m.offsets.size()) - 1, cols_,
                                 static_cast<std::int64_t>(nnz), offsets, indices, values, CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_32I, static_cast<cusparseIndexBase_t>(m.base), F::type));
        return sparse_matrix(made);
    }

    // SpGEAM has the same answer, bit for bit, and C's size on the host in either pointer mode.
    void check_generic(const matrix& a, const matrix& b, const T* alpha, const T* beta,
                       const std::vector<unsigned char>& expected) const {
        constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
        constexpr auto alg = CUSPARSE_SPGEAM_ALG1;
        const device_array<int> offsets(c_.offsets.size(), 1), indices(c_.indices.size(), 1);
        const typed_array values(F::type, std::vector<number>(c_.indices.size(), poison(F::type)), 1);
        const sparse_matrix on_a =
            describe_csr(a_, a_.indices.size(), a.offsets.data(), a.indices.data(), a.template data<T>());
        const sparse_matrix on_b =
            describe_csr(b_, b_.indices.size(), b.offsets.data(), b.indices.data(), b.template data<T>());
        const sparse_matrix sum = describe_csr(c_, 0, offsets.data(), nullptr, nullptr);
        cusparseSpGEAMDescr_t made = nullptr;
        expect(cusparseSpGEAM_createDescr(&made));
        const std::unique_ptr<cusparseSpGEAMDescr, destroyer<&cusparseSpGEAM_destroyDescr>> kept(made);
        std::size_t bytes = 0;
        expect(cusparseSpGEAM_bufferSize(cusparse(), N, N, alpha, on_a.get(), beta, on_b.get(), sum.get(),
                                         F::type, alg, made, &bytes));
        const workspace buffer(bytes);
        expect(cusparseSpGEAM_nnz(cusparse(), N, N, alpha, on_a.get(), beta, on_b.get(), sum.get(), F::type,
                                  alg, made, buffer.data()));
        std::int64_t rows = 0, cols = 0, nnz = 0;
        expect(cusparseSpMatGetSize(sum.get(), &rows, &cols, &nnz));
        CHECK(nnz == static_cast<std::int64_t>(c_.indices.size()));
        expect(cusparseCsrSetPointers(sum.get(), offsets.data(), indices.data(), values.data()));
        expect(cusparseSpGEAM(cusparse(), N, N, alpha, on_a.get(), beta, on_b.get(), sum.get(), F::type, alg,
                              made, buffer.data()));
        CHECK((offsets.download() == c_.offsets));
        CHECK((indices.download() == c_.indices));
        CHECK((values.bytes() == expected));
    }

    int count(const matrix& a, const matrix& b, const descriptor& descr, const device_array<int>& offsets,
              int rows, cusparsePointerMode_t mode, const workspace& buffer) const {
        const device_array<int> on_device(1, 1);
        int on_host = -1;
        const bool is_host = mode == CUSPARSE_POINTER_MODE_HOST;
        expect(cusparseXcsrgeam2Nnz(cusparse(), rows, cols_, a.descr.get(), a.nnz(), a.offsets.data(),
                                    a.indices.data(), b.descr.get(), b.nnz(), b.offsets.data(),
                                    b.indices.data(), descr.get(), offsets.data(),
                                    is_host ? &on_host : on_device.data(), buffer.data()));
        return is_host ? on_host : on_device.download()[0];
    }

    random_source random_{22};
    int cols_;
    arrays a_, b_, c_;
    std::vector<number> a_values_, b_values_;
};

}  // namespace

TEST_CASE("csrgeam2 adds matrices of all types, shapes and bases") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        int turn = 0;
        for (const shape& s : shapes())
            for (const auto mode : {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE}) {
                const int bases = turn++ % 8;
                INFO(facts(F::type).name << ", " << s.name << ", mode " << mode << ", bases " << bases);
                problem<F>(s, bases & 1, bases >> 1 & 1, bases >> 2)
                    .check({representable(F::type, {0.75, -0.5}), representable(F::type, {-1.5, 0.25})},
                           mode);
            }
    });
}

// Rows whose elements of A and B are about as many as 16 times a power of two, which are borders of what GPUs
// give to a few items, among short ones that keep the mean at 3, 10 or 40 elements.
TEST_CASE("rows about as long as a team may take") {
    using F = typed_functions<float>;
    constexpr int cols = 1100;
    random_source random{23};
    for (const int mean : {3, 10, 40}) {
        const int one_of = 2 * cols / mean;
        pattern a = random_rows(3000 / mean, cols, one_of, random);
        pattern b = random_rows(3000 / mean, cols, one_of, random);
        std::size_t row = 1;
        for (const int border : {64, 256, 512})
            for (const int length : {border - 1, border, border + 1}) {
                const int of_a = length / 3;
                a[row].clear();
                b[row].clear();
                for (int j = 0; j < of_a; ++j) a[row].insert(2 * j);
                for (int j = 0; j < length - of_a; ++j) b[row].insert(j);
                row += 5;
            }
        INFO("mean " << mean);
        problem<F>({"borders", cols, a, b}, 0, 1, 0).check({0.5, 2.0}, CUSPARSE_POINTER_MODE_HOST);
    }
}

// Windows of a power of two of columns hold the rows of both matrices, or just do not, or one row reaches out
// of the other's.
TEST_CASE("rows whose columns lie close together") {
    using F = typed_functions<float>;
    constexpr int cols = 3000;
    random_source random{24};
    const std::vector<int> wide{1, 40, 127, 128, 129, 255, 256, 257, 511, 512, 513};
    const std::vector<int> narrow{1, 2, 3, 5, 9, 16, 17, 40, 127, 128, 129};
    for (const auto& [one_of, widths] : {std::pair{6, wide}, {2, wide}, {2, narrow}, {1, narrow}}) {
        pattern a, b;
        for (const int width : widths)
            for (int first = 0; first + width < cols; first += 601) {
                std::set<int> of_a{first}, of_b{first + width - 1};
                for (int j = first; j < first + width; ++j) {
                    if (random.below(one_of) == 0) of_a.insert(j);
                    if (random.below(one_of) == 0) of_b.insert(j);
                }
                const bool swaps = random.below(2) == 0;
                a.push_back(swaps ? of_b : of_a);
                b.push_back(swaps ? of_a : of_b);
            }
        a.emplace_back(std::set<int>{cols - 1});
        b.emplace_back();
        INFO("one of " << one_of << " in up to " << widths.back() << " columns");
        problem<F>({"windows", cols, a, b}, 1, 0, 1).check({0.5, 2.0}, CUSPARSE_POINTER_MODE_HOST);
    }
}

// On GPUs rows of so many get fewer lanes each than those of small matrices.
TEST_CASE("many rows of every type, whose columns lie close together and not") {
    constexpr int rows = 3100, cols = 900, window = 60;
    random_source random{25};
    const auto row_in = [&](int first, int width, int one_of) {
        std::set<int> row;
        for (int j = first; j < first + width; ++j)
            if (random.below(one_of) == 0) row.insert(j);
        return row;
    };
    pattern a, b;
    for (int row = 0; row < rows; ++row) {
        const int first = static_cast<int>(random.below(cols - window));
        const bool is_spread = row % 5 == 0;
        a.push_back(is_spread ? row_in(0, cols, 50) : row_in(first, window, 3));
        b.push_back(is_spread ? row_in(0, cols, 50) : row_in(first, window, 3));
    }
    for_each_type([&]<class F>(F) {
        if (!device_has(F::type)) return;
        problem<F>({"many rows", cols, a, b}, 0, 1, 1)
            .check({representable(F::type, {0.75, -0.5}), representable(F::type, {-1.5, 0.25})},
                   CUSPARSE_POINTER_MODE_HOST);
    });
}

TEST_CASE("few full rows of every type") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        problem<F>({"", 700, full_rows(2, 700), full_rows(2, 700)}, 0, 1, 0)
            .check({2.0, -1.0}, CUSPARSE_POINTER_MODE_HOST);
    });
}

TEST_CASE("every combination of bases") {
    using F = typed_functions<float>;
    const shape s = shapes()[7];
    for (int bases = 0; bases < 8; ++bases) {
        INFO("bases " << bases);
        problem<F>(s, bases & 1, bases >> 1 & 1, bases >> 2).check({2.0, -1.0}, CUSPARSE_POINTER_MODE_HOST);
    }
}

TEST_CASE("a factor of 0 reads no values, and the pattern stays") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        const shape s = shapes()[7];
        for (const auto mode : {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE})
            for (const factors f : {factors{0.0, 1.0}, factors{1.0, 0.0}, factors{0.0, 0.0}}) {
                INFO(facts(F::type).name << ", mode " << mode << ", " << f.alpha << ", " << f.beta);
                problem<F>(s, 0, 1, 0).check(f, mode);
            }
    });
}

TEST_CASE("the number of elements may go nowhere") {
    const arrays a(pattern{std::set<int>{0, 2}, std::set<int>{1}}, 0);
    const arrays b(pattern{std::set<int>{1, 2}, std::set<int>{}}, 1);
    const matrix on_a(a, CUDA_R_32F, std::vector<number>(3)), on_b(b, CUDA_R_32F, std::vector<number>(2));
    const descriptor descr = describe_base(1);
    const device_array<int> offsets(3, 1);
    const workspace buffer(100000);
    expect(cusparseXcsrgeam2Nnz(cusparse(), 2, 3, on_a.descr.get(), 3, on_a.offsets.data(),
                                on_a.indices.data(), on_b.descr.get(), 2, on_b.offsets.data(),
                                on_b.indices.data(), descr.get(), offsets.data(), nullptr, buffer.data()));
    CHECK((offsets.download() == std::vector<int>{1, 4, 5}));
}
