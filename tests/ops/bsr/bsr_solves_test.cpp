// bsrsv2 and bsrsm2 in four types: residuals against the oracle, zero pivots, and what the infos keep.
#include "bsr_matrix.hpp"
#include "ops/trisolve/trisolve_problem.hpp"

using namespace heron::test;

namespace {

constexpr auto no_transpose = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto with_levels = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
constexpr auto without_levels = CUSPARSE_SOLVE_POLICY_NO_LEVEL;

using bsrsv2_info = std::unique_ptr<bsrsv2Info, destroyer<&cusparseDestroyBsrsv2Info>>;
using bsrsm2_info = std::unique_ptr<bsrsm2Info, destroyer<&cusparseDestroyBsrsm2Info>>;

bsrsv2_info make_bsrsv2_info() {
    bsrsv2Info_t info = nullptr;
    expect(cusparseCreateBsrsv2Info(&info));
    return bsrsv2_info(info);
}
bsrsm2_info make_bsrsm2_info() {
    bsrsm2Info_t info = nullptr;
    expect(cusparseCreateBsrsm2Info(&info));
    return bsrsm2_info(info);
}

// One right-hand side goes through bsrsv2, several through bsrsm2 where that is asked for.
struct sides_case {
    bool as_matrix = false;
    std::int64_t columns = 1;
    bool turned = false;
    std::int64_t padding = 0;
    bool in_place = false;
    number alpha = 1.0;
    cusparsePointerMode_t mode = CUSPARSE_POINTER_MODE_HOST;

    std::int64_t at(std::int64_t n, std::int64_t i, std::int64_t j) const {
        return turned ? j + i * ld(n) : i + j * ld(n);
    }
    std::int64_t ld(std::int64_t n) const { return (turned ? columns : n) + padding; }
    std::size_t size(std::int64_t n) const {
        return static_cast<std::size_t>(ld(n) * (turned ? n : columns));
    }
    cusparseOperation_t op() const { return turned ? CUSPARSE_OPERATION_TRANSPOSE : no_transpose; }
};

// A matrix with both kinds of infos and a workspace of exactly the size that is asked for.
template <class F>
class bsr_problem {
  public:
    using T = typename F::scalar;

    bsr_problem(const sparse_arrays& arrays, const triangle& t, bool absent = false)
        : arrays_(arrays), t_(t), a_(arrays, absent) {
        expect(cusparseSetMatFillMode(a_.descr.get(), t.fill));
        expect(cusparseSetMatDiagType(a_.descr.get(), t.diag));
    }

    std::size_t buffer_size(const sides_case& s) {
        int size = -1;
        std::size_t wide = 0;
        if (s.as_matrix) {
            expect(F::bsrsm2_bufferSize(cusparse(), a_.direction, t_.op, s.op(), a_.block_rows,
                                        static_cast<int>(s.columns), a_.nnz, a_.descr.get(), a_.values(),
                                        a_.offsets(), a_.columns(), a_.block, sm_.get(), &size));
            expect(F::bsrsm2_bufferSizeExt(cusparse(), a_.direction, t_.op, s.op(), a_.block_rows,
                                           static_cast<int>(s.columns), a_.nnz, a_.descr.get(), a_.values(),
                                           a_.offsets(), a_.columns(), a_.block, sm_.get(), &wide));
        } else {
            expect(F::bsrsv2_bufferSize(cusparse(), a_.direction, t_.op, a_.block_rows, a_.nnz,
                                        a_.descr.get(), a_.values(), a_.offsets(), a_.columns(), a_.block,
                                        sv_.get(), &size));
            expect(F::bsrsv2_bufferSizeExt(cusparse(), a_.direction, t_.op, a_.block_rows, a_.nnz,
                                           a_.descr.get(), a_.values(), a_.offsets(), a_.columns(), a_.block,
                                           sv_.get(), &wide));
        }
        REQUIRE(size >= 0);
        CHECK(static_cast<std::size_t>(size) == wide);
        return wide;
    }

