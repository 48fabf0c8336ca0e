// coosort, csrsort, cscsort and CreateIdentityPermutation against std::stable_sort.
#include "compressed.hpp"

#include <climits>

using namespace heron::test;

namespace {

using numbers = std::vector<int>;

struct coordinates {
    std::string name;
    numbers rows, cols;
};

numbers random_numbers(std::size_t count, std::int64_t low, std::int64_t high, random_source& random) {
    numbers result(count);
    for (int& n : result) n = static_cast<int>(low + random.below(high - low + 1));
    return result;
}

std::vector<coordinates> all_coordinates() {
    random_source random{5};
    const auto make = [&](std::string name, std::size_t count, std::int64_t low, std::int64_t high,
                          std::int64_t cols_low, std::int64_t cols_high) {
        return coordinates{std::move(name), random_numbers(count, low, high, random),
                           random_numbers(count, cols_low, cols_high, random)};
    };
    std::vector<coordinates> all{
        make("none", 0, 0, 1, 0, 1),
        make("one", 1, 3, 3, 7, 7),
        make("two", 2, 0, 1, 0, 1),
        make("one place", 700, 5, 5, 9, 9),
        make("few places", 5000, 0, 3, 0, 2),
        make("one row", 3000, 1, 1, 0, 100000),
        make("one column", 3000, 0, 100000, 1, 1),
        make("a chunk", 256, 0, 255, 0, 255),
        make("a chunk and one", 257, 1, 256, 1, 256),
        make("a tile and one", 4097, 0, 300, 0, 70000),
        make("many", 100003, 0, 40000, 0, 50000),
        make("any number", 20000, INT_MIN, INT_MAX, INT_MIN, INT_MAX),
        make("below zero", 3000, -20, -1, -300, 300),
        make("few", 24, -9, 9, -9, 9),
        make("hardly more", 25, -9, 9, -9, 9),
        make("wide numbers", 100, -(1 << 27), (1 << 27) - 1, 0, (1 << 28) - 1),
        make("many wide numbers", 9000, -(1 << 26), (1 << 26) - 1, 0, (1 << 23) - 1),
        make("wider than a word", 9000, -(1 << 29), (1 << 29) - 1, 0, (1 << 29) - 1),
    };
    coordinates extremes{"extremes", {INT_MAX, INT_MIN, 0, INT_MIN, INT_MAX}, {INT_MIN, INT_MAX, -1, 5, 0}};
    all.push_back(extremes);
    coordinates sorted{"sorted", {}, {}}, reversed{"reversed", {}, {}};
    for (int k = 0; k < 6000; ++k) {
        sorted.rows.push_back(k / 7);
        sorted.cols.push_back(k % 7);
        reversed.rows.push_back((6000 - k) / 7);
        reversed.cols.push_back((6000 - k) % 7);
    }
    all.push_back(sorted);
    all.push_back(reversed);
    coordinates last = sorted;  // but for its last element
    last.name = "sorted up to the last";
    last.rows.back() = 0;
    last.cols.back() = 0;
    all.push_back(last);
    return all;
}

enum class by { row, column };

numbers expected_order(const coordinates& c, by what) {
    const numbers& first = what == by::row ? c.rows : c.cols;
    const numbers& second = what == by::row ? c.cols : c.rows;
    numbers order(c.rows.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        const auto k = static_cast<std::size_t>(a), l = static_cast<std::size_t>(b);
        return first[k] != first[l] ? first[k] < first[l] : second[k] < second[l];
    });
    return order;
}

// m and n of a caller who does not know them.
constexpr int unknown = 1;

std::size_t coosort_bytes(const device_array<int>& rows, const device_array<int>& cols) {
    std::size_t bytes = 0;
    expect(cusparseXcoosort_bufferSizeExt(cusparse(), unknown, unknown, static_cast<int>(rows.size()),
                                          rows.data(), cols.data(), &bytes));
    return bytes;
}

void check_coosort(const coordinates& c, by what, const numbers* permutation) {
    device_array<int> rows(c.rows, 1), cols(c.cols, 1);
    device_array<int> along(permutation ? *permutation : numbers{}, 1);
    const workspace buffer(coosort_bytes(rows, cols));
    const auto sort = what == by::row ? &cusparseXcoosortByRow : &cusparseXcoosortByColumn;
    expect(sort(cusparse(), unknown, unknown, static_cast<int>(rows.size()), rows.data(), cols.data(),
                permutation ? along.data() : nullptr, buffer.data()));
    const numbers order = expected_order(c, what);
    CHECK((rows.download() == picked(c.rows, order)));
    CHECK((cols.download() == picked(c.cols, order)));
    if (permutation) CHECK((along.download() == picked(*permutation, order)));
}

