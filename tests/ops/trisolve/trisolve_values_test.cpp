// The life of an analysis: new values, singular matrices, phases out of order and matrices that changed.
#include "trisolve_problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace heron::test;

namespace {

constexpr cusparseOperation_t N = CUSPARSE_OPERATION_NON_TRANSPOSE, T = CUSPARSE_OPERATION_TRANSPOSE;
const layout csr{"CSR", CUSPARSE_FORMAT_CSR};

solve_call call_of(bool as_matrix) { return {as_matrix ? 2 : 1, as_matrix}; }

std::vector<layout> some_layouts() {
    std::vector<layout> some = spmv_layouts();
    std::erase_if(some, [](const layout& l) {
        return l.format == CUSPARSE_FORMAT_SLICED_ELLPACK && l.slice_size != 7;
    });
    return some;
}

entries pattern_of(std::int64_t n) {
    random_source random(21);
    return scattered_pattern(n, 3, random);
}

std::vector<number> some_diagonal(std::int64_t n, cudaDataType type, std::uint64_t stream) {
    random_source random(stream);
    std::vector<number> result = random_values(type, static_cast<std::size_t>(n), random);
    for (number& v : result) v = rounded(type, number{2.0 + v.real(), v.imag()});
    return result;
}

// A solution computed in plain words; zero pivots give what the numbers give.
std::vector<number> forward_substitution(const entries& lower, const std::vector<number>& b) {
    std::vector<number> x(b.size()), pivot(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) {
        x[i] = b[i];
        for (const entry& e : lower.list) {
            if (e.row != static_cast<std::int64_t>(i)) continue;
            if (e.col == e.row)
                pivot[i] += e.value;
            else if (e.col < e.row)
                x[i] -= e.value * x[static_cast<std::size_t>(e.col)];
        }
        x[i] = x[i].real() / pivot[i].real();
    }
    return x;
}

}  // namespace

TEST_CASE("new values need no new analysis") {
    constexpr std::int64_t n = 96;
    const entries pattern = pattern_of(n);
    const cudaDataType type = device_has(CUDA_C_64F) ? CUDA_C_64F : CUDA_C_32F;
    for (const layout& l : some_layouts())
        for (const triangle& t :
             {triangle{N, CUSPARSE_FILL_MODE_LOWER}, triangle{T, CUSPARSE_FILL_MODE_LOWER},
              triangle{CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, CUSPARSE_FILL_MODE_UPPER},
              triangle{N, CUSPARSE_FILL_MODE_UPPER, CUSPARSE_DIAG_TYPE_UNIT}})
            for (const bool as_matrix : {false, true}) {
                INFO(l.name << ", " << t.name());
                std::uint64_t stream = 1;
                const auto next = [&] { return make_system(pattern, l, {}, t, type, ++stream).values; };
                const solve_call call = call_of(as_matrix);
                trisolve_problem problem(make_system(pattern, l, {}, t, type), t);
                problem.run(call);
                problem.overwrite_values(next());
                problem.solve(call);
                problem.set_values(next());
                problem.solve(call);
                problem.update_values(next(), as_matrix);
                problem.solve(call);
                problem.update_diagonal(some_diagonal(n, type, 1), as_matrix);
                problem.solve(call);
                problem.update_diagonal(some_diagonal(n, type, 2), as_matrix);
                problem.solve(call);
                problem.set_values(next());
                problem.solve(call);
                problem.update_diagonal(some_diagonal(n, type, 3), as_matrix);
                problem.solve(call);
                problem.update_values(next(), as_matrix);
                problem.solve(call);
                problem.set_values(next());
                problem.run(call);
            }
}

TEST_CASE("a zero or missing element on the diagonal spoils what depends on it and nothing else") {
    for (const bool missing : {false, true})
        for (const cudaDataType type : {CUDA_R_32F, CUDA_C_32F}) {
            // Rows 2 and 5; 5 needs 2.
            entries pattern{7, 7, {}};
            for (std::int64_t i = 0; i < 7; ++i) {
                if (i == 5) pattern.list.push_back({5, 2, 0.5});
                if (i == 4) pattern.list.push_back({4, 1, 0.5});
                if (i != 2)
                    pattern.list.push_back({i, i, 2.0});
                else if (!missing)
                    pattern.list.push_back({i, i, 0.0});
            }
            random_source random;
            const device_matrix a(arrange(pattern, csr, {}, type, random));
            const std::vector<number> b{1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};
            const typed_array x(type, b), y(type, std::vector<number>(7, poison(type)));
            const dense_vector vx = describe(type, 7, x), vy = describe(type, 7, y);
            const spsv_descriptor d = make_spsv_descriptor();
            const scalar_operand one(type, 1.0, CUSPARSE_POINTER_MODE_HOST);
            const auto call = [&](auto function, auto... last) {
                expect(function(cusparse(), N, one.data(), a.get(), vx.get(), vy.get(), type,
                                CUSPARSE_SPSV_ALG_DEFAULT, d.get(), last...));
            };
            const log_capture log;
            std::size_t size = 0;
            call(cusparseSpSV_bufferSize, &size);
            const workspace buffer(size);
            call(cusparseSpSV_analysis, buffer.data());
            call(cusparseSpSV_solve);
            CHECK(log.lines().empty());
            const std::vector<number> found = y.numbers(), expected = forward_substitution(pattern, b);
            for (std::size_t i = 0; i < 7; ++i) {
                CAPTURE(i, missing, found[i], expected[i]);
                const bool spoilt = i == 2 || i == 5;
                CHECK(spoilt == !(std::isfinite(found[i].real()) && std::isfinite(found[i].imag())));
                if (!spoilt) CHECK(std::abs(found[i] - expected[i]) < 1e-5);
                if (spoilt && !is_complex(type)) CHECK(found[i].real() == expected[i].real());
            }
        }
}

