// SpMM, SDDMM and conversions of real matrices from $HERON_TEST_DATA, and of generated ones.
#include "real_matrices.hpp"
#include "ops/sddmm/sddmm_problem.hpp"
#include "ops/spmm/spmm_problem.hpp"

using namespace heron::test;

namespace {

constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto T = CUSPARSE_OPERATION_TRANSPOSE;
constexpr auto by_rows = CUSPARSE_ORDER_ROW;
constexpr auto by_columns = CUSPARSE_ORDER_COL;

cudaDataType widest() { return device_has(CUDA_R_64F) ? CUDA_R_64F : CUDA_R_32F; }

sparse_arrays stored(const entries& matrix, cusparseFormat_t format, bool shuffled = false) {
    random_source random;
    return arrange(matrix, {"", format, shuffled}, {}, widest(), random);
}

void check_repeatable(spmm_problem& problem, cusparseSpMMAlg_t algorithm) {
    spmm_call call = general_call(uniform_spmm(widest()));
    call.algorithm = algorithm;
    problem.run(call, true);
    const std::vector<unsigned char> first = problem.c_bytes();
    problem.run(call, true);
    CHECK((problem.c_bytes() == first));
}

void check_spmm(const entries& matrix) {
    const spmm_types types = uniform_spmm(widest());
    const sparse_arrays csr = stored(matrix, CUSPARSE_FORMAT_CSR);
    for (const cusparseOperation_t op : {N, T})
        for (const cusparseOrder_t order : {by_rows, by_columns}) {
            spmm_options o{.op_a = op, .n = order == by_rows ? 7 : 4};
            o.order_b = o.order_c = order;
            spmm_problem problem(csr, types, o);
            problem.run(general_call(types));
            check_repeatable(problem, CUSPARSE_SPMM_CSR_ALG3);
        }
    spmm_problem coo(stored(matrix, CUSPARSE_FORMAT_COO), types, {.n = 5});
    check_repeatable(coo, CUSPARSE_SPMM_COO_ALG2);
    spmm_problem(stored(matrix, CUSPARSE_FORMAT_COO, true), types, {.n = 3}).run(general_call(types));
    spmm_problem(stored(matrix, CUSPARSE_FORMAT_CSC), types, {.n = 3}).run(general_call(types), true);
}

void check_sddmm(const entries& matrix) {
    const sddmm_types types{widest(), widest(), widest()};
    const sddmm_call call{0.75, -1.25};
    for (const cusparseFormat_t format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_COO, CUSPARSE_FORMAT_CSC})
        for (const auto& [a, b] : {std::pair{by_rows, by_columns}, std::pair{by_columns, by_rows}}) {
            sddmm_problem problem({stored(matrix, format)}, types, 6, {a, N, 1}, {b, N, 0});
            problem.run(call, true);
            const std::vector<unsigned char> first = problem.c_bytes();
            problem.run(call);
            CHECK((problem.c_bytes() == first));
        }
}

}  // namespace

TEST_CASE("SpMM and SDDMM of generated matrices") {
    for (const char* spec : {"rmat:10,8", "longrows:700,2", "hypersparse:20000,300", "arrow:3000",
                             "poisson3d27:8", "banded:900,12", "diag:5000"}) {
        INFO(spec);
        const entries matrix = from_csr(heron::tools::load_matrix(spec, seed()), widest());
        check_spmm(matrix);
        check_sddmm(matrix);
    }
}

TEST_CASE("SpMM and SDDMM of real matrices") {
    for_each_real_matrix("SpMM and SDDMM", [](const std::string&, const heron::tools::csr_matrix& m) {
        constexpr std::int64_t largest = 500000;
        if (m.nnz() > largest) return false;
        const entries matrix = from_csr(m, widest());
        check_spmm(matrix);
        check_sddmm(matrix);
        return true;
    });
}
