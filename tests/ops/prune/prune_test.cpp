// Pruning of dense and CSR matrices, by a threshold and by a percentage, in three types against the oracle.
#include "ops/prune/prune_operands.hpp"
#include "prune_functions.hpp"

#include <algorithm>
#include <cmath>

using namespace heron::test;

namespace {

constexpr cusparsePointerMode_t both_modes[] = {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE};
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

using info_owner = std::unique_ptr<pruneInfo, destroyer<&cusparseDestroyPruneInfo>>;

info_owner make_info() {
    pruneInfo_t info = nullptr;
    expect(cusparseCreatePruneInfo(&info));
    return info_owner(info);
}

struct shape {
    std::int64_t rows, cols, pad;
};
constexpr shape shapes[] = {{1, 1, 0},   {5, 0, 0},   {0, 4, 1},    {1, 700, 2},   {700, 1, 0},
                            {37, 41, 3}, {300, 5, 0}, {2, 3000, 1}, {1030, 70, 5}, {64, 129, 0}};

// A matrix that is pruned: the dense one or the CSR one, as the functions of its type take them.
template <class F>
struct dense_source {
    using T = typename F::scalar;

    dense_source(const dense_columns& matrix, int)
        : rows(static_cast<int>(matrix.rows)),
          cols(static_cast<int>(matrix.cols)),
          ld(static_cast<int>(matrix.ld)),
          elements(matrix.as_rows()),
          memory(F::type, matrix.memory, 1) {}

    const T* data() const { return static_cast<const T*>(memory.data()); }

    auto size(const T* t, cusparseMatDescr_t c, std::size_t* bytes) const {
        return F::dense_size(cusparse(), rows, cols, data(), ld, t, c, nullptr, nullptr, nullptr, bytes);
    }
    auto count(const T* t, cusparseMatDescr_t c, int* offsets, int* total, void* buffer) const {
        return F::dense_count(cusparse(), rows, cols, data(), ld, t, c, offsets, total, buffer);
    }
    auto values(const T* t, cusparseMatDescr_t c, T* v, const int* o, int* j, void* buffer) const {
        return F::dense_values(cusparse(), rows, cols, data(), ld, t, c, v, o, j, buffer);
    }
    auto size(float p, cusparseMatDescr_t c, pruneInfo_t info, std::size_t* bytes) const {
        return F::dense_share_size(cusparse(), rows, cols, data(), ld, p, c, nullptr, nullptr, nullptr, info,
                                   bytes);
    }
    auto count(float p, cusparseMatDescr_t c, int* offsets, int* total, pruneInfo_t info,
               void* buffer) const {
        return F::dense_share_count(cusparse(), rows, cols, data(), ld, p, c, offsets, total, info, buffer);
    }
    auto values(float p, cusparseMatDescr_t c, T* v, const int* o, int* j, pruneInfo_t info,
                void* buffer) const {
        return F::dense_share_values(cusparse(), rows, cols, data(), ld, p, c, v, o, j, info, buffer);
    }

    int rows, cols, ld;
    csr_rows elements;
    typed_array memory;
};

template <class F>
struct csr_source {
    using T = typename F::scalar;

    csr_source(const csr_rows& matrix, int base)
        : rows(static_cast<int>(matrix.rows())),
          cols(static_cast<int>(matrix.cols)),
          nnz(static_cast<int>(matrix.all_values().size())),
          elements(matrix),
          descr(general(base)),
          offsets(CUSPARSE_INDEX_32I, matrix.offsets(base), 1),
          columns(CUSPARSE_INDEX_32I, matrix.all_columns(base), 1),
          memory(F::type, matrix.all_values(), 1) {}

    const T* data() const { return static_cast<const T*>(memory.data()); }

