// SpMV of large matrices: generated ones whose rows are hard to share out, and real ones from
// $HERON_TEST_DATA.
#include "ops/real_matrices.hpp"
#include "spmv_problem.hpp"

using namespace heron::test;

namespace {

// One row of 100 000 elements, which is half of the matrix.
entries one_long_row(cudaDataType type) {
    random_source random(1);
    entries result{20000, 100000, {}};
    for (std::int64_t row = 0; row < result.rows; ++row) {
        if (row == 12345)
            for (std::int64_t col = 0; col < result.cols; ++col) result.list.push_back({row, col, 1.0});
        else
            for (std::int64_t k = 0; k < 5; ++k)
                result.list.push_back({row, k * 20000 + random.below(20000), 1.0});
    }
    return with_values(result, type, random);
}

const std::vector<layout>& large_layouts() {
    static const std::vector<layout> all{
        {"COO", CUSPARSE_FORMAT_COO},
        {"COO unsorted", CUSPARSE_FORMAT_COO, true},
        {"CSR", CUSPARSE_FORMAT_CSR},
        {"CSC", CUSPARSE_FORMAT_CSC},
        {"SELL 32", CUSPARSE_FORMAT_SLICED_ELLPACK, false, 1, 1, CUSPARSE_ORDER_ROW, 32},
        {"BSR 4x4", CUSPARSE_FORMAT_BSR, false, 4, 4, CUSPARSE_ORDER_ROW}};
    return all;
}

// What the padding of SELL and BSR would store for a matrix with one long row is no test of anything.
bool is_reasonable(const sparse_arrays& a) { return static_cast<std::int64_t>(a.values.size()) < 3000000; }

cusparseSpMVAlg_t deterministic_algorithm(cusparseFormat_t format) {
    if (format == CUSPARSE_FORMAT_COO) return CUSPARSE_SPMV_COO_ALG2;
    return format == CUSPARSE_FORMAT_SLICED_ELLPACK ? CUSPARSE_SPMV_SELL_ALG1 : CUSPARSE_SPMV_CSR_ALG2;
}

void check_repeatable(spmv_problem& problem, product_call call, cusparseFormat_t format) {
    call.algorithm = deterministic_algorithm(format);
    problem.run(call, true);
    const std::vector<unsigned char> first = problem.y_bytes();
    problem.run(call, true);
    CHECK((problem.y_bytes() == first));
}

void check_products(const entries& matrix, const std::string& name, const product_types& types) {
    random_source random;
    for (const layout& l : large_layouts()) {
        const sparse_arrays arrays = arrange(matrix, l, {}, types.a, random);
        if (!is_reasonable(arrays)) continue;
        for (const cusparseOperation_t op : all_operations) {
            if (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && !is_complex(types.a)) continue;
            INFO(name << " as " << l.name);
            spmv_problem problem(arrays, types, op);
            problem.run({some_alpha(types), some_beta(types)});
            problem.run({some_alpha(types), 0.0}, true);
            const bool summed_by_rows =
                l.format != CUSPARSE_FORMAT_BSR && l.format != CUSPARSE_FORMAT_CSC && !l.shuffled;
            if (op == CUSPARSE_OPERATION_NON_TRANSPOSE && summed_by_rows)
                check_repeatable(problem, {some_alpha(types), 0.0}, l.format);
        }
    }
}

std::vector<product_types> large_rows() {
    std::vector<product_types> rows{uniform(CUDA_R_32F), uniform(CUDA_C_32F)};
    if (device_has(CUDA_R_64F)) rows.push_back(uniform(CUDA_R_64F));
    return rows;
}

// `rows` rows of `length` elements, but for some that are empty. Every `period`-th row that is not empty has
// its last element `span` columns behind its first one, all others have theirs close together.
struct spans {
    std::int64_t rows, length, period, span;
};

entries rows_of(const spans& s) {
    constexpr std::int64_t first = 1234, close = 300;
    entries result{s.rows, first + std::max(s.span, close) + 1, {}};
    for (std::int64_t row = 0; row < s.rows; ++row) {
        if (row % 9 == 4) continue;
        const std::int64_t last = row % s.period == 0 ? s.span : close;
        for (std::int64_t k = 0; k + 1 < s.length; ++k)
            result.list.push_back({row, first + k * (close / s.length), 1.0});
        result.list.push_back({row, first + last, 1.0});
    }
    return result;
}

std::vector<index_choice> index_types() {
    if (!has_all_types()) return {{CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, 1}};
    return {{CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, 0},
            {CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, 1},
            {CUSPARSE_INDEX_64I, CUSPARSE_INDEX_32I, 1},
            {CUSPARSE_INDEX_64I, CUSPARSE_INDEX_64I, 1}};
}

// Rows of up to `length` elements in `kinds` kinds; rows of one kind have their columns at the same distances
// from the diagonal. Each `period`-th row has one more at a distance of its own.
struct kinds_of_rows {
    std::int64_t rows, length, kinds, period;
};

entries rows_of(const kinds_of_rows& s) {
    entries result{s.rows, 2 * s.rows + s.length * 20, {}};
    for (std::int64_t row = 0; row < s.rows; ++row) {
        const std::int64_t kind = row % s.kinds;
        const std::int64_t step = 1 + kind % 19;
        const std::int64_t length = s.length - kind / 19 % s.length;
        for (std::int64_t k = 0; k < length; ++k) result.list.push_back({row, row + k * step, 1.0});
        if (row % s.period == 7) result.list.push_back({row, row + s.length * 20 + row * 37 % s.rows, 1.0});
    }
    return result;
}

struct way {
    cusparseFormat_t format;
    cusparseOperation_t op;
};

constexpr way by_rows{CUSPARSE_FORMAT_CSR, CUSPARSE_OPERATION_NON_TRANSPOSE};

void check_with_one_buffer(const entries& pattern, const product_types& types, const index_choice& index,
                           const way& how = by_rows) {
    random_source random(3);
    const sparse_arrays arrays =
        arrange(with_values(pattern, types.a, random), {"", how.format}, index, types.a, random);
    spmv_problem problem(arrays, types, how.op);
    const product_call call{some_alpha(types), some_beta(types)};
    workspace buffer(problem.buffer_size(call), 8);
    problem.preprocess(call, buffer.data());
    problem.run(call, buffer.data());
    problem.set_values(random_values(types.a, arrays.values.size(), random));
    problem.run({some_alpha(types), 0.0}, buffer.data());
    problem.run({0.0, some_beta(types)}, buffer.data());
    problem.run({some_alpha(types), some_beta(types), CUSPARSE_POINTER_MODE_DEVICE}, buffer.data());
    buffer.overwrite(0x5a);
    problem.run(call, buffer.data());
    problem.preprocess(call, buffer.data());
    problem.run(call, buffer.data());
    CHECK(buffer.canaries_are_whole());
}

entries transposed(entries pattern) {
    std::swap(pattern.rows, pattern.cols);
    for (auto& e : pattern.list) std::swap(e.row, e.col);
    return pattern;
}

// Of the same rows: A is op(A) by rows, or its transpose by columns. And of A by rows, op(A) by columns.
void check_both_ways(const entries& pattern, const product_types& types, const index_choice& index) {
    const cusparseOperation_t turns =
        is_complex(types.a) ? CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE : CUSPARSE_OPERATION_TRANSPOSE;
    // spmv_instances_test has matrices as large by rows, and CSC is the same to a backend.
    if (!is_short()) {
        check_with_one_buffer(pattern, types, index);
        check_with_one_buffer(transposed(pattern), types, index, {CUSPARSE_FORMAT_CSC, turns});
    }
    check_with_one_buffer(pattern, types, index, {CUSPARSE_FORMAT_CSR, turns});
}

// More than 2^20 elements, below which CUDA reads the columns as they are; other backends always do. Most of
// the bands of rows fit 16 bits, or most rows are of a kind.
std::vector<entries> large_patterns_of_spans() {
    if (backend_name() != "cuda") return {rows_of(spans{66000, 20, 3001, 70000})};
    return {rows_of(spans{240000, 5, 20, 65535}), rows_of(spans{240000, 5, 10007, 70000}),
            rows_of(spans{66000, 20, 3001, 70000}), rows_of(spans{8000, 150, 1001, 65536})};
}
std::vector<entries> large_patterns_of_kinds() {
    if (backend_name() != "cuda") return {};
    return {rows_of(kinds_of_rows{240000, 5, 3, 50}), rows_of(kinds_of_rows{40000, 27, 27, 100}),
            rows_of(kinds_of_rows{7000, 160, 7, 90})};
}

void check_large(const std::vector<entries>& patterns) {
    std::vector<product_types> rows = large_rows();
    if (device_has(CUDA_C_64F)) rows.push_back(uniform(CUDA_C_64F));
    std::size_t turn = 0;
    for (const entries& pattern : patterns)
        for (const product_types& types : rows) {
            if (is_short() && ++turn % patterns.size() != 0) continue;
            const index_choice index = index_types()[turn++ / 3 % index_types().size()];
            INFO(types.name() << ", " << pattern.list.size() << " elements in " << pattern.rows
                              << " rows, base " << index.base);
            check_both_ways(pattern, types, index);
        }
}

// Of more than 2^20 elements on CUDA alone.
std::vector<spans> close_rows() {
    if (backend_name() != "cuda") return {spans{16000, 5, 20, 1000}, spans{4100, 20, 20, 1000}};
    return {spans{240000, 5, 20, 1000}, spans{66000, 20, 20, 1000}};
}

}  // namespace

