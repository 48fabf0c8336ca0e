// csrsv2, csrsm2, and csrsv and csrsm of the CUDA versions before them, in four types: residuals against the
// oracle, the bits of SpSV and SpSM, zero pivots, levels, and what the infos keep.
#include "csr_problem.hpp"

using namespace heron::test;

namespace {

struct system_case {
    std::string name;
    entries pattern;
};

std::vector<system_case> systems() {
    random_source random(82);
    return {{"one", diagonal_pattern(1)},
            {"diagonal", diagonal_pattern(70)},
            {"chain", chain_pattern(200)},
            {"arrow", arrow_pattern(130)},
            {"full", dense_pattern(45)},
            {"scattered", scattered_pattern(400, 4, random)},
            {"sparse", scattered_pattern(1500, 1, random)}};
}

sparse_arrays system_arrays(const entries& pattern, const triangle& t, int base, cudaDataType type,
                            std::uint64_t stream = 1) {
    return make_system(pattern, {"CSR", CUSPARSE_FORMAT_CSR}, indices_of_base(base), t, type, stream);
}

constexpr solve_method all_methods[] = {solve_method::csrsv2, solve_method::csrsm2, solve_method::csrsv,
                                        solve_method::csrsm};

sides_case plain_sides(solve_method by) { return {by, is_of_matrices(by) ? 3 : 1}; }

}  // namespace

TEST_CASE("csrsv2, csrsm2, csrsv and csrsm in four types, all triangles and both bases") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        const number alpha = representable(F::type, {0.75, -0.5});
        constexpr auto on_device = CUSPARSE_POINTER_MODE_DEVICE;
        const sides_case sides[] = {{solve_method::csrsv2},
                                    {solve_method::csrsv2, 1, false, 0, true, alpha, on_device},
                                    {solve_method::csrsm2, 1, true, 2},
                                    {solve_method::csrsm2, 5, false, 3, true, alpha, on_device},
                                    {solve_method::csrsm2, 37, true, 1},
                                    {solve_method::csrsm2, 70, false, 0},
                                    {solve_method::csrsm2, 0, false, 0},
                                    {solve_method::csrsv, 1, false, 0, false, alpha, on_device},
                                    {solve_method::csrsv, 1, false, 0, true},
                                    {solve_method::csrsm, 1, false, 1},
                                    {solve_method::csrsm, 6, false, 2, true, alpha},
                                    {solve_method::csrsm, 66, false, 1, false, alpha, on_device},
                                    {solve_method::csrsm, 0, false, 0}};
        std::size_t turn = 0;
        for (const system_case& c : systems())
            for (const triangle& t : all_triangles(F::type))
                for (const int base : {0, 1}) {
                    csr_problem<F> problem(system_arrays(c.pattern, t, base, F::type), t);
                    for (int k = 0; k < 4; ++k) {
                        const sides_case& s = sides[turn++ % std::size(sides)];
                        INFO(facts(F::type).name << ", " << c.name << ", " << t.name() << ", base " << base
                                                 << ", " << s.name());
                        problem.run(s, turn % 2 == 0 ? with_levels : without_levels);
                    }
                }
    });
}

TEST_CASE("the bits of SpSV and SpSM") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(83);
        const entries pattern = scattered_pattern(700, 5, random);
        for (const triangle& t : all_triangles(F::type)) {
            csr_problem<F> problem(system_arrays(pattern, t, 1, F::type), t);
            for (const solve_method by : all_methods) {
                const sides_case s{by, is_of_matrices(by) ? 7 : 1};
                INFO(facts(F::type).name << ", " << t.name() << ", " << s.name());
                problem.run(s);
                CHECK(problem.solution() == problem.generic_solution(s));
            }
        }
    });
}