    void analyse(const sides_case& s, void* buffer, cusparseSolvePolicy_t policy = with_levels) {
        const T* const values =
            policy == with_levels ? a_.values() : nullptr;  // which an analysis does without
        if (s.as_matrix)
            expect(F::bsrsm2_analysis(cusparse(), a_.direction, t_.op, s.op(), a_.block_rows,
                                      static_cast<int>(s.columns), a_.nnz, a_.descr.get(), values,
                                      a_.offsets(), a_.columns(), a_.block, sm_.get(), policy, buffer));
        else
            expect(F::bsrsv2_analysis(cusparse(), a_.direction, t_.op, a_.block_rows, a_.nnz, a_.descr.get(),
                                      values, a_.offsets(), a_.columns(), a_.block, sv_.get(), policy,
                                      buffer));
    }

    cusparseStatus_t try_solve(const sides_case& s, const T* alpha, const T* b, T* x, void* buffer,
                               cusparseSolvePolicy_t policy) {
        const auto ld = static_cast<int>(s.ld(arrays_.rows));
        return s.as_matrix ? F::bsrsm2_solve(cusparse(), a_.direction, t_.op, s.op(), a_.block_rows,
                                             static_cast<int>(s.columns), a_.nnz, alpha, a_.descr.get(),
                                             a_.values(), a_.offsets(), a_.columns(), a_.block, sm_.get(), b,
                                             ld, x, ld, policy, buffer)
                           : F::bsrsv2_solve(cusparse(), a_.direction, t_.op, a_.block_rows, a_.nnz, alpha,
                                             a_.descr.get(), a_.values(), a_.offsets(), a_.columns(),
                                             a_.block, sv_.get(), b, x, policy, buffer);
    }

    // Compares the residual, unless a zero pivot has spoilt the solution.
    void solve(const sides_case& s, void* buffer, cusparseSolvePolicy_t policy = with_levels,
               bool is_regular = true) {
        const std::int64_t n = arrays_.rows;
        random_source random(71);
        const auto right_sides = random_values(F::type, static_cast<std::size_t>(n * s.columns), random);
        std::vector<number> start(s.size(n), poison(F::type));
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < s.columns; ++j)
                start[static_cast<std::size_t>(s.at(n, i, j))] =
                    right_sides[static_cast<std::size_t>(i * s.columns + j)];
        const typed_array b(F::type, start, 1),
            other(F::type, std::vector<number>(start.size(), poison(F::type)), 1);
        const typed_array& x = s.in_place ? b : other;
        const pointer_mode_scope scope(s.mode);
        const scalar_operand alpha(F::type, s.alpha, s.mode);
        expect(try_solve(s, typed<T>(alpha.data()), typed<T>(b.data()), static_cast<T*>(x.data()), buffer,
                         policy));
        const std::vector<number> found = x.numbers();
        if (!is_regular) return;
        std::vector<number> solution(right_sides.size());
        std::vector<bool> written(found.size());
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < s.columns; ++j) {
                const auto at = static_cast<std::size_t>(s.at(n, i, j));
                solution[static_cast<std::size_t>(i * s.columns + j)] = found[at];
                written[at] = true;
            }
        for (std::size_t k = 0; k < found.size(); ++k)
            if (!written[k] && !std::isnan(found[k].real())) FAIL_CHECK("written between the lines");
        if (!s.in_place && b.bytes() != encode(F::type, start)) FAIL_CHECK("the right-hand side was written");
        if (s.columns == 0) return;
        const system_residual r = triangular_residual(used_elements(), t_.op, t_.diag, {}, s.alpha,
                                                      right_sides, solution, s.columns, F::type);
        const std::string wrong = difference(r.left, r.right);
        if (!wrong.empty()) FAIL_CHECK(wrong);
    }

    void run(const sides_case& s, cusparseSolvePolicy_t policy = with_levels) {
        workspace buffer(buffer_size(s));
        analyse(s, buffer.data(), policy);
        buffer.overwrite(0xff);
        solve(s, buffer.data(), policy);
        expect_pivot(s, -1);
    }

    void expect_pivot(const sides_case& s, int expected) {
        const cusparseStatus_t status = expected < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
        for (const auto mode : {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE}) {
            const pointer_mode_scope scope(mode);
            int on_host = 77;
            device_array<int> on_device(std::vector<int>{77}, 1);
            int* const position = mode == CUSPARSE_POINTER_MODE_HOST ? &on_host : on_device.data();
            expect(s.as_matrix ? cusparseXbsrsm2_zeroPivot(cusparse(), sm_.get(), position)
                               : cusparseXbsrsv2_zeroPivot(cusparse(), sv_.get(), position),
                   status);
            CHECK((mode == CUSPARSE_POINTER_MODE_HOST ? on_host : on_device.download()[0]) == expected);
        }
    }

    void set_values(const std::vector<number>& values) {
        arrays_.values = values;
        a_.upload(values);
    }
    // The infos of another problem.
    void take_infos(bsr_problem& other) {
        sv_ = std::move(other.sv_);
        sm_ = std::move(other.sm_);
    }

  private:
    entries used_elements() const {
        entries result = expand(arrays_);
        std::erase_if(result.list, [&](const entry& e) {
            const bool inside = t_.fill == CUSPARSE_FILL_MODE_LOWER ? e.col <= e.row : e.col >= e.row;
            return !inside || (t_.diag == CUSPARSE_DIAG_TYPE_UNIT && e.row == e.col);
        });
        return result;
    }

    sparse_arrays arrays_;
    triangle t_;
    bsr_operand<T> a_;
    bsrsv2_info sv_ = make_bsrsv2_info();
    bsrsm2_info sm_ = make_bsrsm2_info();
};

