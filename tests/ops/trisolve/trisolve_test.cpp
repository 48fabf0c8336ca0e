// SpSV and SpSM: every type, format, operation, triangle, layout and shape.
#include "trisolve_problem.hpp"

using namespace heron::test;

namespace {

constexpr cusparseOrder_t by_columns = CUSPARSE_ORDER_COL, by_rows = CUSPARSE_ORDER_ROW;
constexpr cusparseOperation_t N = CUSPARSE_OPERATION_NON_TRANSPOSE, T = CUSPARSE_OPERATION_TRANSPOSE,
                              C = CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
const layout csr{"CSR", CUSPARSE_FORMAT_CSR};

std::vector<cudaDataType> all_types() {
    std::vector<cudaDataType> types{CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
    std::erase_if(types, [](cudaDataType type) { return !device_has(type); });
    return types;
}

// One real and one complex type.
std::vector<cudaDataType> two_types() {
    const bool wide = device_has(CUDA_R_64F);
    return {wide ? CUDA_R_64F : CUDA_R_32F, CUDA_C_32F};
}

solve_call vector_call() { return {1, false}; }
solve_call matrix_call(std::int64_t columns) { return {columns, true}; }

// 48 rows, so that all blocks of the layouts fit, with long and empty ones.
entries small_pattern() {
    random_source random(3);
    entries pattern = scattered_pattern(48, 4, random);
    for (std::int64_t j = 0; j < 48; ++j)
        if (j % 4 != 1) pattern.list.push_back({29, j, 1.0});
    std::sort(pattern.list.begin(), pattern.list.end(),
              [](const entry& a, const entry& b) { return a.row != b.row ? a.row < b.row : a.col < b.col; });
    const auto same = [](const entry& a, const entry& b) { return a.row == b.row && a.col == b.col; };
    pattern.list.erase(std::unique(pattern.list.begin(), pattern.list.end(), same), pattern.list.end());
    return pattern;
}

}  // namespace

TEST_CASE("triangular solves of every type, format, operation, triangle and index type") {
    const entries pattern = small_pattern();
    std::size_t turn = 0;
    for (const cudaDataType type : all_types())
        for (const layout& l : spmv_layouts())
            for (const triangle& t : all_triangles(type)) {
                INFO(l.name);
                const index_choice& index = index_choices()[turn++ % index_choices().size()];
                solve_call call = turn % 3 == 0 ? matrix_call(3) : vector_call();
                call.alpha = representable(type, {0.75, -0.5});
                call.mode = turn % 2 ? CUSPARSE_POINTER_MODE_HOST : CUSPARSE_POINTER_MODE_DEVICE;
                trisolve_problem(make_system(pattern, l, index, t, type), t, turn % 4).run(call);
            }
}

TEST_CASE("SpSM of every layout of B and C, op(B), leading dimension and number of right-hand sides") {
    const entries pattern = small_pattern();
    std::size_t turn = 0;
    for (const cudaDataType type : two_types())
        for (const triangle& t : all_triangles(type)) {
            trisolve_problem problem(make_system(pattern, csr, {}, t, type), t);
            problem.analyse(matrix_call(1));
            for (const cusparseOrder_t b : {by_columns, by_rows})
                for (const cusparseOrder_t c : {by_columns, by_rows})
                    for (const cusparseOperation_t op_b : {N, T}) {
                        const std::int64_t columns[] = {1, 2, 7, 33};
                        solve_call call{columns[turn % 4], true, op_b, {b, 0}, {c, 0}};
                        problem.solve(call);
                        call.b.padding = 3;
                        call.c.padding = 5;
                        call.columns = columns[++turn % 4];
                        problem.solve(call);
                    }
        }
}

TEST_CASE("any number of right-hand sides after one analysis") {
    const triangle t;
    for (const cudaDataType type : two_types()) {
        random_source random(4);
        trisolve_problem problem(make_system(scattered_pattern(300, 3, random), csr, {}, t, type), t);
        problem.analyse(matrix_call(1));
        for (const std::int64_t columns : {1, 32, 33, 100, 257, 1, 8})
            for (const cusparseOrder_t order : {by_columns, by_rows})
                problem.solve({columns, true, N, {order, 1}, {order, 2}});
    }
}

TEST_CASE("many right-hand sides of few rows, some of them long, after one analysis") {
    random_source random(6);
    const std::vector<named_pattern> patterns{{"diagonal", diagonal_pattern(100)},
                                              {"chain", chain_pattern(257)},
                                              {"arrow", arrow_pattern(600)},
                                              {"scattered", scattered_pattern(900, 1, random)}};
    std::size_t turn = 0;
    for (const named_pattern& pattern : patterns)
        for (const cudaDataType type : two_types())
            for (const triangle& t : all_triangles(type)) {
                if (t.op == C || (is_short() && turn++ % 2 == 1)) continue;
                INFO(pattern.name);
                trisolve_problem problem(make_system(pattern.matrix, csr, {}, t, type), t);
                for (const std::int64_t analysed : {2, 150}) {
                    problem.analyse(matrix_call(analysed));
                    for (const std::int64_t columns : {1, 7, 150})
                        for (const cusparseOrder_t order : {by_columns, by_rows}) {
                            if (is_short() && turn++ % 3 != 0) continue;
                            problem.solve({columns, true, N, {order, 1}, {order, 2}});
                        }
                }
            }
}

TEST_CASE("solves in place") {
    const entries pattern = small_pattern();
    for (const cudaDataType type : two_types())
        for (const triangle& t :
             {triangle{N, CUSPARSE_FILL_MODE_LOWER}, triangle{T, CUSPARSE_FILL_MODE_LOWER}}) {
            trisolve_problem problem(make_system(pattern, csr, {}, t, type), t);
            solve_call vector = vector_call();
            vector.in_place = true;
            problem.run(vector);
            for (const cusparseOrder_t b : {by_columns, by_rows})
                for (const cusparseOrder_t c : {by_columns, by_rows})
                    for (const cusparseOperation_t op_b : {N, T})
                        for (const std::int64_t padding : {0, 2})
                            for (const std::int64_t columns : {1, 5})
                                problem.run({columns, true, op_b, {b, padding}, {c, 2}, true});
        }
}

TEST_CASE("in place with another layout needs a workspace that was sized for it") {
    const triangle t;
    trisolve_problem problem(make_system(small_pattern(), csr, {}, t, CUDA_R_32F), t);
    const solve_call same{4, true, N, {by_columns, 0}, {by_columns, 0}, true};
    const solve_call other{4, true, N, {by_columns, 0}, {by_rows, 0}, true};
    problem.run(same);
    const log_capture log;
    expect(problem.try_solve(other), CUSPARSE_STATUS_INSUFFICIENT_RESOURCES);
    CHECK(log.contains("cusparseSpSM_solve: matC"));
    CHECK(problem.buffer_size(other) > problem.buffer_size(same));
    problem.run(other);
}

TEST_CASE("a size that is asked for after the analysis changes nothing of it") {
    const triangle t;
    for (const cudaDataType type : two_types()) {
        trisolve_problem problem(make_system(small_pattern(), csr, {}, t, type), t);
        const solve_call same{4, true, N, {by_columns, 0}, {by_columns, 0}, true};
        const solve_call other{4, true, N, {by_columns, 0}, {by_rows, 0}, true};
        problem.run(same);
        CHECK(problem.buffer_size(other) > 0);
        problem.solve(same);
        expect(problem.try_solve(other), CUSPARSE_STATUS_INSUFFICIENT_RESOURCES);
        problem.run(other);
        CHECK(problem.buffer_size(same) > 0);
        problem.solve(other);
    }
}

TEST_CASE("triangular systems of every shape") {
    random_source random(5);
    const std::vector<named_pattern> patterns{{"1x1", diagonal_pattern(1)},
                                              {"2x2", dense_pattern(2)},
                                              {"chain", chain_pattern(1500)},
                                              {"arrow", arrow_pattern(200)},
                                              {"long arrow", arrow_pattern(2000)},
                                              {"dense", dense_pattern(90)},
                                              {"diagonal", diagonal_pattern(700)},
                                              {"scattered", scattered_pattern(900, 2, random)},
                                              {"hardly any", scattered_pattern(1000, 1, random)}};
    for (const named_pattern& pattern : patterns)
        for (const cudaDataType type : two_types())
            for (const layout& l :
                 {csr, layout{"COO", CUSPARSE_FORMAT_COO, true}, layout{"CSC", CUSPARSE_FORMAT_CSC}})
                for (const triangle& t : all_triangles(type)) {
                    if (t.op == C) continue;
                    INFO(pattern.name << " as " << l.name);
                    trisolve_problem problem(make_system(pattern.matrix, l, {}, t, type), t);
                    problem.run(vector_call());
                    if (l.format == CUSPARSE_FORMAT_CSR)
                        problem.run({3, true, N, {by_rows, 1}, {by_columns, 1}});
                }
}

TEST_CASE("an empty triangular system and one without right-hand sides") {
    for (const layout& l : spmv_layouts()) {
        INFO(l.name);
        const triangle t;
        trisolve_problem none(make_system({0, 0, {}}, l, {}, t, CUDA_R_32F), t);
        none.run(vector_call());
        none.run(matrix_call(3));
        trisolve_problem some(make_system(small_pattern(), l, {}, t, CUDA_R_32F), t);
        some.run(matrix_call(0));
        some.solve(matrix_call(2));
    }
}

TEST_CASE("an empty triangular system takes NULL arrays, in different layouts too") {
    const triangle t;
    const device_matrix a(make_system({0, 0, {}}, csr, {}, t, CUDA_R_32F), 0, true);
    const float alpha = 1;
    const auto described = [](std::int64_t columns, cusparseOrder_t order) {
        cusparseDnMatDescr_t m = nullptr;
        expect(cusparseCreateDnMat(&m, 0, columns, columns, nullptr, CUDA_R_32F, order));
        return dense_matrix(m);
    };
    const dense_matrix b(described(3, by_columns)), c(described(3, by_columns)),
        wide_b(described(7, by_columns)), wide_c(described(7, by_rows));
    const spsm_descriptor d = make_spsm_descriptor();
    std::size_t size = 1;
    expect(cusparseSpSM_bufferSize(cusparse(), N, N, &alpha, a.get(), b.get(), c.get(), CUDA_R_32F,
                                   CUSPARSE_SPSM_ALG_DEFAULT, d.get(), &size));
    CHECK(size == 0);
    expect(cusparseSpSM_analysis(cusparse(), N, N, &alpha, a.get(), b.get(), c.get(), CUDA_R_32F,
                                 CUSPARSE_SPSM_ALG_DEFAULT, d.get(), nullptr));
    expect(cusparseSpSM_solve(cusparse(), N, N, &alpha, a.get(), wide_b.get(), wide_c.get(), CUDA_R_32F,
                              CUSPARSE_SPSM_ALG_DEFAULT, d.get()));
}

TEST_CASE("a matrix that stores nothing is the identity if its diagonal is unit") {
    const triangle t{N, CUSPARSE_FILL_MODE_UPPER, CUSPARSE_DIAG_TYPE_UNIT};
    for (const layout& l : spmv_layouts())
        trisolve_problem(make_system({12, 12, {}}, l, {}, t, CUDA_C_32F), t).run(matrix_call(2));
}

TEST_CASE("elements that are stored twice add up, on the diagonal too") {
    entries pattern = small_pattern();
    const std::vector<entry> once = pattern.list;
    pattern.list.insert(pattern.list.end(), once.begin(), once.begin() + 40);
    for (const layout& l : spmv_layouts()) {
        if (l.format == CUSPARSE_FORMAT_BSR) continue;
        for (const triangle& t : all_triangles(CUDA_R_32F))
            trisolve_problem(make_system(pattern, l, {}, t, CUDA_R_32F), t).run(vector_call());
    }
}

TEST_CASE("alpha = 0 gives zero without reading B, and device scalars are read when the solve runs") {
    for (const cudaDataType type : two_types()) {
        const triangle t;
        trisolve_problem problem(make_system(small_pattern(), csr, {}, t, type), t);
        problem.analyse(matrix_call(3));
        for (const auto mode : {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE})
            for (const number alpha : {number{0.0}, number{-1.0}, representable(type, {0.25, 2.0})}) {
                solve_call call = matrix_call(3);
                call.alpha = alpha;
                call.mode = mode;
                problem.solve(call);
            }
    }
}

TEST_CASE("a triangular workspace of exactly the queried size at any address is enough") {
    for (const layout& l : spmv_layouts())
        for (const std::size_t misalignment : {0, 1, 8, 255}) {
            const triangle t{T, CUSPARSE_FILL_MODE_LOWER};
            trisolve_problem problem(make_system(small_pattern(), l, {}, t, CUDA_R_32F), t);
            problem.analyse(matrix_call(2), misalignment);
            problem.solve(matrix_call(2));
            CHECK(problem.buffer().canaries_are_whole());
        }
}

TEST_CASE("triangular solves give the same bits every time") {
    random_source random(6);
    const entries pattern = scattered_pattern(800, 6, random);
    for (const cudaDataType type : two_types())
        for (const cusparseOperation_t op : {N, T}) {
            const triangle t{op, CUSPARSE_FILL_MODE_UPPER};
            trisolve_problem problem(make_system(pattern, csr, {}, t, type), t);
            for (const solve_call& call : {vector_call(), matrix_call(9)}) {
                problem.run(call);
                const std::vector<unsigned char> first = problem.solution();
                for (int repeat = 0; repeat < 3; ++repeat) {
                    problem.solve(call);
                    CHECK((problem.solution() == first));
                }
                problem.run(call);
                CHECK((problem.solution() == first));
            }
        }
}