TEST_CASE("systems that are empty or store no element") {
    const triangle unit{no_transpose, CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_UNIT};
    for_each_type([&]<class F>(F) {
        if (!device_has(F::type)) return;
        for (const solve_method by : all_methods) {
            const sides_case s = plain_sides(by);
            INFO(s.name());
            csr_problem<F>(system_arrays({}, {}, 1, F::type), {}, true).run(s);
            const sparse_arrays nothing = system_arrays({6, 6, {}}, {}, 1, F::type);
            csr_problem<F>(nothing, unit, true).run(s);
            csr_problem<F> singular(nothing, {}, true);
            singular.analyse(s);
            singular.expect_pivot(s, 1);
            singular.solve(s, with_levels, false);
            singular.expect_pivot(s, 1);
        }
    });
}

TEST_CASE("infos of CSR solves serve new values and other matrices, and share a buffer") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(84);
        const triangle lower{},
            upper{CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_FILL_MODE_UPPER, CUSPARSE_DIAG_TYPE_UNIT};
        const entries first = scattered_pattern(300, 3, random), second = arrow_pattern(90);
        for (const solve_method by : all_methods) {
            const sides_case s = plain_sides(by);
            INFO(s.name());
            csr_problem<F> l(system_arrays(first, lower, 1, F::type), lower),
                u(system_arrays(second, upper, 0, F::type), upper);
            l.analyse(s);
            u.analyse(s, without_levels);
            u.share_buffer(l);
            for (const std::uint64_t stream : {1, 2, 3}) {
                l.set_values(system_arrays(first, lower, 1, F::type, stream).values);
                u.set_values(system_arrays(second, upper, 0, F::type, stream).values);
                l.solve(s);
                l.solve(s, without_levels);
                u.solve(s, without_levels);
            }
            // An info whose first matrix was smaller, and back.
            l.take_infos(u);
            l.analyse(s);
            l.solve(s);
            u.take_infos(l);
            u.analyse(s);
            u.solve(s);
            u.expect_pivot(s, -1);
        }
    });
}

TEST_CASE("more and fewer right-hand sides than were analysed or solved for") {
    using F = typed_functions<float>;
    random_source random(85);
    csr_problem<F> problem(system_arrays(scattered_pattern(500, 4, random), {}, 0, F::type), {});
    for (const std::int64_t analysed : {0, 1, 8, 100})
        for (const std::int64_t columns : {1, 3, 8, 65, 130}) {
            CAPTURE(analysed, columns);
            problem.analyse({solve_method::csrsm2, analysed});
            problem.solve({solve_method::csrsm2, columns});
        }
    for (const auto& counts : std::vector<std::vector<std::int64_t>>{{1, 3, 130, 8, 65}, {130, 1}, {5, 6}}) {
        problem.analyse({solve_method::csrsm});
        for (const std::int64_t columns : counts) problem.solve({solve_method::csrsm, columns});
    }
}

TEST_CASE("an analysis of csrsv serves both kinds of diagonals and either solve") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(86);
        const entries pattern = scattered_pattern(250, 4, random);
        for (const auto op : {no_transpose, CUSPARSE_OPERATION_TRANSPOSE})
            for (const auto fill : {CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER})
                for (const auto analysed : {CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT}) {
                    CAPTURE(F::type, op, fill, analysed);
                    const triangle whole{op, fill, CUSPARSE_DIAG_TYPE_NON_UNIT};
                    csr_problem<F> problem(system_arrays(pattern, whole, 0, F::type), whole);
                    problem.set_diagonal(analysed);
                    problem.analyse({solve_method::csrsv});
                    for (const auto diag :
                         {CUSPARSE_DIAG_TYPE_UNIT, CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT}) {
                        problem.set_diagonal(diag);
                        problem.solve({solve_method::csrsv});
                        problem.solve({solve_method::csrsm, 4});
                    }
                }
    });
}