struct system_case {
    std::string name;
    entries blocks;
    std::int64_t size;
};

std::vector<system_case> systems() {
    random_source random(72);
    std::vector<system_case> cases = {{"one", diagonal_pattern(1), 1},      {"one", diagonal_pattern(1), 33},
                                      {"diagonal", diagonal_pattern(9), 4}, {"chain", chain_pattern(40), 2},
                                      {"chain", chain_pattern(5), 33},      {"arrow", arrow_pattern(70), 2},
                                      {"arrow", arrow_pattern(20), 5},      {"full", dense_pattern(9), 3},
                                      {"full", dense_pattern(4), 16}};
    for (const std::int64_t size : {1, 2, 3, 4, 6, 8})
        cases.push_back({"scattered", scattered_pattern(120, 4, random), size});
    return cases;
}

sparse_arrays system_arrays(const system_case& c, const triangle& t, int base, cusparseDirection_t direction,
                            cudaDataType type, std::uint64_t stream = 1) {
    return make_system(with_blocks(c.blocks, c.size), square_blocks(c.size, direction), indices_of_base(base),
                       t, type, stream);
}

const sides_case vector_side{}, matrix_sides{true, 3};
const sides_case* const both_kinds[] = {&vector_side, &matrix_sides};

}  // namespace

TEST_CASE("bsrsv2 and bsrsm2 in four types, all triangles, both bases and directions") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        const number alpha = representable(F::type, {0.75, -0.5});
        const sides_case sides[] = {{},
                                    {false, 1, false, 0, true, alpha, CUSPARSE_POINTER_MODE_DEVICE},
                                    {true, 1, true, 2},
                                    {true, 5, false, 3, false, alpha, CUSPARSE_POINTER_MODE_DEVICE},
                                    {true, 5, true, 1, true, alpha},
                                    {true, 37, false, 1, true},
                                    {true, 70, true, 0, false},
                                    {true, 0, false, 0}};
        std::size_t turn = 0;
        const int sides_each = is_short() ? 1 : 3;
        int skipped = 0;
        for (const system_case& c : systems())
            for (const triangle& t : all_triangles(F::type))
                for (const int base : {0, 1}) {
                    if (is_short() && ++skipped % 5 < 3) continue;
                    const cusparseDirection_t direction = both_directions[turn / 2 % 2];
                    bsr_problem<F> problem(system_arrays(c, t, base, direction, F::type), t);
                    for (int k = 0; k < sides_each; ++k) {
                        const sides_case& s = sides[turn++ % std::size(sides)];
                        INFO(facts(F::type).name << ", " << c.name << ", block " << c.size << ", " << t.name()
                                                 << ", base " << base << ", direction " << direction
                                                 << ", columns " << s.columns << (s.turned ? " turned" : ""));
                        problem.run(s, turn % 2 == 0 ? with_levels : without_levels);
                    }
                }
    });
}