// As csrsort sees it, or as cscsort does.
enum class format { csr, csc };

std::size_t sort_bytes(format f, const compressed_pattern& p, const device_array<int>& offsets,
                       const device_array<int>& indices) {
    std::size_t bytes = 0;
    if (f == format::csr)
        expect(cusparseXcsrsort_bufferSizeExt(cusparse(), p.rows, p.cols, p.nnz(), offsets.data(),
                                              indices.data(), &bytes));
    else
        expect(cusparseXcscsort_bufferSizeExt(cusparse(), p.cols, p.rows, p.nnz(), offsets.data(),
                                              indices.data(), &bytes));
    return bytes;
}

void check_rows_sort(format f, const compressed_pattern& p, const numbers* permutation) {
    cusparseMatDescr_t descr = nullptr;
    expect(cusparseCreateMatDescr(&descr));
    expect(cusparseSetMatIndexBase(descr, static_cast<cusparseIndexBase_t>(p.base)));
    device_array<int> offsets(p.offsets, 1), indices(p.indices, 1);
    device_array<int> along(permutation ? *permutation : numbers{}, 1);
    int* const taken = permutation ? along.data() : nullptr;
    const workspace buffer(sort_bytes(f, p, offsets, indices));
    if (f == format::csr)
        expect(cusparseXcsrsort(cusparse(), p.rows, p.cols, p.nnz(), descr, offsets.data(), indices.data(),
                                taken, buffer.data()));
    else
        expect(cusparseXcscsort(cusparse(), p.cols, p.rows, p.nnz(), descr, offsets.data(), indices.data(),
                                taken, buffer.data()));
    expect(cusparseDestroyMatDescr(descr));
    const numbers order = sorted_order(p);
    CHECK((indices.download() == picked(p.indices, order)));
    CHECK((offsets.download() == p.offsets));
    if (permutation) CHECK((along.download() == picked(*permutation, order)));
}

}  // namespace

TEST_CASE("coosort sorts stably by row and by column and takes P along") {
    for (const coordinates& c : all_coordinates())
        for (const by what : {by::row, by::column}) {
            INFO(c.name << (what == by::row ? " by row" : " by column"));
            numbers identity(c.rows.size());
            std::iota(identity.begin(), identity.end(), 0);
            check_coosort(c, what, &identity);
        }
}

TEST_CASE("coosort takes any contents of P along, or none") {
    random_source random{6};
    for (const coordinates& c : all_coordinates()) {
        INFO(c.name);
        const numbers any = random_numbers(c.rows.size(), INT_MIN, INT_MAX, random);
        check_coosort(c, by::row, &any);
        check_coosort(c, by::column, nullptr);
    }
}

TEST_CASE("csrsort and cscsort sort every row stably and take P along") {
    random_source random{7};
    for (const int base : {0, 1})
        for (const compressed_pattern& p : shuffled_patterns(base))
            for (const format f : {format::csr, format::csc}) {
                INFO(p.name << ", base " << base << (f == format::csr ? ", csr" : ", csc"));
                const numbers any = random_numbers(p.indices.size(), INT_MIN, INT_MAX, random);
                check_rows_sort(f, p, &any);
                check_rows_sort(f, p, nullptr);
            }
}

TEST_CASE("rows that are sorted stay as they are") {
    random_source random{8};
    compressed_pattern p = shuffled_pattern("sorted", numbers(50, 20), 60, 1, random);
    p.indices = picked(p.indices, sorted_order(p));
    const numbers any = random_numbers(p.indices.size(), INT_MIN, INT_MAX, random);
    check_rows_sort(format::csr, p, &any);
}

TEST_CASE("CreateIdentityPermutation counts from 0") {
    for (const std::size_t n : {0u, 1u, 255u, 100003u}) {
        device_array<int> p(n, 1);
        expect(cusparseCreateIdentityPermutation(cusparse(), static_cast<int>(n), p.data()));
        numbers expected(n);
        std::iota(expected.begin(), expected.end(), 0);
        CHECK((p.download() == expected));
    }
}