    auto size(const T* t, cusparseMatDescr_t c, std::size_t* bytes) const {
        return F::csr_size(cusparse(), rows, cols, nnz, descr.get(), data(), ints(offsets), ints(columns), t,
                           c, nullptr, nullptr, nullptr, bytes);
    }
    auto count(const T* t, cusparseMatDescr_t c, int* o, int* total, void* buffer) const {
        return F::csr_count(cusparse(), rows, cols, nnz, descr.get(), data(), ints(offsets), ints(columns), t,
                            c, o, total, buffer);
    }
    auto values(const T* t, cusparseMatDescr_t c, T* v, const int* o, int* j, void* buffer) const {
        return F::csr_values(cusparse(), rows, cols, nnz, descr.get(), data(), ints(offsets), ints(columns),
                             t, c, v, o, j, buffer);
    }
    auto size(float p, cusparseMatDescr_t c, pruneInfo_t info, std::size_t* bytes) const {
        return F::csr_share_size(cusparse(), rows, cols, nnz, descr.get(), data(), ints(offsets),
                                 ints(columns), p, c, nullptr, nullptr, nullptr, info, bytes);
    }
    auto count(float p, cusparseMatDescr_t c, int* o, int* total, pruneInfo_t info, void* buffer) const {
        return F::csr_share_count(cusparse(), rows, cols, nnz, descr.get(), data(), ints(offsets),
                                  ints(columns), p, c, o, total, info, buffer);
    }
    auto values(float p, cusparseMatDescr_t c, T* v, const int* o, int* j, pruneInfo_t info,
                void* buffer) const {
        return F::csr_share_values(cusparse(), rows, cols, nnz, descr.get(), data(), ints(offsets),
                                   ints(columns), p, c, v, o, j, info, buffer);
    }

    int rows, cols, nnz;
    csr_rows elements;
    matrix_descriptor descr;
    index_array offsets, columns;
    typed_array memory;
};

// C's arrays, checked against what is to be left of A.
template <class F>
struct result {
    using T = typename F::scalar;

    explicit result(const csr_rows& kept, int index_base)
        : expected(kept),
          base(index_base),
          nnz(static_cast<std::int64_t>(kept.all_values().size())),
          offsets(unwritten(kept.rows() + 1)),
          columns(unwritten(nnz)),
          values(F::type, std::vector<number>(static_cast<std::size_t>(nnz), poison(F::type)), 1) {}

    T* data() const { return static_cast<T*>(values.data()); }
    void check_count(const count_answer& total) const {
        CHECK((offsets.numbers() == expected.offsets(base)));
        REQUIRE(total.value() == nnz);
    }
    void check_values() const {
        CHECK((offsets.numbers() == expected.offsets(base)));
        CHECK((columns.numbers() == expected.all_columns(base)));
        CHECK((values.numbers() == expected.all_values()));
    }

