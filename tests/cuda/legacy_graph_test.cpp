// Functions of cuSPARSE's legacy part that its documentation allows in a CUDA graph are captured and replayed
// on other values: what they give from a graph is what they give directly.
#include "cusparse_session.hpp"

#include <utility>

namespace {

constexpr int rows = 1000;
constexpr int block = 2;
constexpr int sides = 3;
constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto by_rows = CUSPARSE_DIRECTION_ROW;
constexpr auto policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
constexpr auto zero_base = CUSPARSE_INDEX_BASE_ZERO;
const double two = 2;
const double one_half = 0.5;

std::vector<double> numbers(int seed, int count) {
    std::vector<double> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<double>((i * 7 + static_cast<std::size_t>(seed) * 13) % 11) - 5;
    return values;
}

// The pattern of a matrix with three diagonals.
struct pattern {
    std::vector<int> offsets{0}, columns, row_of;

    pattern() {
        for (int i = 0; i < rows; ++i) {
            for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < rows; ++j) {
                columns.push_back(j);
                row_of.push_back(i);
            }
            offsets.push_back(static_cast<int>(columns.size()));
        }
    }
    int count() const { return static_cast<int>(columns.size()); }

    // Values of blocks, with which the matrix is diagonally dominant.
    std::vector<double> dominant(int seed, int width) const {
        std::vector<double> values = numbers(seed, count() * width * width);
        for (int k = 0; k < count(); ++k)
            for (int i = 0; i < width; ++i) {
                const auto at = static_cast<std::size_t>((k * width + i) * width + i);
                if (columns[static_cast<std::size_t>(k)] == row_of[static_cast<std::size_t>(k)])
                    values[at] = 100 + seed + i;
            }
        return values;
    }
};

class matrix_description {
  public:
    matrix_description() {
        expect(cusparseCreateMatDescr(&descr_));
        expect(cusparseSetMatFillMode(descr_, CUSPARSE_FILL_MODE_LOWER));
    }
    ~matrix_description() { cusparseDestroyMatDescr(descr_); }
    matrix_description(const matrix_description&) = delete;
    matrix_description& operator=(const matrix_description&) = delete;
    cusparseMatDescr_t get() const { return descr_; }

  private:
    cusparseMatDescr_t descr_ = nullptr;
};

// That matrix on the device, with elements or blocks.
struct device_matrix {
    explicit device_matrix(int block_size) : width(block_size), values(host.dominant(1, width)) {}

    void fill(int seed) { values = host.dominant(seed, width); }
    int count() const { return host.count(); }

    const pattern host;
    const int width;
    device_array<int> offsets{host.offsets}, columns{host.columns}, row_of{host.row_of};
    device_array<double> values;
    matrix_description descr;
};

// prepare(seed) makes inputs, submit() works on them, and read() gets what came out.
template <class Prepare, class Submit, class Read>
void check_replay(const session& s, const Prepare& prepare, const Submit& submit, const Read& read) {
    const auto result_of = [&](int seed, const std::function<void()>& work) {
        prepare(seed);
        work();
        expect(cudaDeviceSynchronize());
        return read();
    };
    const auto first = result_of(1, submit);
    const auto second = result_of(2, submit);
    CHECK(first != second);
    prepare(1);
    const cudaGraphExec_t graph = s.capture(submit);
    const auto replay = [&] { s.replay(graph); };
    CHECK(result_of(1, replay) == first);
    CHECK(result_of(2, replay) == second);
    CHECK(result_of(1, replay) == first);
    expect(cudaGraphExecDestroy(graph));
}

}  // namespace

