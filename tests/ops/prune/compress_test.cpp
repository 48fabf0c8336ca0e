// nnz, nnz_compress and csr2csr_compress in four types against the oracle.
#include "ops/prune/prune_operands.hpp"
#include "typed_functions.hpp"

#include <fmt/format.h>
#include <numeric>

using namespace heron::test;

namespace {

constexpr cusparsePointerMode_t both_modes[] = {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE};

struct shape {
    std::int64_t rows, cols, pad;
};
constexpr shape shapes[] = {{1, 1, 0},   {5, 0, 0},   {0, 4, 1},    {1, 700, 2},   {700, 1, 0},
                            {37, 41, 3}, {300, 5, 0}, {2, 3000, 1}, {1030, 70, 5}, {64, 129, 0}};

bool is_nonzero(number v) { return !(v.real() == 0 && v.imag() == 0); }

// std::hypot is infinite where one part is, even with a NaN in the other.
bool is_longer(number v, double tolerance) {
    if (std::isnan(v.real()) || std::isnan(v.imag())) return false;
    return std::hypot(v.real(), v.imag()) > tolerance;
}

std::int64_t sum(const std::vector<std::int64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

template <class F>
void check_nnz(const dense_columns& a, cusparseDirection_t direction, cusparsePointerMode_t mode) {
    using T = typename F::scalar;
    const bool by_rows = direction == CUSPARSE_DIRECTION_ROW;
    std::vector<std::int64_t> expected(static_cast<std::size_t>(by_rows ? a.rows : a.cols));
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t j = 0; j < a.cols; ++j)
            expected[static_cast<std::size_t>(by_rows ? i : j)] += is_nonzero(a.at(i, j));
    const typed_array memory(F::type, a.memory, 1);
    const index_array counts = unwritten(static_cast<std::int64_t>(expected.size()));
    const matrix_descriptor descr = general(1);
    count_answer total(mode);
    const pointer_mode_scope scope(mode);
    expect(F::nnz(cusparse(), direction, static_cast<int>(a.rows), static_cast<int>(a.cols), descr.get(),
                  static_cast<const T*>(memory.data()), static_cast<int>(a.ld), writable_ints(counts),
                  total.data()));
    CHECK((counts.numbers() == expected));
    CHECK(total.value() == sum(expected));
}

template <class F>
struct compression {
    using T = typename F::scalar;

    compression(const csr_rows& matrix, int index_base)
        : a(matrix),
          base(index_base),
          descr(general(base)),
          offsets(CUSPARSE_INDEX_32I, a.offsets(base), 1),
          columns(CUSPARSE_INDEX_32I, a.all_columns(base), 1),
          values(F::type, a.all_values(), 1) {}

    void run(double tolerance, cusparsePointerMode_t mode) {
        INFO("tolerance " << tolerance << ", mode " << mode);
        const csr_rows expected = kept_of(a, [&](number v) { return is_longer(v, tolerance); });
        const std::int64_t nnz = sum(expected.lengths());
        const index_array lengths = unwritten(a.rows());
        count_answer total(mode);
        const pointer_mode_scope scope(mode);
        const T tol = scalar(tolerance);
        const auto rows = static_cast<int>(a.rows());
        const auto* const a_values = static_cast<const T*>(values.data());
        expect(F::nnz_compress(cusparse(), rows, descr.get(), a_values, ints(offsets), writable_ints(lengths),
                               total.data(), tol));
        CHECK((lengths.numbers() == expected.lengths()));
        REQUIRE(total.value() == nnz);

        const index_array c_offsets = unwritten(a.rows() + 1), c_columns = unwritten(nnz);
        const typed_array c_values(F::type,
                                   std::vector<number>(static_cast<std::size_t>(nnz), poison(F::type)), 1);
        expect(F::csr2csr_compress(cusparse(), rows, static_cast<int>(a.cols), descr.get(), a_values,
                                   ints(columns), ints(offsets), static_cast<int>(sum(a.lengths())),
                                   ints(lengths), static_cast<T*>(c_values.data()), writable_ints(c_columns),
                                   writable_ints(c_offsets), tol));
        CHECK((c_offsets.numbers() == expected.offsets(base)));
        CHECK((c_columns.numbers() == expected.all_columns(base)));
        CHECK((c_values.numbers() == expected.all_values()));
    }

    // The imaginary part does not count.
    static T scalar(double tolerance) {
        const auto bytes = encode(F::type, {number{tolerance, F::is_complex ? 100.0 : 0.0}});
        T result;
        std::memcpy(static_cast<void*>(&result), bytes.data(), sizeof result);
        return result;
    }