    csr_rows expected;
    int base;
    std::int64_t nnz;
    index_array offsets, columns;
    typed_array values;
};

template <class F, class Source>
void prune_by_threshold(const Source& a, double threshold, int base, cusparsePointerMode_t mode) {
    using T = typename F::scalar;
    INFO("threshold " << threshold << ", base of C " << base << ", mode " << mode);
    const result<F> c(kept_of(a.elements, [&](number v) { return std::abs(v.real()) > threshold; }), base);
    const matrix_descriptor descr = general(base);
    const pointer_mode_scope scope(mode);
    const scalar_operand operand(F::type, threshold, mode);
    const auto* const t = static_cast<const T*>(operand.data());
    std::size_t bytes = 0;
    expect(a.size(t, descr.get(), &bytes));
    workspace buffer(bytes, 1);
    count_answer total(mode);
    expect(a.count(t, descr.get(), writable_ints(c.offsets), total.data(), buffer.data()));
    c.check_count(total);
    buffer.overwrite(0x7b);
    expect(a.values(t, descr.get(), c.data(), ints(c.offsets), writable_ints(c.columns), buffer.data()));
    c.check_values();
}

// The element that the percentage names in the documentation's words.
double threshold_of(const csr_rows& a, float percentage) {
    std::vector<double> sorted;
    for (const number& v : a.all_values()) sorted.push_back(std::abs(v.real()));
    if (sorted.empty()) return 0;
    std::sort(sorted.begin(), sorted.end(),
              [](double x, double y) { return std::isnan(x) ? false : std::isnan(y) || x < y; });
    const auto size = static_cast<double>(sorted.size());
    // m*n*percentage is exact, unlike percentage/100.
    double position = std::ceil(size * static_cast<double>(percentage) / 100) - 1;
    position = std::max(std::min(position, size - 1), 0.0);
    return sorted[static_cast<std::size_t>(position)];
}

template <class F, class Source>
void prune_by_percentage(const Source& a, float percentage, int base, cusparsePointerMode_t mode,
                         pruneInfo_t info) {
    INFO("percentage " << percentage << ", base of C " << base << ", mode " << mode);
    const double threshold = threshold_of(a.elements, percentage);
    const result<F> c(kept_of(a.elements, [&](number v) { return std::abs(v.real()) > threshold; }), base);
    const matrix_descriptor descr = general(base);
    const pointer_mode_scope scope(mode);
    std::size_t bytes = 0;
    expect(a.size(percentage, descr.get(), info, &bytes));
    workspace buffer(bytes, 1);
    count_answer total(mode);
    expect(a.count(percentage, descr.get(), writable_ints(c.offsets), total.data(), info, buffer.data()));
    c.check_count(total);
    buffer.overwrite(0x7b);
    expect(a.values(percentage, descr.get(), c.data(), ints(c.offsets), writable_ints(c.columns), info,
                    buffer.data()));
    c.check_values();
}

// Calls f(functions, source) for the types that the device has, dense and CSR, all shapes, both bases of A.
template <class Call>
void for_each_source(Call&& call) {
    for_each_prunable_type([&]<class F>(F functions) {
        if (!device_has(F::type)) return;
        random_source random(61);
        for (const shape& s : shapes) {
            INFO(facts(F::type).name << ", " << s.rows << " x " << s.cols);
            {
                INFO("dense");
                call(functions, dense_source<F>({s.rows, s.cols, s.pad, F::type, random}, 0));
            }
            for (const int base : {0, 1}) {
                INFO("CSR, base " << base);
                call(functions, csr_source<F>(random_rows(s.rows, s.cols, F::type, random), base));
            }
        }
    });
}

}  // namespace

TEST_CASE("pruning by a threshold keeps what is larger") {
    for_each_source([]<class F>(F, const auto& a) {
        for (const double threshold : {0.0, smallest(F::type), 0.25, 0.5, 2.0, infinity})
            for (const int base : {0, 1}) {
                prune_by_threshold<F>(a, threshold, base, both_modes[base]);
                prune_by_threshold<F>(a, threshold, base, both_modes[1 - base]);
            }
    });
}

TEST_CASE("a threshold on the device that is no size keeps all numbers or nothing") {
    for_each_source([]<class F>(F, const auto& a) {
        prune_by_threshold<F>(a, no_number, 0, CUSPARSE_POINTER_MODE_DEVICE);
        prune_by_threshold<F>(a, -0.5, 1, CUSPARSE_POINTER_MODE_DEVICE);
        prune_by_threshold<F>(a, -0.0, 1, CUSPARSE_POINTER_MODE_DEVICE);
    });
}

TEST_CASE("pruning by a percentage uses the element of that rank, one info for all") {
    const info_owner info = make_info();
    for_each_source([&]<class F>(F, const auto& a) {
        for (const float percentage : {0.0f, 1.0f, 12.5f, 33.3f, 50.0f, 70.0f, 99.99f, 100.0f})
            prune_by_percentage<F>(a, percentage, percentage < 40, both_modes[percentage < 20], info.get());
    });
}

TEST_CASE("a percentage that is a whole number of elements drops as many") {
    const info_owner info = make_info();
    for_each_prunable_type([&]<class F>(F) {
        if (!device_has(F::type)) return;
        INFO(facts(F::type).name);
        csr_rows rows{10, std::vector<std::vector<std::int64_t>>(10), std::vector<std::vector<number>>(10)};
        for (int k = 0; k < 100; ++k) {
            rows.columns[static_cast<std::size_t>(k / 10)].push_back(k % 10);
            rows.values[static_cast<std::size_t>(k / 10)].push_back((k % 2 ? 1 : -1) * (1.0 + k * 37 % 100));
        }
        const csr_source<F> sparse(rows, 0);
        for (int percentage = 1; percentage <= 100; ++percentage) {
            const matrix_descriptor descr = general(0);
            const index_array offsets = unwritten(11);
            std::size_t bytes = 0;
            const auto share = static_cast<float>(percentage);
            expect(sparse.size(share, descr.get(), info.get(), &bytes));
            const workspace buffer(bytes);
            int left = -1;
            expect(
                sparse.count(share, descr.get(), writable_ints(offsets), &left, info.get(), buffer.data()));
            INFO(percentage << " %");
            CHECK(left == 100 - percentage);
        }
    });
}