TEST_CASE("products with blocks are replayed from a graph") {
    const session s;
    device_matrix a(block);
    constexpr int n = rows * block;
    device_array<double> x(n * sides), y(n * sides);
    device_array<int> mask(std::vector<int>{5, 0, rows - 1});
    const auto prepare = [&](int seed) {
        a.fill(seed);
        x = numbers(seed + 3, n * sides);
        y = numbers(seed + 5, n * sides);
    };
    const auto read = [&] { return y.read(); };
    check_replay(
        s, prepare,
        [&] {
            expect(cusparseDbsrmv(s.handle(), by_rows, N, rows, rows, a.count(), &two, a.descr.get(),
                                  a.values.data(), a.offsets.data(), a.columns.data(), block, x.data(),
                                  &one_half, y.data()));
        },
        read);
    check_replay(
        s, prepare,
        [&] {
            expect(cusparseDbsrxmv(s.handle(), by_rows, N, 3, rows, rows, a.count(), &two, a.descr.get(),
                                   a.values.data(), mask.data(), a.offsets.data(), a.offsets.data() + 1,
                                   a.columns.data(), block, x.data(), &one_half, y.data()));
        },
        read);
    check_replay(
        s, prepare,
        [&] {
            expect(cusparseDbsrmm(s.handle(), by_rows, N, N, rows, sides, rows, a.count(), &two,
                                  a.descr.get(), a.values.data(), a.offsets.data(), a.columns.data(), block,
                                  x.data(), n, &one_half, y.data(), n));
        },
        read);
}

TEST_CASE("gemvi is replayed from a graph") {
    const session s;
    constexpr int m = 300, n = 200, nnz = 3;
    device_array<double> a(m * n), x(nnz), y(m);
    device_array<int> places(std::vector<int>{0, 17, n - 1});
    int bytes = 0;
    expect(cusparseDgemvi_bufferSize(s.handle(), N, m, n, nnz, &bytes));
    const device_array<char> buffer(static_cast<std::size_t>(bytes));
    check_replay(
        s,
        [&](int seed) {
            a = numbers(seed, m * n);
            x = numbers(seed + 1, nnz);
            y = numbers(seed + 2, m);
        },
        [&] {
            expect(cusparseDgemvi(s.handle(), N, m, n, &two, a.data(), m, nnz, x.data(), places.data(),
                                  &one_half, y.data(), zero_base, buffer.data()));
        },
        [&] { return y.read(); });
}

TEST_CASE("solves with triangles of blocks are replayed from a graph") {
    const session s;
    device_matrix a(block);
    constexpr int n = rows * block;
    device_array<double> f(n * sides), x(n * sides);
    const auto prepare = [&](int seed) {
        a.fill(seed);
        f = numbers(seed + 3, n * sides);
        x = numbers(seed + 5, n * sides);
    };
    const auto read = [&] { return x.read(); };
    int bytes = 0;

    bsrsv2Info_t one = nullptr;
    expect(cusparseCreateBsrsv2Info(&one));
    expect(cusparseDbsrsv2_bufferSize(s.handle(), by_rows, N, rows, a.count(), a.descr.get(), a.values.data(),
                                      a.offsets.data(), a.columns.data(), block, one, &bytes));
    const device_array<char> of_one(static_cast<std::size_t>(bytes));
    expect(cusparseDbsrsv2_analysis(s.handle(), by_rows, N, rows, a.count(), a.descr.get(), a.values.data(),
                                    a.offsets.data(), a.columns.data(), block, one, policy, of_one.data()));
    check_replay(
        s, prepare,
        [&] {
            expect(cusparseDbsrsv2_solve(s.handle(), by_rows, N, rows, a.count(), &two, a.descr.get(),
                                         a.values.data(), a.offsets.data(), a.columns.data(), block, one,
                                         f.data(), x.data(), policy, of_one.data()));
        },
        read);
    expect(cusparseDestroyBsrsv2Info(one));

    bsrsm2Info_t many = nullptr;
    expect(cusparseCreateBsrsm2Info(&many));
    expect(cusparseDbsrsm2_bufferSize(s.handle(), by_rows, N, N, rows, sides, a.count(), a.descr.get(),
                                      a.values.data(), a.offsets.data(), a.columns.data(), block, many,
                                      &bytes));
    const device_array<char> of_many(static_cast<std::size_t>(bytes));
    expect(cusparseDbsrsm2_analysis(s.handle(), by_rows, N, N, rows, sides, a.count(), a.descr.get(),
                                    a.values.data(), a.offsets.data(), a.columns.data(), block, many, policy,
                                    of_many.data()));
    check_replay(
        s, prepare,
        [&] {
            expect(cusparseDbsrsm2_solve(s.handle(), by_rows, N, N, rows, sides, a.count(), &two,
                                         a.descr.get(), a.values.data(), a.offsets.data(), a.columns.data(),
                                         block, many, f.data(), n, x.data(), n, policy, of_many.data()));
        },
        read);
    expect(cusparseDestroyBsrsm2Info(many));
}