TEST_CASE("SpMV of large matrices whose rows are close together, by rows and by columns") {
    check_large(large_patterns_of_spans());
}

TEST_CASE("SpMV of large matrices whose rows are of a few kinds, by rows and by columns") {
    check_large(large_patterns_of_kinds());
}

TEST_CASE("SpMV of large matrices whose rows are alike has the same bits each time") {
    const layout csr{"CSR", CUSPARSE_FORMAT_CSR};
    std::vector<entries> patterns = large_patterns_of_spans();
    for (entries& pattern : large_patterns_of_kinds()) patterns.push_back(std::move(pattern));
    for (const entries& pattern : patterns)
        for (const product_types& types : large_rows()) {
            random_source random(6);
            spmv_problem problem(arrange(with_values(pattern, types.a, random), csr, {}, types.a, random),
                                 types, CUSPARSE_OPERATION_NON_TRANSPOSE);
            check_repeatable(problem, {some_alpha(types), 0.0}, CUSPARSE_FORMAT_CSR);
        }
}

// Which a backend may store in fewer bits. Rows are short, of some elements, and long; one in twenty, or one
// of all, has a span of its own.
TEST_CASE("SpMV of rows whose columns are close together, or not quite") {
    for (const product_types& types : large_rows())
        for (const spans& s :
             {spans{16000, 5, 20, 65534}, spans{16000, 5, 20, 65535}, spans{16000, 5, 20, 65536},
              spans{4100, 20, 20, 65535}, spans{4100, 20, 20, 65536}, spans{4100, 20, 1 << 20, 70000},
              spans{16000, 5, 1 << 20, 70000}, spans{500, 150, 20, 65535}, spans{500, 150, 20, 65536}})
            for (const index_choice& index : index_types()) {
                INFO(types.name() << ", rows of " << s.length << ", span " << s.span << ", base "
                                  << index.base);
                check_with_one_buffer(rows_of(s), types, index);
            }
}

