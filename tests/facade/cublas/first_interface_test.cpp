// The interface without handles: one state, results by value, errors that cublasGetError tells.
#include "catch.hpp"
#include <cublas.h>
#include <cstdlib>
#include <string>

namespace {

const bool host_chosen = setenv("HERON_BACKEND", "host", 1) == 0;

// Initialised while it lives.
struct session {
    session() { REQUIRE(cublasInit() == CUBLAS_STATUS_SUCCESS); }
    ~session() { cublasShutdown(); }
};

template <class T>
T* device_copy(const T* values, int count) {
    void* memory = nullptr;
    REQUIRE(cublasAlloc(count, sizeof(T), &memory) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(cublasSetVector(count, sizeof(T), values, 1, memory, 1) == CUBLAS_STATUS_SUCCESS);
    return static_cast<T*>(memory);
}

}  // namespace

TEST_CASE("without cublasInit nothing works") {
    float x = 1;
    void* memory = nullptr;
    CHECK(cublasAlloc(1, 4, &memory) == CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(cublasSnrm2(1, &x, 1) == 0);
    CHECK(cublasGetError() == CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(cublasGetError() == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasShutdown() == CUBLAS_STATUS_NOT_INITIALIZED);
}

TEST_CASE("results by value") {
    const session s;
    CHECK(cublasInit() == CUBLAS_STATUS_SUCCESS);
    const float values[] = {3, 4};
    float* const x = device_copy(values, 2);
    CHECK(cublasSnrm2(2, x, 1) == 5);
    CHECK(cublasSasum(2, x, 1) == 7);
    CHECK(cublasSdot(2, x, 1, x, 1) == 25);
    CHECK(cublasIsamax(2, x, 1) == 2);
    const cuComplex complex_values[] = {{1, 2}, {0, 1}};
    cuComplex* const z = device_copy(complex_values, 2);
    const cuComplex conjugated = cublasCdotc(2, z, 1, z, 1), plain = cublasCdotu(2, z, 1, z, 1);
    CHECK(conjugated.x == 6);
    CHECK(conjugated.y == 0);
    CHECK(plain.x == -4);
    CHECK(plain.y == 4);
    CHECK(cublasGetError() == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasFree(x) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasFree(z) == CUBLAS_STATUS_SUCCESS);
}

TEST_CASE("letters choose operation, triangle and diagonal") {
    const session s;
    const double a_values[] = {2, 1, 9, 4}, x_values[] = {2, 9};
    double* const a = device_copy(a_values, 4);
    double* const x = device_copy(x_values, 2);
    double result[2];
    cublasDtrsv('l', 'n', 'n', 2, a, 2, x, 1);
    REQUIRE(cublasGetVector(2, sizeof(double), x, 1, result, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(result[0] == 1);
    CHECK(result[1] == 2);
    double* const y = device_copy(x_values, 2);
    cublasDgemv('T', 2, 2, 1, a, 2, x, 1, 0, y, 1);
    REQUIRE(cublasGetVector(2, sizeof(double), y, 1, result, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(result[0] == 4);
    CHECK(result[1] == 17);
    CHECK(cublasGetError() == CUBLAS_STATUS_SUCCESS);
    for (const char wrong : {'X', '\0', 'L'}) {
        cublasDgemv(wrong, 2, 2, 1, a, 2, x, 1, 0, y, 1);
        CHECK(cublasGetError() == CUBLAS_STATUS_INVALID_VALUE);
    }
    cublasDtrsv('N', 'N', 'N', 2, a, 2, x, 1);
    CHECK(cublasGetError() == CUBLAS_STATUS_INVALID_VALUE);
    cublasFree(a);
    cublasFree(x);
    cublasFree(y);
}

TEST_CASE("allocation and version") {
    const session s;
    void* memory = nullptr;
    CHECK(cublasAlloc(0, 4, &memory) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasAlloc(4, 0, &memory) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasAlloc(4, 4, nullptr) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasFree(nullptr) == CUBLAS_STATUS_SUCCESS);
    int version = 0;
    CHECK(cublasGetVersion(&version) == CUBLAS_STATUS_SUCCESS);
    CHECK(version == CUBLAS_VERSION);
    CHECK(cublasSetKernelStream(nullptr) == CUBLAS_STATUS_SUCCESS);
}