TEST_CASE("systems of bsrsv2 and bsrsm2 that are empty or store no block") {
    const triangle unit{no_transpose, CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_UNIT};
    for_each_type([&]<class F>(F) {
        if (!device_has(F::type)) return;
        for (const sides_case* s : both_kinds) {
            bsr_problem<F>(system_arrays({"", {}, 2}, {}, 1, CUSPARSE_DIRECTION_ROW, F::type), {}, true)
                .run(*s);
            const sparse_arrays nothing =
                system_arrays({"", {3, 3, {}}, 2}, {}, 1, CUSPARSE_DIRECTION_ROW, F::type);
            bsr_problem<F>(nothing, unit, true).run(*s);
            bsr_problem<F> singular(nothing, {}, true);
            workspace buffer(singular.buffer_size(*s));
            singular.analyse(*s, buffer.data());
            singular.expect_pivot(*s, 1);
            singular.solve(*s, buffer.data(), with_levels, false);
            singular.expect_pivot(*s, 1);
        }
    });
}

TEST_CASE("infos serve new values, other matrices, and share a buffer") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(73);
        const triangle lower{},
            upper{CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_FILL_MODE_UPPER, CUSPARSE_DIAG_TYPE_UNIT};
        const system_case first{"", scattered_pattern(90, 3, random), 3}, second{"", arrow_pattern(40), 2};
        for (const sides_case* s : both_kinds) {
            const auto arrays = [&](const system_case& c, const triangle& t, std::uint64_t stream) {
                return system_arrays(c, t, 1, CUSPARSE_DIRECTION_COLUMN, F::type, stream);
            };
            bsr_problem<F> l(arrays(first, lower, 1), lower), u(arrays(second, upper, 1), upper);
            workspace buffer(std::max(l.buffer_size(*s), u.buffer_size(*s)));
            l.analyse(*s, buffer.data());
            u.analyse(*s, buffer.data(), without_levels);
            for (const std::uint64_t stream : {1, 2, 3}) {
                l.set_values(arrays(first, lower, stream).values);
                u.set_values(arrays(second, upper, stream).values);
                l.solve(*s, buffer.data());
                l.solve(*s, buffer.data(), without_levels);
                u.solve(*s, buffer.data(), without_levels);
            }
            // An info whose first matrix was smaller, and back.
            l.take_infos(u);
            l.analyse(*s, buffer.data());
            l.solve(*s, buffer.data());
            u.take_infos(l);
            u.analyse(*s, buffer.data());
            u.solve(*s, buffer.data());
            u.expect_pivot(*s, -1);
        }
    });
}

TEST_CASE("bsrsm2 solves for more and fewer right-hand sides than were analysed") {
    using F = typed_functions<float>;
    random_source random(74);
    bsr_problem<F> problem(
        system_arrays({"", scattered_pattern(150, 4, random), 4}, {}, 0, CUSPARSE_DIRECTION_ROW, F::type),
        {});
    for (const std::int64_t analysed : {0, 1, 8, 100})
        for (const std::int64_t columns : {1, 3, 8, 65, 130}) {
            CAPTURE(analysed, columns);
            const sides_case some{true, analysed}, others{true, columns};
            workspace buffer(problem.buffer_size(some));
            problem.analyse(some, buffer.data());
            problem.solve(others, buffer.data());
        }
}

