// Analyses: what they are asked for, which runs they refuse, and that runs take nothing from the heap.
#include "facade/recorder.hpp"
#include "failing_allocations.hpp"
#include <heron/dense.h>

using namespace heron::test;

namespace {

constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto f64 = CUDA_R_64F;
constexpr auto i32 = CUSPARSE_INDEX_32I;
constexpr auto zero_based = CUSPARSE_INDEX_BASE_ZERO;

using spsv_descriptor = owned<cusparseSpSVDescr_t, &cusparseSpSV_destroyDescr>;
using spgemm_descriptor = owned<cusparseSpGEMMDescr_t, &cusparseSpGEMM_destroyDescr>;

// Calls f once without counting, so that plug-ins are loaded and caches filled.
template <class F>
long allocations_of(F&& f) {
    skip_unless_counted([] { const handle made(cusparseCreate); });
    REQUIRE(f() == 0);
    const long before = allocations();
    const int status = f();
    const long after = allocations();
    REQUIRE(status == 0);
    return after - before;
}

struct triangular_problem {
    const handle h{cusparseCreate};
    const sparse_matrix a{cusparseCreateCsr, 5, 5, 4, offsets, columns, values, i32, i32, zero_based, f64};
    const dense_vector x{cusparseCreateDnVec, 5, x_values, f64};
    const dense_vector y{cusparseCreateDnVec, 5, y_values, f64};
    const spsv_descriptor d{cusparseSpSV_createDescr};
    const scalar one{HERON_R_64F, 1};

    template <class F, class... Last>
    cusparseStatus_t call(F function, const Last&... last) const {
        return function(h, none, one, a, x, y, f64, CUSPARSE_SPSV_ALG_DEFAULT, last...);
    }
};

alignas(256) char solve_buffer[65536];

}  // namespace

TEST_CASE("runs take nothing from the heap") {
    const triangular_problem p;
    const scalar one(HERON_R_64F, 1);
    const dense_matrix b(cusparseCreateDnMat, 5, 2, 5, x_values, f64, CUSPARSE_ORDER_COL);
    const dense_matrix c(cusparseCreateDnMat, 5, 2, 5, y_values, f64, CUSPARSE_ORDER_COL);
    const auto spmv = [&] {
        return cusparseSpMV(p.h, none, one, p.a, p.x, one, p.y, f64, CUSPARSE_SPMV_ALG_DEFAULT, buffer);
    };
    const auto spmm = [&] {
        return cusparseSpMM(p.h, none, none, one, p.a, b, one, c, f64, CUSPARSE_SPMM_ALG_DEFAULT, buffer);
    };
    CHECK(allocations_of(spmv) == 0);
    CHECK(allocations_of(spmm) == 0);
    REQUIRE(cusparseSpMV_preprocess(p.h, none, one, p.a, p.x, one, p.y, f64, CUSPARSE_SPMV_ALG_DEFAULT,
                                    buffer) == ok);
    CHECK(allocations_of(spmv) == 0);
    CHECK(recorded().plan != nullptr);

    size_t size = 0;
    REQUIRE(p.call(cusparseSpSV_bufferSize, p.d, &size) == ok);
    REQUIRE(p.call(cusparseSpSV_analysis, p.d, static_cast<void*>(solve_buffer)) == ok);
    CHECK(allocations_of([&] { return p.call(cusparseSpSV_solve, p.d); }) == 0);
    CHECK(recorded().plan != nullptr);

    CHECK(allocations_of([&] {
              heron_handle native = reinterpret_cast<heron_handle>(static_cast<cusparseHandle_t>(p.h));
              int64_t m[] = {2, 2}, n[] = {2, 2};
              heron_kronmult_desc desc;
              heron_kronmult_init(&desc, HERON_R_64F, 2, m, n, 1);
              for (auto& factor : desc.factors) factor.a.base = values;
              desc.x.base = x_values;
              desc.y.base = y_values;
              return heron_kronmult(native, nullptr, &desc, nullptr, buffer, sizeof buffer);
          }) == 0);
}

TEST_CASE("typed functions take nothing from the heap, and their workspace from the handle") {
    const handle h(cusparseCreate);
    const owned<cusparseMatDescr_t, &cusparseDestroyMatDescr> descr(cusparseCreateMatDescr);
    auto* const numbers = reinterpret_cast<double*>(values);
    auto* const x = reinterpret_cast<double*>(x_values);
    auto* const y = reinterpret_cast<double*>(y_values);
    auto* const row_offsets = reinterpret_cast<int*>(offsets);
    auto* const indices = reinterpret_cast<int*>(columns);
    const double one = 1;
    double result;
    CHECK(allocations_of([&] {
              return cusparseDcsrmv(h, none, 5, 7, 4, &one, descr, numbers, row_offsets, indices, x, &one, y);
          }) == 0);
    const void* const scratch = recorded().memory;
    CHECK(scratch != nullptr);
    CHECK(allocations_of([&] { return cusparseDdoti(h, 3, x, indices, y, &result, zero_based); }) == 0);
    CHECK(recorded().memory == scratch);
    CHECK(allocations_of([&] { return cusparseDgthrz(h, 3, y, x, indices, zero_based); }) == 0);
    CHECK(allocations_of([&] { return cusparseDaxpyi(h, 3, &one, x, indices, y, zero_based); }) == 0);
}

TEST_CASE("the analysis of a triangular matrix asks for the size once") {
    const triangular_problem p;
    size_t size = 0;
    REQUIRE(p.call(cusparseSpSV_bufferSize, p.d, &size) == ok);
    const int before = recorded().count;
    REQUIRE(p.call(cusparseSpSV_analysis, p.d, static_cast<void*>(solve_buffer)) == ok);
    // SIZE and ANALYSE.
    CHECK(recorded().count == before + 2);
    REQUIRE(p.call(cusparseSpSV_solve, p.d) == ok);
    CHECK(recorded().count == before + 3);
}

TEST_CASE("an analysis of another operation is refused") {
    const triangular_problem p;
    const spgemm_descriptor products(cusparseSpGEMM_createDescr);
    log_capture log;
    size_t size = 0;
    int64_t count = 0;
    const auto solver = reinterpret_cast<cusparseSpSVDescr_t>(static_cast<cusparseSpGEMMDescr_t>(products));
    CHECK(p.call(cusparseSpSV_bufferSize, solver, &size) == invalid);
    auto lines = log.take();
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].message == "spsvDescr: is one of spgemm_numeric, not of trisolve");
    CHECK(cusparseSpGEMM_getNumProducts(
              reinterpret_cast<cusparseSpGEMMDescr_t>(static_cast<cusparseSpSVDescr_t>(p.d)), &count) ==
          invalid);
    lines = log.take();
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].message == "spgemmDescr: is one of trisolve, not of spgemm_numeric");
}
