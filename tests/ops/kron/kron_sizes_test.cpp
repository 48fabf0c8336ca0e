// Every size of square factors that a GPU has kernels of its own for, in every type: as items and in groups.
// The vectors are Kronecker products themselves, so that (A (x) B)(u (x) v) = Au (x) Bv tells all elements of
// results that are too long for the explicit product.
#include "kron_problem.hpp"
#include "ops/operands.hpp"

using namespace heron::test;

namespace {

constexpr heron_type all_types[] = {HERON_R_32F, HERON_R_64F, HERON_C_32F, HERON_C_64F};
constexpr std::int64_t most_modes = 8;
// Elements of a vector at most; all that a GPU has kernels for take up to 10^7.
std::int64_t most_elements() { return backend_name() == "cuda" ? 10'000'000 : 20'000; }

std::vector<number> random_vector(cudaDataType type, std::int64_t count, random_source& random) {
    std::vector<number> values(static_cast<std::size_t>(count));
    for (number& v : values) {
        const double re = random.symmetric_unit();
        v = {re, is_complex(type) ? random.symmetric_unit() : 0.0};
    }
    return rounded(type, values);
}

template <class T, class Multiply>
std::vector<T> kron_of(const std::vector<std::vector<T>>& parts, const Multiply& multiply) {
    std::vector<T> result{T{1}};
    for (const std::vector<T>& part : parts) {
        std::vector<T> next;
        next.reserve(result.size() * part.size());
        for (const T& outer : result)
            for (const T& inner : part) next.push_back(multiply(outer, inner));
        result.swap(next);
    }
    return result;
}

std::vector<number> kron_of(const std::vector<std::vector<number>>& parts) { return kron_of(parts, product); }

// `count` items of d factors n x n with one vector, the product of `parts`.
struct sized_problem {
    kron_problem p;
    std::vector<std::vector<number>> parts;
};

kron_places strided(std::int64_t stride, std::int64_t count) {
    kron_places places;
    places.unit = stride;
    for (std::int64_t k = 0; k < count; ++k) places.offsets.push_back(k * stride);
    return places;
}

sized_problem problem_of(heron_type type, int d, std::int64_t n, std::int64_t count, bool grouped,
                         random_source& random) {
    sized_problem result;
    kron_problem& p = result.p;
    p.type = type;
    p.count = count;
    for (int i = 0; i < d; ++i) {
        p.factors.push_back({n, n, n, HERON_OP_NONE, strided(n * n, count), {}});
        p.factors.back().stored = random_vector(p.data_type(), n * n * count, random);
        result.parts.push_back(random_vector(p.data_type(), n, random));
    }
    p.x = rounded(p.data_type(), kron_of(result.parts));
    p.ldx = p.ldy = p.rows();
    p.x_places = strided(0, count);
    p.output = grouped ? HERON_KRON_ADD_GROUPED : HERON_KRON_STORE;
    if (grouped) p.group_offsets = {0, count};
    const std::int64_t outputs = grouped ? 1 : count;
    p.y_places = strided(p.rows(), outputs);
    p.y.assign(static_cast<std::size_t>(p.rows() * outputs), grouped ? number{0.5} : poison(p.data_type()));
    return result;
}

// Adds an item's product, and the same with absolute values, to an output's place.
void add_item(const sized_problem& of, std::int64_t item, std::size_t at, expectation& to) {
    std::vector<std::vector<number>> values;
    std::vector<std::vector<double>> sizes;
    for (std::size_t i = 0; i < of.parts.size(); ++i) {
        const kron_factor_case& f = of.p.factors[i];
        const auto begin = static_cast<std::size_t>(f.places.offsets[static_cast<std::size_t>(item)]);
        const auto n = static_cast<std::size_t>(f.n);
        std::vector<number> line(n);
        std::vector<double> line_sizes(n);
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t row = 0; row < n; ++row) {
                const number& a = f.stored[begin + row + j * n];
                line[row] += product(a, of.parts[i][j]);
                line_sizes[row] += absolute(a) * absolute(of.parts[i][j]);
            }
        values.push_back(std::move(line));
        sizes.push_back(std::move(line_sizes));
    }
    const std::vector<number> product_of_item = kron_of(values);
    const std::vector<double> size_of_item = kron_of(sizes, [](double a, double b) { return a * b; });
    for (std::size_t k = 0; k < product_of_item.size(); ++k) {
        to.value[at + k] += product_of_item[k];
        to.bound[at + k] += size_of_item[k];
    }
}

expectation expected_of(const sized_problem& of) {
    const kron_problem& p = of.p;
    const bool grouped = p.output == HERON_KRON_ADD_GROUPED;
    expectation all{p.y, std::vector<double>(p.y.size())};
    if (!grouped) all.value.assign(p.y.size(), number{});
    for (double& size : all.bound) size = grouped ? 0.5 : 0.0;
    for (std::int64_t k = 0; k < p.count; ++k)
        add_item(of, k, grouped ? 0 : static_cast<std::size_t>(k * p.rows()), all);
    const auto modes = static_cast<std::int64_t>(p.factors.size());
    const std::int64_t weight =
        (modes * (p.factors[0].n + 2) + p.count + 4) * (is_complex(p.data_type()) ? 4 : 1);
    for (std::size_t k = 0; k < all.value.size(); ++k)
        all.bound[k] = error_bound(p.data_type(), p.data_type(), weight, all.bound[k], all.value[k]);
    return all;
}

void check(const sized_problem& of) {
    kron_run run(of.p);
    expect(run.run());
    CHECK(difference(decode(of.p.data_type(), run.y_bytes()), expected_of(of)) == "");
}

// Numbers of items. A short test has one where that reaches the same kernels; those that add up items on chip
// differ by whether a block has all items of its tiles.
std::vector<std::int64_t> counts_of(std::int64_t n, std::int64_t size, bool grouped) {
    constexpr std::int64_t most_of_one_pass = 4'000, most_of_sums = 1'100'000;
    const std::int64_t plain = size > 300'000 ? 2 : 5;
    if (!is_short()) return {plain};
    if (!grouped || size > most_of_sums) return {1};
    if (n < 8 || size <= most_of_one_pass) return {plain};
    return n == 8 ? std::vector<std::int64_t>{1, 2, 5} : std::vector<std::int64_t>{1, 5};
}

void check_sizes(heron_type type, bool grouped, std::initializer_list<std::int64_t> factor_rows) {
    random_source random(grouped ? 31 : 30);
    for (const std::int64_t n : factor_rows) {
        std::int64_t size = 1;
        for (int d = 1; d <= most_modes && size * n <= most_elements(); ++d) {
            size *= n;
            for (const std::int64_t count : counts_of(n, size, grouped)) {
                CAPTURE(type, n, d, count, grouped);
                check(problem_of(type, d, n, count, grouped, random));
            }
        }
    }
}

}  // namespace

