// SpMV and its external buffer: exact sizes, any alignment, preprocessing, and every way to share or spoil a
// buffer.
#include "spmv_problem.hpp"

using namespace heron::test;

namespace {

constexpr cusparseOperation_t N = CUSPARSE_OPERATION_NON_TRANSPOSE;

// Large enough for more than one thread, slice or work-group to have something to do.
entries make_pattern(std::uint64_t stream) {
    random_source random(stream);
    entries pattern = random_pattern(700, 600, 150, random);
    for (std::int64_t j = 0; j < 600; ++j)
        if (j % 90 != 0) pattern.list.push_back({350, j, 1.0});
    std::sort(pattern.list.begin(), pattern.list.end(),
              [](const entry& a, const entry& b) { return a.row != b.row ? a.row < b.row : a.col < b.col; });
    const auto same = [](const entry& a, const entry& b) { return a.row == b.row && a.col == b.col; };
    pattern.list.erase(std::unique(pattern.list.begin(), pattern.list.end(), same), pattern.list.end());
    return pattern;
}

// One of two patterns.
sparse_arrays medium(const layout& l, cudaDataType type, std::uint64_t stream) {
    static const entries patterns[] = {make_pattern(1), make_pattern(2)};
    random_source random(stream);
    return arrange(with_values(patterns[stream % 2], type, random), l, {}, type, random);
}

std::vector<product_types> two_rows() {
    std::vector<product_types> rows{uniform(CUDA_R_32F)};
    rows.push_back(uniform(device_has(CUDA_C_64F) ? CUDA_C_64F : CUDA_C_32F));
    return rows;
}

// Calls f(types, layout, op) for all of them.
template <class F>
void for_each_problem(F&& f) {
    for (const product_types& types : two_rows())
        for (const layout& l : spmv_layouts())
            for (const cusparseOperation_t op : all_operations) {
                if (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && !is_complex(types.a)) continue;
                INFO(l.name << ", " << types.name() << ", operation " << op);
                f(types, l, op);
            }
}

product_call general_call(const product_types& types) { return {some_alpha(types), some_beta(types)}; }

// Every algorithm that serves the format, the default one first.
std::vector<cusparseSpMVAlg_t> algorithms_of(cusparseFormat_t format) {
    switch (format) {
        case CUSPARSE_FORMAT_COO:
            return {CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_COO_ALG1, CUSPARSE_SPMV_COO_ALG2};
        case CUSPARSE_FORMAT_SLICED_ELLPACK: return {CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_SELL_ALG1};
        case CUSPARSE_FORMAT_BSR: return {CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_BSR_ALG1};
        default: return {CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2};
    }
}

}  // namespace

// The core asks for a few bytes in the formats that cuSPARSE always asks for some in.
TEST_CASE("a matrix that stores nothing needs no workspace on OpenCL") {
    if (backend_name() != "opencl") return;
    random_source random;
    for_each_problem([&](const product_types& types, const layout& l, cusparseOperation_t op) {
        spmv_problem problem(arrange({300, 200, {}}, l, {}, types.a, random), types, op, {0, true});
        const product_call call = general_call(types);
        const bool always = l.format == CUSPARSE_FORMAT_CSR || l.format == CUSPARSE_FORMAT_COO;
        CHECK(problem.buffer_size(call) == (always ? 8u : 0u));
        problem.run(call);
    });
}

TEST_CASE("a workspace of exactly the queried size at any address is enough") {
    for_each_problem([](const product_types& types, const layout& l, cusparseOperation_t op) {
        spmv_problem problem(medium(l, types.a, 1), types, op);
        for (const cusparseSpMVAlg_t algorithm : algorithms_of(l.format))
            for (const std::size_t misalignment : {0, 1, 8, 255}) {
                product_call call = general_call(types);
                call.algorithm = algorithm;
                const workspace buffer(problem.buffer_size(call), misalignment);
                if (misalignment != 8) problem.preprocess(call, buffer.data());
                problem.run(call, buffer.data());
                CHECK(buffer.canaries_are_whole());
            }
    });
}