TEST_CASE("factorisations by elements are replayed from a graph") {
    const session s;
    device_matrix a(1);
    const auto prepare = [&](int seed) { a.fill(seed); };
    const auto read = [&] { return a.values.read(); };
    int bytes = 0;

    csrilu02Info_t lu = nullptr;
    expect(cusparseCreateCsrilu02Info(&lu));
    expect(cusparseDcsrilu02_bufferSize(s.handle(), rows, a.count(), a.descr.get(), a.values.data(),
                                        a.offsets.data(), a.columns.data(), lu, &bytes));
    const device_array<char> of_lu(static_cast<std::size_t>(bytes));
    expect(cusparseDcsrilu02_analysis(s.handle(), rows, a.count(), a.descr.get(), a.values.data(),
                                      a.offsets.data(), a.columns.data(), lu, policy, of_lu.data()));
    check_replay(
        s, prepare,
        [&] {
            expect(cusparseDcsrilu02(s.handle(), rows, a.count(), a.descr.get(), a.values.data(),
                                     a.offsets.data(), a.columns.data(), lu, policy, of_lu.data()));
        },
        read);
    expect(cusparseDestroyCsrilu02Info(lu));

    csric02Info_t ic = nullptr;
    expect(cusparseCreateCsric02Info(&ic));
    expect(cusparseDcsric02_bufferSize(s.handle(), rows, a.count(), a.descr.get(), a.values.data(),
                                       a.offsets.data(), a.columns.data(), ic, &bytes));
    const device_array<char> of_ic(static_cast<std::size_t>(bytes));
    prepare(1);
    expect(cusparseDcsric02_analysis(s.handle(), rows, a.count(), a.descr.get(), a.values.data(),
                                     a.offsets.data(), a.columns.data(), ic, policy, of_ic.data()));
    check_replay(
        s, prepare,
        [&] {
            expect(cusparseDcsric02(s.handle(), rows, a.count(), a.descr.get(), a.values.data(),
                                    a.offsets.data(), a.columns.data(), ic, policy, of_ic.data()));
        },
        read);
    expect(cusparseDestroyCsric02Info(ic));
}

TEST_CASE("factorisations by blocks are replayed from a graph") {
    const session s;
    device_matrix a(block);
    const auto prepare = [&](int seed) { a.fill(seed); };
    const auto read = [&] { return a.values.read(); };
    int bytes = 0;

    bsrilu02Info_t lu = nullptr;
    expect(cusparseCreateBsrilu02Info(&lu));
    expect(cusparseDbsrilu02_bufferSize(s.handle(), by_rows, rows, a.count(), a.descr.get(), a.values.data(),
                                        a.offsets.data(), a.columns.data(), block, lu, &bytes));
    const device_array<char> of_lu(static_cast<std::size_t>(bytes));
    expect(cusparseDbsrilu02_analysis(s.handle(), by_rows, rows, a.count(), a.descr.get(), a.values.data(),
                                      a.offsets.data(), a.columns.data(), block, lu, policy, of_lu.data()));
    check_replay(
        s, prepare,
        [&] {
            expect(cusparseDbsrilu02(s.handle(), by_rows, rows, a.count(), a.descr.get(), a.values.data(),
                                     a.offsets.data(), a.columns.data(), block, lu, policy, of_lu.data()));
        },
        read);
    expect(cusparseDestroyBsrilu02Info(lu));

    bsric02Info_t ic = nullptr;
    expect(cusparseCreateBsric02Info(&ic));
    expect(cusparseDbsric02_bufferSize(s.handle(), by_rows, rows, a.count(), a.descr.get(), a.values.data(),
                                       a.offsets.data(), a.columns.data(), block, ic, &bytes));
    const device_array<char> of_ic(static_cast<std::size_t>(bytes));
    prepare(1);
    expect(cusparseDbsric02_analysis(s.handle(), by_rows, rows, a.count(), a.descr.get(), a.values.data(),
                                     a.offsets.data(), a.columns.data(), block, ic, policy, of_ic.data()));
    check_replay(
        s, prepare,
        [&] {
            expect(cusparseDbsric02(s.handle(), by_rows, rows, a.count(), a.descr.get(), a.values.data(),
                                    a.offsets.data(), a.columns.data(), block, ic, policy, of_ic.data()));
        },
        read);
    expect(cusparseDestroyBsric02Info(ic));
}