TEST_CASE("items of every size, 2 to 5 and 16 rows, f32") {
    check_sizes(HERON_R_32F, false, {2, 3, 4, 5, 16});
}
TEST_CASE("items of every size, 6 and 8 rows, f32") { check_sizes(HERON_R_32F, false, {6, 8}); }
TEST_CASE("items of every size, 7 rows, f32") { check_sizes(HERON_R_32F, false, {7}); }
TEST_CASE("items of every size, 9 rows, f32") { check_sizes(HERON_R_32F, false, {9}); }
TEST_CASE("items of every size, 10 rows, f32") { check_sizes(HERON_R_32F, false, {10}); }
TEST_CASE("items of every size, 2 to 5 and 16 rows, f64") {
    check_sizes(HERON_R_64F, false, {2, 3, 4, 5, 16});
}
TEST_CASE("items of every size, 6 and 8 rows, f64") { check_sizes(HERON_R_64F, false, {6, 8}); }
TEST_CASE("items of every size, 7 rows, f64") { check_sizes(HERON_R_64F, false, {7}); }
TEST_CASE("items of every size, 9 rows, f64") { check_sizes(HERON_R_64F, false, {9}); }
TEST_CASE("items of every size, 10 rows, f64") { check_sizes(HERON_R_64F, false, {10}); }
TEST_CASE("items of every size, 2 to 5 and 16 rows, c32") {
    check_sizes(HERON_C_32F, false, {2, 3, 4, 5, 16});
}
TEST_CASE("items of every size, 6 and 8 rows, c32") { check_sizes(HERON_C_32F, false, {6, 8}); }
TEST_CASE("items of every size, 7 rows, c32") { check_sizes(HERON_C_32F, false, {7}); }
TEST_CASE("items of every size, 9 rows, c32") { check_sizes(HERON_C_32F, false, {9}); }
TEST_CASE("items of every size, 10 rows, c32") { check_sizes(HERON_C_32F, false, {10}); }
TEST_CASE("items of every size, 2 to 5 and 16 rows, c64") {
    check_sizes(HERON_C_64F, false, {2, 3, 4, 5, 16});
}
TEST_CASE("items of every size, 6 and 8 rows, c64") { check_sizes(HERON_C_64F, false, {6, 8}); }
TEST_CASE("items of every size, 7 rows, c64") { check_sizes(HERON_C_64F, false, {7}); }
TEST_CASE("items of every size, 9 rows, c64") { check_sizes(HERON_C_64F, false, {9}); }
TEST_CASE("items of every size, 10 rows, c64") { check_sizes(HERON_C_64F, false, {10}); }

