// csrilu02, csric02, bsrilu02 and bsric02: every type, storage, policy and shape; zero pivots and boosts.
#include "factor_problem.hpp"

using namespace heron::test;

namespace {

constexpr cusparseSolvePolicy_t by_number = CUSPARSE_SOLVE_POLICY_NO_LEVEL,
                                by_levels = CUSPARSE_SOLVE_POLICY_USE_LEVEL;

// Calls f(typed_functions) for the types that the device has.
template <class Visit>
void for_types(Visit&& f) {
    for_each_type([&]<class F>(F functions) {
        if (device_has(F::type)) f(functions);
    });
}

// The same for one real and one complex type.
template <class Visit>
void for_two_types(Visit&& f) {
    for_types([&]<class F>(F functions) {
        if (F::type == CUDA_C_32F || F::type == (device_has(CUDA_R_64F) ? CUDA_R_64F : CUDA_R_32F))
            f(functions);
    });
}

template <class F>
void run(F, const entries& pattern, const factor_choice& choice, std::size_t misalignment = 0) {
    INFO(choice.name() << ", " << pattern.rows << " rows, type " << facts(F::type).name);
    factor_problem<F> problem(factor_arrays(pattern, choice, F::type), choice, misalignment);
    problem.analyse();
    CHECK(problem.zero_pivot() == -1);
    problem.factor();
    CHECK(problem.zero_pivot() == -1);
    problem.check();
}

std::vector<factor_choice> storages() {
    std::vector<factor_choice> all;
    for (const bool lu : {true, false})
        for (const std::int64_t block : {0, 1, 2, 3, 4, 8})
            for (const auto direction : {CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN}) {
                if (block == 0 && direction == CUSPARSE_DIRECTION_COLUMN) continue;
                all.push_back({lu, block, direction, static_cast<int>(all.size() % 2),
                               all.size() % 3 ? by_levels : by_number});
            }
    return all;
}

// Of a matrix some of whose rows CUDA devices hand over before all others.
std::int64_t more_rows_than_at_once() { return backend_name() == "cuda" ? 17500 : 900; }

// Without the elements that drop(row, column) names.
template <class Drop>
entries without(entries pattern, Drop&& drop) {
    std::erase_if(pattern.list, [&](const entry& e) { return drop(e.row, e.col); });
    return pattern;
}

const factor_choice lu_of_csr{true, 0}, cholesky_of_csr{false, 0}, lu_of_blocks{true, 3},
    cholesky_of_blocks{false, 3};
const factor_choice one_of_each[] = {lu_of_csr, cholesky_of_csr, lu_of_blocks, cholesky_of_blocks};

}  // namespace

TEST_CASE("factorisations of every type, storage, base and policy") {
    const entries pattern = random_square_pattern(37, 5, 3);
    std::size_t turn = 0;
    for_types([&](auto f) {
        for (const factor_choice& choice : storages()) run(f, pattern, choice, turn++ % 3);
    });
}

TEST_CASE("factorisations of runs of columns in every type") {
    const entries pattern = runs_pattern(60);
    std::size_t turn = 0;
    for_types([&](auto f) {
        for (const factor_choice& choice : {lu_of_csr, cholesky_of_csr}) run(f, pattern, choice, turn++ % 3);
    });
}

TEST_CASE("factorisations of every shape") {
    const std::vector<named_pattern> patterns{{"1x1", full_pattern(1)},
                                              {"2x2", full_pattern(2)},
                                              {"diagonal", banded_pattern(300, {0})},
                                              {"chain", banded_pattern(300, {0, 1})},
                                              {"two bands", banded_pattern(200, {0, 1, 17})},
                                              {"arrow", arrow_of(90)},
                                              {"dense", full_pattern(40)},
                                              {"long rows", full_pattern(150)},
                                              {"runs", runs_pattern(100)},
                                              {"scattered", random_square_pattern(500, 3, 5)},
                                              {"grid", grid_pattern(9, 8, 7, true)}};
    for (const named_pattern& pattern : patterns)
        for_two_types([&](auto f) {
            for (const factor_choice& choice : one_of_each) {
                INFO(pattern.name);
                if (choice.block > 0 && pattern.matrix.list.size() > 5000) continue;
                run(f, pattern.matrix, choice);
            }
        });
}

TEST_CASE("factorisations of many rows") {
    const std::vector<named_pattern> patterns{{"plane", grid_pattern(130, 90, 1, false)},
                                              {"small box", grid_pattern(22, 21, 20, true)},
                                              {"box", grid_pattern(24, 23, 22, false)},
                                              {"chain", banded_pattern(9000, {0, 1})},
                                              {"scattered", random_square_pattern(9000, 6, 6)}};
    for (const named_pattern& pattern : patterns)
        for_two_types([&](auto f) {
            INFO(pattern.name);
            run(f, pattern.matrix, lu_of_csr);
            run(f, pattern.matrix, cholesky_of_csr);
            if (pattern.name != "small box") run(f, pattern.matrix, {true, 2});
        });
}