namespace {

// Diagonals of so many systems in any layout, and their right-hand sides.
struct banded_arrays {
    explicit banded_arrays(int elements) : count(elements) {}

    void fill(int seed) {
        second_lower = numbers(seed, count);
        lower = numbers(seed + 1, count);
        main = std::vector<double>(static_cast<std::size_t>(count), 40.0 + seed);
        upper = numbers(seed + 2, count);
        second_upper = numbers(seed + 3, count);
        x = numbers(seed + 4, count);
    }

    const int count;
    const std::size_t room = static_cast<std::size_t>(count);
    device_array<double> second_lower{room}, lower{room}, main{room}, upper{room}, second_upper{room},
        x{room};
};

}  // namespace

TEST_CASE("tridiagonal solves are replayed from a graph") {
    const session s;
    // More rows than one group of threads has.
    constexpr int m = 50000;
    banded_arrays a(m);
    const auto prepare = [&](int seed) { a.fill(seed); };
    const auto read = [&] { return a.x.read(); };
    std::size_t bytes = 0;
    expect(cusparseDgtsv2_bufferSizeExt(s.handle(), m, 1, a.lower.data(), a.main.data(), a.upper.data(),
                                        a.x.data(), m, &bytes));
    const device_array<char> pivoted(bytes);
    check_replay(
        s, prepare,
        [&] {
            expect(cusparseDgtsv2(s.handle(), m, 1, a.lower.data(), a.main.data(), a.upper.data(), a.x.data(),
                                  m, pivoted.data()));
        },
        read);
    expect(cusparseDgtsv2_nopivot_bufferSizeExt(s.handle(), m, 1, a.lower.data(), a.main.data(),
                                                a.upper.data(), a.x.data(), m, &bytes));
    const device_array<char> plain(bytes);
    check_replay(
        s, prepare,
        [&] {
            expect(cusparseDgtsv2_nopivot(s.handle(), m, 1, a.lower.data(), a.main.data(), a.upper.data(),
                                          a.x.data(), m, plain.data()));
        },
        read);
    constexpr int systems = 50, each = m / systems;
    expect(cusparseDgtsv2StridedBatch_bufferSizeExt(s.handle(), each, a.lower.data(), a.main.data(),
                                                    a.upper.data(), a.x.data(), systems, each, &bytes));
    const device_array<char> strided(bytes);
    check_replay(
        s, prepare,
        [&] {
            expect(cusparseDgtsv2StridedBatch(s.handle(), each, a.lower.data(), a.main.data(), a.upper.data(),
                                              a.x.data(), systems, each, strided.data()));
        },
        read);
}

TEST_CASE("interleaved systems are replayed from a graph") {
    const session s;
    for (const int m : {64, 1000})
        for (int algorithm = 0; algorithm < 3; ++algorithm) {
            const int count = 48000 / m;
            banded_arrays a(m * count);
            const auto prepare = [&](int seed) { a.fill(seed); };
            const auto read = [&] { return a.x.read(); };
            std::size_t bytes = 0;
            expect(cusparseDgtsvInterleavedBatch_bufferSizeExt(s.handle(), algorithm, m, a.lower.data(),
                                                               a.main.data(), a.upper.data(), a.x.data(),
                                                               count, &bytes));
            const device_array<char> buffer(bytes);
            check_replay(
                s, prepare,
                [&] {
                    expect(cusparseDgtsvInterleavedBatch(s.handle(), algorithm, m, a.lower.data(),
                                                         a.main.data(), a.upper.data(), a.x.data(), count,
                                                         buffer.data()));
                },
                read);
            if (algorithm > 0) continue;
            expect(cusparseDgpsvInterleavedBatch_bufferSizeExt(
                s.handle(), 0, m, a.second_lower.data(), a.lower.data(), a.main.data(), a.upper.data(),
                a.second_upper.data(), a.x.data(), count, &bytes));
            const device_array<char> of_five(bytes);
            check_replay(
                s, prepare,
                [&] {
                    expect(cusparseDgpsvInterleavedBatch(
                        s.handle(), 0, m, a.second_lower.data(), a.lower.data(), a.main.data(),
                        a.upper.data(), a.second_upper.data(), a.x.data(), count, of_five.data()));
                },
                read);
        }
}