TEST_CASE("groups of items of every size, 2 to 5 and 16 rows, f32") {
    check_sizes(HERON_R_32F, true, {2, 3, 4, 5, 16});
}
TEST_CASE("groups of items of every size, 6 and 8 rows, f32") { check_sizes(HERON_R_32F, true, {6, 8}); }
TEST_CASE("groups of items of every size, 7 rows, f32") { check_sizes(HERON_R_32F, true, {7}); }
TEST_CASE("groups of items of every size, 9 rows, f32") { check_sizes(HERON_R_32F, true, {9}); }
TEST_CASE("groups of items of every size, 10 rows, f32") { check_sizes(HERON_R_32F, true, {10}); }
TEST_CASE("groups of items of every size, 2 to 5 and 16 rows, f64") {
    check_sizes(HERON_R_64F, true, {2, 3, 4, 5, 16});
}
TEST_CASE("groups of items of every size, 6 and 8 rows, f64") { check_sizes(HERON_R_64F, true, {6, 8}); }
TEST_CASE("groups of items of every size, 7 rows, f64") { check_sizes(HERON_R_64F, true, {7}); }
TEST_CASE("groups of items of every size, 9 rows, f64") { check_sizes(HERON_R_64F, true, {9}); }
TEST_CASE("groups of items of every size, 10 rows, f64") { check_sizes(HERON_R_64F, true, {10}); }
TEST_CASE("groups of items of every size, 2 to 5 and 16 rows, c32") {
    check_sizes(HERON_C_32F, true, {2, 3, 4, 5, 16});
}
TEST_CASE("groups of items of every size, 6 and 8 rows, c32") { check_sizes(HERON_C_32F, true, {6, 8}); }
TEST_CASE("groups of items of every size, 7 rows, c32") { check_sizes(HERON_C_32F, true, {7}); }
TEST_CASE("groups of items of every size, 9 rows, c32") { check_sizes(HERON_C_32F, true, {9}); }
TEST_CASE("groups of items of every size, 10 rows, c32") { check_sizes(HERON_C_32F, true, {10}); }
TEST_CASE("groups of items of every size, 2 to 5 and 16 rows, c64") {
    check_sizes(HERON_C_64F, true, {2, 3, 4, 5, 16});
}
TEST_CASE("groups of items of every size, 6 and 8 rows, c64") { check_sizes(HERON_C_64F, true, {6, 8}); }
TEST_CASE("groups of items of every size, 7 rows, c64") { check_sizes(HERON_C_64F, true, {7}); }
TEST_CASE("groups of items of every size, 9 rows, c64") { check_sizes(HERON_C_64F, true, {9}); }
TEST_CASE("groups of items of every size, 10 rows, c64") { check_sizes(HERON_C_64F, true, {10}); }

TEST_CASE("items of every type by every algorithm") {
    random_source random(32);
    for (const heron_type type : all_types)
        for (int algorithm = 0; algorithm < 4; ++algorithm)
            for (const std::int64_t n : {3, 11}) {
                CAPTURE(type, algorithm, n);
                sized_problem of = problem_of(type, 3, n, 5, false, random);
                of.p.algorithm = static_cast<heron_kron_algorithm>(algorithm);
                check(of);
            }
}