TEST_CASE("zero pivots of csrsv2 and csrsm2: where they are, and until when") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        for (const solve_method by : {solve_method::csrsv2, solve_method::csrsm2})
            for (const int base : {0, 1})
                for (const auto fill : {CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER})
                    for (const auto op : {no_transpose, CUSPARSE_OPERATION_TRANSPOSE}) {
                        const sides_case s = plain_sides(by);
                        CAPTURE(F::type, base, fill, op);
                        const triangle t{op, fill, CUSPARSE_DIAG_TYPE_NON_UNIT};
                        const triangle unit{op, fill, CUSPARSE_DIAG_TYPE_UNIT};
                        const entries chain = chain_pattern(500);
                        const sparse_arrays regular = system_arrays(chain, t, base, F::type);
                        csr_problem<F> problem(regular, t);
                        problem.expect_pivot(s, -1);
                        problem.analyse(s);
                        problem.expect_pivot(s, -1);
                        problem.solve(s);
                        problem.expect_pivot(s, -1);
                        problem.set_values(with_zero_diagonal(regular, {310, 170, 499}));
                        problem.solve(s, with_levels, false);
                        problem.expect_pivot(s, 170 + base);
                        problem.expect_pivot(s, 170 + base);
                        problem.set_values(regular.values);
                        problem.solve(s);
                        problem.expect_pivot(s, -1);

                        // An element that is missing, behind and before a zero.
                        entries gap = chain;
                        std::erase_if(gap.list, [](const entry& e) {
                            return (e.row == 200 || e.row == 400) && e.col == e.row;
                        });
                        const sparse_arrays missing = system_arrays(gap, t, base, F::type);
                        csr_problem<F> structural(missing, t);
                        structural.analyse(s);
                        structural.expect_pivot(s, 200 + base);
                        structural.solve(s, with_levels, false);
                        structural.expect_pivot(s, 200 + base);
                        structural.set_values(with_zero_diagonal(missing, {0}));
                        structural.solve(s, with_levels, false);
                        structural.expect_pivot(s, base);

                        // The same info, now of a matrix that has them all.
                        problem.take_infos(structural);
                        problem.analyse(s);
                        problem.expect_pivot(s, -1);

                        // No pivots are looked at.
                        csr_problem<F> ones(system_arrays(gap, unit, base, F::type), unit);
                        ones.analyse(s);
                        ones.expect_pivot(s, -1);
                        ones.solve(s);
                        ones.expect_pivot(s, -1);
                    }
    });
}

TEST_CASE("zero pivots in rows whose columns come in any order") {
    using F = typed_functions<float>;
    random_source random(87);
    const entries pattern = scattered_pattern(300, 12, random);
    for (const int base : {0, 1}) {
        const sparse_arrays arrays =
            make_system(pattern, {"CSR", CUSPARSE_FORMAT_CSR, true}, indices_of_base(base), {}, F::type);
        for (const solve_method by : {solve_method::csrsv2, solve_method::csrsm2}) {
            const sides_case s = plain_sides(by);
            csr_problem<F> problem(arrays, {});
            problem.run(s);
            for (const std::int64_t row : {0, 1, 77, 299}) {
                problem.set_values(with_zero_diagonal(arrays, {row}));
                problem.solve(s, with_levels, false);
                problem.expect_pivot(s, static_cast<int>(row) + base);
            }
        }
    }
}

TEST_CASE("a solve of CSR needs what was analysed, and levels if it asks for them") {
    using F = typed_functions<float>;
    const sparse_arrays arrays = system_arrays(chain_pattern(12), {}, 0, F::type);
    for (const solve_method by : all_methods) {
        const sides_case s{by};
        INFO(s.name());
        csr_problem<F> problem(arrays, {});
        expect(problem.try_any_solve(s, with_levels), CUSPARSE_STATUS_INVALID_VALUE);
        problem.analyse(s, without_levels);
        if (has_phases(by)) expect(problem.try_any_solve(s, with_levels), CUSPARSE_STATUS_INVALID_VALUE);
        expect(problem.try_any_solve(s, without_levels));
        problem.set_operation(CUSPARSE_OPERATION_TRANSPOSE);
        expect(problem.try_any_solve(s, without_levels), CUSPARSE_STATUS_INVALID_VALUE);
        problem.set_operation(no_transpose);
        problem.set_fill(CUSPARSE_FILL_MODE_UPPER);
        expect(problem.try_any_solve(s, without_levels), CUSPARSE_STATUS_INVALID_VALUE);
    }
}

