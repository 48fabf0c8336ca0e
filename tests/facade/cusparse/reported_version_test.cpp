// HERON_CUSPARSE_VERSION, which ctest sets to several values: the version that the library says it is, and
// the lists of arguments that SpMVOp had in it.
#include "facade.hpp"
#include <cstdlib>
#include <cstring>

using namespace heron::test;

namespace {

constexpr int built = 12603;

int expected_version() {
    const char* const text = std::getenv("HERON_CUSPARSE_VERSION");
    const int version = text ? std::atoi(text) : built;
    return version > 0 ? version : built;
}

// 2 x 2 with an element in each row.
alignas(16) double a_values[2] = {2, 3}, x_values[2] = {1, 10}, y_values[2] = {100, 200}, z_values[2];
alignas(16) int32_t offsets[3] = {0, 1, 2}, columns[2] = {0, 1};
alignas(16) char buffer[4096];

struct operands {
    const sparse_matrix a{cusparseCreateCsr,
                          2,
                          2,
                          2,
                          offsets,
                          columns,
                          a_values,
                          CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_BASE_ZERO,
                          CUDA_R_64F};
    const dense_vector x{cusparseCreateDnVec, 2, x_values, CUDA_R_64F};
    const dense_vector y{cusparseCreateDnVec, 2, y_values, CUDA_R_64F};
    const dense_vector z{cusparseCreateDnVec, 2, z_values, CUDA_R_64F};
};

using size_of_13_1 = cusparseStatus_t(cusparseHandle_t, cusparseOperation_t, cusparseConstSpMatDescr_t,
                                      cusparseConstDnVecDescr_t, cusparseDnVecDescr_t, cusparseDnVecDescr_t,
                                      cudaDataType, size_t*);
using create_of_13_1 = cusparseStatus_t(cusparseHandle_t, cusparseSpMVOpDescr_t*, cusparseOperation_t,
                                        cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                                        cusparseDnVecDescr_t, cusparseDnVecDescr_t, cudaDataType, void*);
using create_of_13_1_0 = cusparseStatus_t(cusparseHandle_t, cusparseSpMVOpDescr_t*, cusparseOperation_t,
                                          cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                                          cusparseDnVecDescr_t, cusparseDnVecDescr_t, cudaDataType);

// The same function with another list of arguments, as an old binary calls it.
template <class F, class G>
F* as(G* function) {
    void* address = nullptr;
    std::memcpy(&address, &function, sizeof address);
    return reinterpret_cast<F*>(address);
}

cusparseSpMVOpDescr_t described(cusparseHandle_t h, const operands& o, int version) {
    constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
    cusparseSpMVOpDescr_t descr = nullptr;
    size_t bytes = 0;
    if (version == 12702) {
        REQUIRE(as<create_of_13_1_0>(&cusparseSpMVOp_createDescr)(h, &descr, N, o.a, o.x, o.y, o.z,
                                                                  CUDA_R_64F) == ok);
    } else if (version == 12703) {
        REQUIRE(as<size_of_13_1>(&cusparseSpMVOp_bufferSize)(h, N, o.a, o.x, o.y, o.z, CUDA_R_64F, &bytes) ==
                ok);
        CHECK(bytes > 0);
        REQUIRE(as<create_of_13_1>(&cusparseSpMVOp_createDescr)(h, &descr, N, o.a, o.x, o.y, o.z, CUDA_R_64F,
                                                                buffer) == ok);
    } else {
        constexpr auto alg = CUSPARSE_SPMVOP_ALG2;
        REQUIRE(cusparseSpMVOp_bufferSize(h, N, o.a, o.x, o.y, o.z, CUDA_R_64F, alg, &bytes) == ok);
        CHECK(bytes > 0);
        REQUIRE(cusparseSpMVOp_createDescr(h, &descr, N, o.a, o.x, o.y, o.z, CUDA_R_64F, alg, buffer) == ok);
    }
    return descr;
}

}  // namespace

TEST_CASE("the version is the one that is asked for") {
    const handle h(cusparseCreate);
    int version = 0, major = 0, minor = 0, patch = 0;
    REQUIRE(cusparseGetVersion(h, &version) == ok);
    CHECK(version == expected_version());
    REQUIRE(cusparseGetProperty(MAJOR_VERSION, &major) == ok);
    REQUIRE(cusparseGetProperty(MINOR_VERSION, &minor) == ok);
    REQUIRE(cusparseGetProperty(PATCH_LEVEL, &patch) == ok);
    CHECK(1000 * major + 100 * minor + patch == version);
}

TEST_CASE("SpMVOp takes the arguments of the version") {
    const handle h(cusparseCreate);
    const operands o;
    cusparseSpMVOpDescr_t descr = described(h, o, expected_version());
    cusparseSpMVOpPlan_t plan = nullptr;
    const double one = 1;
    REQUIRE(cusparseSpMVOp_createPlan(h, descr, &plan, nullptr, 0) == ok);
    CHECK(cusparseSpMVOp_destroyDescr(descr) == ok);
    REQUIRE(cusparseSpMVOp(h, plan, &one, &one, o.x, o.y, o.z) == ok);
    CHECK(z_values[0] == 102);
    CHECK(z_values[1] == 230);
    CHECK(cusparseSpMVOp_destroyPlan(plan) == ok);
}