TEST_CASE("pruning of a matrix of many tiles") {
    const info_owner info = make_info();
    for_each_prunable_type([&]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(62);
        const dense_source<F> dense({700, 900, 1, F::type, random}, 0);
        const csr_source<F> sparse(random_rows(900, 800, F::type, random), 1);
        INFO(facts(F::type).name);
        prune_by_threshold<F>(dense, 0.25, 1, CUSPARSE_POINTER_MODE_HOST);
        prune_by_threshold<F>(sparse, 0.25, 0, CUSPARSE_POINTER_MODE_HOST);
        prune_by_percentage<F>(dense, 47.5f, 0, CUSPARSE_POINTER_MODE_DEVICE, info.get());
        prune_by_percentage<F>(sparse, 81.25f, 1, CUSPARSE_POINTER_MODE_DEVICE, info.get());
    });
}

TEST_CASE("pruning around the borders of tiles") {
    using F = prune_functions<float>;
    const info_owner info = make_info();
    random_source random(66);
    for (const std::int64_t rows : {7, 8, 9, 31, 32, 33})
        for (const std::int64_t cols : {63, 64, 65, 255, 256, 257}) {
            INFO(rows << " x " << cols);
            const dense_source<F> dense({rows, cols, rows % 2, F::type, random}, 0);
            prune_by_threshold<F>(dense, 0.25, 1, CUSPARSE_POINTER_MODE_HOST);
        }
    for (const std::int64_t length : {255, 256, 257, 2047, 2048, 2049, 9001}) {
        INFO("a row of " << length << " elements between others");
        csr_rows matrix = random_rows(9, length, F::type, random);
        std::vector<std::int64_t>& columns = matrix.columns[4];
        columns.resize(static_cast<std::size_t>(length));
        for (std::size_t k = 0; k < columns.size(); ++k) columns[k] = static_cast<std::int64_t>(k);
        matrix.values[4] = special_values(F::type, length, random);
        const csr_source<F> sparse(matrix, 1);
        prune_by_threshold<F>(sparse, 0.25, 0, CUSPARSE_POINTER_MODE_HOST);
        prune_by_percentage<F>(sparse, 60.0f, 1, CUSPARSE_POINTER_MODE_DEVICE, info.get());
    }
}

TEST_CASE("matrices without an element take arrays that are NULL") {
    for_each_prunable_type([&]<class F>(F) {
        using T = typename F::scalar;
        if (!device_has(F::type)) return;
        const T* const none = nullptr;
        const scalar_operand zero(F::type, 0.0, CUSPARSE_POINTER_MODE_HOST);
        const auto* const t = static_cast<const T*>(zero.data());
        const matrix_descriptor descr = general(1);
        const workspace buffer(1 << 16);
        const index_array offsets = unwritten(6);
        int total = -1;
        expect(F::dense_count(cusparse(), 5, 0, none, 5, t, descr.get(), writable_ints(offsets), &total,
                              buffer.data()));
        CHECK((offsets.numbers() == std::vector<std::int64_t>(6, 1)));
        CHECK(total == 0);
        expect(F::dense_values(cusparse(), 5, 0, none, 5, t, descr.get(), nullptr, ints(offsets), nullptr,
                               buffer.data()));
        const index_array other = unwritten(6);
        total = -1;
        expect(F::csr_count(cusparse(), 5, 7, 0, descr.get(), none, nullptr, nullptr, t, descr.get(),
                            writable_ints(other), &total, buffer.data()));
        CHECK((other.numbers() == std::vector<std::int64_t>(6, 1)));
        CHECK(total == 0);
        expect(F::csr_count(cusparse(), 0, 7, 0, descr.get(), none, nullptr, nullptr, t, descr.get(), nullptr,
                            &total, buffer.data()));
        expect(F::csr_values(cusparse(), 5, 7, 0, descr.get(), none, nullptr, nullptr, t, descr.get(),
                             nullptr, ints(other), nullptr, buffer.data()));
    });
}

