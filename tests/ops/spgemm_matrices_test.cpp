// SpGEMM of larger matrices: generated ones whose rows differ in length, and real ones from $HERON_TEST_DATA.
// A square matrix is multiplied by itself, another one by its transpose.
#include "spgemm_problem.hpp"

#include "generators.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

using namespace heron::test;

namespace {

constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto T = CUSPARSE_OPERATION_TRANSPOSE;

entries from_csr(const heron::tools::csr_matrix& m, cudaDataType type) {
    entries result{m.rows, m.cols, {}};
    for (std::size_t row = 0; row < static_cast<std::size_t>(m.rows); ++row)
        for (auto k = static_cast<std::size_t>(m.offsets[row]);
             k < static_cast<std::size_t>(m.offsets[row + 1]); ++k)
            result.list.push_back(
                {static_cast<std::int64_t>(row), m.columns[k], rounded(type, number{m.real[k]})});
    return result;
}

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
    const char* const folder = std::getenv("HERON_TEST_DATA");
    if (!folder || !*folder) {
        std::puts(
            "SKIPPED: SpGEMM of real matrices; set HERON_TEST_DATA to a folder of .mtx or .mtx.gz files");
        return;
    }
    int count = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        const std::string name = file.path().filename().string();
        if (!name.ends_with(".mtx") && !name.ends_with(".mtx.gz")) continue;
        count += check_product(heron::tools::load_matrix(file.path().string()), name);
    }
    std::printf("%d real matrices\n", count);
    CHECK(count > 0);
}