TEST_CASE("pivots and elements whose quotients leave the range of normal numbers") {
    // Products with a pivot's reciprocal would be infinite, or lose digits.
    const entries lower{5,
                        5,
                        {{0, 0, 1.0},
                         {1, 0, 2.0},
                         {1, 1, 0x1p-66},
                         {2, 1, 0.0},
                         {2, 2, 3.0},
                         {3, 2, 0x1p-100},
                         {3, 3, 0x1p100},
                         {4, 3, -1.0},
                         {4, 4, 0x1p-60}}};
    const std::vector<number> b{0x1p64, 0x1p65, 6.0, 0x1p102, -4.0};
    for (const bool transposed : {false, true})
        for (const cudaDataType type : {CUDA_R_32F, CUDA_C_32F}) {
            entries stored = lower;
            if (transposed)
                for (entry& e : stored.list) std::swap(e.row, e.col);
            std::sort(stored.list.begin(), stored.list.end(), [](const entry& e, const entry& f) {
                return e.row < f.row || (e.row == f.row && e.col < f.col);
            });
            random_source random;
            const device_matrix a(arrange(stored, csr, {}, type, random));
            cusparseFillMode_t fill = transposed ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER;
            expect(cusparseSpMatSetAttribute(a.get(), CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
            const typed_array x(type, b), y(type, std::vector<number>(5, poison(type)));
            const dense_vector vx = describe(type, 5, x), vy = describe(type, 5, y);
            const spsv_descriptor d = make_spsv_descriptor();
            const scalar_operand one(type, 1.0, CUSPARSE_POINTER_MODE_HOST);
            const auto call = [&](auto function, auto... last) {
                expect(function(cusparse(), transposed ? T : N, one.data(), a.get(), vx.get(), vy.get(), type,
                                CUSPARSE_SPSV_ALG_DEFAULT, d.get(), last...));
            };
            std::size_t size = 0;
            call(cusparseSpSV_bufferSize, &size);
            const workspace buffer(size);
            call(cusparseSpSV_analysis, buffer.data());
            call(cusparseSpSV_solve);
            const std::vector<number> found = y.numbers(), expected = forward_substitution(lower, b);
            for (std::size_t i = 0; i < 5; ++i) {
                CAPTURE(i, transposed, found[i], expected[i]);
                CHECK(std::abs(found[i] - expected[i]) <= 1e-6 * std::abs(expected[i]));
            }
        }
}

TEST_CASE("phases out of order name what is missing") {
    for (const bool as_matrix : {false, true}) {
        const std::string family = as_matrix ? "cusparseSpSM" : "cusparseSpSV";
        const std::string descriptor = as_matrix ? "spsmDescr" : "spsvDescr";
        const solve_call call = call_of(as_matrix);
        const triangle t;
        trisolve_problem problem(make_system(pattern_of(20), csr, {}, t, CUDA_R_32F), t);
        const log_capture log;
        expect(problem.try_solve(call), CUSPARSE_STATUS_INVALID_VALUE);
        CHECK(log.contains(family + "_solve: " + descriptor + ": " + family + "_analysis"));
        expect(problem.try_analyse(call, nullptr), CUSPARSE_STATUS_INVALID_VALUE);
        CHECK(log.contains(family + "_analysis: " + descriptor + ": " + family + "_bufferSize"));
        CHECK(problem.buffer_size(call) > 0);
        expect(problem.try_solve(call), CUSPARSE_STATUS_INVALID_VALUE);
        expect(problem.try_analyse(call, nullptr), CUSPARSE_STATUS_INVALID_VALUE);
        CHECK(log.contains(family + "_analysis: externalBuffer"));
        expect(problem.try_solve(call), CUSPARSE_STATUS_INVALID_VALUE);
        problem.run(call);
        problem.solve(call);
    }
}

TEST_CASE("updateMatrix before the analysis is refused") {
    const spsv_descriptor v = make_spsv_descriptor();
    const spsm_descriptor m = make_spsm_descriptor();
    const device_array<float> values(8);
    const log_capture log;
    expect(cusparseSpSV_updateMatrix(cusparse(), v.get(), values.data(), CUSPARSE_SPSV_UPDATE_GENERAL),
           CUSPARSE_STATUS_INVALID_VALUE);
    expect(cusparseSpSM_updateMatrix(cusparse(), m.get(), values.data(), CUSPARSE_SPSM_UPDATE_DIAGONAL),
           CUSPARSE_STATUS_INVALID_VALUE);
    CHECK(log.contains("cusparseSpSV_updateMatrix: spsvDescr: cusparseSpSV_analysis"));
    CHECK(log.contains("cusparseSpSM_updateMatrix: spsmDescr: cusparseSpSM_analysis"));
}

TEST_CASE("a matrix that is not the analysed one is refused") {
    const triangle t;
    trisolve_problem problem(make_system(pattern_of(20), csr, {}, t, CUDA_R_32F), t);
    const solve_call call = call_of(false);
    problem.run(call);
    const log_capture log;
    cusparseFillMode_t upper = CUSPARSE_FILL_MODE_UPPER, lower = CUSPARSE_FILL_MODE_LOWER;
    expect(cusparseSpMatSetAttribute(problem.matrix(), CUSPARSE_SPMAT_FILL_MODE, &upper, sizeof upper));
    expect(problem.try_solve(call), CUSPARSE_STATUS_INVALID_VALUE);
    CHECK(log.contains("cusparseSpSV_solve: matA: the fill mode"));
    expect(cusparseSpMatSetAttribute(problem.matrix(), CUSPARSE_SPMAT_FILL_MODE, &lower, sizeof lower));
    cusparseDiagType_t unit = CUSPARSE_DIAG_TYPE_UNIT, non_unit = CUSPARSE_DIAG_TYPE_NON_UNIT;
    expect(cusparseSpMatSetAttribute(problem.matrix(), CUSPARSE_SPMAT_DIAG_TYPE, &unit, sizeof unit));
    expect(problem.try_solve(call), CUSPARSE_STATUS_INVALID_VALUE);
    CHECK(log.contains("cusparseSpSV_solve: matA: the diagonal type"));
    expect(cusparseSpMatSetAttribute(problem.matrix(), CUSPARSE_SPMAT_DIAG_TYPE, &non_unit, sizeof non_unit));
    problem.solve(call);
}

namespace {

std::size_t size_of(const spsv_descriptor& d, const device_matrix& a) {
    const float one = 1;
    std::size_t size = 0;
    expect(cusparseSpSV_bufferSize(cusparse(), N, &one, a.get(), nullptr, nullptr, CUDA_R_32F,
                                   CUSPARSE_SPSV_ALG_DEFAULT, d.get(), &size));
    return size;
}

// Vectors may be missing here, too.
cusparseStatus_t analysed(const spsv_descriptor& d, const device_matrix& a, const workspace& buffer) {
    const float one = 1;
    return cusparseSpSV_analysis(cusparse(), N, &one, a.get(), nullptr, nullptr, CUDA_R_32F,
                                 CUSPARSE_SPSV_ALG_DEFAULT, d.get(), buffer.data());
}

}  // namespace

TEST_CASE("an analysis for a smaller problem than the matrix is refused") {
    const triangle t;
    const device_matrix small(make_system(pattern_of(20), csr, {}, t, CUDA_R_32F));
    const device_matrix large(make_system(pattern_of(4000), csr, {}, t, CUDA_R_32F));
    const spsv_descriptor d = make_spsv_descriptor();
    const workspace buffer(size_of(d, small));
    const log_capture log;
    expect(analysed(d, large, buffer), CUSPARSE_STATUS_INVALID_VALUE);
    CHECK(log.contains("cusparseSpSV_analysis: spsvDescr: cusparseSpSV_bufferSize"));
    expect(analysed(d, small, buffer));
}

TEST_CASE("an analysis after the size of another problem was asked for takes the buffer that it had") {
    const triangle t;
    const device_matrix small(make_system(pattern_of(20), csr, {}, t, CUDA_R_32F));
    const device_matrix large(make_system(pattern_of(4000), csr, {}, t, CUDA_R_32F));
    const spsv_descriptor d = make_spsv_descriptor();
    const workspace for_large(size_of(d, large));
    for (int round = 0; round < 2; ++round) {
        expect(analysed(d, large, for_large));
        CHECK(size_of(d, small) < size_of(d, large));
        const workspace for_small(size_of(d, small));
        expect(analysed(d, small, for_small));
        CHECK(for_small.canaries_are_whole());
    }
    CHECK(for_large.canaries_are_whole());
}

TEST_CASE("two analyses live side by side and a descriptor serves one matrix after another") {
    const triangle lower, upper{T, CUSPARSE_FILL_MODE_LOWER};
    const solve_call call = call_of(true);
    const sparse_arrays arrays = make_system(pattern_of(50), csr, {}, lower, CUDA_R_32F);
    trisolve_problem l(arrays, lower), u(arrays, upper);
    l.analyse(call);
    u.analyse(call);
    for (int round = 0; round < 2; ++round) {
        l.solve(call);
        u.solve(call);
    }
    l.run(call);
    u.solve(call);
}