TEST_CASE("arrays of a result without elements may be NULL, others not") {
    for_each_prunable_type([&]<class F>(F) {
        using T = typename F::scalar;
        if (!device_has(F::type)) return;
        random_source random(63);
        const dense_source<F> a({9, 8, 0, F::type, random}, 0);
        const matrix_descriptor descr = general(0);
        const workspace buffer(1 << 20);
        const index_array offsets = unwritten(10);
        int total = -1;
        for (const double threshold : {infinity, 0.25}) {
            const scalar_operand operand(F::type, threshold, CUSPARSE_POINTER_MODE_HOST);
            const auto* const t = static_cast<const T*>(operand.data());
            expect(a.count(t, descr.get(), writable_ints(offsets), &total, buffer.data()));
            CHECK((total == 0) == (threshold == infinity));
            expect(a.values(t, descr.get(), nullptr, ints(offsets), nullptr, buffer.data()),
                   total == 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE);
        }
    });
}

TEST_CASE("a smaller threshold than the count's writes nothing outside the offsets") {
    for_each_prunable_type([&]<class F>(F) {
        using T = typename F::scalar;
        if (!device_has(F::type)) return;
        random_source random(64);
        const dense_source<F> dense({90, 80, 0, F::type, random}, 0);
        const csr_source<F> sparse(random_rows(90, 80, F::type, random), 0);
        const auto run = [&](const auto& a) {
            const matrix_descriptor descr = general(0);
            const workspace buffer(1 << 20);
            const index_array offsets = unwritten(a.elements.rows() + 1);
            const scalar_operand large(F::type, 0.5, CUSPARSE_POINTER_MODE_HOST),
                small(F::type, 0.0, CUSPARSE_POINTER_MODE_HOST);
            int total = -1;
            expect(a.count(static_cast<const T*>(large.data()), descr.get(), writable_ints(offsets), &total,
                           buffer.data()));
            const index_array columns = unwritten(total);
            const typed_array values(F::type, std::vector<number>(static_cast<std::size_t>(total)), 1);
            expect(a.values(static_cast<const T*>(small.data()), descr.get(), static_cast<T*>(values.data()),
                            ints(offsets), writable_ints(columns), buffer.data()));
            for (const std::int64_t column : columns.numbers()) CHECK((column >= 0 && column < 80));
        };
        run(dense);
        run(sparse);
    });
}

TEST_CASE("an info has a threshold of one type once elements were counted") {
    const info_owner info = make_info();
    random_source random(65);
    using S = prune_functions<float>;
    const dense_source<S> a({9, 8, 0, CUDA_R_32F, random}, 0);
    const matrix_descriptor descr = general(0);
    const workspace buffer(1 << 20);
    const index_array offsets = unwritten(10), columns = unwritten(72);
    const device_array<float> values(72);
    int total = 0;
    const auto prune = [&] {
        return a.values(50.0f, descr.get(), values.data(), ints(offsets), writable_ints(columns), info.get(),
                        buffer.data());
    };
    expect(prune(), CUSPARSE_STATUS_INVALID_VALUE);
    expect(a.count(50.0f, descr.get(), writable_ints(offsets), &total, info.get(), buffer.data()));
    expect(prune());
    const device_array<__half> halves(72);
    const workspace dense(72 * sizeof(__half));
    expect(cusparseHpruneDense2csrByPercentage(cusparse(), 9, 8, static_cast<const __half*>(dense.data()), 9,
                                               50.0f, descr.get(), halves.data(), ints(offsets),
                                               writable_ints(columns), info.get(), buffer.data()),
           CUSPARSE_STATUS_INVALID_VALUE);
}