TEST_CASE("factorisations of rows whose elements meet few others") {
    const std::vector<named_pattern> patterns{
        {"elements that meet nothing", random_square_pattern(9000, 7, 21)},
        {"more of them in a row", random_square_pattern(9000, 22, 22)},
        {"some that meet others", random_square_pattern(700, 22, 23)},
        {"many that do", random_square_pattern(300, 13, 24)},
        {"blocks that meet in their own columns", scattered_blocks_pattern(1500, 4, 5, 25)},
        {"and in others'", scattered_blocks_pattern(60, 3, 6, 26)}};
    for (const named_pattern& pattern : patterns) {
        if (is_short() && pattern.matrix.rows > 700) continue;
        for_types([&](auto f) {
            INFO(pattern.name);
            run(f, pattern.matrix, lu_of_csr);
            run(f, pattern.matrix, cholesky_of_csr);
            run(f, pattern.matrix, {true, 0, CUSPARSE_DIRECTION_ROW, 1, by_number});
            if (pattern.matrix.rows <= 700)
                for (const std::int64_t block : {2, 3, 4, 8})
                    run(f, pattern.matrix, {true, block, CUSPARSE_DIRECTION_COLUMN});
        });
    }
}

TEST_CASE("factorisations of many rows whose elements meet few others, and of a long one before them") {
    const std::int64_t n = more_rows_than_at_once();
    entries with_long{n, n, {}};
    for (std::int64_t j = 0; j < n; j += 5) with_long.list.push_back({0, j, 1.0});
    for (const entry& e : random_square_pattern(n, 3, 29).list)
        if (e.row > 0) with_long.list.push_back(e);
    for_types([&](auto f) {
        run(f, with_long, lu_of_csr);
        run(f, with_long, cholesky_of_csr);
    });
    const entries longer = random_square_pattern(n, 13, 32);
    for_types([&](auto f) { run(f, longer, lu_of_csr); });
    const entries of_blocks = random_square_pattern(n, 3, 30);
    for_types([&](auto f) {
        for (const std::int64_t block : {2, 3, 4, 8})
            if (!is_short() || block < 4) run(f, of_blocks, {true, block, CUSPARSE_DIRECTION_COLUMN});
    });
}

TEST_CASE("zero pivots of rows whose elements meet few others") {
    for (const entries& pattern :
         {random_square_pattern(std::max<std::int64_t>(more_rows_than_at_once(), 5000), 20, 27),
          scattered_blocks_pattern(900, 4, 5, 28)})
        for_types([&]<class F>(F) {
            sparse_arrays arrays = factor_arrays(pattern, lu_of_csr, F::type);
            // Their pivots are changed by no other row.
            for (const std::size_t row : {1204u, 2408u})
                for (auto k = static_cast<std::size_t>(arrays.offsets[row]);
                     k < static_cast<std::size_t>(arrays.offsets[row + 1]); ++k)
                    if (arrays.indices[k] == static_cast<std::int64_t>(row)) arrays.values[k] = 0;
            factor_problem<F> problem(arrays, lu_of_csr);
            problem.analyse();
            CHECK(problem.zero_pivot() == -1);
            problem.factor();
            CHECK(problem.zero_pivot() == 1204);
            problem.check();
        });
}

TEST_CASE("a matrix without rows, and one without elements") {
    for_two_types([&](auto f) {
        using F = decltype(f);
        for (const factor_choice& choice : one_of_each) {
            factor_problem<F> none(factor_arrays(full_pattern(0), choice, F::type), choice);
            none.analyse();
            none.factor();
            CHECK(none.zero_pivot() == -1);
            factor_problem<F> empty(factor_arrays(banded_pattern(5, {}), choice, F::type), choice);
            empty.analyse();
            CHECK(empty.zero_pivot() == 0);
            empty.factor();
            CHECK(empty.zero_pivot() == 0);
        }
    });
}

TEST_CASE("one analysis serves new values, and infos share a workspace") {
    const entries first = random_square_pattern(60, 4, 8), second = grid_pattern(8, 7, 1, false);
    for_two_types([&](auto f) {
        using F = decltype(f);
        for (const factor_choice& choice : one_of_each) {
            factor_problem<F> a(factor_arrays(first, choice, F::type), choice);
            factor_problem<F> b(factor_arrays(second, choice, F::type), choice);
            a.analyse();
            expect(b.try_analyse(choice.policy, a.buffer()));
            for (const std::uint64_t stream : {1, 2, 3}) {
                a.set_values(factor_arrays(first, choice, F::type, stream).values);
                b.set_values(factor_arrays(second, choice, F::type, stream).values);
                a.factor();
                expect(b.try_factor(choice.policy, a.buffer()));
                a.check();
                b.check();
            }
        }
    });
}