// Few kinds, almost too many, and too many of them, with no, few and many rows that are of none.
TEST_CASE("SpMV of rows of a few kinds") {
    for (const product_types& types : large_rows())
        for (const kinds_of_rows& s :
             {kinds_of_rows{15000, 5, 3, 1 << 20}, kinds_of_rows{30000, 5, 80, 50},
              kinds_of_rows{15000, 5, 3, 25}, kinds_of_rows{3000, 27, 27, 100},
              kinds_of_rows{3000, 60, 1100, 1 << 20}, kinds_of_rows{700, 150, 7, 90}})
            for (const index_choice& index : index_types()) {
                INFO(types.name() << ", rows of " << s.length << ", kinds " << s.kinds << ", base "
                                  << index.base);
                check_with_one_buffer(rows_of(s), types, index);
            }
}

TEST_CASE("SpMV of values at any address, after preprocessing") {
    const layout csr{"CSR", CUSPARSE_FORMAT_CSR};
    for (const product_types& types : large_rows())
        for (const spans& s : close_rows()) {
            random_source random(4);
            const entries matrix = with_values(rows_of(s), types.a, random);
            spmv_problem(arrange(matrix, csr, {}, types.a, random), types, CUSPARSE_OPERATION_NON_TRANSPOSE,
                         {1})
                .run({some_alpha(types), some_beta(types)}, true);
        }
}