TEST_CASE("preprocessing once serves many products") {
    for_each_problem([](const product_types& types, const layout& l, cusparseOperation_t op) {
        spmv_problem problem(medium(l, types.a, 2), types, op);
        for (const cusparseSpMVAlg_t algorithm : algorithms_of(l.format)) {
            product_call call = general_call(types);
            call.algorithm = algorithm;
            const workspace buffer(problem.buffer_size(call));
            problem.preprocess(call, buffer.data());
            problem.run(call, buffer.data());
            call.alpha = -1.0;
            problem.run(call, buffer.data());
            call.beta = 0.0;
            call.mode = CUSPARSE_POINTER_MODE_DEVICE;
            problem.run(call, buffer.data());
            problem.preprocess(call, buffer.data());
            problem.run(call, buffer.data());
        }
    });
}

TEST_CASE("new values after preprocessing are the ones that count") {
    for_each_problem([](const product_types& types, const layout& l, cusparseOperation_t op) {
        const sparse_arrays arrays = medium(l, types.a, 3);
        spmv_problem problem(arrays, types, op);
        const product_call call = general_call(types);
        const workspace buffer(problem.buffer_size(call));
        problem.preprocess(call, buffer.data());
        problem.run(call, buffer.data());
        random_source random(30);
        problem.set_values(random_values(types.a, arrays.values.size(), random));
        problem.run(call, buffer.data());
    });
}

TEST_CASE("a workspace that is overwritten between preprocessing and product does no harm") {
    for_each_problem([](const product_types& types, const layout& l, cusparseOperation_t op) {
        spmv_problem problem(medium(l, types.a, 4), types, op);
        for (const cusparseSpMVAlg_t algorithm : algorithms_of(l.format)) {
            product_call call = general_call(types);
            call.algorithm = algorithm;
            workspace buffer(problem.buffer_size(call));
            problem.preprocess(call, buffer.data());
            for (const unsigned char garbage : {0x00, 0xff, 0x5a}) {
                buffer.overwrite(garbage);
                problem.run(call, buffer.data());
            }
        }
    });
}

TEST_CASE("two matrices share a buffer") {
    for_each_problem([](const product_types& types, const layout& l, cusparseOperation_t op) {
        spmv_problem first(medium(l, types.a, 5), types, op);
        spmv_problem second(medium(l, types.a, 6), types, op);
        const product_call call = general_call(types);
        const workspace buffer(std::max(first.buffer_size(call), second.buffer_size(call)));
        first.preprocess(call, buffer.data());
        second.preprocess(call, buffer.data());
        for (int round = 0; round < 2; ++round) {
            first.run(call, buffer.data());
            second.run(call, buffer.data());
        }
    });
}

TEST_CASE("every call may have another buffer") {
    for_each_problem([](const product_types& types, const layout& l, cusparseOperation_t op) {
        spmv_problem problem(medium(l, types.a, 7), types, op);
        const product_call call = general_call(types);
        const std::size_t size = problem.buffer_size(call);
        const workspace first(size), second(size + 1000, 1), third(size);
        problem.run(call, first.data());
        problem.preprocess(call, second.data());
        problem.run(call, third.data());
        problem.run(call, second.data());
        problem.run(call, first.data());
    });
}