TEST_CASE("the levels that GetLevelInfo tells are those of the triangle") {
    using F = typed_functions<double>;
    if (!device_has(F::type)) return;
    for (const system_case& c : systems())
        for (const triangle& t : all_triangles(F::type))
            for (const int base : {0, 1}) {
                INFO(c.name << ", " << t.name() << ", base " << base);
                csr_problem<F> problem(system_arrays(c.pattern, t, base, F::type), t);
                int count = -1;
                int *starts = nullptr, *rows = nullptr;
                expect(problem.try_levels(&count, &starts, &rows), CUSPARSE_STATUS_INVALID_VALUE);
                CHECK(count == -1);
                problem.analyse({solve_method::csrsv});
                expect(problem.try_levels(&count, &starts, &rows));
                const std::vector<std::vector<int>> expected = problem.expected_levels();
                REQUIRE(count == static_cast<int>(expected.size()));
                const std::vector<int> found_starts = from_device(starts, expected.size() + 1);
                CHECK(found_starts.front() == 0);
                const std::vector<int> found = from_device(rows, static_cast<std::size_t>(c.pattern.rows));
                std::vector<int> all;
                for (std::size_t l = 0; l < expected.size(); ++l) {
                    all.insert(all.end(), expected[l].begin(), expected[l].end());
                    CHECK(found_starts[l + 1] == static_cast<int>(all.size()));
                }
                CHECK(found == all);
                // Asked again, and after solves.
                problem.solve({solve_method::csrsm, 3});
                int again = 0, *same_starts = nullptr, *same_rows = nullptr;
                expect(problem.try_levels(&again, &same_starts, &same_rows));
                CHECK(again == count);
                CHECK(same_starts == starts);
                CHECK(same_rows == rows);
            }
}

TEST_CASE("levels of an info that is analysed for another matrix") {
    using F = typed_functions<float>;
    csr_problem<F> chain(system_arrays(chain_pattern(40), {}, 0, F::type), {}),
        diagonal(system_arrays(diagonal_pattern(60), {}, 1, F::type), {}),
        empty(system_arrays({}, {}, 0, F::type), {}, true);
    int count = 0, *starts = nullptr, *rows = nullptr;
    chain.analyse({solve_method::csrsv});
    expect(chain.try_levels(&count, &starts, &rows));
    CHECK(count == 40);
    diagonal.take_infos(chain);
    diagonal.analyse({solve_method::csrsm});
    expect(diagonal.try_levels(&count, &starts, &rows));
    CHECK(count == 1);
    empty.take_infos(diagonal);
    empty.analyse({solve_method::csrsv});
    expect(empty.try_levels(&count, &starts, &rows));
    CHECK(count == 0);
    CHECK(from_device(starts, 1) == std::vector<int>{0});
}

TEST_CASE("csrsv with types as arguments") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(88);
        const triangle t{CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_FILL_MODE_UPPER};
        csr_problem<F> typed(system_arrays(scattered_pattern(150, 4, random), t, 1, F::type), t);
        typed.run({solve_method::csrsv});
        const std::vector<unsigned char> expected = typed.solution();
        typed.run({solve_method::csrsv_ex});
        CHECK(typed.solution() == expected);
    });
}

TEST_CASE("infos of CSR solves are destroyed with work under way") {
    using F = typed_functions<float>;
    random_source random(89);
    const entries pattern = scattered_pattern(4000, 4, random);
    for (const solve_method by : all_methods) {
        csr_problem<F> problem(system_arrays(pattern, {}, 0, F::type), {});
        problem.analyse({by});
        expect(problem.try_any_solve({by}, with_levels));
    }
    expect(cusparseDestroyCsrsv2Info(nullptr));
    expect(cusparseDestroyCsrsm2Info(nullptr));
    expect(cusparseDestroySolveAnalysisInfo(nullptr));
}