TEST_CASE("conversions of blocks are replayed from a graph") {
    const session s;
    device_matrix a(block);
    constexpr int n = rows * block;
    const int elements = a.count() * block * block;
    const auto room = static_cast<std::size_t>(elements);
    device_array<double> to(room);
    device_array<int> offsets(n + 1), columns(room);
    const auto prepare = [&](int seed) {
        a.fill(seed);
        to = numbers(seed + 5, elements);
    };
    const auto read = [&] { return to.read(); };
    check_replay(
        s, prepare,
        [&] {
            expect(cusparseDbsr2csr(s.handle(), by_rows, rows, rows, a.descr.get(), a.values.data(),
                                    a.offsets.data(), a.columns.data(), block, a.descr.get(), to.data(),
                                    offsets.data(), columns.data()));
        },
        read);
    check_replay(
        s, prepare,
        [&] {
            expect(cusparseDgebsr2csr(s.handle(), by_rows, rows, rows, a.descr.get(), a.values.data(),
                                      a.offsets.data(), a.columns.data(), block, block, a.descr.get(),
                                      to.data(), offsets.data(), columns.data()));
        },
        read);
    int bytes = 0;
    expect(cusparseDgebsr2gebsc_bufferSize(s.handle(), rows, rows, a.count(), a.values.data(),
                                           a.offsets.data(), a.columns.data(), block, block, &bytes));
    const device_array<char> buffer(static_cast<std::size_t>(bytes));
    check_replay(
        s, prepare,
        [&] {
            expect(cusparseDgebsr2gebsc(s.handle(), rows, rows, a.count(), a.values.data(), a.offsets.data(),
                                        a.columns.data(), block, block, to.data(), columns.data(),
                                        offsets.data(), CUSPARSE_ACTION_NUMERIC, zero_base, buffer.data()));
        },
        read);
}

TEST_CASE("conversions of elements are replayed from a graph") {
    const session s;
    device_matrix a(1);
    const int nnz = a.count();
    device_array<double> to(static_cast<std::size_t>(nnz));
    device_array<int> offsets(rows + 1), indices(static_cast<std::size_t>(nnz));
    std::size_t bytes = 0;
    expect(cusparseCsr2cscEx2_bufferSize(s.handle(), rows, rows, nnz, a.values.data(), a.offsets.data(),
                                         a.columns.data(), to.data(), offsets.data(), indices.data(),
                                         CUDA_R_64F, CUSPARSE_ACTION_NUMERIC, zero_base,
                                         CUSPARSE_CSR2CSC_ALG1, &bytes));
    const device_array<char> buffer(bytes);
    check_replay(
        s,
        [&](int seed) {
            a.fill(seed);
            to = numbers(seed + 5, nnz);
        },
        [&] {
            expect(cusparseCsr2cscEx2(s.handle(), rows, rows, nnz, a.values.data(), a.offsets.data(),
                                      a.columns.data(), to.data(), offsets.data(), indices.data(), CUDA_R_64F,
                                      CUSPARSE_ACTION_NUMERIC, zero_base, CUSPARSE_CSR2CSC_ALG1,
                                      buffer.data()));
        },
        [&] { return to.read(); });

    // In the second of two patterns the first row has an element less and the second one more.
    device_array<int> given(rows + 1);
    check_replay(
        s,
        [&](int seed) {
            std::vector<int> changed = a.host.offsets;
            if (seed > 1) --changed[1];
            given = changed;
        },
        [&] { expect(cusparseXcsr2coo(s.handle(), given.data(), nnz, rows, indices.data(), zero_base)); },
        [&] { return indices.read(); });
    device_array<int> row_of(static_cast<std::size_t>(nnz));
    check_replay(
        s,
        [&](int seed) {
            std::vector<int> list = a.host.row_of;
            if (seed > 1) list[1] = 1;
            row_of = list;
        },
        [&] { expect(cusparseXcoo2csr(s.handle(), row_of.data(), nnz, rows, offsets.data(), zero_base)); },
        [&] { return offsets.read(); });
}

