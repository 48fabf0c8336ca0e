#pragma once
// What the tests of cuBLAS's calls on a backend share: a handle, arrays on the device as numbers, and a dense
// oracle.
#include "blas_functions.hpp"
#include "reference.hpp"
#include "rig.hpp"
#include <functional>

namespace heron::test {

// A handle on the default stream of the backend under test, made at the first use.
cublasHandle_t cublas();
void expect(cublasStatus_t actual, cublasStatus_t expected = CUBLAS_STATUS_SUCCESS,
            std::source_location where = std::source_location::current());

constexpr cudaDataType data_type(const float*) { return CUDA_R_32F; }
constexpr cudaDataType data_type(const double*) { return CUDA_R_64F; }
constexpr cudaDataType data_type(const cuComplex*) { return CUDA_C_32F; }
constexpr cudaDataType data_type(const cuDoubleComplex*) { return CUDA_C_64F; }

// An array on the device with random numbers, of one of the types, and what it held at first.
class numbers {
  public:
    numbers(cudaDataType type, int64_t count, random_source& random);
    numbers(cudaDataType type, std::vector<number> values);

    void* data() const { return memory_.data(); }
    template <class T>
    T* as() const {
        return static_cast<T*>(memory_.data());
    }
    cudaDataType type() const { return type_; }
    // At first.
    const number& operator[](int64_t i) const { return values_[static_cast<size_t>(i)]; }
    std::vector<number> now() const { return decode(type_, memory_.bytes()); }

  private:
    cudaDataType type_;
    std::vector<number> values_;
    device_memory memory_;
};

template <class T>
T scalar_of(number v) {
    T result;
    const std::vector<unsigned char> bytes = encode(data_type(&result), {v});
    std::memcpy(&result, bytes.data(), sizeof result);
    return result;
}

// Element (i, j) of a matrix.
using elements = std::function<number(int64_t, int64_t)>;

// A full matrix in column order, and op of one.
elements full_matrix(const numbers& a, int64_t ld, int64_t first = 0);
elements operated(const elements& a, cublasOperation_t op);
// The whole of a matrix of which a triangle is stored.
elements symmetric(const elements& a, cublasFillMode_t fill, bool hermitian);
elements triangular(const elements& a, cublasFillMode_t fill, cublasDiagType_t diag);

// Checks the elements i + j*ld of c against expected(i, j), and that the others are as they were.
void check_matrix(const numbers& c, int64_t m, int64_t n, int64_t ld, const elements& expected,
                  double magnitude, int64_t first = 0);
// The sum over k of a(i, k)*b(k, j).
number dot(const elements& a, const elements& b, int64_t i, int64_t j, int64_t k);

}  // namespace heron::test
