// Incomplete factorisations of matrices that have rows of very different lengths: hubs, which long and short
// rows need and which need them, and zero pivots and boosts there.
#include "factor_problem.hpp"

using namespace heron::test;

namespace {

// Calls f(typed_functions) for one real and one complex type.
template <class Visit>
void for_two_types(Visit&& f) {
    for_each_type([&]<class F>(F functions) {
        const bool has_doubles = device_has(CUDA_R_64F);
        if (F::type == CUDA_C_32F || F::type == (has_doubles ? CUDA_R_64F : CUDA_R_32F)) f(functions);
    });
}

// Rows of a few elements and the diagonal, but those that are multiples of `distance` have `middle` more, and
// the hubs almost all.
struct row_lengths {
    std::int64_t n, few, middle, distance;
    std::vector<std::int64_t> hubs;
};

entries uneven_pattern(const row_lengths& lengths, std::uint64_t stream) {
    random_source random(stream);
    entries result{lengths.n, lengths.n, {}};
    for (std::int64_t i = 0; i < lengths.n; ++i) {
        const bool is_hub = std::find(lengths.hubs.begin(), lengths.hubs.end(), i) != lengths.hubs.end();
        std::vector<char> has(static_cast<std::size_t>(lengths.n), 0);
        has[static_cast<std::size_t>(i)] = 1;
        for (std::int64_t k = 0; k < lengths.few + (i % lengths.distance == 0 ? lengths.middle : 0); ++k)
            has[static_cast<std::size_t>(random.below(lengths.n))] = 1;
        for (std::int64_t j = 0; is_hub && j < lengths.n; ++j)
            if (random.below(16) != 0) has[static_cast<std::size_t>(j)] = 1;
        for (std::int64_t j = 0; j < lengths.n; ++j)
            if (has[static_cast<std::size_t>(j)]) result.list.push_back({i, j, 1.0});
    }
    return result;
}

// Edges whose ends are the more often a vertex the lower its number is.
entries power_law_pattern(std::int64_t n, std::int64_t edges, std::uint64_t stream) {
    random_source random(stream);
    const auto vertex = [&] { return random.below(random.below(random.below(n) + 1) + 1); };
    std::vector<std::vector<char>> has(static_cast<std::size_t>(n),
                                       std::vector<char>(static_cast<std::size_t>(n)));
    for (std::int64_t i = 0; i < n; ++i) has[static_cast<std::size_t>(i)][static_cast<std::size_t>(i)] = 1;
    for (std::int64_t e = 0; e < edges; ++e) {
        const auto from = static_cast<std::size_t>(vertex()), to = static_cast<std::size_t>(vertex());
        has[from][to] = has[to][from] = 1;
    }
    entries result{n, n, {}};
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            if (has[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)])
                result.list.push_back({i, j, 1.0});
    return result;
}

// By whole blocks these have rows of each kind: kept on chip or not, and with more pairs than a block has
// items.
const row_lengths some_hubs{900, 3, 40, 60, {0, 450, 898}};

template <class F>
void check_repeatable(factor_problem<F>& problem) {
    problem.factor();
    problem.check();
    const std::vector<unsigned char> first = problem.bytes();
    problem.set_values(problem.arrays().values);
    problem.factor();
    CHECK((problem.bytes() == first));
}

// The place of an element in the storage.
std::size_t place_of(const sparse_arrays& arrays, std::int64_t row, std::int64_t column) {
    const auto begin = arrays.indices.begin() + arrays.offsets[static_cast<std::size_t>(row)] - arrays.base;
    const auto end = arrays.indices.begin() + arrays.offsets[static_cast<std::size_t>(row) + 1] - arrays.base;
    const auto found = std::find(begin, end, column + arrays.base);
    REQUIRE(found != end);
    return static_cast<std::size_t>(found - arrays.indices.begin());
}

entries without_diagonal(entries pattern, std::int64_t row) {
    std::erase_if(pattern.list, [&](const entry& e) { return e.row == row && e.col == row; });
    return pattern;
}

std::vector<factor_choice> both_kinds(int base) {
    return {{true, 0, CUSPARSE_DIRECTION_ROW, base}, {false, 0, CUSPARSE_DIRECTION_ROW, base}};
}

}  // namespace

TEST_CASE("factorisations of rows of very different lengths") {
    const std::vector<named_pattern> patterns{
        {"hubs", uneven_pattern(some_hubs, 31)},
        {"a hub in the middle", uneven_pattern({400, 2, 0, 1, {200}}, 32)},
        {"hubs among rows of 14", uneven_pattern({500, 12, 45, 20, {1, 499}}, 33)},
        {"hubs among rows of 26", uneven_pattern({400, 25, 60, 20, {3, 250}}, 34)},
        {"hubs among rows of 45", uneven_pattern({300, 48, 90, 40, {0, 299}}, 35)},
        {"power law", power_law_pattern(600, 3000, 36)},
        {"long arrow", arrow_of(1200)}};
    int base = 0;
    for (const named_pattern& pattern : patterns)
        for_two_types([&](auto f) {
            INFO(pattern.name);
            for (const factor_choice& choice : both_kinds(base = 1 - base)) {
                factor_problem<decltype(f)> problem(factor_arrays(pattern.matrix, choice, f.type), choice);
                problem.analyse();
                CHECK(problem.zero_pivot() == -1);
                check_repeatable(problem);
                CHECK(problem.zero_pivot() == -1);
            }
        });
}