    csr_rows a;
    int base;
    matrix_descriptor descr;
    index_array offsets, columns;
    typed_array values;
};

}  // namespace

TEST_CASE("nnz counts by rows and by columns") {
    for_each_type([&]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(51);
        for (const shape& s : shapes) {
            const dense_columns a(s.rows, s.cols, s.pad, F::type, random);
            for (const cusparseDirection_t direction : {CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN})
                for (const cusparsePointerMode_t mode : both_modes) {
                    INFO(facts(F::type).name << ", " << s.rows << " x " << s.cols << ", direction "
                                             << direction << ", mode " << mode);
                    check_nnz<F>(a, direction, mode);
                }
        }
    });
}

TEST_CASE("nnz_compress and csr2csr_compress keep what is larger than the tolerance") {
    for_each_type([&]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(52);
        constexpr double infinity = std::numeric_limits<double>::infinity();
        for (const shape& s : shapes)
            for (const int base : {0, 1}) {
                INFO(facts(F::type).name << ", " << s.rows << " x " << s.cols << ", base " << base);
                compression<F> problem(random_rows(s.rows, s.cols, F::type, random), base);
                for (const double tolerance : {0.0, smallest(F::type), 0.25, 0.5, 1e30, infinity})
                    problem.run(rounded(F::type, number{tolerance}).real(), both_modes[base]);
            }
    });
}

TEST_CASE("the length of a complex number is exact where it is a number of the type") {
    for_each_type([&]<class F>(F) {
        if constexpr (F::is_complex) {
            if (!device_has(F::type)) return;
            // Legs 3 and 4 of a hypotenuse 5 by powers of two, and one last bit more, across the type's
            // range.
            for (const int exponent : {-120, -60, 0, 60, 120}) {
                const double scale = std::ldexp(1.0, exponent), more = 4 + 8 * epsilon(F::type);
                csr_rows a{4,
                           {{3, 0, 2, 1}},
                           {{{3 * scale, 4 * scale},
                             {-4 * scale, -3 * scale},
                             {3 * scale, more * scale},
                             {0.0, 6 * scale}}}};
                INFO(facts(F::type).name << ", exponent " << exponent);
                compression<F>(a, 0).run(5 * scale, CUSPARSE_POINTER_MODE_HOST);
            }
        }
    });
}

TEST_CASE("compression of a matrix of which nothing remains takes arrays that are NULL") {
    for_each_type([&]<class F>(F) {
        if (!device_has(F::type)) return;
        using T = typename F::scalar;
        random_source random(53);
        compression<F> problem(random_rows(9, 7, F::type, random), 1);
        const index_array lengths(CUSPARSE_INDEX_32I, std::vector<std::int64_t>(9, 0)),
            offsets = unwritten(10);
        const auto compress = [&](const int* counts) {
            return F::csr2csr_compress(
                cusparse(), 9, 7, problem.descr.get(), static_cast<const T*>(problem.values.data()),
                ints(problem.columns), ints(problem.offsets), static_cast<int>(sum(problem.a.lengths())),
                counts, nullptr, nullptr, writable_ints(offsets), problem.scalar(1000));
        };
        expect(compress(ints(lengths)));
        CHECK((offsets.numbers() == std::vector<std::int64_t>(10, 1)));
        const index_array one(CUSPARSE_INDEX_32I, {0, 0, 0, 1, 0, 0, 0, 0, 0});
        expect(compress(ints(one)), CUSPARSE_STATUS_INVALID_VALUE);
    });
}

TEST_CASE("lengths that do not belong to the matrix write nothing outside them") {
    for_each_type([&]<class F>(F) {
        if (!device_has(F::type)) return;
        using T = typename F::scalar;
        random_source random(54);
        compression<F> problem(random_rows(40, 30, F::type, random), 0);
        std::vector<std::int64_t> counts = problem.a.lengths();
        for (std::int64_t& count : counts) count /= 3;
        const index_array lengths(CUSPARSE_INDEX_32I, counts), offsets = unwritten(41),
                                                               columns = unwritten(sum(counts));
        const typed_array values(F::type, std::vector<number>(static_cast<std::size_t>(sum(counts))), 1);
        expect(F::csr2csr_compress(cusparse(), 40, 30, problem.descr.get(),
                                   static_cast<const T*>(problem.values.data()), ints(problem.columns),
                                   ints(problem.offsets), static_cast<int>(sum(problem.a.lengths())),
                                   ints(lengths), static_cast<T*>(values.data()), writable_ints(columns),
                                   writable_ints(offsets), problem.scalar(0)));
        CHECK(offsets.numbers().back() == sum(counts));
    });
}
