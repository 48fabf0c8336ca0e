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

}  // namespace

TEST_CASE("SpMV of generated matrices") {
    for (const char* spec :
         {"rmat:13,12", "longrows:3000,3", "hypersparse:200000,900", "arrow:30000", "poisson2d:150",
          "poisson3d27:14", "banded:5000,20", "uniform:20000,5", "diag:100000"})
        for (const product_types& types : large_rows())
            check_products(from_csr(heron::tools::load_matrix(spec, seed()), types.a), spec, types);
}

// What preprocessing leaves in the workspace is no more than a help.
TEST_CASE("SpMV of transposed matrices with new values and with an overwritten workspace") {
    const layout csr{"CSR", CUSPARSE_FORMAT_CSR};
    for (const char* spec : {"rmat:13,12", "poisson2d:150", "banded:5000,20", "uniform:20000,5"})
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
    for (const product_types& types : large_rows())
        check_products(one_long_row(types.a), "one long row", types);
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