TEST_CASE("an info is analysed again for another matrix") {
    using F = typed_functions<float>;
    for (const factor_choice& choice : one_of_each)
        for (const std::int64_t n : {30, 90, 12}) run(F{}, random_square_pattern(n, 3, 9), choice);
}

TEST_CASE("missing diagonal elements are zero pivots from the analysis on") {
    for_two_types([&](auto f) {
        using F = decltype(f);
        for (factor_choice choice : one_of_each)
            for (const std::int64_t missing : {0, 7, 24}) {
                choice.base = static_cast<int>(missing % 2);
                const entries pattern = without(random_square_pattern(25, 4, 10), [&](auto row, auto col) {
                    return row == col && (row == missing || row == 24);
                });
                INFO(choice.name() << ", row " << missing);
                factor_problem<F> problem(factor_arrays(pattern, choice, F::type), choice);
                problem.analyse();
                CHECK(problem.zero_pivot() == missing);
                problem.factor();
                CHECK(problem.zero_pivot() == missing);
                if (choice.block == 0) problem.check();
            }
    });
}

TEST_CASE("numbers that are zero are zero pivots from the factorisation on") {
    for_two_types([&](auto f) {
        using F = decltype(f);
        for (factor_choice choice : one_of_each)
            for (const bool on_device : {false, true}) {
                choice.base = on_device;
                const std::int64_t size = std::max<std::int64_t>(choice.block, 1);
                sparse_arrays arrays = factor_arrays(banded_pattern(20, {0, 1}), choice, F::type);
                const std::vector<number> regular = arrays.values;
                // Rows 6 and 13 of blocks are zero, and so is what they need.
                for (const std::int64_t row : {6, 13}) {
                    const std::int64_t begin = (arrays.offsets[static_cast<std::size_t>(row)] - arrays.base);
                    const std::int64_t end =
                        (arrays.offsets[static_cast<std::size_t>(row) + 1] - arrays.base);
                    for (std::int64_t k = begin * size * size; k < end * size * size; ++k)
                        if (arrays.values[static_cast<std::size_t>(k)] ==
                            arrays.values[static_cast<std::size_t>(k)])
                            arrays.values[static_cast<std::size_t>(k)] = 0;
                }
                INFO(choice.name());
                factor_problem<F> problem(arrays, choice);
                problem.analyse();
                CHECK(problem.zero_pivot() == -1);
                problem.factor();
                const pointer_mode_scope mode(on_device ? CUSPARSE_POINTER_MODE_DEVICE
                                                        : CUSPARSE_POINTER_MODE_HOST);
                device_array<int> position(std::vector<int>{-9});
                int host_position = -9;
                expect(problem.try_zero_pivot(on_device ? position.data() : &host_position),
                       CUSPARSE_STATUS_ZERO_PIVOT);
                CHECK((on_device ? position.download()[0] : host_position) == 6 + choice.base);
                // Values without zeros, and no new analysis.
                problem.set_values(regular);
                problem.factor();
                expect(problem.try_zero_pivot(on_device ? position.data() : &host_position));
                CHECK((on_device ? position.download()[0] : host_position) == -1);
                problem.check();
            }
    });
}

TEST_CASE("a zero pivot spoils the rows that need it, and no others") {
    using F = typed_functions<float>;
    for (const factor_choice& choice : {lu_of_csr, cholesky_of_csr}) {
        sparse_arrays arrays = factor_arrays(banded_pattern(30, {0, 10}), choice, F::type);
        for (std::int64_t k = arrays.offsets[5]; k < arrays.offsets[6]; ++k)
            if (arrays.indices[static_cast<std::size_t>(k)] == 5)
                arrays.values[static_cast<std::size_t>(k)] = 0;
        factor_problem<F> problem(arrays, choice);
        problem.analyse();
        problem.factor();
        CHECK(problem.zero_pivot() == 5);
        problem.check();
    }
}

TEST_CASE("a pivot that is negative ends a Cholesky factorisation") {
    for_two_types([&](auto f) {
        using F = decltype(f);
        for (const factor_choice& choice : {cholesky_of_csr, cholesky_of_blocks}) {
            const std::int64_t size = std::max<std::int64_t>(choice.block, 1);
            sparse_arrays arrays = factor_arrays(banded_pattern(12, {0}), choice, F::type);
            arrays.values[static_cast<std::size_t>(4 * size * size)] = -1.0;
            factor_problem<F> problem(arrays, choice);
            problem.analyse();
            problem.factor();
            CHECK(problem.zero_pivot() == 4);
        }
    });
}