TEST_CASE("zero pivots of bsrsv2 and bsrsm2: where they are, and until when") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        constexpr std::int64_t size = 3;
        for (const sides_case* s : both_kinds)
            for (const int base : {0, 1})
                for (const auto op : {no_transpose, CUSPARSE_OPERATION_TRANSPOSE}) {
                    CAPTURE(F::type, s->as_matrix, base, op);
                    const triangle t{op, CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_NON_UNIT};
                    const triangle unit{op, CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_UNIT};
                    const auto arrays = [&](const entries& blocks) {
                        return system_arrays({"", blocks, size}, t, base, CUSPARSE_DIRECTION_ROW, F::type);
                    };
                    const entries chain = chain_pattern(50);
                    const sparse_arrays regular = arrays(chain);
                    const auto with_zero_in = [&](std::initializer_list<std::int64_t> rows) {
                        std::vector<number> values = regular.values;
                        for (const std::int64_t row : rows)
                            for (std::int64_t k = regular.offsets[static_cast<std::size_t>(row)] - base;
                                 k < regular.offsets[static_cast<std::size_t>(row) + 1] - base; ++k)
                                if (regular.indices[static_cast<std::size_t>(k)] - base == row)
                                    values[static_cast<std::size_t>(k * size * size + 4)] = 0.0;
                        return values;
                    };
                    bsr_problem<F> problem(regular, t);
                    problem.expect_pivot(*s, -1);
                    workspace buffer(problem.buffer_size(*s));
                    problem.analyse(*s, buffer.data());
                    problem.expect_pivot(*s, -1);
                    problem.solve(*s, buffer.data());
                    problem.expect_pivot(*s, -1);
                    problem.set_values(with_zero_in({31, 17, 49}));
                    problem.solve(*s, buffer.data(), with_levels, false);
                    problem.expect_pivot(*s, 17 + base);
                    problem.expect_pivot(*s, 17 + base);
                    problem.set_values(regular.values);
                    problem.solve(*s, buffer.data());
                    problem.expect_pivot(*s, -1);

                    // A block that is missing, behind and before a zero.
                    entries gap = chain;
                    std::erase_if(gap.list, [](const entry& e) {
                        return (e.row == 20 || e.row == 40) && e.col == e.row;
                    });
                    sparse_arrays missing = arrays(gap);
                    bsr_problem<F> structural(missing, t);
                    structural.analyse(*s, buffer.data());
                    structural.expect_pivot(*s, 20 + base);
                    structural.solve(*s, buffer.data(), with_levels, false);
                    structural.expect_pivot(*s, 20 + base);
                    missing.values[0] = 0.0;
                    structural.set_values(missing.values);
                    structural.solve(*s, buffer.data(), with_levels, false);
                    structural.expect_pivot(*s, base);

                    // The same info, now of a matrix that has them all.
                    problem.take_infos(structural);
                    problem.analyse(*s, buffer.data());
                    problem.expect_pivot(*s, -1);

                    // No pivots are looked at.
                    bsr_problem<F> ones(missing, unit);
                    ones.analyse(*s, buffer.data());
                    ones.expect_pivot(*s, -1);
                    ones.solve(*s, buffer.data());
                    ones.expect_pivot(*s, -1);
                }
    });
}

TEST_CASE("a solve with levels needs an analysis with levels, and what was analysed") {
    using F = typed_functions<double>;
    if (!device_has(F::type)) return;
    const triangle t{};
    const sparse_arrays arrays =
        system_arrays({"", chain_pattern(6), 2}, t, 0, CUSPARSE_DIRECTION_ROW, F::type);
    const double one = 1;
    for (const sides_case* s : both_kinds) {
        bsr_problem<F> problem(arrays, t);
        workspace buffer(problem.buffer_size(*s));
        const device_array<double> b(std::vector<double>(12, 1.0));
        const sides_case single{s->as_matrix, 1};
        const auto solve = [&](cusparseSolvePolicy_t policy) {
            return problem.try_solve(single, &one, b.data(), b.data(), buffer.data(), policy);
        };
        expect(solve(with_levels), CUSPARSE_STATUS_INVALID_VALUE);
        problem.analyse(*s, buffer.data(), without_levels);
        expect(solve(with_levels), CUSPARSE_STATUS_INVALID_VALUE);
        CHECK(b.download() == std::vector<double>(12, 1.0));
        expect(solve(without_levels));
    }
}