TEST_CASE("one descriptor and one buffer serve N, T and C in turn") {
    for (const product_types& types : two_rows())
        for (const layout& l : spmv_layouts()) {
            random_source random(8);
            const sparse_arrays arrays = arrange(
                with_values(random_pattern(300, 300, 20, random), types.a, random), l, {}, types.a, random);
            const device_matrix a(arrays);
            const entries matrix = expand(arrays);
            const auto rows = static_cast<std::size_t>(matrix.rows),
                       cols = static_cast<std::size_t>(matrix.cols);
            const std::vector<number> long_values = random_values(types.x, rows + cols, random);
            const number one = 1.0, zero = 0.0;
            const scalar_operand alpha(types.compute, one, CUSPARSE_POINTER_MODE_HOST);
            const scalar_operand beta(types.compute, zero, CUSPARSE_POINTER_MODE_HOST);
            std::size_t size = 0;
            std::vector<std::unique_ptr<workspace>> buffers;
            const auto multiply = [&](cusparseOperation_t op, bool preprocess) {
                INFO(l.name << ", " << types.name() << ", operation " << op);
                const std::size_t inner = op == N ? cols : rows, outer = op == N ? rows : cols;
                const std::vector<number> x_values(long_values.begin(),
                                                   long_values.begin() + static_cast<std::ptrdiff_t>(inner));
                const typed_array x(types.x, x_values),
                    y(types.y, std::vector<number>(outer, poison(types.y)));
                const dense_vector vx = describe(types.x, inner, x), vy = describe(types.y, outer, y);
                const auto run = [&](auto function, auto last) {
                    expect(function(cusparse(), op, alpha.data(), a.get(), vx.get(), beta.data(), vy.get(),
                                    types.compute, CUSPARSE_SPMV_ALG_DEFAULT, last));
                };
                std::size_t needed = 0;
                run(cusparseSpMV_bufferSize, &needed);
                if (needed > size || buffers.empty())
                    buffers.push_back(std::make_unique<workspace>(size = needed));
                if (preprocess) run(cusparseSpMV_preprocess, buffers.back()->data());
                run(cusparseSpMV, buffers.back()->data());
                const std::string wrong =
                    difference(y.numbers(), spmv(matrix, op, one, x_values, zero, std::vector<number>(outer),
                                                 types.compute, types.y));
                if (!wrong.empty()) FAIL_CHECK(wrong);
            };
            for (const bool preprocess : {false, true})
                for (const cusparseOperation_t op :
                     {CUSPARSE_OPERATION_TRANSPOSE, N, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, N})
                    multiply(op, preprocess);
            for (const cusparseOperation_t op : {CUSPARSE_OPERATION_TRANSPOSE, N}) multiply(op, false);
        }
}

TEST_CASE("a needed workspace that is NULL is refused and nothing is written") {
    for_each_problem([](const product_types& types, const layout& l, cusparseOperation_t op) {
        spmv_problem problem(medium(l, types.a, 9), types, op);
        const product_call call = general_call(types);
        if (problem.buffer_size(call) == 0) return;
        const std::vector<unsigned char> before = problem.y_bytes();
        const log_capture log;
        expect(problem.try_run(call, nullptr), CUSPARSE_STATUS_INVALID_VALUE);
        CHECK(log.contains("externalBuffer"));
        CHECK((problem.y_bytes() == before));
    });
}

TEST_CASE("the deterministic algorithms give the same bits every time") {
    struct choice {
        cusparseFormat_t format;
        cusparseSpMVAlg_t algorithm;
    };
    for (const choice c : {choice{CUSPARSE_FORMAT_COO, CUSPARSE_SPMV_COO_ALG2},
                           choice{CUSPARSE_FORMAT_CSR, CUSPARSE_SPMV_CSR_ALG2},
                           choice{CUSPARSE_FORMAT_SLICED_ELLPACK, CUSPARSE_SPMV_SELL_ALG1}})
        for (const product_types& types : two_rows())
            for (const bool preprocess : {false, true}) {
                const layout l{"", c.format, false, 1, 1, CUSPARSE_ORDER_ROW, 16};
                INFO("format " << c.format << ", " << types.name());
                spmv_problem problem(medium(l, types.a, 10), types, N);
                product_call call = general_call(types);
                call.algorithm = c.algorithm;
                problem.run(call, preprocess);
                const std::vector<unsigned char> first = problem.y_bytes();
                for (int repeat = 0; repeat < 5; ++repeat) {
                    problem.run(call, preprocess);
                    CHECK((problem.y_bytes() == first));
                }
            }
}