TEST_CASE("sorts are replayed from a graph") {
    const session s;
    device_matrix a(1);
    const int nnz = a.count();
    device_array<int> columns(static_cast<std::size_t>(nnz)), row_of(static_cast<std::size_t>(nnz)),
        order(static_cast<std::size_t>(nnz));
    const auto prepare = [&](int seed) {
        std::vector<int> shuffled = a.host.columns;
        // Pairs of neighbours that change places are within rows; which rows have one, the seed says.
        for (std::size_t i = static_cast<std::size_t>(seed); i + 1 < rows; i += 3)
            std::swap(shuffled[static_cast<std::size_t>(a.host.offsets[i])],
                      shuffled[static_cast<std::size_t>(a.host.offsets[i]) + 1]);
        columns = shuffled;
        row_of = a.host.row_of;
        order = std::vector<int>(static_cast<std::size_t>(nnz), -1);
    };
    const auto read = [&] {
        std::vector<int> all = order.read();
        const std::vector<int> sorted = columns.read();
        CHECK(sorted == a.host.columns);
        return all;
    };
    std::size_t bytes = 0;
    expect(cusparseXcsrsort_bufferSizeExt(s.handle(), rows, rows, nnz, a.offsets.data(), columns.data(),
                                          &bytes));
    const device_array<char> of_rows(bytes);
    check_replay(
        s, prepare,
        [&] {
            expect(cusparseCreateIdentityPermutation(s.handle(), nnz, order.data()));
            expect(cusparseXcsrsort(s.handle(), rows, rows, nnz, a.descr.get(), a.offsets.data(),
                                    columns.data(), order.data(), of_rows.data()));
        },
        read);
    expect(
        cusparseXcoosort_bufferSizeExt(s.handle(), rows, rows, nnz, row_of.data(), columns.data(), &bytes));
    const device_array<char> of_pairs(bytes);
    check_replay(
        s, prepare,
        [&] {
            expect(cusparseCreateIdentityPermutation(s.handle(), nnz, order.data()));
            expect(cusparseXcoosortByRow(s.handle(), rows, rows, nnz, row_of.data(), columns.data(),
                                         order.data(), of_pairs.data()));
        },
        read);
}

TEST_CASE("the values of csrgeam2 are replayed from a graph") {
    const session s;
    device_matrix a(1), b(1);
    const int nnz = a.count();
    device_array<double> sum(static_cast<std::size_t>(nnz));
    device_array<int> offsets(rows + 1), columns(static_cast<std::size_t>(nnz));
    std::size_t bytes = 0;
    expect(cusparseDcsrgeam2_bufferSizeExt(s.handle(), rows, rows, &two, a.descr.get(), nnz, a.values.data(),
                                           a.offsets.data(), a.columns.data(), &one_half, b.descr.get(), nnz,
                                           b.values.data(), b.offsets.data(), b.columns.data(), a.descr.get(),
                                           sum.data(), offsets.data(), columns.data(), &bytes));
    const device_array<char> buffer(bytes);
    int count = 0;
    expect(cusparseXcsrgeam2Nnz(s.handle(), rows, rows, a.descr.get(), nnz, a.offsets.data(),
                                a.columns.data(), b.descr.get(), nnz, b.offsets.data(), b.columns.data(),
                                a.descr.get(), offsets.data(), &count, buffer.data()));
    REQUIRE(count == nnz);
    check_replay(
        s,
        [&](int seed) {
            a.fill(seed);
            b.fill(seed + 7);
            sum = numbers(seed + 5, nnz);
        },
        [&] {
            expect(cusparseDcsrgeam2(s.handle(), rows, rows, &two, a.descr.get(), nnz, a.values.data(),
                                     a.offsets.data(), a.columns.data(), &one_half, b.descr.get(), nnz,
                                     b.values.data(), b.offsets.data(), b.columns.data(), a.descr.get(),
                                     sum.data(), offsets.data(), columns.data(), buffer.data()));
        },
        [&] { return sum.read(); });
}