TEST_CASE("small pivots are replaced while a boost is enabled") {
    const double tolerance = 0.25;
    for_types([&](auto f) {
        using F = decltype(f);
        const number value = representable(F::type, {0.5, -0.75});
        for (const factor_choice& choice : {lu_of_csr, lu_of_blocks, factor_choice{true, 1}})
            for (const cusparsePointerMode_t mode :
                 {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE}) {
                INFO(choice.name() << ", pointer mode " << mode);
                const std::int64_t size = std::max<std::int64_t>(choice.block, 1);
                sparse_arrays arrays = factor_arrays(banded_pattern(24, {0}), choice, F::type);
                const auto set_pivot = [&](std::int64_t row, number pivot) {
                    for (std::int64_t k = 0; k < size; ++k) {
                        arrays.values[static_cast<std::size_t>(row * size * size + k)] = 0;
                        arrays.values[static_cast<std::size_t>(row * size * size + k * size)] = 0;
                    }
                    arrays.values[static_cast<std::size_t>(row * size * size)] = pivot;
                };
                set_pivot(3, 0);
                set_pivot(5, representable(F::type, {-0.25, 0}));
                set_pivot(7, representable(F::type, {0.1875, 0.125}));
                set_pivot(9, 0.2501);
                factor_problem<F> problem(arrays, choice);
                problem.analyse();
                {
                    const pointer_mode_scope scope(mode);
                    const scalar_operand limit(CUDA_R_64F, tolerance, mode), by(F::type, value, mode);
                    expect(problem.boost(1, limit.data(), by.data()));
                    problem.factor();
                    expect(heron_synchronize(native()));
                }
                CHECK(problem.zero_pivot() == -1);
                problem.check(pivot_boost{tolerance, value});
                expect(problem.boost(0, nullptr, nullptr));
                problem.set_values(arrays.values);
                problem.factor();
                CHECK(problem.zero_pivot() == 3);
                if (choice.block != 3) problem.check();
            }
    });
}

TEST_CASE("columns in any order crash nothing") {
    for_two_types([&](auto f) {
        using F = decltype(f);
        for (const factor_choice& choice : one_of_each) {
            sparse_arrays arrays = factor_arrays(random_square_pattern(200, 6, 12), choice, F::type);
            random_source random(13);
            for (std::size_t row = 0; row + 1 < arrays.offsets.size(); ++row) {
                std::vector<std::int64_t> columns(arrays.indices.begin() + arrays.offsets[row],
                                                  arrays.indices.begin() + arrays.offsets[row + 1]);
                random.shuffle(columns);
                std::copy(columns.begin(), columns.end(), arrays.indices.begin() + arrays.offsets[row]);
            }
            factor_problem<F> problem(arrays, choice);
            problem.analyse();
            problem.factor();
            int position = 0;
            problem.try_zero_pivot(&position);
        }
    });
}

TEST_CASE("the phases' order, policies and the workspace's address") {
    using F = typed_functions<float>;
    for (factor_choice choice : one_of_each) {
        choice.policy = by_number;
        const entries pattern = banded_pattern(10, {0, 1});
        factor_problem<F> problem(factor_arrays(pattern, choice, F::type), choice);
        const workspace buffer(problem.buffer_size() + 64);
        expect(problem.try_factor(by_number, buffer.data()), CUSPARSE_STATUS_INVALID_VALUE);
        void* const odd = static_cast<char*>(buffer.data()) + 64;
        expect(problem.try_analyse(by_number, odd), CUSPARSE_STATUS_INVALID_VALUE);
        expect(problem.try_analyse(by_number, nullptr), CUSPARSE_STATUS_INVALID_VALUE);
        CHECK(problem.zero_pivot() == -1);
        problem.analyse();
        expect(problem.try_factor(by_number, odd), CUSPARSE_STATUS_INVALID_VALUE);
        expect(problem.try_factor(by_levels, buffer.data()), CUSPARSE_STATUS_INVALID_VALUE);
        problem.factor();
        problem.check();
        // Analysed with levels, a matrix is factorised with or without.
        expect(problem.try_analyse(by_levels, buffer.data()));
        problem.set_values(factor_arrays(pattern, choice, F::type, 2).values);
        expect(problem.try_factor(by_number, buffer.data()));
        problem.check();
    }
}

TEST_CASE("infos are destroyed with work under way") {
    using F = typed_functions<float>;
    for (const factor_choice& choice : one_of_each) {
        factor_problem<F> problem(factor_arrays(grid_pattern(40, 40, 1, false), choice, F::type), choice);
        problem.analyse();
        problem.factor();
    }
    expect(cusparseDestroyCsrilu02Info(nullptr));
    expect(cusparseDestroyCsric02Info(nullptr));
    expect(cusparseDestroyBsrilu02Info(nullptr));
    expect(cusparseDestroyBsric02Info(nullptr));
}