TEST_CASE("factorisations of many rows, some of which are long") {
    using F = typed_functions<float>;
    const entries pattern = uneven_pattern({9000, 3, 400, 1000, {}}, 37);
    for (const factor_choice& choice : both_kinds(0)) {
        factor_problem<F> problem(factor_arrays(pattern, choice, F::type), choice);
        problem.analyse();
        check_repeatable(problem);
    }
}

TEST_CASE("zero pivots in long rows and behind them") {
    const entries pattern = uneven_pattern({500, 3, 30, 50, {100, 300}}, 38);
    for_two_types([&](auto f) {
        using F = decltype(f);
        for (const std::int64_t row : {100, 150, 300, 499})
            for (const factor_choice& choice : both_kinds(static_cast<int>(row % 3 == 0))) {
                INFO(choice.name() << ", row " << row);
                // Nothing but the diagonal's own number is left for the pivot.
                entries lone = pattern;
                std::erase_if(lone.list, [&](const entry& e) { return e.row == row && e.col < row; });
                sparse_arrays arrays = factor_arrays(lone, choice, F::type);
                const number regular = arrays.values[place_of(arrays, row, row)];
                factor_problem<F> problem(arrays, choice);
                problem.analyse();
                CHECK(problem.zero_pivot() == -1);
                arrays.values[place_of(arrays, row, row)] = 0;
                problem.set_values(arrays.values);
                problem.factor();
                CHECK(problem.zero_pivot() == row);
                // Of complex numbers that are infinite each division makes something else.
                constexpr bool is_real = F::type == CUDA_R_64F || F::type == CUDA_R_32F;
                if (is_real) problem.check();
                arrays.values[place_of(arrays, row, row)] = regular;
                problem.set_values(arrays.values);
                problem.factor();
                CHECK(problem.zero_pivot() == -1);
                problem.check();

                const entries none = without_diagonal(pattern, row);
                factor_problem<F> lacking(factor_arrays(none, choice, F::type), choice);
                lacking.analyse();
                CHECK(lacking.zero_pivot() == row);
                lacking.factor();
                CHECK(lacking.zero_pivot() == row);
                if (is_real) lacking.check();
            }
    });
}

TEST_CASE("a pivot of a long row that is small is replaced while a boost is enabled") {
    const entries pattern = uneven_pattern({500, 3, 30, 50, {100, 300}}, 39);
    for_two_types([&](auto f) {
        using F = decltype(f);
        const number value = representable(F::type, {1.5, -0.75});
        for (const factor_choice& choice : {both_kinds(0)[0], both_kinds(1)[0]}) {
            sparse_arrays arrays = factor_arrays(pattern, choice, F::type);
            for (const std::int64_t row : {100, 150, 300}) arrays.values[place_of(arrays, row, row)] = 0;
            factor_problem<F> problem(arrays, choice);
            problem.analyse();
            const pointer_mode_scope scope(CUSPARSE_POINTER_MODE_HOST);
            const scalar_operand limit(CUDA_R_64F, 0.5, CUSPARSE_POINTER_MODE_HOST),
                by(F::type, value, CUSPARSE_POINTER_MODE_HOST);
            expect(problem.boost(1, limit.data(), by.data()));
            problem.factor();
            CHECK(problem.zero_pivot() == -1);
            problem.check(pivot_boost{0.5, value});
        }
    });
}

TEST_CASE("columns of long rows in any order crash nothing") {
    for_two_types([&](auto f) {
        using F = decltype(f);
        for (const factor_choice& choice : both_kinds(1)) {
            sparse_arrays arrays = factor_arrays(uneven_pattern(some_hubs, 40), choice, F::type);
            random_source random(41);
            for (std::size_t row = 0; row + 1 < arrays.offsets.size(); ++row) {
                const auto begin = arrays.indices.begin() + arrays.offsets[row] - arrays.base;
                const auto end = arrays.indices.begin() + arrays.offsets[row + 1] - arrays.base;
                std::vector<std::int64_t> columns(begin, end);
                random.shuffle(columns);
                std::copy(columns.begin(), columns.end(), begin);
            }
            factor_problem<F> problem(arrays, choice);
            problem.analyse();
            problem.factor();
            int position = 0;
            problem.try_zero_pivot(&position);
        }
    });
}
