// Handles, descriptors and products used by several threads at once. The answers are checked; what ThreadSanitizer says is
// the other half of the test (preset tsan).
#include "catch.hpp"
#include <cusparse.h>
#include <heron/heron.h>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

constexpr int64_t rows = 2000;
constexpr int repeats = 50;

// Row i holds i + 1 on the diagonal and 1 beside it.
struct tridiagonal {
    std::vector<int32_t> offsets{0};
    std::vector<int32_t> columns;
    std::vector<double> values;

    tridiagonal() {
        for (int64_t row = 0; row < rows; ++row) {
            for (int64_t column = row - 1; column <= row + 1; ++column) {
                if (column < 0 || column >= rows) continue;
                columns.push_back(static_cast<int32_t>(column));
                values.push_back(column == row ? static_cast<double>(row + 1) : 1.0);
            }
            offsets.push_back(static_cast<int32_t>(columns.size()));
        }
    }
};

// y = A*(1, ..., 1) with descriptors, buffers and workspace of its own; true if every status and number is right.
bool multiplies_right(heron_handle memory, cusparseHandle_t handle, const tridiagonal& a) {
    bool good = true;
    const auto ok = [&](int status) { good = good && status == 0; };
    const auto device_copy = [&](const void* from, size_t bytes) {
        void* p = nullptr;
        ok(heron_alloc(memory, bytes, HERON_MEMORY_DEVICE, &p));
        if (p) ok(heron_copy(memory, p, from, bytes));
        return p;
    };
    const std::vector<double> ones(rows, 1.0);
    std::vector<double> result(rows, -1.0);
    void* const offsets = device_copy(a.offsets.data(), a.offsets.size() * sizeof(int32_t));
    void* const columns = device_copy(a.columns.data(), a.columns.size() * sizeof(int32_t));
    void* const values = device_copy(a.values.data(), a.values.size() * sizeof(double));
    void* const x = device_copy(ones.data(), rows * sizeof(double));
    void* const y = device_copy(result.data(), rows * sizeof(double));

    cusparseSpMatDescr_t matrix = nullptr;
    cusparseDnVecDescr_t in = nullptr;
    cusparseDnVecDescr_t out = nullptr;
    ok(cusparseCreateCsr(&matrix, rows, rows, static_cast<int64_t>(a.columns.size()), offsets, columns, values,
                         CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    ok(cusparseCreateDnVec(&in, rows, x, CUDA_R_64F));
    ok(cusparseCreateDnVec(&out, rows, y, CUDA_R_64F));
    const double alpha = 1, beta = 0;
    size_t bytes = 0;
    ok(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix, in, &beta, out, CUDA_R_64F,
                               CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
    void* buffer = nullptr;
    ok(heron_alloc(memory, bytes, HERON_MEMORY_DEVICE, &buffer));
    ok(cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix, in, &beta, out, CUDA_R_64F,
                               CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    for (int i = 0; i < repeats; ++i)
        ok(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix, in, &beta, out, CUDA_R_64F,
                        CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    ok(heron_copy(memory, result.data(), y, rows * sizeof(double)));
    for (int64_t row = 0; row < rows; ++row) {
        const double neighbours = (row > 0) + (row + 1 < rows);
        good = good && result[static_cast<size_t>(row)] == static_cast<double>(row + 1) + neighbours;
    }
    ok(cusparseDestroySpMat(matrix));
    ok(cusparseDestroyDnVec(in));
    ok(cusparseDestroyDnVec(out));
    for (void* p : {offsets, columns, values, x, y, buffer}) ok(heron_free(memory, p));
    return good;
}

// Runs work(thread number) on two threads; how many returned true.
template <class F> int successes(F&& work) {
    std::atomic<int> count = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) threads.emplace_back([&, t] { count += work(t); });
    for (std::thread& t : threads) t.join();
    return count;
}

}  // namespace

TEST_CASE("two threads with a handle each") {
    const tridiagonal a;
    CHECK(successes([&](int) {
              heron_handle memory = nullptr;
              cusparseHandle_t handle = nullptr;
              if (heron_create(&memory) || cusparseCreate(&handle)) return false;
              const bool good = multiplies_right(memory, handle, a);
              const bool destroyed = cusparseDestroy(handle) == 0 && heron_destroy(memory) == 0;
              return destroyed && good;
          }) == 2);
}

TEST_CASE("two threads with one handle") {
    const tridiagonal a;
    heron_handle memory = nullptr;
    cusparseHandle_t handle = nullptr;
    REQUIRE(heron_create(&memory) == HERON_SUCCESS);
    REQUIRE(cusparseCreate(&handle) == CUSPARSE_STATUS_SUCCESS);
    CHECK(successes([&](int) { return multiplies_right(memory, handle, a); }) == 2);
    CHECK(cusparseDestroy(handle) == CUSPARSE_STATUS_SUCCESS);
    CHECK(heron_destroy(memory) == HERON_SUCCESS);
}

TEST_CASE("handles and descriptors come and go on two threads") {
    CHECK(successes([&](int t) {
              bool good = true;
              for (int i = 0; i < 200; ++i) {
                  cusparseHandle_t handle = nullptr;
                  cusparseMatDescr_t descr = nullptr;
                  good = good && cusparseCreate(&handle) == 0 && cusparseCreateMatDescr(&descr) == 0;
                  good = good && cusparseSetPointerMode(handle, static_cast<cusparsePointerMode_t>(t)) == 0;
                  cusparsePointerMode_t mode{};
                  good = good && cusparseGetPointerMode(handle, &mode) == 0 && static_cast<int>(mode) == t;
                  good = good && cusparseDestroyMatDescr(descr) == 0 && cusparseDestroy(handle) == 0;
              }
              return good;
          }) == 2);
}
