// SpGEMM of larger matrices: generated ones whose rows differ in length, and real ones from $HERON_TEST_DATA.
// A square matrix is multiplied by itself, another one by its transpose.
#include "ops/real_matrices.hpp"
#include "spgemm_problem.hpp"

using namespace heron::test;

namespace {

constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto T = CUSPARSE_OPERATION_TRANSPOSE;

std::int64_t products_of(const entries& a, const entries& b, cusparseOperation_t op_b) {
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(rows_of(b, op_b)));
    for (const entry& e : b.list) ++lengths[static_cast<std::size_t>(op_b == N ? e.row : e.col)];
    std::int64_t products = 0;
    for (const entry& e : a.list) products += lengths[static_cast<std::size_t>(e.col)];
    return products;
}

// False where the oracle would take too long.
bool check_product(const heron::tools::csr_matrix& m, const std::string& name) {
    constexpr std::int64_t most_products = 1500000;
    const cudaDataType type = device_has(CUDA_R_64F) ? CUDA_R_64F : CUDA_R_32F;
    const entries matrix = from_csr(m, type);
    const cusparseOperation_t op = m.rows == m.cols ? N : T;
    if (products_of(matrix, matrix, op) > most_products) return false;
    INFO(name);
    random_source random;
    const sparse_arrays arrays = arrange(matrix, {"CSR", CUSPARSE_FORMAT_CSR}, {}, type, random);
    spgemm_problem problem(arrays, N, arrays, op);
    spgemm_call call;
    call.compute = type;
    problem.run(call);
    const std::vector<unsigned char> first = problem.value_bytes();
    problem.run(call);
    CHECK((problem.value_bytes() == first));
    problem.run_reuse(call);
    return true;
}

}  // namespace

TEST_CASE("SpGEMM of generated matrices") {
    for (const char* spec : {"rmat:9,8", "longrows:700,2", "hypersparse:200000,900", "arrow:400",
                             "poisson3d27:8", "poisson3d:12", "banded:900,12", "banded:200,30",
                             "uniform:2000,9", "diag:20000", "dense:30,1000"}) {
        CAPTURE(spec);
        CHECK(check_product(heron::tools::load_matrix(spec, seed()), spec));
    }
}

TEST_CASE("SpGEMM of real matrices") {
    for_each_real_matrix("SpGEMM", [](const std::string& name, const heron::tools::csr_matrix& matrix) {
        return check_product(matrix, name);
    });
}