// A product without preprocessing writes where the columns of another matrix are.
TEST_CASE("SpMV of two large matrices that share a buffer, one of them preprocessed") {
    const layout csr{"CSR", CUSPARSE_FORMAT_CSR};
    for (const product_types& types : large_rows())
        for (const spans& s : close_rows())
            for (const char* spec : {"rmat:13,12", "banded:5000,20"}) {
                random_source random(5);
                const auto problem_of = [&](const entries& matrix) {
                    return spmv_problem(arrange(matrix, csr, {}, types.a, random), types,
                                        CUSPARSE_OPERATION_NON_TRANSPOSE);
                };
                spmv_problem first = problem_of(with_values(rows_of(s), types.a, random));
                spmv_problem second = problem_of(from_csr(heron::tools::load_matrix(spec, seed()), types.a));
                const product_call call{some_alpha(types), some_beta(types)};
                const workspace buffer(std::max(first.buffer_size(call), second.buffer_size(call)));
                first.preprocess(call, buffer.data());
                for (int round = 0; round < 4; ++round) {
                    second.run(call, buffer.data());
                    first.run(call, buffer.data());
                }
            }
}

TEST_CASE("SpMV of generated matrices") {
    for (const char* spec : {"rmat:13,12", "longrows:3000,3", "hypersparse:200000,900", "arrow:30000",
                             "poisson2d:150", "poisson3d27:14", "banded:5000,20", "uniform:20000,5",
                             "diag:100000", "dense:300,300", "rectangle:50,9000,1500"})
        for (const product_types& types : large_rows())
            check_products(from_csr(heron::tools::load_matrix(spec, seed()), types.a), spec, types);
}

// CUDA turns the patterns of matrices of more than half a million elements, other backends those of fewer.
std::vector<const char*> turned_patterns() {
    if (backend_name() == "cuda")
        return {"rmat:16,16", "poisson2d:400", "banded:10000,30", "uniform:60000,12",
                "rectangle:20,100000,40000"};
    return {"rmat:13,12", "poisson2d:150", "banded:5000,20", "uniform:20000,5", "rectangle:20,100000,4000"};
}

// What preprocessing leaves in the workspace is no more than a help.
TEST_CASE("SpMV of transposed matrices with new values and with an overwritten workspace") {
    const layout csr{"CSR", CUSPARSE_FORMAT_CSR};
    for (const char* spec : turned_patterns())
        for (const product_types& types : large_rows()) {
            INFO(spec << ", " << types.name());
            random_source random;
            const entries matrix = from_csr(heron::tools::load_matrix(spec, seed()), types.a);
            const sparse_arrays arrays = arrange(matrix, csr, {}, types.a, random);
            spmv_problem problem(arrays, types, CUSPARSE_OPERATION_TRANSPOSE);
            const product_call call{some_alpha(types), some_beta(types)};
            workspace buffer(problem.buffer_size(call), 8);
            problem.preprocess(call, buffer.data());
            problem.run(call, buffer.data());
            problem.set_values(random_values(types.a, arrays.values.size(), random));
            problem.run(call, buffer.data());
            problem.run({some_alpha(types), 0.0}, buffer.data());
            problem.run({0.0, some_beta(types)}, buffer.data());
            buffer.overwrite(0x5a);
            problem.run(call, buffer.data());
            CHECK(buffer.canaries_are_whole());
        }
}

TEST_CASE("SpMV of a matrix with one very long row") {
    std::vector<product_types> rows = large_rows();
    if (is_short()) rows.resize(1);
    for (const product_types& types : rows) check_products(one_long_row(types.a), "one long row", types);
}

TEST_CASE("SpMV of half precision matrices whose rows are long") {
    const product_types types{CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F};
    check_products(from_csr(heron::tools::load_matrix("longrows:2000,5", seed()), types.a), "longrows",
                   types);
}

TEST_CASE("SpMV of real matrices") {
    const product_types types = uniform(device_has(CUDA_R_64F) ? CUDA_R_64F : CUDA_R_32F);
    for_each_real_matrix("SpMV", [&](const std::string& name, const heron::tools::csr_matrix& matrix) {
        check_products(from_csr(matrix, types.a), name, types);
        return true;
    });
}
